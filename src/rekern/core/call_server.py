"""Calls that workers fetch from this process over connections of their own, and run one after the other.

Spark starts a job for each function that it is given, which takes tens of milliseconds of the processor, and passes
results through Java. With this server it starts one long task for each core, which asks for calls until it is closed.
"""

from __future__ import annotations

import os
import secrets
import struct
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener, answer_challenge, deliver_challenge
from queue import Empty, SimpleQueue
from socket import IPPROTO_TCP, SO_KEEPALIVE, SO_RCVTIMEO, SOL_SOCKET, TCP_NODELAY, socket
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast
from weakref import WeakSet

from rekern.core.cluster_calls import Outcome, call_there

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

KEY_BYTES = 32
BACKLOG = 128  # workers that connect at once
PATIENCE = 10  # seconds for the key
PAUSE = 0.1  # seconds
MESSAGE_BYTES = 1 << 18  # into which longer contents are cut: a connection asks for room for all of it in each step


class Pickler(Protocol):
    """How calls and results become bytes, lambdas too."""

    def dumps(self, value: object) -> bytes:
        """Return a value as bytes."""

    def loads(self, content: bytes | bytearray) -> object:
        """Return the value of bytes."""


class Place(NamedTuple):
    """Where a server listens, and the key without which it listens to nobody."""

    host: str
    port: int
    key: bytes


class SharedValue:
    """A value that every worker gets once, with the first call that needs it."""

    def __init__(self, number: int, content: bytes):
        self.number, self.content = number, content


class _Shared(NamedTuple):
    """Stands for a shared value in a call that is sent."""

    number: int


class _Message(NamedTuple):
    """What a worker gets: shared values that it may forget, new ones, and a call."""

    dropped: set[int]
    new: dict[int, bytes]
    function: Callable[..., object]
    arguments: list[object]


class _Call(NamedTuple):
    future: Future[Outcome]
    function: Callable[..., object]
    arguments: tuple[object, ...]
    tries: int


class CallServer:
    """Gives calls to the workers that have connected; a call whose worker dies is given to another one.

    >>> import cloudpickle  # Spark has its own
    >>> server = CallServer("127.0.0.1", cloudpickle, 4)
    >>> worker = Thread(target=serve_calls, args=(server.place, cloudpickle))
    >>> worker.start()
    >>> server.submit(pow, (server.share(2), 5)).result().value
    32
    >>> server.close()
    >>> worker.join()
    """

    def __init__(self, host: str, pickler: Pickler, most_tries: int):
        self._pickler, self._most_tries = pickler, most_tries
        key = secrets.token_bytes(KEY_BYTES)
        self._listener = Listener((host, 0), backlog=BACKLOG)
        _, port = cast("tuple[str, int]", self._listener.address)
        self.place = Place(host, port, key)
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._values: WeakSet[SharedValue] = WeakSet()
        self._connections: set[Connection] = set()
        self._shared, self._lock, self.is_open = 0, Lock(), True
        self.n_answers = 0  # of workers
        self._fault: Exception | None = None  # why there will be no more
        Thread(target=self._accept, daemon=True).start()

    def submit(self, function: Callable[..., object], arguments: tuple[object, ...]) -> Future[Outcome]:
        """Give a call to the next free worker."""
        future: Future[Outcome] = Future()
        self._put(_Call(future, function, arguments, 1))
        return future

    def _put(self, call: _Call) -> None:
        """Let a call wait for a worker, if there will be any."""
        self._calls.put(call)
        if self._fault is not None:
            self.fail(self._fault)

    def fail(self, error: Exception) -> None:
        """Say that there will be no workers any more, for the calls that wait and for later ones."""
        self._fault, n_ends = error, 0
        with suppress(Empty):
            while True:
                call = self._calls.get_nowait()
                if call is None:
                    n_ends += 1
                else:
                    with suppress(InvalidStateError):  # it was cancelled
                        call.future.set_exception(error)
        for _ in range(n_ends):  # they are for other threads
            self._calls.put(None)

    def share(self, value: object) -> SharedValue:
        """Return what may stand for a value among the arguments of calls; workers forget it when nobody has it here."""
        with self._lock:
            self._shared += 1
            shared = SharedValue(self._shared, self._pickler.dumps(value))
            self._values.add(shared)
        return shared

    def close(self) -> None:
        """Let all workers go."""
        self.is_open = False
        with self._lock:
            connections = list(self._connections)
        self.fail(RuntimeError("the cluster is closed"))
        for _ in connections:
            self._calls.put(None)  # for a thread that waits for a call
        with suppress(OSError):
            Client(self.place[:2]).close()  # for the one that waits for workers
        self._listener.close()

    def _accept(self) -> None:
        while self.is_open:
            try:
                connection = self._listener.accept()
                Thread(target=self._meet, args=(connection,), daemon=True).start()
            except (OSError, RuntimeError):  # too many files or threads for now
                time.sleep(PAUSE)

    def _meet(self, connection: Connection) -> None:
        """Serve whoever has connected and shows the key in time."""
        with connection, suppress(OSError, EOFError, AuthenticationError):
            _set_options(connection, PATIENCE)
            deliver_challenge(connection, self.place.key)
            answer_challenge(connection, self.place.key)
            _set_options(connection, 0)
            with self._lock:
                self._connections.add(connection)
            try:
                self._serve(connection)
            finally:
                with self._lock:
                    self._connections.discard(connection)

    def _serve(self, connection: Connection) -> None:
        """Send calls to one worker, until it dies or the server is closed."""
        known: set[int] = set()
        while self.is_open:
            call = self._calls.get()
            if call is None:
                break
            if call.tries == 1 and not call.future.set_running_or_notify_cancel():
                continue
            try:
                content = self._pack(call, known)
            except Exception as error:  # what cannot be sent
                call.future.set_exception(error)
                continue
            try:
                _send(connection, content)
                answer = _receive(connection)
            except Exception as error:  # the worker is dead, or its answer too large
                if call.tries < self._most_tries:
                    self._put(call._replace(tries=call.tries + 1))
                else:
                    call.future.set_exception(error)
                break
            self.n_answers += 1
            with suppress(InvalidStateError):
                self._take(call.future, answer)

    def _take(self, future: Future[Outcome], answer: bytearray) -> None:
        try:
            found = self._pickler.loads(answer)
        except Exception as error:
            future.set_exception(error)
            return
        future.set_result(found if isinstance(found, Outcome) else Outcome(found))

    def _pack(self, call: _Call, known: set[int]) -> bytes:
        """Return a call as bytes, with the shared values that the worker lacks, and which ones it may forget."""
        with self._lock:
            dropped = known - {value.number for value in self._values}
        needed = {value.number: value.content for value in call.arguments if isinstance(value, SharedValue)}
        arguments = [_Shared(value.number) if isinstance(value, SharedValue) else value for value in call.arguments]
        new = {number: content for number, content in needed.items() if number not in known}
        content = self._pickler.dumps(_Message(dropped, new, call.function, arguments))
        known.difference_update(dropped)
        known.update(needed)
        return content


def serve_calls(place: Place, pickler: Pickler) -> None:
    """Fetch calls and run them until the server is closed; this is what a worker does."""
    values: dict[int, object] = {}
    with Client(place[:2], authkey=place.key) as connection, suppress(EOFError, OSError):
        _set_options(connection, 0)
        while True:
            content = _receive(connection)
            try:
                outcome = _run_call(content, values, pickler)
            except Exception as error:  # what cannot be read here
                outcome = Outcome(error=error)
            _send(connection, _pack_outcome(outcome, pickler))


def _run_call(content: bytearray, values: dict[int, object], pickler: Pickler) -> Outcome:
    dropped, new, function, arguments = cast("_Message", pickler.loads(content))
    for number in dropped:
        values.pop(number, None)
    values |= {number: pickler.loads(content) for number, content in new.items()}
    return call_there(function, *(values[one.number] if isinstance(one, _Shared) else one for one in arguments))


def _set_options(connection: Connection, seconds: int) -> None:
    """Send short messages at once, instead of waiting 40 ms for more, notice dead machines, and wait so long; 0: on."""
    with socket(fileno=os.dup(connection.fileno())) as same:
        same.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        same.setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1)
        same.setsockopt(SOL_SOCKET, SO_RCVTIMEO, struct.pack("ll", seconds, 0))


def _send(connection: Connection, content: bytes) -> None:
    view = memoryview(content)
    connection.send_bytes(len(content).to_bytes(8, "big"))
    for start in range(0, len(content), MESSAGE_BYTES):
        connection.send_bytes(view[start : start + MESSAGE_BYTES])


def _receive(connection: Connection) -> bytearray:
    content = bytearray(int.from_bytes(connection.recv_bytes(), "big"))
    for start in range(0, len(content), MESSAGE_BYTES):
        connection.recv_bytes_into(content, start)
    return content


def _pack_outcome(outcome: Outcome, pickler: Pickler) -> bytes:
    try:
        return pickler.dumps(outcome)
    except Exception as error:  # a result that cannot be sent
        return pickler.dumps(Outcome(error=RuntimeError(f"{type(error).__name__}: {error}")))
