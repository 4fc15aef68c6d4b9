"""What holds for the package as a whole: it loads fast, and it works where nothing can be written."""

import subprocess
import sys

import numba
import pytest

import rekern
from rekern.core.compiling import compiled


def test_import_is_light() -> None:
    """`import rekern` must stay far from the heavy libraries."""
    code = "import sys, rekern; print([m for m in ('numpy', 'numba', 'sklearn', 'scipy') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_all_public_names_load() -> None:
    for name in rekern.__all__:
        assert getattr(rekern, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        rekern.nothing  # noqa: B018


def test_compiles_without_a_place_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a read-only installation without a home Numba refuses to cache; the function must work all the same."""
    real = numba.njit

    def refusing(*args: object, **options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")
        return real(*args, **options)

    monkeypatch.setattr(numba, "njit", refusing)
    assert compiled(lambda x: x + 1)(1) == 2
