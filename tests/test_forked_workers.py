"""Reports of tests in several processes: the same as in one, also where a process ends too early."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")

TESTS = """
import os, warnings, pytest

def test_right(tmp_path):
    warnings.warn("careful", DeprecationWarning)
    assert tmp_path.parent.name.startswith("worker")

def test_wrong():
    print("said")
    assert 1 == 2

@pytest.mark.skip(reason="not now")
def test_skipped():
    pass
"""


def run(folder: Path, *options: str) -> list[str]:
    """The lines that pytest prints."""
    variables = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "forked_workers", "--workers", "2"]
    done = subprocess.run([*command, *options], cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_reports_of_all_workers_are_shown(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"test_{name}.py").write_text(TESTS)
    (tmp_path / "test_d.py").write_text(TESTS + "def test_ends():\n    os._exit(0)\ndef test_lost():\n    pass\n")
    lines = run(tmp_path, "-rfs")
    assert "FAILED test_d.py::test_ends - its process has ended" in lines
    assert {f"FAILED test_{name}.py::test_wrong - assert 1 == 2" for name in "abcd"} <= set(lines)
    assert lines.count("said") == 4 and sum("DeprecationWarning: careful" in line for line in lines) == 4
    assert "5 failed, 4 passed, 4 skipped, 4 warnings" in lines[-1]
    assert set(run(tmp_path, "-rfs")) & {"FAILED test_d.py::test_ends - its process has ended"}  # in another order


def test_no_file_is_begun_after_the_last_failure_that_is_allowed(tmp_path):
    for number in range(9):
        (tmp_path / f"test_{number}.py").write_text(TESTS)
    *_, stop, count = run(tmp_path, "-x")
    assert "stopping after" in stop
    assert int(count.split(" passed")[0].split()[-1]) <= 4
