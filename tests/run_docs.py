"""Run the code of the pages of the documentation, and compare what it prints with what they show.

    python tests/run_docs.py                              # all pages
    python tests/run_docs.py README.md --update           # write what is printed into a page
    python tests/run_docs.py docs/how-to/parse.md --slow  # also the blocks that are marked slow

Numbers in the text around the blocks are not updated: read the page afterwards.
"""

import argparse
import tempfile
import time
from pathlib import Path

from pages.blocks import list_pages
from pages.running import run_page

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run the pages that are named on the command line; return the number of problems."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("pages", nargs="*", type=Path)
    options.add_argument("--update", action="store_true", help="write what is printed into the pages")
    options.add_argument("--slow", action="store_true", help="also run what is marked slow")
    options.add_argument("--skipped", action="store_true", help="list the blocks that are not run here")
    chosen = options.parse_args()
    n_problems = 0
    for page in [path.resolve() for path in chosen.pages] or list_pages(ROOT):
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            run = run_page(page, Path(folder), chosen.slow)
        print(f"{page.relative_to(ROOT)}: {len(run.problems)} problems, in {time.perf_counter() - started:.1f} s")
        print("".join(f"\n{problem}\n" for problem in run.problems), end="")
        if chosen.skipped:
            print("".join(f"  {reason}\n" for reason in run.skipped), end="")
        if chosen.update and run.edits:
            lines = run.apply_edits(page.read_text(encoding="utf-8").splitlines())
            page.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        n_problems += len(run.problems)
    return n_problems


if __name__ == "__main__":
    raise SystemExit(min(main(), 1))
