"""A Java program that answers every line with a line. It keeps running, and is started again after a failure."""

import os
import shutil
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from rekern.errors import InputError

PATIENCE = 300.0  # seconds for the start, because a large model may be loaded


class ProgramError(Exception):
    """The program ended or was too slow; the message says which."""


class JavaLines:
    """One process that reads lines and answers each with one line.

    ``command`` starts the process. ``greeting`` is a line that it can always answer. It is sent at every start, to
    detect a program that does not work at all (a missing class, a damaged model).
    """

    def __init__(self, command: Sequence[str], greeting: str):
        self.command = list(command)
        self.greeting = greeting
        self._process: subprocess.Popen[bytes] | None = None
        self._error_lines: deque[str] = deque(maxlen=20)
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()

    def ask(self, line: str, seconds: float) -> str:
        """Return the answer to a line; raise `ProgramError` if the program ends or takes longer than ``seconds``."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._send_line(line, seconds)

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            _end_process(process)

    def _start(self) -> None:
        self.close()
        try:
            # a session of its own, so that Ctrl-C reaches only Rekern, which then ends the program
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise InputError(f"cannot run {self.command[0]}: {error.strerror or error}") from None
        self._process = process
        weakref.finalize(self, _end_process, process)
        self._error_lines = deque(maxlen=20)
        self._answers = SimpleQueue()
        errors = threading.Thread(target=_read_errors, args=(process.stderr, self._error_lines), daemon=True)
        errors.start()
        answers = threading.Thread(target=_read_answers, args=(process.stdout, self._answers, errors), daemon=True)
        answers.start()
        try:
            self._send_line(self.greeting, PATIENCE)
        except ProgramError as error:
            raise InputError(f"the parser does not start ({error}): check the jar, the model and Java") from None

    def _send_line(self, line: str, seconds: float) -> str:
        process = self._process
        assert process is not None and process.stdin is not None
        started = time.monotonic()
        # a thread writes the line, because writing blocks for ever if the program does not read
        writer = threading.Thread(target=_write_line, args=(process.stdin, (line + "\n").encode()), daemon=True)
        writer.start()
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            self.close()
            raise ProgramError(f"not finished after {seconds:g} s") from None
        if answer is None:
            self.close()
            reason = find_java_error(list(self._error_lines))
            raise ProgramError(f"Java ended after {time.monotonic() - started:.1f} s{reason and ': ' + reason}")
        return answer.decode("utf-8", "replace").rstrip("\r\n")


def find_java(java: str | None = None) -> str:
    """Return the path of Java: the given one, or that of ``JAVA_HOME``, or the one on the search path.

    >>> find_java("no-such-java")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no Java (no-such-java): install a Java runtime of version 8 or newer
    """
    home = os.environ.get("JAVA_HOME")
    wanted = java or (os.path.join(home, "bin", "java") if home else "java")
    found = shutil.which(wanted) or (None if java else shutil.which("java"))
    if found is None:
        raise InputError(f"there is no Java ({wanted}): install a Java runtime of version 8 or newer")
    return found


def find_java_error(lines: Sequence[str]) -> str:
    """Return the line of Java's error output that tells why it ended, or the last line.

    >>> find_java_error(["Loading", "Exception in thread main java.lang.OutOfMemoryError", "at A.java:7"])
    'Exception in thread main java.lang.OutOfMemoryError'
    """
    errors = [line for line in lines if "Error" in line or "Exception" in line]
    return (errors[0] if errors else lines[-1] if lines else "")[:200]


def _read_answers(stream: object, answers: "SimpleQueue[bytes | None]", errors: threading.Thread) -> None:
    with suppress(OSError, ValueError):
        for line in stream:  # type: ignore[attr-defined]
            answers.put(line)
    errors.join(1)  # read the error output to its end before the end is reported
    answers.put(None)


def _read_errors(stream: object, lines: deque[str]) -> None:
    with suppress(OSError, ValueError):
        for line in stream:  # type: ignore[attr-defined]
            text = line.decode("utf-8", "replace").strip()
            if text:
                lines.append(text)


def _write_line(stream: object, data: bytes) -> None:
    with suppress(OSError, ValueError):  # the end of the program is noticed when its answers are read
        stream.write(data)  # type: ignore[attr-defined]
        stream.flush()  # type: ignore[attr-defined]


def _end_process(process: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        process.kill()
    with suppress(OSError, subprocess.TimeoutExpired):
        process.wait(5)
    with suppress(OSError):
        if process.stdout is not None:
            process.stdout.close()
