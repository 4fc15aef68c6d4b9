"""Computations in steps: their results, their errors, and that none waits for another."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rekern.core.parallel_steps import Steps, run_together


def add_up(sizes: list[int], fails: bool = False) -> Steps[list[int]]:
    """A computation with a step of each size, whose calls return their places."""
    found: list[int] = []
    for size in sizes:
        found += yield [(int, place) for place in range(size)]
    if fails:
        raise ValueError("the end of a computation")
    return found


@given(st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=5), st.integers(1, 3))
def test_results_do_not_depend_on_threads(works: list[list[int]], threads: int) -> None:
    expected = [[place for size in sizes for place in range(size)] for sizes in works]
    assert run_together([add_up(sizes) for sizes in works], threads) == expected


def test_a_computation_does_not_wait_for_the_steps_of_another() -> None:
    is_done = threading.Event()

    def wait_long() -> Steps[bool]:
        both = yield [(is_done.wait, 30), (int, 0)]
        return bool(both[0])

    def take_steps() -> Steps[None]:
        for _ in range(3):
            yield [(int, 1), (int, 2)]
        is_done.set()

    assert run_together([wait_long(), take_steps()], 2) == [True, None]


@pytest.mark.parametrize(("urgent", "expected"), [(0, "ababab"), (1, "aaabbb")])
def test_urgent_computations_go_first(urgent: int, expected: str) -> None:
    made: list[str] = []

    def take_steps(name: str) -> Steps[None]:
        for _ in range(3):
            yield [(made.append, name), (int, 1)]

    run_together([take_steps("a"), take_steps("b")], 1, urgent)
    assert "".join(made) == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error_ends_all_computations(threads: int) -> None:
    with pytest.raises(ValueError, match="the end of a computation"):
        run_together([add_up([3, 1, 2]), add_up([2, 2], fails=True), add_up([4])], threads)
    with pytest.raises(ZeroDivisionError):
        run_together([iter_failing()], threads)
    assert run_together([add_up([2]), add_up([3])], threads) == [[0, 1], [0, 1, 2]]


def iter_failing() -> Steps[None]:
    """A computation one of whose calls fails."""
    yield [(int, 1), (divmod, 1, 0), (int, 2)]
