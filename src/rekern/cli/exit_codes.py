"""Exit codes of all commands: one line and code 2 for an error, 130 for Ctrl-C, never a traceback."""

import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

import typer
from typer.core import TyperGroup

from rekern.cli import INTERRUPTED
from rekern.cli.output import say
from rekern.core.messages import show_controls
from rekern.errors import MissingExtraError

FAILED = 2
TRACEBACK = "REKERN_TRACEBACK"


class Application(typer.Typer):
    """All commands, without Typer's hook for exceptions, which would be set for the whole process."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name."""
        return typer.main.get_command(self)(*args, **kwargs)


class Program(TyperGroup):
    """The group of all commands."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        """Run one command and end the process with its exit code."""
        arguments = list(sys.argv[1:] if args is None else args) or ["--help"]
        extra["standalone_mode"] = False
        with _repair_streams(), _shorten_warnings(), _notice_lost_interrupts():
            code = _run_action(lambda: super(Program, self).main(arguments, prog_name or "rekern", **extra))
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; handle Ctrl-C and closed pipes here instead of in Typer."""
        from rekern.core.progress import show_bars

        try:
            with show_bars():
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            say("stopped")
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
            say("stopped")
        return result if isinstance(result, int) else 0
    except typer.Abort:
        say("stopped")
        return INTERRUPTED
    except Exception as error:
        if _lost_interrupt.is_set():  # the error is what Ctrl-C has left
            say("stopped")
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


def _silence_standard_output() -> None:
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
