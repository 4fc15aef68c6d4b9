"""What all tests share: the folder with the public corpora, where it is present."""

import gc
import linecache
import os
import re
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from hypothesis import settings

import rekern.kernels.trees.gpu  # noqa: F401, under slipcover pytest finds no package that is not imported yet
from forked_workers import pytest_addoption, pytest_runtestloop  # noqa: F401, hooks of this file

REPOSITORY = Path(__file__).resolve().parents[1]
_SHARED = REPOSITORY.parent / "shared" / "data"

# The package looks only where REKERN_DATA points to; beside a checkout the corpora may lie in ../shared/data.
if not os.environ.get("REKERN_DATA") and _SHARED.is_dir():
    os.environ["REKERN_DATA"] = str(_SHARED)


# Tests make many objects and little garbage: a sixth of their time would be the search for it.
gc.set_threshold(20_000, 20, 50)

collect_ignore = ["fuzz/explore_models.py"]  # a program: it instruments what it imports

# All options of all commands are built once, not for every command that a test runs.
typer.testing._get_command = cache(typer.testing._get_command)

settings.register_profile("lean", max_examples=20, deadline=None)
settings.load_profile("lean")


@cache
def _find_last_change(source: Path) -> float:
    """When a file of compiled functions was changed, or one from which it imports others."""
    text = source.read_text(encoding="utf-8")
    if "rekern.core.compiling" not in text:
        return 0.0
    names = re.findall(r"^from (rekern\.[\w.]+) import", text, re.MULTILINE)
    files = (REPOSITORY / "src" / f"{name.replace('.', '/')}.py" for name in names)
    return max([source.stat().st_mtime, *(_find_last_change(file) for file in files if file.is_file())])


def pytest_configure() -> None:
    """Drop compiled functions that call changed ones: Numba only notices that their own file is changed."""
    for index in (REPOSITORY / "src").rglob("*.nbi"):
        source = index.parents[1] / f"{index.name.partition('.')[0]}.py"
        if not source.is_file() or index.stat().st_mtime < _find_last_change(source):
            index.unlink(missing_ok=True)


def pytest_collection_finish() -> None:
    """Leave out of every garbage collection what the libraries and the tests themselves are made of."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget lines of source code before a doctest, whose debugger looks at the time stamps of all their files."""
    if isinstance(item, pytest.DoctestItem):
        linecache.clearcache()


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with the public corpora that REKERN_DATA names; the test is skipped if there is none."""
    folder = os.environ.get("REKERN_DATA")
    if not folder or not Path(folder).is_dir():
        reason = "REKERN_DATA names no folder" if folder else "REKERN_DATA is not set and ../shared/data is absent"
        pytest.skip(f"the public corpora are not here: {reason}")
    return Path(folder).resolve()
