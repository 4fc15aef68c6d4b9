"""The cache of compiled functions is right whatever several processes do, and whichever file changes."""

import importlib.util
import os
import subprocess
import sys
from functools import cache

import pytest

from rekern.core import compiling
from rekern.core.progress import show_bars

FUNCTION = "from rekern.core.compiling import compiled\n\n@compiled\ndef double(x):\n    return x + x\n"
CALLER = f"from called import double\n{FUNCTION.replace('def double', 'def run').replace('x + x', 'double(x)')}"


@pytest.fixture(autouse=True)
def _new_process(monkeypatch):
    """Let modules be imported as by a new process."""
    monkeypatch.setattr(compiling, "stamp_source", compiling.stamp_source.__wrapped__)


def import_anew(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_processes_that_compile_one_function_at_the_same_time(tmp_path):
    path = tmp_path / "function.py"
    path.write_text(FUNCTION)
    one, other = (import_anew(path).double for _ in range(2))
    file = other._cache._cache_file
    file._load_index = dict  # what it read before the first process had written anything
    save_data = one._cache._cache_file._save_data

    def save_late(name, data):
        assert other(1.5) == 3.0
        save_data(name, data)

    one._cache._cache_file._save_data = save_late
    one._cache._cache_file._load_index = dict
    assert one(2) == 4
    later = import_anew(path).double
    assert (later(2), later(1.5)) == (4, 3.0)
    assert sum(later._cache_hits.values()) >= 1


def test_a_terminal_is_told_once_that_functions_are_compiled(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "_tell_of_compilation", cache(compiling._tell_of_compilation.__wrapped__))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    path = tmp_path / "function.py"
    path.write_text(FUNCTION)
    with show_bars():
        double = import_anew(path).double
        assert (double(2), double(1.5)) == (4, 3.0)
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and said.startswith("rekern: functions are compiled")
        assert import_anew(path).double(2) == 4  # from the cache
    assert capsys.readouterr().err == ""


def test_a_function_that_is_called_changes(tmp_path, monkeypatch):
    called, caller = tmp_path / "called.py", tmp_path / "caller.py"
    called.write_text(FUNCTION)
    caller.write_text(CALLER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert import_anew(caller).run(2) == 4
    again = import_anew(caller).run
    assert again(2) == 4
    assert sum(again._cache_hits.values()) == 1
    called.write_text(FUNCTION.replace("x + x", "x * 5"))
    os.utime(called, (1, 1))
    sys.modules.pop("called")
    assert import_anew(caller).run(2) == 10


def test_a_cached_function_is_loaded_without_what_numba_needs_to_compile(tmp_path):
    path = tmp_path / "function.py"
    path.write_text(f"import sys\n{FUNCTION}\nprint(double(2), 'numba.np.linalg' in sys.modules)\nprint(double(1.5))\n")
    printed = [
        subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert printed == [["4", "True", "3.0"], ["4", "False", "3.0"]]


def test_a_cache_that_names_what_is_gone_is_compiled_anew(tmp_path):
    """As after an update: the cache of the older version knows a signature with a class that was renamed."""
    code = (
        "from typing import NamedTuple\nfrom rekern.core.compiling import compiled\n"
        "class Two(NamedTuple):\n    one: int\n    other: int\n"
        "@compiled\ndef add(two):\n    return two.one + two.other\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("Two", "Both", "Both"):
        (tmp_path / "adding.py").write_text(code.replace("Two", name))
        call = [sys.executable, "-c", f"import adding; print(adding.add(adding.{name}(2, 3)))"]
        assert subprocess.run(call, capture_output=True, text=True, env=environment, check=True).stdout == "5\n"


@compiling.compiled
def add_one(x):
    return x + 1


def test_a_compiled_function_is_sent_by_its_name():
    import pickle

    cloudpickle = pytest.importorskip("cloudpickle")
    from rekern.kernels.trees.partial_tree_core import fill_partial_trees

    for module in (pickle, cloudpickle):
        content = module.dumps(fill_partial_trees)
        assert len(content) < 200 and pickle.loads(content) is fill_partial_trees  # noqa: S301

    @compiling.compiled
    def double(x):
        return 2 * x

    assert pickle.loads(cloudpickle.dumps(double))(21) == 42  # noqa: S301
    assert compiling._reduce_by_name(fill_partial_trees) == "fill_partial_trees"
    assert compiling._reduce_by_name(add_one) != "add_one"  # a worker may not have this module
