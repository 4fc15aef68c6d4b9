"""Memory that is freed stays in the process."""

import platform
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from rekern.core.freed_memory import keep_freed_memory, take_memory_ahead
def fill():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(1 << 21, np.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
assert keep_freed_memory()
{}
print(max(fill() for _ in range(5)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries have other options")
@pytest.mark.parametrize("first", ["fill()", "take_memory_ahead(1 << 22).join()"])
def test_the_same_pages_are_used_again(first):
    code = CODE.replace("{}", first)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100  # of 512 pages
