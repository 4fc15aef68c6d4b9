"""The command line: ``rekern COMMAND``, one module a command."""

import atexit
import os
import sys

INTERRUPTED = 130
PROGRAMS = ("rekern", "rekern.exe", "__main__.py")


def main() -> None:
    """Run the command line; the process ends with 0, with 2 after an error, with 130 after Ctrl-C."""
    codes: list[object] = []
    atexit.register(_end_at_once, codes)  # before all others, so that it is called after them
    try:
        from rekern.cli.commands import app
        from rekern.cli.quick_start import own_process

        own_process()
        app()
    except KeyboardInterrupt:  # before a command has begun
        print("rekern: stopped", file=sys.stderr)
        codes.append(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        codes.append(end.code)
        raise


def _end_at_once(codes: list[object]) -> None:
    """End the process if it runs the command and nothing else, and after Ctrl-C.

    Freeing all objects takes up to half a second, and after Ctrl-C it could wait for ever for one of them: no signal
    ends that.
    """
    is_stopped = INTERRUPTED in codes
    is_program = os.path.basename(sys.argv[0]) in PROGRAMS and len(codes) == 1 and not hasattr(sys, "last_value")
    code = INTERRUPTED if is_stopped else codes[0] or 0 if is_program else None
    if not isinstance(code, int):  # an error is still to be shown
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (AttributeError, ValueError, OSError):
        if not is_stopped:
            return  # the reader has left, which Python reports
    os._exit(code)
