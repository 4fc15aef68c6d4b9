"""Links between the pages of the documentation lead somewhere, and the pages name no module or file that is gone."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if path.startswith("http"):
            continue
        target = page if not path else (page.parent / path).resolve()
        assert target.exists(), path
        if anchor:
            assert anchor in anchors_of(target), f"{path}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_modules_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|tests|benchmarks|docs)/[\w/.-]+\.\w+)`", text):
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
