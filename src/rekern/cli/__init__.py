"""The command line: ``rekern COMMAND``, one module a command."""

import atexit
import os
import sys
from contextlib import suppress

INTERRUPTED = 130


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
    """End the process after Ctrl-C. Freeing all objects could wait for ever for one of them: no signal ends that."""
    if INTERRUPTED in codes:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError, OSError):
                stream.flush()
        os._exit(INTERRUPTED)
