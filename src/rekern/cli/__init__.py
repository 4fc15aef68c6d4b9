"""The command line: ``rekern COMMAND``, one module a command."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line; the process ends with 0, with 2 after an error, with 130 after Ctrl-C."""
    try:
        from rekern.cli.commands import app

        app()
    except KeyboardInterrupt:  # before a command has begun
        print("rekern: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
