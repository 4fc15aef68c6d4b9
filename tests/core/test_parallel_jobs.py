"""Calls in threads: results in order, few ahead, and an end without waiting."""

import threading
import time

import joblib
import pytest

from rekern.core.parallel_jobs import (
    _call_there,
    allow_threads,
    count_jobs,
    count_threads,
    keep_threads,
    resolve_jobs,
    run,
)


def test_results_are_in_order_and_few_are_ahead() -> None:
    started: list[int] = []

    def square(number: int) -> int:
        started.append(number)
        return number * number

    results = run(square, [(number,) for number in range(50)], n_jobs=3)
    assert next(results) == 0
    time.sleep(0.02)
    assert len(started) <= 7  # two for each thread, and the one that replaces the first
    assert [0, *results] == [number * number for number in range(50)]


def test_nobody_waits_for_other_calls_after_an_error() -> None:
    release = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            raise ValueError("the first call")
        release.wait(30)

    start = time.monotonic()
    try:
        with pytest.raises(ValueError, match="the first call"):
            list(run(work, [(number,) for number in range(4)], n_jobs=2))
        assert time.monotonic() - start < 10
    finally:
        release.set()


def test_calls_inside_calls_share_the_threads() -> None:
    def list_threads(depth: int) -> set[int]:
        if depth == 0:
            return {threading.get_ident()}
        assert resolve_jobs(None) is None
        return set.union(*run(list_threads, [(0,)] * 4))

    for inner in run(list_threads, [(1,)] * 4, n_jobs=2):
        assert len(inner) == 1


def test_joblib_may_be_configured() -> None:
    seen: list[str] = []

    class Backend(joblib.parallel.BACKENDS["threading"]):  # type: ignore[misc]
        def configure(self, *arguments: object, **options: object) -> object:
            seen.append("asked")
            return super().configure(*arguments, **options)

    joblib.register_parallel_backend("counting", Backend)
    try:
        with joblib.parallel_config("counting", n_jobs=2):
            assert list(run(pow, [(2, 3), (3, 2), (4, 1)])) == [8, 9, 4]
    finally:
        del joblib.parallel.BACKENDS["counting"]
    assert seen


def test_threads_of_joblib_are_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "Parallel", None)  # it looks for results every 10 ms
    met = threading.Barrier(3)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert sorted(run(met.wait, [(10,)] * 3)) == [0, 1, 2]


def test_a_call_on_a_worker_stays_in_its_thread() -> None:
    def list_numbers(n_jobs: int | None) -> tuple[int, int, int]:
        with allow_threads(n_jobs):
            return count_threads(n_jobs), count_jobs(n_jobs), len({*run(threading.get_ident, [()] * 20, n_jobs)})

    assert _call_there(list_numbers, (None,))[0] == (1, 1, 1)
    assert _call_there(list_numbers, (1,))[0] == (1, 1, 1)
    found = _call_there(list_numbers, (3,))[0]  # asked for
    assert isinstance(found, tuple) and found[:2] == (3, 3)
    assert count_threads(3) == 3  # here nothing has changed


def test_a_backend_says_how_many_work() -> None:
    class Backend(joblib.parallel.BACKENDS["threading"]):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int | None) -> int:
            return 7

    joblib.register_parallel_backend("of seven", Backend)
    try:
        with joblib.parallel_config(backend="of seven", n_jobs=-1):
            assert count_jobs(None) == 7
            assert count_threads(None) == joblib.cpu_count()  # threads of this process
    finally:
        joblib.parallel.BACKENDS.pop("of seven")


def test_after_an_error_nobody_waits_for_kept_threads() -> None:
    is_over, both, waited = threading.Event(), threading.Barrier(2), []

    def work(number: int) -> None:
        both.wait(10)
        if number:
            waited.append(not is_over.wait(10))
        else:
            raise KeyError

    with pytest.raises(KeyError), keep_threads():
        list(run(work, [(0,), (1,)], n_jobs=2))
    is_over.set()
    for thread in threading.enumerate():
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(10)
    assert waited == [False]
