"""Exit codes of all commands: one line and code 2 for an error, 130 for Ctrl-C, never a traceback."""

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
from copy import copy
from typing import Any, TextIO, cast

import typer
from typer.core import TyperCommand, TyperGroup

from rekern.cli import INTERRUPTED
from rekern.cli.output import say
from rekern.cli.plain_values import convert_plainly
from rekern.core.messages import show_controls
from rekern.errors import MissingExtraError

FAILED = 2
GRACE = 1.0  # seconds after Ctrl-C in which a command may remove its files
TRACEBACK = "REKERN_TRACEBACK"


class Application(typer.Typer):
    """All commands, without Typer's hook for exceptions, which would be set for the whole process."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name; the options of the others are not built."""
        program = copy(self)
        name = (args[0] if args else sys.argv[1:])[:1]
        named = [info for info in self.registered_commands if info.callback and info.callback.__name__ in name]
        program.registered_commands = named or self.registered_commands
        return typer.main.get_command(program)(*args, **kwargs)


class Command(TyperCommand):
    """One command."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments; plain values are taken as they are."""
        convert_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)


class Program(TyperGroup):
    """The group of all commands."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        """Run one command and end the process with its exit code."""
        arguments = list(sys.argv[1:] if args is None else args) or ["--help"]
        extra["standalone_mode"] = False
        if _stop_reported.locked():  # by an earlier command in the same process
            _stop_reported.release()
        with _repair_streams(), _shorten_warnings(), _watch_for_interrupts(), _notice_lost_interrupts():
            code = _run_action(lambda: super(Program, self).main(arguments, prog_name or "rekern", **extra))
        sys.exit(code)

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments before the name of the command."""
        convert_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; handle Ctrl-C and closed pipes here instead of in Typer."""
        from rekern.core.progress import show_bars

        try:
            with show_bars():
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            _say_stopped()
            raise SystemExit(INTERRUPTED) from None
        except EOFError as error:  # Typer would take it for Ctrl-C
            raise ValueError(f"a file ends too early ({error})") from error
        except BrokenPipeError:  # the reader, such as head, has closed the pipe
            _silence_standard_output()
            raise SystemExit(0) from None


def _run_action(action: Callable[[], object]) -> int:
    """Run a command and return its exit code; print an error as one line."""
    try:
        result = action()
        if result == INTERRUPTED:
            _say_stopped()
        return result if isinstance(result, int) else 0
    except typer.Abort:
        _say_stopped()
        return INTERRUPTED
    except Exception as error:
        if _lost_interrupt.is_set():  # the error is what Ctrl-C has left
            _say_stopped()
            return INTERRUPTED
        _report(error)
    return FAILED


def _report(error: Exception) -> None:
    """Print an error as one line."""
    if isinstance(error, MemoryError):
        say("out of memory; use fewer pairs, smaller windows (--k), or write a Gram to .npy")
    elif isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        say(f"{name}{error.strerror or error}")
    elif isinstance(error, ValueError | MissingExtraError):
        _print_traceback(error)
        say(str(error))
    elif hasattr(error, "format_message"):  # a wrong option or argument
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "rekern"
        message = error.format_message().replace("Value error, ", "").rstrip(".")
        say(f"{message[:1].lower()}{message[1:]}; see {command} --help")
    else:
        _print_traceback(error)
        say(f"{type(error).__name__}: {error} (this is a bug in Rekern; {TRACEBACK}=1 shows the traceback)")


def _print_traceback(error: Exception) -> None:
    """Print the traceback of an error if the user asked for it with an environment variable."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)


@contextmanager
def _repair_streams() -> Iterator[None]:
    """Print characters that the encoding of the output lacks as escapes, instead of failing.

    A stream that was closed before the start is replaced by one that discards everything.
    """
    before = sys.stdout, sys.stderr
    plain, errors = (stream or open(os.devnull, "w") for stream in before)  # noqa: SIM115
    handlers = [(stream, getattr(stream, "errors", None)) for stream in (plain, errors)]
    for stream, _ in handlers:
        _handle_errors(stream, "backslashreplace")
    sys.stdout, sys.stderr = cast(TextIO, _PrintedText(plain)), errors
    try:
        yield
    finally:
        for stream, handler in handlers:
            _handle_errors(stream, handler)
        sys.stdout, sys.stderr = before


def _handle_errors(stream: TextIO, handler: str | None) -> None:
    """Say what a stream does with characters that its encoding lacks, if it is one that can be told."""
    with suppress(AttributeError, ValueError, OSError):
        stream.reconfigure(errors=handler)  # type: ignore[attr-defined]


class _PrintedText:
    """Standard output for people: control characters of names and texts are printed as escapes."""

    def __init__(self, stream: TextIO):
        self.rich_proxied_file = stream  # Rich writes its styles there

    def write(self, text: str) -> int:
        """Write a text."""
        return self.rich_proxied_file.write(show_controls(text))

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self.rich_proxied_file, name)
        return found


@contextmanager
def _shorten_warnings() -> Iterator[None]:
    """Print each warning as one line on standard error."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.showwarning = show
        yield


@contextmanager
def _watch_for_interrupts() -> Iterator[None]:
    """End the process a moment after Ctrl-C, even while compiled code runs that does not handle signals."""
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
                speaker = threading.Thread(target=_say_stopped, daemon=True)
                speaker.start()
                speaker.join(GRACE)  # no longer: nobody may be reading what is said
                os._exit(INTERRUPTED)


@contextmanager
def _notice_lost_interrupts() -> Iterator[None]:
    """Notice Ctrl-C in a function that C code calls, such as those of Numba's compiler: Python drops the exception."""
    before = sys.unraisablehook

    def note(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _lost_interrupt.set()
        else:
            before(lost)

    _lost_interrupt.clear()
    sys.unraisablehook = note
    try:
        yield
    finally:
        sys.unraisablehook = before


_lost_interrupt = threading.Event()
_stop_reported = threading.Lock()  # held as soon as the user was told that the command stopped


def _say_stopped() -> None:
    if _stop_reported.acquire(blocking=False):
        say("stopped")


def _silence_standard_output() -> None:
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
