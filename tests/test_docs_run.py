"""Every Python block and every shell line of README and docs/ runs, and prints what the page shows.

``python tests/run_docs.py`` does the same by hand; with ``--update`` it writes what is printed into the pages.
"""

from pathlib import Path

import pytest

from pages.blocks import list_pages, read_blocks
from pages.running import run_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = list_pages(ROOT)
# pages with blocks that are never run, and how many; the marks on the pages give the reasons
NOT_RUN = {
    "docs/concepts/architecture.md": 1,
    "docs/how-to/ask-your-database.md": 2,
    "docs/how-to/gpu.md": 1,
    "docs/how-to/parse.md": 1,
    "docs/how-to/serve.md": 3,
    "docs/how-to/word-spaces.md": 2,
    "docs/reference/krisp.md": 1,
    "docs/reference/releases.md": 1,
    "docs/reference/similarity.md": 1,
}
PAGES_NOT_RUN = ["docs/results.md"]


def name_page(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def is_slow(page: Path) -> bool:
    return any("slow" in block.marks for block in read_blocks(page.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_page_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    run = run_page(page, tmp_path)
    assert not run.problems, "\n\n".join(run.problems)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if is_slow(page)], ids=name_page)
def test_slow_page_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    run = run_page(page, tmp_path, slow=True)
    assert not run.problems, "\n\n".join(run.problems)


def test_few_blocks_are_never_run() -> None:
    texts = {name_page(page): page.read_text(encoding="utf-8") for page in PAGES}
    assert [name for name, text in texts.items() if "<!-- page not run:" in text] == PAGES_NOT_RUN
    counts = {name: text.count("<!-- not run:") for name, text in texts.items()}
    assert {name: count for name, count in counts.items() if count} == NOT_RUN
