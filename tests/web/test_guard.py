"""Access, limits and the log: what stands in front of the application."""

import asyncio
import gc
import socket
import threading
import time
import weakref

import pytest
from starlette.testclient import TestClient

from rekern.web import file_page
from rekern.web.access import Access
from rekern.web.application import make_application
from rekern.web.guard import HEADERS, BodyRoom, LimitedBody
from rekern.web.job_queue import ClientGone, Job, JobCancelled, JobQueue
from rekern.web.problems import Problem
from rekern.web.serving_limits import ServingLimits
from rekern.web.site import Site
from web.browser import serve_site

BASE = "http://127.0.0.1:8000"


def test_every_answer_has_the_headers(client):
    for path in ("/api/health", "/nothing", "/openapi.json"):
        answer = client.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_policy_allows_nothing_from_elsewhere():
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy


def test_other_host_names_are_refused(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1", "localhost.evil.example"):
        assert client.get("/api/health", headers={"host": host}).status_code == 421
    for host in ("localhost:1", "127.0.0.1", "[::1]:8000", "192.168.0.7"):
        assert client.get("/api/health", headers={"host": host}).status_code == 200


def test_pages_of_other_sites_may_not_post(client):
    body = {"question": "who?"}
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}, {"origin": "null"}):
        assert client.post("/api/question", json=body, headers=headers).status_code == 403
    own = {"origin": BASE, "sec-fetch-site": "same-origin"}
    assert client.post("/api/question", json=body, headers=own).status_code == 200


def test_a_large_body_is_refused(client):
    assert client.post("/api/predict", content=b"x" * 200_001).status_code == 413

    def stream():
        for _ in range(30):
            yield b"x" * 10_000

    answer = client.post("/api/predict", content=stream(), headers={"content-type": "application/json"})
    assert answer.status_code == 413 and answer.json()["type"] == "/docs#too-large"


def test_a_slow_body_is_refused():
    async def receive():
        await asyncio.sleep(5)

    with pytest.raises(Problem) as caught:
        asyncio.run(LimitedBody(receive, 100, BodyRoom(100), seconds=0.02)())
    assert caught.value.status_code == 408


def test_bodies_share_their_room():
    async def receive():
        return {"type": "http.request", "body": bytes(60)}

    room = BodyRoom(100)
    first, second, third = (LimitedBody(receive, 100, room) for _ in range(3))
    asyncio.run(first())
    with pytest.raises(Problem) as caught:
        asyncio.run(second())
    assert caught.value.status_code == 429 and caught.value.headers["Retry-After"] == "1"
    first.release()
    second.release()
    asyncio.run(third())


def test_the_room_of_a_body_is_free_after_the_answer(models):
    limits = ServingLimits(megabytes=0.001)  # 8,000 bytes for all bodies
    with TestClient(make_application(Site(models, limits)), base_url=BASE) as client:
        for body in [{"question": "who?", "more": "x" * 900}, {"question": "", "more": "x" * 900}] * 8:
            assert client.post("/api/question", json=body).status_code == (200 if body["question"] else 422)


def test_the_token(models):
    site = Site(models, access=Access(token="secret"))
    with TestClient(make_application(site), base_url=BASE, follow_redirects=False) as client:
        assert client.get("/api/health").status_code == 200
        refused = client.get("/api/models")
        assert refused.status_code == 401 and "Bearer" in refused.headers["www-authenticate"]
        for value in ("Bearer wrong", "Basic secret", "secret", "Bearer", "Bearer sécret"):
            assert client.get("/api/models", headers={"authorization": value.encode()}).status_code == 401
        assert client.get("/api/models", headers={"authorization": "Bearer secret"}).status_code == 200


def test_the_log_has_no_texts(models):
    lines = []
    with TestClient(make_application(Site(models), lines.append), base_url=BASE) as client:
        client.get("/api/rules", params={"label": "my secret"})
        client.post("/api/question", json={"question": "my secret?"})
        client.get("/my secret")
        client.get("/static/site.css")  # a part of a page
    assert len(lines) == 3 and "secret" not in " ".join(lines)
    assert lines[1].startswith("POST /api/question 200 ") and lines[2].startswith("GET other 404 ")
    with TestClient(make_application(Site(models), lines.append, shows_texts=True), base_url=BASE) as client:
        client.get("/api/rules", params={"label": "my secret"})
    assert "secret" in lines[-1]


def test_a_bug_is_one_line_without_its_message(models, monkeypatch):
    lines = []
    site = Site(models)
    monkeypatch.setattr(site.models, "describe", lambda: 1 / 0)
    with TestClient(make_application(site, lines.append), base_url=BASE) as client:
        answer = client.get("/api/models")
    assert answer.status_code == 500 and answer.json()["type"] == "/docs#internal"
    assert lines[0].startswith("error: ZeroDivisionError at test_guard.py:")


def test_a_full_queue_refuses_at_once(models):
    site = Site(models, ServingLimits(workers=1, waiting=0))
    ready, done = threading.Event(), threading.Event()

    def work(job):
        ready.set()
        done.wait(10)

    with TestClient(make_application(site), base_url=BASE) as client:
        job = client.portal.start_task_soon(site.queue.run, work)
        assert ready.wait(10)
        answer = client.post("/api/question", json={"question": "who?"})
        assert answer.status_code == 429 and int(answer.headers["retry-after"]) >= 1
        assert client.get("/api/rules").status_code == 429
        assert client.post("/file?format=tsv", content=b"source\ttarget\na\tb\n").status_code == 200  # another queue
        assert client.get("/api/health").json()["jobs"] == 1
        done.set()
        job.result(10)
        assert client.post("/api/question", json={"question": "who?"}).status_code == 200


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 20))


def test_a_job_that_takes_too_long_is_cancelled():
    seen = []

    async def main():
        queue = JobQueue(1, 1, seconds=0.05)

        def work(job):
            try:
                while True:
                    job.check()
                    time.sleep(0.005)
            except JobCancelled:
                seen.append("cancelled")
                raise

        with pytest.raises(Problem) as caught:
            await queue.run(work)
        assert caught.value.status_code == 503 and queue.taken == 1  # it still runs
        while queue.taken:
            await asyncio.sleep(0.005)

    run(main())
    assert seen == ["cancelled"]


def test_a_job_of_a_client_that_leaves_is_cancelled():
    async def main():
        queue = JobQueue(1, 1, seconds=10)
        started, calls = threading.Event(), []

        def work(job):
            started.set()
            while not job.is_cancelled():
                time.sleep(0.005)

        async def leave():
            await asyncio.to_thread(started.wait, 10)
            return {"type": "http.disconnect"}

        async def stay():
            await asyncio.sleep(10)

        first = asyncio.ensure_future(queue.run(work, leave))
        second = asyncio.ensure_future(queue.run(calls.append, stay))  # waits for the first
        with pytest.raises(ClientGone):
            await first
        await second
        assert len(calls) == 1 and isinstance(calls[0], Job)

    run(main())


def test_a_waiting_job_of_a_client_that_leaves_never_starts():
    async def main():
        queue = JobQueue(1, 1, seconds=10)
        done, calls = threading.Event(), []
        first = asyncio.ensure_future(queue.run(lambda job: done.wait(10)))
        while not queue.taken:
            await asyncio.sleep(0.001)

        async def leave():
            return {"type": "http.disconnect"}

        with pytest.raises(ClientGone):
            await queue.run(calls.append, leave)
        done.set()
        assert await first and not calls

    run(main())


def test_small_jobs_of_one_kind_that_wait_are_done_together():
    calls = []

    def work(parts):
        calls.append(list(parts))
        return [ValueError(part) if part == 3 else 10 * part for part in parts]

    async def main():
        queue = JobQueue(1, 20, seconds=10)
        done = threading.Event()
        first = asyncio.ensure_future(queue.run(lambda job: done.wait(10)))
        while not queue.taken:
            await asyncio.sleep(0.001)
        jobs = [asyncio.ensure_future(queue.run_together("a", part, 200, work)) for part in (1, 2, 3)]
        other = asyncio.ensure_future(queue.run_together("b", 4, 1, work))
        gone = asyncio.ensure_future(queue.run_together("b", 5, 1, work))
        await asyncio.sleep(0)
        assert queue.taken == 6
        gone.cancel()
        await asyncio.wait([gone])
        done.set()
        results = await asyncio.gather(first, *jobs, other, return_exceptions=True)
        while queue.taken:
            await asyncio.sleep(0.001)
        return results

    _, one, two, three, four = run(main())
    assert (one, two, four) == (10, 20, 40) and isinstance(three, ValueError)
    assert calls == [[1, 2], [3], [4]]  # 500 rows at once, and no job that nobody waits for


class Body:
    """What a job is about."""


def test_bodies_of_finished_jobs_are_not_kept():
    """Also if far more is asked for than gets done: as long as jobs are done together, others keep on waiting."""
    bodies, counts = weakref.WeakSet(), []

    def work(parts):
        time.sleep(0.001)
        counts.append(len(bodies))
        return [1] * len(parts)

    async def ask(queue):
        for _ in range(20):
            body = Body()
            bodies.add(body)
            await queue.run_together("a", body, 100, lambda parts, own=body: work(parts))

    async def main():
        queue = JobQueue(1, 17, seconds=10)
        await asyncio.gather(*(ask(queue) for _ in range(18)))

    run(main())
    assert max(counts) <= 2 * 18


def test_bodies_of_clients_that_leave_are_not_kept():
    bodies = weakref.WeakSet()

    async def main():
        queue = JobQueue(1, 2, seconds=10)
        done = threading.Event()
        first = asyncio.ensure_future(queue.run(lambda job: done.wait(10)))
        while not queue.taken:
            await asyncio.sleep(0.001)

        async def leave():
            return {"type": "http.disconnect"}

        async def ask(number):
            body = Body()
            bodies.add(body)
            with pytest.raises(ClientGone):
                if number % 2:
                    await queue.run(lambda job: body, leave)
                else:
                    await queue.run_together("a", body, 1, list, leave)

        for number in range(20):
            await asyncio.create_task(ask(number))
        await asyncio.sleep(0)
        gc.collect()
        assert not bodies and queue.taken == 1
        done.set()
        await first

    run(main())


def test_an_error_of_joined_work_reaches_all_of_it():
    def work(parts):
        raise ZeroDivisionError

    async def main():
        await JobQueue(1, 1, seconds=10).run_together("a", 1, 1, work)

    with pytest.raises(ZeroDivisionError):
        run(main())


def test_a_closed_queue_refuses():
    async def main():
        queue = JobQueue(1, 1, seconds=1)
        queue.close()
        with pytest.raises(Problem) as caught:
            await queue.run(lambda job: 1)
        assert caught.value.kind == "ending"

    run(main())


def test_a_file_of_a_client_that_leaves_is_given_up(models, monkeypatch):
    """Over a real connection: the job of the file ends soon after the client has closed it."""
    ended = threading.Event()

    def predict(*arguments):
        job, tell = arguments[-2:]
        tell({"progress": 0})
        while not job.is_cancelled():
            time.sleep(0.005)
        ended.set()

    monkeypatch.setattr(file_page, "predict_file", predict)
    site = Site(models)
    with serve_site(site) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"POST /file?format=tsv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx")
            received = b""
            while b"progress" not in received:
                received += connection.recv(4096)
            assert site.files.taken == 1
        assert ended.wait(10)
