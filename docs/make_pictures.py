"""Make the pictures of the documentation anew: ``python docs/make_pictures.py [NAME …]``.

Each script in docs/gallery has a function ``draw``; its picture is the SVG file of the same name beside it.
"""

import sys
from pathlib import Path

GALLERY = Path(__file__).resolve().parent / "gallery"
sys.path.insert(0, str(GALLERY))


def list_scripts() -> list[str]:
    """List the names of the gallery's scripts."""
    return sorted(path.stem for path in GALLERY.glob("*.py") if path.stem != "picture")


def draw_picture(name: str) -> str:
    """Run a script of the gallery and return its picture as SVG."""
    return str(__import__(name).draw())


def main() -> None:
    """Write the pictures named on the command line, or all."""
    for name in sys.argv[1:] or list_scripts():
        (GALLERY / f"{name}.svg").write_text(draw_picture(name), encoding="utf-8")
        print(f"wrote docs/gallery/{name}.svg")


if __name__ == "__main__":
    main()
