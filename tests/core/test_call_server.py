"""Workers fetch calls from a server: shared values are sent once, and the call of a dead worker is run by another."""

import gc
import pickle
import socket
import threading
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import pytest

from rekern.core import call_server
from rekern.core.call_server import CallServer, serve_calls


@pytest.fixture
def server():
    found = CallServer("127.0.0.1", pickle, 3)
    yield found
    found.close()


def start_worker(server):
    worker = threading.Thread(target=serve_calls, args=(server.place, pickle), daemon=True)
    worker.start()
    return worker


def test_shared_values_are_sent_once_and_forgotten(server, monkeypatch):
    sizes, send = [], call_server._send
    monkeypatch.setattr(
        call_server, "_send", lambda connection, content: sizes.append(len(content)) or send(connection, content)
    )
    start_worker(server)
    value = server.share(b"x" * 10**6)
    for _ in range(5):
        assert server.submit(len, (value,)).result(30).value == 10**6
    assert sum(size > 10**6 for size in sizes) == 1
    del value
    gc.collect()
    other = server.share(b"y")
    assert server.submit(len, (other,)).result(30).value == 1
    assert len(server._values) == 1


def test_errors_and_what_cannot_be_sent(server):
    start_worker(server)
    assert isinstance(server.submit(divmod, (1, 0)).result(30).error, ZeroDivisionError)
    with pytest.raises(TypeError, match="pickle"):
        server.submit(id, (threading.Lock(),)).result(30)
    assert "pickle" in str(server.submit(threading.Lock, ()).result(30).error)  # a result
    assert server.submit(abs, (-1,)).result(30).value == 1


def test_a_dead_worker_loses_nothing(server):
    future = server.submit(pow, (2, 5))
    for _ in range(2):  # two workers take the call and die
        with Client(server.place[:2], authkey=server.place.key) as connection:
            assert len(connection.recv_bytes()) == 8
            connection.recv_bytes()
    start_worker(server)
    assert future.result(30).value == 32
    assert server.n_answers == 1  # by which Spark's jobs are known to be of use


def test_a_call_that_kills_all_workers_is_given_up(server):
    future = server.submit(pow, (2, 5))
    for _ in range(3):
        with Client(server.place[:2], authkey=server.place.key) as connection:
            connection.recv_bytes()
    with pytest.raises((OSError, EOFError)):
        future.result(30)


def test_nobody_without_the_key_gets_a_call(server):
    future = server.submit(pow, (2, 5))
    with pytest.raises(AuthenticationError):
        Client(server.place[:2], authkey=b"guess")
    assert not future.done()
    start_worker(server)
    assert future.result(30).value == 32


def test_workers_go_when_the_server_is_closed():
    server = CallServer("127.0.0.1", pickle, 3)
    workers = [start_worker(server) for _ in range(2)]
    time.sleep(0.2)
    assert server.submit(abs, (-1,)).result(30).value == 1
    cancelled = server.submit(abs, (-1,))
    cancelled.cancel()
    server.close()
    for worker in workers:
        worker.join(30)
        assert not worker.is_alive()


class Unreadable:
    """What is sent, but cannot be read."""

    def __reduce__(self):
        return int, ("no number",)


def test_a_call_that_cannot_be_read_is_an_error_and_not_a_dead_worker(server):
    start_worker(server)
    assert isinstance(server.submit(len, (Unreadable(),)).result(30).error, ValueError)
    assert server.submit(abs, (-1,)).result(30).value == 1


def test_who_connects_and_says_nothing_holds_up_nobody(server):
    with socket.create_connection(server.place[:2]), socket.create_connection(server.place[:2]):
        start_worker(server)
        assert server.submit(abs, (-1,)).result(30).value == 1
        server.close()


def test_calls_that_wait_end_with_the_server(server):
    waiting = server.submit(abs, (-1,))
    server.close()
    with pytest.raises(RuntimeError, match="the cluster is closed"):
        waiting.result(30)
    with pytest.raises(RuntimeError, match="the cluster is closed"):
        server.submit(abs, (-1,)).result(30)


def test_calls_end_if_there_are_no_workers(server):
    waiting = server.submit(abs, (-1,))
    server.fail(ValueError("no workers"))
    for call in (waiting, server.submit(abs, (-1,))):
        with pytest.raises(ValueError, match="no workers"):
            call.result(30)


def test_a_call_ends_if_its_worker_dies_after_all_others(server):
    future = server.submit(pow, (2, 5))
    with Client(server.place[:2], authkey=server.place.key) as connection:
        connection.recv_bytes()
        connection.recv_bytes()
        server.fail(ValueError("no workers"))
    with pytest.raises(ValueError, match="no workers"):
        future.result(30)


def test_a_late_call_leaves_the_ends_for_other_threads(server):
    server.fail(ValueError("no workers"))
    server._calls.put(None)  # as `close` does for each thread that waits
    with pytest.raises(ValueError, match="no workers"):
        server.submit(abs, (-1,)).result(30)
    assert server._calls.get_nowait() is None and server._calls.empty()
