"""The socket of the server."""

from __future__ import annotations

import socket

from rekern.errors import InputError


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any free one.

    >>> with open_socket("127.0.0.1", 0) as listener:
    ...     listener.getsockname()[0]
    '127.0.0.1'
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        remedy = "choose another with --port" if error.errno not in (None, -2, -3) else "correct --host"
        raise InputError(f"cannot listen on {host}, port {port} ({error.strerror}): {remedy}") from None
    except OverflowError:
        raise InputError(f"the port {port} does not exist: choose one from 0 to 65535") from None
