"""Compiled functions are cached on disk, and whoever waits is told."""

import importlib.util
import os
import pickle
import subprocess
import sys
from functools import cache

from rekern.core import compiling
from rekern.core.progress import show_bars

FUNCTION = "from rekern.core.compiling import compiled\n\n@compiled\ndef double(x):\n    return x + x\n"


def import_anew(path, name=None):
    spec = importlib.util.spec_from_file_location(name or path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_function_is_compiled_once_for_each_type_and_then_loaded(tmp_path):
    path = tmp_path / "function.py"
    path.write_text(FUNCTION)
    first = import_anew(path).double
    assert (first(2), first(1.5), sum(first.stats.cache_hits.values())) == (4, 3.0, 0)
    later = import_anew(path).double
    assert (later(2), later(1.5), sum(later.stats.cache_hits.values())) == (4, 3.0, 2)


def test_a_terminal_is_told_once_that_functions_are_compiled(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "_tell_of_compilation", cache(compiling._tell_of_compilation.__wrapped__))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    path = tmp_path / "function.py"
    path.write_text(FUNCTION)
    with show_bars():
        assert import_anew(path, "of_a_user").double(2) == 4
        assert capsys.readouterr().err == ""
        double = import_anew(path, "rekern.function").double
        assert (double(1.5), double(True)) == (3.0, 2)
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and said.startswith("rekern: functions are compiled")
        assert import_anew(path, "rekern.function").double(2) == 4  # from the cache
    assert capsys.readouterr().err == ""


def test_a_function_without_a_folder_for_its_cache(tmp_path):
    """As in a read-only installation without a home."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": "", "HOME": str(tmp_path / "nowhere")}
    code = f"exec({FUNCTION!r})\nprint(double(2))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "4\n"


def test_a_compiled_function_is_sent_to_another_process():
    from rekern.kernels.trees.partial_tree_core import fill_partial_trees

    assert pickle.loads(pickle.dumps(fill_partial_trees)).py_func is not None  # noqa: S301
