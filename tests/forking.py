"""Processes that are copies of this one, with everything imported: where only a process of its own is the point."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import TextIO

CAN_FORK = hasattr(os, "fork")


class Fork:
    """A process that was forked; what it prints and says comes from ``output``."""

    def __init__(self, number: int, output: TextIO):
        self.number, self.output = number, output

    def interrupt(self) -> None:
        """Send it Ctrl-C."""
        os.kill(self.number, signal.SIGINT)

    def end(self, seconds: float = 60.0) -> tuple[int, str]:
        """Wait for its end; return its exit code and the rest of what it said. After some seconds it is killed."""
        until = time.monotonic() + seconds
        while (found := os.waitpid(self.number, os.WNOHANG))[0] == 0 and time.monotonic() < until:
            time.sleep(0.01)
        if found[0] == 0:
            os.kill(self.number, signal.SIGKILL)
            found = os.waitpid(self.number, 0)
        with self.output:
            return os.waitstatus_to_exitcode(found[1]), self.output.read()


def fork(work: Callable[[], object]) -> Fork:
    """Start a function in a copy of this process, in which Ctrl-C works; what is said has to fit into a pipe."""
    reader, writer = os.pipe()
    number = os.fork()
    if number == 0:
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for stream in (1, 2):
                os.dup2(writer, stream)
            sys.stdout, sys.stderr = (open(stream, "w", closefd=False) for stream in (1, 2))  # noqa: SIM115
            try:
                work()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1 if end.code else 0
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(writer)
    return Fork(number, os.fdopen(reader))
