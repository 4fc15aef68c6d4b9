"""Run the tests on every supported Python, and on the lowest versions of every library: ``make test-matrix``.

Each column of the matrix is an environment of its own below ``.matrix/``. A Python that is not on this machine is
named, and counts as not tested. The lowest versions are those of ``pyproject.toml``, on the lowest Python.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
LOWEST = "lowest"
# What only makes or checks the project itself need not be old.
TOOLS = {"ruff", "mypy", "pandas-stubs", "import-linter", "pre-commit", "build", "hatchling", "cyclonedx-bom"}


def main() -> None:
    """Run the chosen columns, print a line for each, and end with 1 if one failed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("columns", nargs="*", default=[*PYTHONS, LOWEST], help=f"{', '.join(PYTHONS)} or {LOWEST}")
    options.add_argument("--tests", nargs="*", default=["tests", "src"], help="what pytest runs")
    options.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="processes of pytest")
    chosen = options.parse_args()
    outcomes = {column: run_column(column, chosen.tests, chosen.workers) for column in chosen.columns}
    for column, outcome in outcomes.items():
        print(f"{column:8} {outcome}")
    sys.exit(any(outcome.startswith("failed") for outcome in outcomes.values()))


def run_column(column: str, tests: list[str], workers: int) -> str:
    """Make the environment of a column, run the tests in it, and say how they went. The log grows as they run."""
    version = PYTHONS[0] if column == LOWEST else column
    interpreter = find_python(version)
    if interpreter is None:
        return f"not tested: there is no Python {version} here"
    place = ROOT / ".matrix" / column
    python = str(place / "bin/python")
    if not Path(python).exists():
        subprocess.run([interpreter, "-m", "venv", str(place)], check=True)
    limits = place / "constraints.txt"
    limits.write_text("\n".join(list_lowest()) if column == LOWEST else "", encoding="utf-8")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    if subprocess.run([*pip, "--constraint", str(limits), "--editable", f"{ROOT}[test]"], check=False).returncode:
        return "failed: the libraries cannot be installed together"
    subprocess.run([*pip, "--no-deps", "--requirement", str(ROOT / "tests/parser-model.txt")], check=False)
    show = "import sys, numpy, numba; print('Python', sys.version.split()[0] + ', NumPy', numpy.__version__)"
    versions = subprocess.run([python, "-c", show], capture_output=True, text=True, check=False).stdout.strip()
    log = place / "log.txt"
    pytest = [python, "-m", "pytest", "-q", "--workers", str(workers)]
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            [*pytest, "-p", "no:cacheprovider", *tests],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": str(place / "numba")},  # compiled code of each column apart
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    lines = log.read_text(encoding="utf-8").strip().splitlines()
    last = lines[-1].strip("= ") if lines else "no output"
    return f"{'failed' if done.returncode else 'passed'} ({versions}): {last}; the log is in {log}"


def find_python(version: str) -> str | None:
    """The interpreter of a version on this machine: on the path, or one that pyenv has."""
    installed = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))
    return installed[-1] if installed else shutil.which(f"python{version}")


def list_lowest() -> list[str]:
    """The lowest version of every library that pyproject.toml allows, as constraints of pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    found = (re.match(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)", one) for one in wanted)
    return sorted({f"{match[1]}~={_pad(match[2])}" for match in found if match and match[1] not in TOOLS})


def _pad(version: str) -> str:
    """As three parts, so that ``~=`` keeps the first two.

    >>> _pad("3"), _pad("1.26"), _pad("0.1.4")
    ('3.0.0', '1.26.0', '0.1.4')
    """
    return ".".join([*version.split("."), "0", "0"][:3])


if __name__ == "__main__":
    main()
