"""What all tests share: the folder with the public corpora, where it is present."""

import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
_SHARED = REPOSITORY.parent / "shared" / "data"

# The package looks only where REKERN_DATA points to; beside a checkout the corpora may lie in ../shared/data.
if not os.environ.get("REKERN_DATA") and _SHARED.is_dir():
    os.environ["REKERN_DATA"] = str(_SHARED)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with the public corpora that REKERN_DATA names; the test is skipped if there is none."""
    folder = os.environ.get("REKERN_DATA")
    if not folder or not Path(folder).is_dir():
        reason = "REKERN_DATA names no folder" if folder else "REKERN_DATA is not set and ../shared/data is absent"
        pytest.skip(f"the public corpora are not here: {reason}")
    return Path(folder).resolve()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Measure no coverage in property tests: they run the same lines hundreds of times, and tracing doubles their time.

    The lines must be covered by examples. Long tests over corpora are marked ``no_cover`` for the same reason.
    """
    measured = coverage.Coverage.current() if hasattr(getattr(item, "obj", None), "hypothesis") else None
    if measured is not None:
        measured.stop()
    try:
        yield
    finally:
        if measured is not None:
            measured.start()
