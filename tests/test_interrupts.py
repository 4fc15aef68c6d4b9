"""Ctrl-C in Python: a second at most, also while compiled code works on one large item."""

import time

import pytest

from forking import CAN_FORK, fork
from rekern.kernels import Neighborhoods, PartialTree, Subsequence
from rekern.similarity import Similarities

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="signals are sent to processes of their own")


def run_subsequences():
    Subsequence(3).gram([["a"] * 60_000], n_jobs=1)


def run_threads():
    Subsequence(3).gram([["a"] * 60_000] * 40, n_jobs=2)


def run_trees():
    tree = "(S" + "".join(f" (A w{number} x)" for number in range(20_000)) + ")"
    PartialTree(gaps="span", decay=0.01, mu=0.01).gram([tree], [tree], n_jobs=1)


def run_graph():
    star = ["hub", *["leaf"] * 40_000], [(0, leaf) for leaf in range(1, 40_001)]
    Neighborhoods().gram([star], n_jobs=1)


def run_scores():
    long = " ".join(["a b c"] * 30_000)
    Similarities(groups=("sequences",)).fit([("a", "b")]).scores([(long, long)])


SLOW = [pytest.param(call, marks=pytest.mark.slow) for call in (run_threads, run_trees, run_graph, run_scores)]


@pytest.mark.parametrize("call", [run_subsequences, *SLOW])
def test_an_interrupt_ends_a_long_call(call):
    def work():
        print("begin", flush=True)
        call()
        print("end", flush=True)

    process = fork(work)
    assert process.output.readline() == "begin\n"
    time.sleep(1)  # to read the item, and to load compiled code
    process.interrupt()
    started = time.monotonic()
    _, said = process.end(30)
    assert "end" not in said.splitlines(), "the call was too short to be interrupted"
    assert "KeyboardInterrupt" in said
    assert time.monotonic() - started < 15, "the call went on"  # a second, unless the machine is very busy
