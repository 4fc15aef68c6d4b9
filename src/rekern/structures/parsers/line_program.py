"""A program that answers every line with a line: kept running, given a time limit, started again when it dies."""

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

PATIENCE = 300.0  # seconds for the start, in which a large model is loaded


class Stopped(Exception):
    """The program died or was too slow; the message says which."""


class JavaLines:
    """One process that reads lines and answers each with one line.

    ``greeting`` is a line that it is known to answer: it is sent at every start, so that a program that cannot work at
    all (no such class, a damaged model) is told apart from one that a later line kills.
    """

    def __init__(self, command: Sequence[str], greeting: str):
        self.command = list(command)
        self.greeting = greeting
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words: deque[str] = deque(maxlen=20)
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()

    def ask(self, line: str, seconds: float) -> str:
        """The answer to a line; ``Stopped`` if the program dies over it or takes longer than so many seconds."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._answer(line, seconds)

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _start(self) -> None:
        self.close()
        try:
            # a session of its own: Ctrl-C goes to Rekern, which ends the program itself
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
        weakref.finalize(self, _end, process)
        self._last_words = deque(maxlen=20)
        self._answers = SimpleQueue()
        words = threading.Thread(target=_read_words, args=(process.stderr, self._last_words), daemon=True)
        words.start()
        answers = threading.Thread(target=_read_answers, args=(process.stdout, self._answers, words), daemon=True)
        answers.start()
        try:
            self._answer(self.greeting, PATIENCE)
        except Stopped as error:
            raise InputError(f"the parser does not start ({error}): check the jar, the model and Java") from None

    def _answer(self, line: str, seconds: float) -> str:
        process = self._process
        assert process is not None and process.stdin is not None
        started = time.monotonic()
        # written from aside: a program that reads no more would block a long line for ever
        writer = threading.Thread(target=_write, args=(process.stdin, (line + "\n").encode()), daemon=True)
        writer.start()
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            self.close()
            raise Stopped(f"not finished after {seconds:g} s") from None
        if answer is None:
            self.close()
            reason = java_reason(list(self._last_words))
            raise Stopped(f"Java ended after {time.monotonic() - started:.1f} s{reason and ': ' + reason}")
        return answer.decode("utf-8", "replace").rstrip("\r\n")


def find_java(java: str | None = None) -> str:
    """The path of the Java program: the one named, else that of ``JAVA_HOME``, else the one on the path.

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


def java_reason(words: Sequence[str]) -> str:
    """The line of what Java said that tells why it ended, or its last one.

    >>> java_reason(["Loading", "Exception in thread main java.lang.OutOfMemoryError", "at A.java:7"])
    'Exception in thread main java.lang.OutOfMemoryError'
    """
    telling = [line for line in words if "Error" in line or "Exception" in line]
    return (telling[0] if telling else words[-1] if words else "")[:200]


def _read_answers(stream: object, answers: "SimpleQueue[bytes | None]", words: threading.Thread) -> None:
    with suppress(OSError, ValueError):
        for line in stream:  # type: ignore[attr-defined]
            answers.put(line)
    words.join(1)  # the last words are complete when the end is told
    answers.put(None)


def _read_words(stream: object, words: deque[str]) -> None:
    with suppress(OSError, ValueError):
        for line in stream:  # type: ignore[attr-defined]
            text = line.decode("utf-8", "replace").strip()
            if text:
                words.append(text)


def _write(stream: object, data: bytes) -> None:
    with suppress(OSError, ValueError):  # a dead program is noticed by its answers
        stream.write(data)  # type: ignore[attr-defined]
        stream.flush()  # type: ignore[attr-defined]


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        process.kill()
    with suppress(OSError, subprocess.TimeoutExpired):
        process.wait(5)
    with suppress(OSError):
        if process.stdout is not None:
            process.stdout.close()
