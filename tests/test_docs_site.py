"""The site of the documentation is built without the network and a broken link, and loads nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_site_is_built_and_stands_alone(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    command = [sys.executable, str(ROOT / "docs/make_site.py"), str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, **nowhere}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = sorted(tmp_path.glob("*/**/*.html"))
    assert len(pages) > 40
    loaded = re.compile(
        r"<(?:script|img|iframe)[^>]*src=\"(?:https?:)?//|<link[^>]*rel=\"stylesheet\"[^>]*href=\"(?:https?:)?//"
    )
    for page in pages:
        found = loaded.search(page.read_text(encoding="utf-8"))
        assert found is None, f"{page}: {found}"
    version = next(tmp_path.glob("*/searchindex.js")).parent
    assert "PairClassifier" in (version / "reference/api/models.html").read_text(encoding="utf-8")
    assert "PairFinder" in (version / "reference/api/models.html").read_text(encoding="utf-8")
    assert "rekern.search.Match" in (version / "reference/api/search.html").read_text(encoding="utf-8")
    assert (version / "search.html").exists() and (version / "how-to/match.html").exists()
    assert version.name in (tmp_path / "versions.json").read_text(encoding="utf-8")
