"""How every command ends: one line and exit code 2 for an error, 130 for Ctrl-C, never a traceback."""

import os
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperGroup

from rekern.errors import MissingExtraError

FAILED = 2
INTERRUPTED = 130
GRACE = 1.0  # seconds that a command has after Ctrl-C to remove its files
TRACEBACK = "REKERN_TRACEBACK"


class Program(TyperGroup):
    """The group of all commands."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run one command and end the process with its exit code."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        extra["standalone_mode"] = False
        if _silent.locked():  # by an earlier command of the same process
            _silent.release()
        with _careful_streams(), _one_line_warnings(), _stop_at_once():
            code = _exit_code(lambda: super(Program, self).main(given, prog_name or "rekern", **extra))
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what Typer would answer in its own way is answered here."""
        from rekern.core.progress import shown

        try:
            with shown():
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            _say_stopped()
            raise SystemExit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader, such as head, has seen enough
            _silence_standard_output()
            raise SystemExit(1) from None


def say(message: str) -> None:
    """A remark on standard error, on one line."""
    print(f"rekern: {' '.join(message.split())}", file=sys.stderr, flush=True)


def _exit_code(action: Callable[[], Any]) -> int:
    try:
        result = action()
        if result == INTERRUPTED:
            _say_stopped()
        return result if isinstance(result, int) else 0
    except typer.Abort:
        _say_stopped()
        return INTERRUPTED
    except MemoryError:
        say("the memory does not suffice; give it fewer pairs, smaller windows (--k), or write a Gram to .npy")
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        say(f"{name}{error.strerror or error}")
    except (ValueError, MissingExtraError) as error:
        _unexpected_line(error)
        say(str(error))
    except Exception as error:
        if hasattr(error, "format_message"):  # a wrong option or argument
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "rekern"
            message = error.format_message().replace("Value error, ", "").rstrip(".")
            say(f"{message[:1].lower()}{message[1:]}; see {command} --help")
        else:
            _unexpected_line(error)
            say(f"{type(error).__name__}: {error} (this is a fault of Rekern; {TRACEBACK}=1 shows where)")
    return FAILED


def _unexpected_line(error: Exception) -> None:
    """Where an error comes from, for those who asked for it."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)


@contextmanager
def _careful_streams() -> Iterator[None]:
    """Print the number of a character that the encoding of the output lacks, instead of failing.

    A stream that was closed before the start is replaced by one that swallows everything.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    yield


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    def show(message: Any, *_: Any, **__: Any) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.showwarning = show
        yield


@contextmanager
def _stop_at_once() -> Iterator[None]:
    """End the process a moment after Ctrl-C, also where compiled code does not listen to Python's signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_interrupt, args=(ours,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        theirs.close()


def _wait_for_interrupt(listener: socket.socket) -> None:
    with listener:
        while received := listener.recv(1):
            if received[0] == signal.SIGINT:
                time.sleep(GRACE)
                _say_stopped()
                os._exit(INTERRUPTED)


_silent = threading.Lock()  # taken by whoever says first that the command was stopped


def _say_stopped() -> None:
    if _silent.acquire(blocking=False):
        say("stopped")


def _silence_standard_output() -> None:
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
