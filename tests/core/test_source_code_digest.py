"""What is kept in the cache folder is not used by other code."""

import shutil
from pathlib import Path

import pytest

import rekern
from rekern.core.source_code_digest import BEYOND_SEARCH, digest_folder, digest_source

PACKAGE = Path(rekern.__file__).parent


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package") / "rekern"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__", "data"))
    return folder


def list_a_file_of_each_folder(*folders):
    found = {path.parent: path for folder in folders for path in (PACKAGE / folder).rglob("*.py")}
    return [path.relative_to(PACKAGE).as_posix() for path in found.values()]


def test_a_changed_file_anywhere_below_changes_the_digest(copy):
    before = digest_folder(copy)
    names = list_a_file_of_each_folder("krisp", "learning", "kernels", "structures", "core")
    assert len(names) > 12
    for name in [*names, "errors.py"]:
        path = copy / name
        content = path.read_bytes()
        path.write_bytes(content + b"# changed")
        assert digest_folder(copy) != before, name
        path.write_bytes(content)
    assert digest_folder(copy) == before


def test_a_new_or_a_moved_file_changes_the_digest(copy):
    before = digest_folder(copy)
    (copy / "krisp" / "new_idea.py").write_text("")
    assert digest_folder(copy) != before
    (copy / "krisp" / "new_idea.py").rename(copy / "kernels" / "new_idea.py")
    assert digest_folder(copy) != before
    (copy / "kernels" / "new_idea.py").unlink()
    assert digest_folder(copy) == before


def test_other_applications_do_not_matter(copy):
    before = digest_folder(copy)
    for name in ("cli", "questions"):
        (copy / name / "new_idea.py").write_text("")
    assert digest_folder(copy) == before


def test_matches_depend_on_the_search(copy):
    before = digest_folder(copy, BEYOND_SEARCH)
    for name in ("search", "cli", "learning", "similarity", "datasets"):
        (copy / name / "other_idea.py").write_text("")
        assert digest_folder(copy, BEYOND_SEARCH) != before, name
        (copy / name / "other_idea.py").unlink()
    assert digest_folder(copy, BEYOND_SEARCH) == before


def test_texts_count_too():
    assert digest_source(["a"]) != digest_source(["b"])
    assert digest_source(["a"]) == digest_source(["a"])
