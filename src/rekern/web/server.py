"""Running the application: its socket, the signals, the end."""

from __future__ import annotations

import gc
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn

from rekern.core.parallel_jobs import use_one_blas_thread
from rekern.errors import InputError
from rekern.web.guard import Guard

SWITCH_SECONDS = 0.001  # how long a job may keep others from answering, while it runs Python


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


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the orderly end; a second Ctrl-C does not wait for it. The process goes on after it."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def run_server(application: Guard, listener: socket.socket, seconds: float, tell: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C; requests that run are finished first, for at most ``seconds``."""
    config = uvicorn.Config(
        application,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(seconds) + 1,
        lifespan="on",
    )
    server = _Server(config)
    before = signal.set_wakeup_fd(-1)  # a signal starts the orderly end, and nothing else
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # of libraries and models nothing becomes garbage: looking through them stops all requests for 0.1 s
    try:
        with use_one_blas_thread():  # requests run beside each other, and BLAS's threads would wait for each other
            server.run(sockets=[listener])
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval)
        signal.set_wakeup_fd(before)
    tell("ended; all requests are answered")
