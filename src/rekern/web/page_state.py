"""The state of a page, as it stands in its address."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request

from rekern.web.served_models import ServedModel
from rekern.web.site import Site


class PageState:
    """The fields of the query of a page; each is a text that is not too long."""

    def __init__(self, site: Site, request: Request) -> None:
        self._site, self._query = site, request.query_params

    def text(self, name: str, default: str = "") -> str:
        """Return a field; one that is missing is the default."""
        return self._site.check_text(self._query.get(name, default), name)

    def choice(self, name: str, options: Mapping[str, object] | tuple[str, ...]) -> str:
        """Return a field that is one of these options; the first one if it is none of them."""
        value = self._query.get(name, "")
        return value if value in options else next(iter(options))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """Return a field that is a number, moved into its range."""
        try:
            value = float(self._query.get(name, default))
        except ValueError:
            return default
        return min(max(value, low), high) if value == value else default

    def has(self, *names: str) -> bool:
        """Whether the query has one of these fields."""
        return any(name in self._query for name in names)

    def model(self) -> ServedModel:
        """Return the model that the page shows."""
        return self._site.models.find(self._query.get("model"))
