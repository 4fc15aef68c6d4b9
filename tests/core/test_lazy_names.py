"""Names that are loaded when they are first used."""

import pytest

from rekern.core.lazy_names import load_lazily


def test_what_a_library_lacks_is_named(tmp_path, monkeypatch):
    (tmp_path / "lazy_example").mkdir()
    (tmp_path / "lazy_example" / "__init__.py").touch()
    (tmp_path / "lazy_example" / "model.py").write_text("import math\nmath.nothing\n")
    monkeypatch.syspath_prepend(tmp_path)
    load, _ = load_lazily("lazy_example", {"Model": "model"})
    with pytest.raises(ImportError, match=r"lazy_example\.Model cannot be loaded: module 'math' has no attribute"):
        load("Model")
