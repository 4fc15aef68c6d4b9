"""The files around the package agree with it: version, citation, workflow, hooks."""

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path

import pytest

import rekern

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read_yaml(name: str) -> object:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_version_is_defined_in_one_place() -> None:
    assert "version" not in PROJECT["project"] and PROJECT["project"]["dynamic"] == ["version"]
    source = (ROOT / PROJECT["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE) == [rekern.__version__]
    assert version("rekern") == rekern.__version__
    assert "version" not in read_yaml("CITATION.cff")
    assert f"\n## {rekern.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_four_papers_are_cited() -> None:
    references = read_yaml("CITATION.cff")["references"]
    assert sorted(reference["year"] for reference in references) == [2008, 2010, 2012, 2015]
    for reference in references:
        assert reference["title"] and reference["authors"] and reference["collection-title"]
        assert reference["start"] < reference["end"]


def test_the_workflow_runs_make_test_on_every_supported_python() -> None:
    job = read_yaml(".github/workflows/test.yml")["jobs"]["test"]
    listed = [line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert job["strategy"]["matrix"]["python"] == listed
    assert job["steps"][-1] == {"run": "make test"}


def test_hooks_download_nothing() -> None:
    repositories = read_yaml(".pre-commit-config.yaml")["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    assert {hook["language"] for hook in repositories[0]["hooks"]} == {"system"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in repositories[0]["hooks"])


@pytest.mark.slow
def test_a_release_is_built_twice_alike_and_works_without_the_repository(tmp_path: Path) -> None:
    """Needs the package registry for the wheel's dependencies; takes minutes."""
    command = [sys.executable, str(ROOT / "tools/make_release.py"), "--check", "--out", str(tmp_path / "dist")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    if "No matching distribution" in done.stderr:
        pytest.skip("the package registry cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "built twice with the same bytes" in done.stdout
    names = {path.suffix for path in (tmp_path / "dist").iterdir()}
    assert names == {".whl", ".gz", ".json"}


def test_no_compiled_function_is_instrumented() -> None:
    """The measurement of coverage puts calls into functions that Numba cannot compile."""
    omitted = PROJECT["tool"]["slipcover"]["omit"]
    for path in (ROOT / "src").rglob("*.py"):
        if re.search(r"^@compiled", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert any(fnmatch(str(path), pattern) for pattern in omitted), path
