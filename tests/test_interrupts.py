"""Ctrl-C in Python: a second at most, also while compiled code works on one large item."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes of their own")

PROGRAM = """
import sys
from rekern.kernels import Neighborhoods, PartialTree, Subsequence
from rekern.similarity import Similarities
words = ["a"] * 60_000
tree = "(S" + "".join(f" (A w{number} x)" for number in range(20_000)) + ")"
star = ["hub", *["leaf"] * 40_000], [(0, leaf) for leaf in range(1, 40_001)]
long = " ".join(["a b c"] * 30_000)
calls = {
    "subsequences": lambda: Subsequence(3).gram([words], n_jobs=1),
    "trees": lambda: PartialTree(gaps="span", decay=0.01, mu=0.01).gram([tree], [tree], n_jobs=1),
    "graph": lambda: Neighborhoods().gram([star], n_jobs=1),
    "scores": lambda: Similarities(groups=("sequences",)).fit([("a", "b")]).scores([(long, long)]),
    "threads": lambda: Subsequence(3).gram([words] * 40, n_jobs=2),
}
print("begin", flush=True)
calls[sys.argv[1]]()
print("end", flush=True)
"""


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("threads", "trees", "graph", "scores")]


@pytest.mark.parametrize("name", ["subsequences", *SLOW])
def test_an_interrupt_ends_a_long_call(name):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    restore = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
    command = [sys.executable, "-c", PROGRAM, name]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=restore
    ) as process:
        assert process.stdout.readline() == "begin\n"
        time.sleep(1)  # to read the item, and to load compiled code
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        try:
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert "end" not in output, "the call was too short to be interrupted"
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - started < 15, "the call went on"  # a second, unless the machine is very busy
