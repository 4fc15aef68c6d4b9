"""Drawings and reports in a real browser: they fit, words do not overlap, tables are sorted and searched."""

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from rekern import PairClassifier
from rekern.datasets import load_rewrites
from rekern.drawing import wrap_page
from rekern.learning import make_report
from web.browser import find_chromium, open_browser

CHROMIUM = find_chromium()
if CHROMIUM is None:
    pytest.skip("there is no chromium on the path, and REKERN_CHROMIUM names none", allow_module_level=True)


OVERLAPS = """() => {
    const boxes = [...document.querySelectorAll("text.rk-word")].map((word) => word.getBoundingClientRect());
    const shown = boxes.filter((box) => box.width > 0);
    let count = 0;
    for (let i = 0; i + 1 < shown.length; i++) {
        const one = shown[i], other = shown[i + 1];
        if (Math.abs(one.top - other.top) < 2 && other.left < one.right - 1 && one.left < other.right - 1) count++;
    }
    return [shown.length, count, Math.max(...shown.map((box) => box.right))];
}"""


@pytest.fixture(scope="module")
def model():
    pairs, labels = load_rewrites("train")
    return PairClassifier("paper").fit(pairs[:240], labels[:240])


@pytest.fixture(scope="module")
def browser():
    with open_browser(CHROMIUM) as browser:
        yield browser


def open_page(browser, path, width=1000, **options):
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("width", [400, 1000])
def test_long_texts_fit(browser, model, tmp_path, width) -> None:
    text = " ".join(source for source, _ in load_rewrites("train")[0][:9])
    assert len(text.split()) >= 50
    path = tmp_path / "why.html"
    path.write_text(wrap_page("why", model.explain((text, text)).to_html(style=False)), encoding="utf-8")
    page = open_page(browser, path, width)
    count, overlaps, right = page.evaluate(OVERLAPS)
    assert count >= 100 and overlaps == 0 and right <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_a_report_is_sorted_and_searched(browser, model, tmp_path) -> None:
    pairs, labels = load_rewrites("test")
    path = tmp_path / "report.html"
    report = make_report(model, [*pairs[:59], ("An incomprehensibility.", "Nothing.")], labels[:60], n_mistakes=4)
    path.write_text(report.to_html(), encoding="utf-8")
    page = open_page(browser, path)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    rows = "#rows tbody tr:visible"
    head = page.locator("#rows th", has_text="row").first
    head.click()
    assert [int(cell) for cell in page.locator(f"{rows} td:first-child").all_inner_texts()] == list(range(1, 61))
    head.press("Enter")
    assert page.locator(f"{rows} td:first-child").first.inner_text() == "60"
    word = pairs[7][0].split()[0].lower()
    expected = sum(word in f"{source}{target}".lower() for source, target in pairs[:59])
    page.locator("#find").fill(word)
    assert page.locator(rows).count() == expected > 0
    assert page.locator("#found").inner_text().startswith(f"{expected} of 60")
    assert page.locator("details[open]").count() == 3
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details[open]").count() == 4
    page.locator("#find").fill("")
    assert page.locator(rows).count() == 60 and not page.get_by_text("Printed: the first 50 rows").is_visible()
    page.emulate_media(media="print")
    assert page.locator(rows).count() == 50 and page.get_by_text("Printed: the first 50 rows").is_visible()
    assert complaints == []
    page.close()
    narrow = open_page(browser, path, 400, color_scheme="dark")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 400
    assert narrow.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    narrow.close()
