"""The pictures of the documentation are what their scripts draw. ``python docs/make_pictures.py`` draws them anew."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pages.comparing import is_line_equal

ROOT = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
assert SPEC and SPEC.loader
make_pictures = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_pictures)


@pytest.mark.parametrize("name", make_pictures.list_scripts())
def test_picture_is_what_its_script_draws(name: str) -> None:
    kept = (ROOT / "docs" / "gallery" / f"{name}.svg").read_text(encoding="utf-8")
    drawn = make_pictures.draw_picture(name)
    ElementTree.fromstring(drawn)
    differences = [
        f"{old}\n{new}" for old, new in zip(kept.splitlines(), drawn.splitlines()) if not is_line_equal(old, new)
    ]
    assert not differences, "\n".join(["the picture has changed: python docs/make_pictures.py", *differences])
    assert len(kept.splitlines()) == len(drawn.splitlines())


def test_every_picture_has_a_script_and_a_place() -> None:
    names = make_pictures.list_scripts()
    assert sorted(path.stem for path in (ROOT / "docs" / "gallery").glob("*.svg")) == names
    page = (ROOT / "docs" / "gallery" / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"({name}.svg)" not in page] == []
