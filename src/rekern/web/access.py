"""Who may ask: the names of this host, the token, and pages of other sites."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Collection, Mapping
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from rekern.web.problems import Problem

COOKIE = "rekern_session"
OPEN_PATHS = ("/api/health", "/sign-in", "/static/")  # what is there without a token


class Access:
    """The rules of access: which host names are ours, and the token if there is one.

    A request must name this host by an IP address, by ``localhost`` or by one of ``hosts``: a page of another site
    cannot do so, even if its name leads here (DNS rebinding).

    >>> access = Access(hosts=["models.example.org"], token="secret")
    >>> access.find_problem("GET", "/", {"host": "evil.example"}).status_code
    421
    >>> access.find_problem("GET", "/api/models", {"host": "127.0.0.1:8000"}).status_code
    401
    >>> access.find_problem("GET", "/api/models", {"host": "localhost", "authorization": "Bearer secret"}) is None
    True
    """

    def __init__(self, hosts: Collection[str] = (), token: str | None = None) -> None:
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
        self._token = token
        self._is_own_name = lru_cache(maxsize=64)(self._look_up_name)

    @property
    def needs_token(self) -> bool:
        """Whether there is a token."""
        return self._token is not None

    def find_problem(self, method: str, path: str, headers: Mapping[str, str]) -> Problem | None:
        """Return why a request is refused, or None."""
        host = headers.get("host", "")
        if not self.is_ours(host):
            return Problem("wrong-host", "the server is not known by this name; allow it with --allow-host NAME")
        if method not in ("GET", "HEAD") and _is_cross_site(headers, host):
            return Problem("other-site", "a page of another site may not send this request")
        if self._token is None or path.startswith(OPEN_PATHS) or self.is_signed_in(headers):
            return None
        detail = "send the token in the header Authorization: Bearer TOKEN"
        return Problem("no-token", detail, headers={"WWW-Authenticate": 'Bearer realm="rekern"'})

    def is_ours(self, host: str) -> bool:
        """Whether the header Host names this server.

        >>> access = Access()
        >>> [access.is_ours(host) for host in ("localhost:8000", "[::1]:80", "10.0.0.7", "evil.example", "")]
        [True, True, True, False, False]
        """
        return self._is_own_name(host)

    def _look_up_name(self, host: str) -> bool:
        name = _split_host(host)
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def is_signed_in(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has the token, in a header or as the cookie of a browser."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.make_session().encode())

    def is_token(self, given: str) -> bool:
        """Whether this is the token; it takes as long for any text."""
        return self._token is not None and hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())

    def make_session(self) -> str:
        """Return the value of the cookie: it proves the token and does not tell it."""
        return hmac.new((self._token or "").encode(), b"rekern session", hashlib.sha256).hexdigest()


def _split_host(host: str) -> str:
    """Return the name in a header Host, without the port and the brackets of an IPv6 address."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_cross_site(headers: Mapping[str, str], host: str) -> bool:
    """Whether a browser says that a page of another site sends the request."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.lower().partition("://")[2] != host.lower()
