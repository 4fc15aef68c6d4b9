"""What all tests share: the folder with the public corpora, where it is present."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with the public corpora: REKERN_DATA, else ../shared/data beside the repository, else a skip."""
    named = os.environ.get("REKERN_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        reason = "REKERN_DATA names no folder" if named else "REKERN_DATA is not set and ../shared/data is absent"
        pytest.skip(f"the public corpora are not here: {reason}")
    return folder.resolve()
