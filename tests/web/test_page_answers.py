"""The pages as the server sends them: their state, their problems, and nothing in them that the policy forbids."""

import html
import json
import re
from itertools import pairwise

import pyarrow
import pyarrow.parquet
import pytest
from starlette.testclient import TestClient

from rekern.core.explanations import Explanation, Part
from rekern.datasets import load_rewrites
from rekern.kernels import Rewriting
from rekern.learning import PairClassifier, PairRanker, PairRegressor
from rekern.web.application import make_application
from rekern.web.kernels_page import FAMILIES, make_kernel
from rekern.web.served_models import ServedModels
from rekern.web.site import Site
from rekern.web.what_if import list_changes

PAGES = ("/pair", "/rules", "/file", "/ask", "/question", "/kernels", "/docs", "/sign-in")
EVIL = "<script>alert('x')</script> & \"quotes\""


def find_faults(page: str) -> list[str]:
    """What the content security policy would block, or what loads from elsewhere."""
    faults = re.findall(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=\"/static/)", page)
    return faults + re.findall(r"(?:src|href)=\"(?!/|#)[^\"]*", page)


@pytest.mark.parametrize("path", PAGES)
def test_pages_load_nothing_from_elsewhere(client, path):
    answer = client.get(path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert not find_faults(answer.text)
    assert answer.text.count("<h1") == 1 and 'lang="en"' in answer.text and "<main" in answer.text


@pytest.mark.parametrize("path", ["/pair?source={0}&target={0}", "/rules?search={0}&rule={0}", "/ask?question={0}"])
def test_texts_stay_texts(client, path):
    for more in ("", "&part=1"):
        html = client.get(path.format("%3Cscript%3Ealert(1)%3C/script%3E%22'") + more).text
        assert "<script>alert" not in html and not find_faults(html)


def test_the_address_brings_the_state_back(client):
    page = client.get("/pair", params={"source": "Ann met Bob.", "target": "Bob met Ann."}).text
    assert ">Ann met Bob.</textarea>" in page and ">Bob met Ann.</textarea>" in page and "The model says" in page
    page = client.get("/kernels", params={"kernel": "partial", "decay": "0.7", "mu": "0.2", "a0": "(A b)"}).text
    assert "PartialTree(decay=0.7, mu=0.2)" in page and ">(A b)</textarea>" in page
    page = client.get("/rules", params={"search": "was", "side": "for", "order": "support"}).text
    assert 'value="was"' in page and '<option value="support" selected>' in page and "rk-against" not in page


def test_other_models_have_other_fields():
    pairs, _ = load_rewrites("train", size=30)
    kernel = Rewriting(1)
    several = PairClassifier(kernel, calibration=0).fit(pairs, ["a", "b", "c"] * 10)
    ranker = PairRanker(kernel).fit(pairs, [1, 0, 0] * 10, [row // 3 for row in range(30)])
    numbers = PairRegressor(kernel).fit(pairs, [row / 4 for row in range(30)])
    served = ServedModels({"several": several, "ranker": ranker, "numbers": numbers})
    with TestClient(make_application(Site(served)), base_url="http://127.0.0.1") as client:
        page = client.get("/pair?model=several&source=a+b&target=a+c").text
        chosen = re.findall(r"<option[^>]*selected[^>]*>(.*?)<", page)
        assert "the predicted class" in page and chosen == ["several"]  # and no class that is not explained
        assert ">b</option>" in page and "for b" in client.get("/pair?model=several&source=a&target=b&label=b").text
        assert 'id="group"' in client.get("/file?model=ranker").text
        assert 'id="group"' not in client.get("/file?model=several").text
        table = b"g\tsource\ttarget\n1\ta\tb\n1\tc\td\n2\te\tf\n"
        lines = client.post("/file?model=ranker&format=tsv&group=g", content=table).text.splitlines()
        written = "".join(json.loads(line).get("table", "") for line in lines)
        assert [row.split("\t")[-1] for row in written.splitlines()[1:]] in (["1", "2", "1"], ["2", "1", "1"])
        rules = client.get("/rules?model=numbers").text
        page = client.get(html.unescape(re.search(r'href="(/rules\?[^"]*rule=[^"]*)"', rules).group(1))).text
        groups = re.findall(r"<h3>\d+ with (.*?)</h3>", page)
        assert groups and set(groups) <= {"a label below the mean of 3.62", "a label from the mean of 3.62 on"}


def test_a_link_that_leads_nowhere_is_a_page(client):
    for path, status in (("/pair?model=gone", 404), ("/nothing", 404), ("/pair?source=" + "a" * 1001, 422)):
        answer = client.get(path, headers={"accept": "text/html,*/*"})
        assert answer.status_code == status and 'role="alert"' in answer.text and not find_faults(answer.text)
        assert client.get(path, headers={"accept": "*/*"}).headers["content-type"] == "application/problem+json"


def test_home_leads_to_the_first_page(client):
    assert client.get("/", follow_redirects=False).headers["location"] == "/pair"


def test_a_part_is_only_the_result(client):
    html = client.get("/pair", params={"source": "a", "target": "b", "part": "1"}).text
    assert "data-summary" in html and "<html" not in html


def test_problems_are_shown_on_the_page(client):
    for path, params in (
        ("/kernels", {"kernel": "partial", "a0": "(A (b"}),
        ("/kernels", {"a0": "x" * 500}),
        ("/pair", {"source": "a", "target": "b", "label": "nobody"}),
    ):
        answer = client.get(path, params=params)
        assert answer.status_code == 422 and 'class="problem"' in answer.text
    assert client.get("/pair", params={"source": "x" * 2000}).json()["column"] == "source"
    assert client.get("/pair", params={"model": "nobody"}).status_code == 404


def test_what_changes_is_shown(client):
    asked = {
        "source": "Ann met Bob.",
        "target": "Bob met Ann.",
        "was_source": "Ann met Bob.",
        "was_target": "Ann met Bob.",
    }
    assert "What changed" in client.get("/pair", params=asked).text
    same = asked | {"was_target": asked["target"]}
    assert "What changed" not in client.get("/pair", params=same).text


def test_changes_add_up():
    before = Explanation(decision=1.0, intercept=0.1, parts=[Part("rule", f"r{n}", 0.05) for n in range(18)])
    after = Explanation(decision=-0.4, intercept=0.1, parts=[Part("rule", f"r{n}", -0.05) for n in range(5, 15)])
    steps = list_changes(before, after)
    assert steps[0].end == 1.0 and steps[-1].end == -0.4
    for left, right in pairwise(steps[:-1]):
        assert left.end == pytest.approx(right.start)
    assert steps[-2].end == pytest.approx(-0.4)


def test_rules_say_where_they_speak(client, model):
    rule = model.rules(3).favoring[0]
    html = client.get("/rules", params={"rule": rule.rule}).text
    counts = [int(count.replace(",", "")) for count in re.findall(r"<h3>([\d,]+) with the label", html)]
    assert sum(counts) == rule.support
    score = model.rules(3).scores[0]
    assert score.description in client.get("/rules", params={"score": score.name}).text
    assert f">{score.description}</a>" in client.get("/rules", params={"search": score.description}).text
    both = client.get("/rules").text
    assert both.index("<h2>Rules") < both.index('href="#scores"') < both.index('<h2 id="scores">')
    assert "scores" not in client.get("/rules", params={"search": "was by"}).text.partition("<h2>Rules")[2]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_kernel_of_the_page_works(client, name):
    html = client.get("/kernels", params={"kernel": name, "normalize": "no"}).text
    family = FAMILIES[name]
    numbers = {slider.name: slider.value for slider in family.sliders}
    kernel = make_kernel(name, numbers, "aligned", False)
    left, right = (item if len(item) > 1 else item[0] for item in family.items)
    assert f"<strong>{kernel(left, right):.4f}</strong>" in html


def test_warm_up(models):
    from rekern.web.site import Site
    from rekern.web.warm_up import start_warm_up

    thread = start_warm_up(Site(models))
    thread.join(60)
    assert not thread.is_alive()


def test_numbers_out_of_range_are_moved(client):
    html = client.get("/kernels", params={"kernel": "partial", "decay": "7", "mu": "nan"}).text
    assert "PartialTree(decay=1.0)" in html


def test_static_files(client):
    answer = client.get("/static/site.css")
    assert answer.headers["content-type"].startswith("text/css")
    again = client.get("/static/site.css", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    assert "rk-svg" in client.get("/static/drawing.css").text
    for path in ("/static/nothing.css", "/static/..%2Fsite.py", "/static/../site.py"):
        assert client.get(path).status_code == 404


TSV = "id\tsource\ttarget\tlabel\n" + "".join(f"{n}\tAnn {n} met Bob.\tBob met Ann {n}.\t{n % 2}\n" for n in range(700))


def read_events(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_file_is_predicted(client, model):
    events = read_events(client.post("/file", params={"format": "tsv"}, content=TSV))
    progress = [event["progress"] for event in events if "progress" in event]
    assert progress == [0, 500, 700]
    rows = "".join(event.get("table", "") for event in events).splitlines()
    assert len(rows) == 701 and rows[0].split("\t")[:5] == ["source", "target", "id", "label", "prediction"]
    pairs = [tuple(row.split("\t")[:2]) for row in rows[1:]]
    assert [int(row.split("\t")[4]) for row in rows[1:]] == model.predict(pairs).tolist()
    assert "700 predictions" in events[-1]["html"] and not find_faults(events[-1]["html"])
    (report,) = [event["report"] for event in events if "report" in event]
    assert report.startswith("<!DOCTYPE html>") and "accuracy" in report
    unlabelled = read_events(client.post("/file", params={"format": "csv"}, content="source,target\na,b\n"))
    assert not any("report" in event for event in unlabelled)
    scored = read_events(client.post("/file", params={"format": "csv"}, content="query,passage,score\na,b,7.5\n"))
    assert "1 prediction<" in scored[-1]["html"] and not any("report" in event for event in scored)
    (*_, last) = read_events(client.post("/file", params={"format": "csv"}, content="source,target,label\na,b,x\n"))
    assert "the model knows no label x" in last["problem"]


def test_columns_of_a_file_can_be_named(client):
    columns = {"source": "q1", "target": "q2", "label": "same"}
    events = read_events(client.post("/file", params={"format": "csv", **columns}, content="q1,q2,same\na,b,1\n"))
    assert "1 prediction<" in events[-1]["html"]
    (last,) = read_events(client.post("/file", params={"format": "csv", **columns}, content="q1,q2\na,b\n"))
    assert "no column 'same'" in last["problem"]


def test_columns_of_the_training_table_are_known(model):
    from copy import copy

    known = copy(model)
    known.columns_ = {"source": "Asked <b>", "target": "Found", "label": "Same?"}
    with TestClient(make_application(Site(ServedModels({"known": known}))), base_url="http://127.0.0.1:8000") as client:
        page = client.get("/file").text
        assert "<code>Asked &lt;b&gt;</code>" in page and 'value="Found"' in page
        named = {"source": "Asked <b>", "target": "Found", "label": "Same?"}  # what the page sends
        for table in ("Asked <b>,Found,Same?\na,b,1\n", "source,target,label\na,b,1\n", "source,target\na,b\n"):
            for names in ({}, named):
                events = read_events(client.post("/file", params={"format": "csv", **names}, content=table))
                assert "1 prediction<" in events[-1]["html"]
                assert any("report" in event for event in events) == ("1\n" in table)
        known.columns_ = {"source": "half of a \ud800", "target": "Found"}  # a file may say so
        assert "half of a ?" in client.get("/file").text


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("csv", "source,target\na,b\n"),
        ("jsonl", '{"source": "a", "target": "b"}\n'),
        ("json", '[{"source": "a", "target": "b"}]'),
    ],
)
def test_formats_of_files(client, format, content):
    events = read_events(client.post("/file", params={"format": format}, content=content))
    assert events[0]["name"] == ("predictions.csv" if format == "csv" else "predictions.jsonl")
    assert "1 prediction<" in events[-1]["html"]


def write_parquet(columns):
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue().to_pybytes()


def test_parquet(client):
    data = write_parquet({"source": ["a", "b"], "target": ["c", "d"]})
    assert "2 predictions" in read_events(client.post("/file?format=parquet", content=data))[-1]["html"]


@pytest.mark.parametrize(
    ("format", "content", "words"),
    [
        ("tsv", "source\ttarget\na\n", "line 2"),
        ("tsv", "a\tb\nc\td\n", "no columns 'source' and 'target'; it has a, b: name them under Names"),
        ("tsv", "text\nc\n", "columns source and target"),
        ("tsv", f"source\ttarget\na\t{'x' * 1001}\n", "at most 1,000"),
        ("tsv", "source\ttarget\n" + "a\tb\n" * 1201, "1,201 rows"),
        ("jsonl", '{"source": 1, "target": "b"}', "line 1"),
        ("parquet", "PAR1", "not a usable Parquet file"),
        ("parquet", write_parquet({"source": ["x" * 2_000_000] * 4, "target": ["b"] * 4}), "too large"),
        ("parquet", write_parquet({"source": ["a"] * 5000, "target": ["b"] * 5000}), "5,000 rows"),
        ("tsv", "", "is empty"),
        (
            "csv",
            b"source,target\ncaf\xe9,b\n",
            "line 2: byte 0xe9 at offset 17 is not UTF-8; convert the file to UTF-8",
        ),
    ],
)
def test_unusable_files_are_refused(client, format, content, words):
    (*_, last) = read_events(client.post("/file", params={"format": format}, content=content))
    assert words in last["problem"]


def test_signing_in(models):
    from starlette.testclient import TestClient

    from rekern.web.access import Access
    from rekern.web.application import make_application
    from rekern.web.site import Site

    site = Site(models, access=Access(token="sécret"))
    with TestClient(make_application(site), base_url="http://127.0.0.1", follow_redirects=False) as client:
        page = client.get("/pair", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/sign-in")
        assert client.get("/static/site.css").status_code == 200
        assert client.post("/sign-in", data={"token": "wrong"}).status_code == 401
        answer = client.post("/sign-in", data={"token": "sécret"})
        cookie = answer.headers["set-cookie"].lower()
        assert answer.status_code == 303 and "httponly" in cookie and "samesite=strict" in cookie
        assert "sécret" not in cookie and client.get("/api/models").status_code == 200
