"""The pages in a real browser, as people use them: by keyboard, on a phone, in the dark, with a screen reader."""

import json
import re

import pytest

from rekern.web.site import Site
from web.browser import find_chromium, open_browser, serve_site

CHROMIUM = find_chromium()
if CHROMIUM is None:
    pytest.skip("there is no chromium on the path, and REKERN_CHROMIUM names none", allow_module_level=True)
expect = pytest.importorskip("playwright.sync_api").expect

PAGES = ("/pair", "/rules", "/file", "/ask", "/question", "/kernels", "/kernels?kernel=partial", "/docs")
JUDGE = "/pair?source=The+judge+thanked+the+pilot.&target=The+pilot+was+thanked+by+the+judge."
TSV = "id\tsource\ttarget\tlabel\n" + "".join(
    f"{n}\tAnn {n} met Bob.\tBob {'was met by' if n % 2 else 'met'} Ann {n}.\t{n % 2}\n" for n in range(600)
)
DROP = """([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name));
    const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.getElementById("drop").dispatchEvent(event);
}"""


@pytest.fixture(scope="module")
def address(models):
    with serve_site(Site(models)) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    expect.set_options(timeout=60_000)
    with open_browser(CHROMIUM) as browser:
        yield browser


@pytest.fixture
def open_page(browser, address):
    """Open a page of the server; whatever the browser complains about fails the test."""
    contexts, complaints = [], []

    def open_page(path, **options):
        context = browser.new_context(base_url=address, **({"viewport": {"width": 1440, "height": 900}} | options))
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith((address, "blob:")) or complaints.append(request.url))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    complaints = [words for words in complaints if "status of 422" not in words]  # a page that shows a problem
    assert not complaints


def reach(page, wanted, most=40):
    """Press Tab until an element has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement?.matches(selector)", wanted):
            return
    raise AssertionError(f"Tab does not reach {wanted}")


def test_what_if(open_page):
    page = open_page(JUDGE)
    result, said = page.locator("#result"), page.locator("#status")
    before = page.locator(".rk-answer").inner_text()
    page.locator("#target").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("The judge was thanked by the pilot.")
    expect(result).to_contain_text("What changed")
    expect(said).to_contain_text("The model says")
    expect(page).to_have_url(re.compile("target=The.judge.*was_target=The.pilot"))
    page.reload()
    expect(result).to_contain_text("What changed")  # the address has the whole state
    page.locator("#back").click()
    expect(result).not_to_contain_text("What changed")
    assert page.locator(".rk-answer").inner_text() == before
    page.locator("#swap").click()
    expect(result).to_contain_text("What changed")
    page.locator("#keep").click()
    expect(result).not_to_contain_text("What changed")
    page.go_back()
    expect(page.locator("#back")).to_be_enabled()


def test_examples_are_links(open_page):
    page = open_page("/pair")
    page.locator("summary").click()
    link = page.locator(".examples a").nth(3)
    words = link.inner_text().split(" → ")[0]
    link.click()
    expect(page.locator("#source")).to_have_value(words)


def test_rules_by_keyboard(open_page):
    page = open_page("/rules")
    reach(page, "#search")
    page.keyboard.type("was")
    expect(page).to_have_url(re.compile("search=was"))
    reach(page, "#order")
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("order=support"))
    expect(page.locator("#status")).to_contain_text("rules")
    reach(page, "td a[href*='rule=']")
    rule = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    expect(page.locator("#where h2")).to_have_text(rule)
    expect(page.locator("#where")).to_be_focused()
    assert all("was" in row.lower() for row in page.locator("tr.rk-for, tr.rk-against").all_inner_texts())
    page.go_back()
    expect(page.locator("#where")).to_have_count(0)
    page.fill("#search", "")
    page.locator("a[href*='score=']").first.click()
    expect(page.locator(".large-plot svg")).to_be_visible()


def test_upload_and_download(open_page, tmp_path, model):
    file = tmp_path / "pairs.tsv"
    file.write_text(TSV)
    page = open_page("/file")
    page.locator("#file").set_input_files(file)
    page.locator("button[type=submit]").click()
    expect(page.locator("#result")).to_contain_text("600 predictions")
    assert page.locator("#result tbody tr").count() >= 20
    with page.expect_download() as download:
        page.locator("#download").click()
    rows = download.value.path().read_text().splitlines()
    assert download.value.suggested_filename == "predictions.tsv" and len(rows) == 601
    pairs = [tuple(row.split("\t")[:2]) for row in rows[1:]]
    assert [int(row.split("\t")[4]) for row in rows[1:]] == model.predict(pairs).tolist()
    expect(page.locator("#result")).to_contain_text("accuracy")
    with page.expect_download() as download:
        page.locator("#report").click()
    assert "Report on demo" in download.value.path().read_text()
    page.evaluate(DROP, ["pairs.csv", "source,target\na,b\n"])
    expect(page.locator("#result h2")).to_contain_text("1 prediction")
    page.evaluate(DROP, ["pairs.csv", "source,target\na\n"])
    expect(page.locator(".problem")).to_contain_text("line 2")
    page.evaluate("document.getElementById('file-form').dataset.most = '3'")
    page.evaluate(DROP, ["pairs.csv", "source,target\na,b\n"])
    expect(page.locator(".problem")).to_contain_text("MB")
    page.evaluate(DROP, ["pairs.doc", "x"])
    expect(page.locator(".problem")).to_contain_text("tells no format")


def test_the_address_of_a_file_has_its_fields(open_page):
    page = open_page("/file")
    page.locator("#format").select_option("csv")
    page.locator("summary").click()
    page.locator("#source").fill("premise")
    page.locator("#label").fill("gold")
    page.locator("#label").press("Tab")
    expect(page).to_have_url(re.compile("format=csv&source=premise&label=gold"))
    page.reload()
    expect(page.locator("#format")).to_have_value("csv")
    expect(page.locator("#source")).to_have_value("premise")
    page.evaluate(DROP, ["pairs.txt", "premise,target,gold\na,b,1\n"])
    expect(page.locator("#result h2").last).to_contain_text("1 prediction")


def test_ask_by_keyboard(open_page):
    page = open_page("/ask?question=")
    said = page.locator("#status")
    reach(page, "#question")
    page.keyboard.type("what is the capital of estonia?")
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_contain_text("Tallinn")
    expect(said).to_contain_text("Tallinn")
    page.locator("#question").fill("zanzibar quux?")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("no confident reading")
    page.go_back()
    expect(page.locator("#result")).to_contain_text("Tallinn")


def test_question_while_typing(open_page):
    page = open_page("/question")
    page.locator("#question").fill("为什么天是蓝的?")
    expect(page.locator("#status")).to_contain_text("Reason")
    page.locator("#question").fill("")
    expect(page.locator(".empty")).to_be_visible()


def test_sliders(open_page):
    page = open_page("/kernels?kernel=partial&normalize=no")
    value = page.locator(".value strong")
    before = value.inner_text()
    reach(page, "#decay")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(value).not_to_have_text(before)
    expect(page.locator("output[for=decay]")).to_have_text("0.5")
    expect(page).to_have_url(re.compile("decay=0.5"))
    page.locator("#a0").fill("(A (b")
    expect(page.locator(".problem")).to_be_visible()
    page.locator("#kernel").select_option("rewriting")
    page.wait_for_url("**/kernels?kernel=rewriting")  # and for its scripts
    expect(page.locator("#k")).to_be_visible()
    before = value.inner_text()
    page.locator("#wildcards").select_option("none")
    expect(value).not_to_have_text(before)
    page.locator("#normalize").select_option("no")
    expect(page).to_have_url(re.compile("normalize=no"))


def test_the_description_of_the_api(open_page):
    page = open_page("/docs")
    expect(page.locator("article h2").first).to_contain_text("/api/predict")
    assert page.locator("article").count() >= 8
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skips the navigation
    expect(page.locator("#main")).to_be_focused()


def test_nothing_is_wider_than_a_phone(open_page):
    page = open_page("/pair", viewport={"width": 360, "height": 740}, color_scheme="dark")
    for path in PAGES:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", background)[:3])) < 80


def test_axe_finds_no_serious_fault(open_page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page("/pair", viewport={"width": 1000, "height": 900}, bypass_csp=True)
    for path in PAGES:
        page.goto(path.replace("/rules", "/rules?search=was+by"))  # few rules: axe looks at each cell
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] if scheme == "light" else ["color-contrast"]
            options = {"resultTypes": ["violations"], "runOnly": rules}
            found = axe.run(page, options=options).response["violations"]
            serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
            assert not serious, json.dumps(
                [[path, fault["id"], [node["html"][:200] for node in fault["nodes"][:4]]] for fault in serious],
                indent=1,
            )


def test_a_server_that_has_gone_is_told(browser, models):
    with serve_site(Site(models)) as address:
        page = browser.new_page(base_url=address)
        page.goto("/pair")
    page.locator("#source").fill("Ann left.")
    expect(page.locator(".problem")).to_contain_text("does not answer")
    page.close()
