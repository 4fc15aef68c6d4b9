"""Links between the pages of the documentation lead somewhere, and the pages name no module or file that is gone."""

import importlib
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("experiments/**/*.md")])


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if path.startswith("http"):
            continue
        target = page if not path else (page.parent / path).resolve()
        assert target.is_file() or (target.is_dir() and page.parent == ROOT), path  # the site has no page of a folder
        if anchor:
            assert anchor in anchors_of(target), f"{path}#{anchor}"


def test_every_page_is_in_the_navigation() -> None:
    pytest.importorskip("sphinx")
    conf = runpy.run_path(str(ROOT / "docs/conf.py"))
    pages = {page.relative_to(ROOT / "docs") for page in PAGES if page.is_relative_to(ROOT / "docs")}
    listed = {Path("README.md")}
    for page in pages:
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for found in conf["list_pages"](page.with_suffix("").as_posix(), text).values():
            listed.update(page.parent / path for path in found)
    assert listed == pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_modules_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|tests|benchmarks|docs|experiments)/[\w/.-]+\.\w+)`", text):
        assert (ROOT / path).exists(), path
    for name in re.findall(r"\b(rekern(?:\.[a-z_]+)+(?:\.[A-Z]\w+)?)\b(?!\.toml|\")", text):
        if name not in ("rekern.parts", "rekern.parsers"):  # groups of entry points
            assert find(name), name


def find(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    module, attributes = name, []
    while True:
        try:
            found = importlib.import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            attributes.insert(0, last)
    for attribute in attributes:
        if not hasattr(found, attribute):
            return False
        found = getattr(found, attribute)
    return True
