"""Make the pictures of the pages of ``rekern serve`` anew: ``python docs/make_screenshots.py [NAME …]``.

It needs Chromium (on the path, or named by REKERN_CHROMIUM) and Playwright. The model is that of the demonstration.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from rekern.datasets import load_rewrites  # noqa: E402
from rekern.datasets.tables import write_table  # noqa: E402
from rekern.web import ServedModels, Site  # noqa: E402
from web.browser import find_chromium, open_browser, serve_site  # noqa: E402

FOLDER = ROOT / "docs" / "how-to" / "pages"
JUDGE = "source=The+judge+thanked+the+pilot.&target=The+judge+was+thanked+by+the+pilot."
PAGES = {
    "pair": f"/pair?{JUDGE}&was_source=The+judge+thanked+the+pilot.&was_target=The+pilot+was+thanked+by+the+judge.",
    "rules": "/rules?search=was&rule=⟨1⟩+was+→+⟨1⟩+was",
    "file": "/file",
    "ask": "/ask",
    "question": "/question",
    "kernels": "/kernels?kernel=partial",
}
WIDTH, HEIGHT, TALL = 1100, 1000, 1130


def main() -> None:
    """Write the pictures named on the command line, or all."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("there is no chromium on the path, and REKERN_CHROMIUM names none")
    FOLDER.mkdir(exist_ok=True)
    site = Site(ServedModels.load([], lambda parser: None))
    with serve_site(site) as address, open_browser(chromium) as browser:
        page = browser.new_page(base_url=address, viewport={"width": WIDTH, "height": HEIGHT})
        for name in sys.argv[1:] or PAGES:
            page.set_viewport_size({"width": WIDTH, "height": TALL if name == "pair" else HEIGHT})
            page.goto(PAGES[name])
            if name == "file":
                _send_file(page)
            page.screenshot(path=FOLDER / f"{name}.png")
            print(f"wrote docs/how-to/pages/{name}.png")


def _send_file(page) -> None:  # type: ignore[no-untyped-def]
    """Let the page predict held-out pairs with their labels."""
    pairs, labels = load_rewrites("test")
    sources, targets = zip(*pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "held-out.tsv")
        write_table(path, {"source": sources, "target": targets, "label": labels})
        page.locator("#file").set_input_files(path)
        page.locator("button[type=submit]").click()
        page.locator("#download").wait_for()


if __name__ == "__main__":
    main()
