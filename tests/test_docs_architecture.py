"""docs/concepts/architecture.md names every folder of the package, and no folder, file or name that does not exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rekern"
PAGE = (ROOT / "docs" / "concepts" / "architecture.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs" / "concepts" / "architecture.svg").read_text(encoding="utf-8")

EXAMPLES = {"kernels/trees/equal_nodes_core.py", "_core.py"}  # a file that the reader writes, an ending of names
FILES = sorted(set(re.findall(r"`([\w/.-]+\.(?:py|md))`", PAGE)) - EXAMPLES)
FOLDERS = sorted(set(re.findall(r"`([\w/-]+)/`", PAGE)))
# `file.py`: `name`, and then perhaps `name` of the same file
NAMES = sorted(set(re.findall(r"`([\w/]+\.py)`:\s+`([\w.]+)`", PAGE)))


@cache
def defined_names(file: str) -> set[str]:
    """The functions and classes of a module, and the methods of its classes, as Class.method."""
    found = set()
    for node in ast.parse((PACKAGE / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return found


def test_every_folder_is_named() -> None:
    folders = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_dir() and path.name != "__pycache__" and any(path.glob("*.py"))
    }
    assert folders - set(FOLDERS) == set()


def test_every_top_folder_is_in_the_picture_and_in_the_text_version() -> None:
    text = PAGE.split("## Folders")[0]
    for path in PACKAGE.iterdir():
        if any(path.glob("*.py")):
            assert f">{path.name}<" in PICTURE and f"\n    {path.name}/ " in text, path.name


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_named_folder_exists(folder: str) -> None:
    assert (PACKAGE / folder).is_dir() or (ROOT / folder).is_dir()


@pytest.mark.parametrize("file", FILES)
def test_every_named_file_exists(file: str) -> None:
    assert (PACKAGE / file).is_file() or (ROOT / file).is_file()


@pytest.mark.parametrize(("file", "name"), NAMES)
def test_every_named_function_exists(file: str, name: str) -> None:
    assert name in defined_names(file), f"{file} defines {sorted(defined_names(file))}"


def test_the_walks_are_there() -> None:
    walks = PAGE.split("## Walks")[1].split("\n## ")[0]
    assert len(re.findall(r"^### ", walks, re.MULTILINE)) == 5
    assert len([file for file, _ in NAMES if file in walks]) >= 30
