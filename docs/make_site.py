"""Build the site of the documentation into a folder for each version, with a list of versions: ``make docs``."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import rekern

ROOT = Path(__file__).resolve().parents[1]


def build_site(folder: Path) -> Path:
    """Build this version's pages below a folder, and return where they are. A broken link is an error."""
    version = rekern.__version__
    with TemporaryDirectory() as trees:
        command = [
            sys.executable,
            "-m",
            "sphinx",
            "--fail-on-warning",
            "--keep-going",
            "--quiet",
            "--doctree-dir",
            trees,
        ]
        subprocess.run([*command, str(ROOT / "docs"), str(folder / version)], check=True)
    (folder / version / "index.html").write_text(_redirect("README.html"), encoding="utf-8")
    versions = sorted((path.parent.name for path in folder.glob("*/index.html")), key=_sort_key, reverse=True)
    newest = versions[0]
    listed = [
        {"version": name, "name": name, "url": f"../{name}/README.html", "preferred": name == newest}
        for name in versions
    ]
    (folder / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(_redirect(f"{newest}/README.html"), encoding="utf-8")
    return folder / version


def _redirect(address: str) -> str:
    refresh = f'<meta http-equiv="refresh" content="0; url={address}">'
    return f'<!doctype html><meta charset="utf-8"><title>Rekern</title>{refresh}<a href="{address}">Rekern</a>\n'


def _sort_key(version: str) -> list[int]:
    return [int(part) if part.isdigit() else -1 for part in version.split(".")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "site")
    place = build_site(parser.parse_args().folder.resolve())
    print(f"open {place / 'README.html'}")
