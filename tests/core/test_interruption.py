"""The thread of long calls: one for all of them, a new one after Ctrl-C and after a fork."""

import threading
from contextvars import ContextVar

import pytest

from forking import CAN_FORK, fork
from rekern.core import interruption
from rekern.core.interruption import LONG, call_core


def test_short_calls_stay_in_the_thread():
    assert call_core(LONG - 1, threading.get_ident) == threading.get_ident()


def test_long_calls_share_a_thread():
    threads = {call_core(LONG, threading.get_ident) for _ in range(5)}
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_errors_come_back():
    with pytest.raises(ZeroDivisionError):
        call_core(LONG, divmod, 1, 0)
    assert call_core(LONG, divmod, 1, 1) == (1, 0)


def test_the_context_is_that_of_the_caller():
    variable = ContextVar("variable", default=0)
    for value in (1, 2):
        variable.set(value)
        assert call_core(LONG, variable.get) == value


def test_nobody_waits_for_an_interrupted_call(monkeypatch):
    goes_on = threading.Event()

    class Interrupted:
        """A lock that is interrupted while somebody waits for it."""

        def __init__(self):
            self.is_taken = False

        def acquire(self):
            if self.is_taken:
                raise KeyboardInterrupt
            self.is_taken = True

        def release(self):
            pass

    with monkeypatch.context() as patch:
        patch.setattr(interruption.threading, "Lock", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            call_core(LONG, goes_on.wait)
    assert call_core(LONG, max, 1, 2) == 2
    goes_on.set()


@pytest.mark.skipif(not CAN_FORK, reason="there is no fork")
def test_a_forked_process_has_its_own_thread():
    assert call_core(LONG, max, 1, 2) == 2
    process = fork(lambda: print(call_core(LONG, max, 1, 3), flush=True))
    assert process.output.readline() == "3\n"
    assert process.end(30)[0] == 0
