"""The HTTP API: the same JSON as the commands, and errors with their place."""

import json

import numpy as np
import pytest
from starlette.testclient import TestClient

from rekern.core.json_values import to_json_value
from rekern.datasets import load_rewrites
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.rule_listing import describe_rules, list_rules
from rekern.learning.text_classifier import TextClassifier
from rekern.web.application import make_application
from rekern.web.predict_api import PredictRequest, predict_together
from rekern.web.served_models import ServedModel, ServedModels, choose_name
from rekern.web.site import Site, dump_json

NAMES = ("predict", "explain", "rules", "ask", "question", "models", "health", "metrics")
PAIR = ("The judge thanked the pilot.", "The pilot was thanked by the judge.")


def test_predict_gives_the_rows_of_the_command(client, model):
    pairs = [*load_rewrites("test", size=40)[0], PAIR]
    answer = client.post("/api/predict", json={"pairs": pairs}).json()
    labels, _, chances = model.decide(pairs)
    assert answer["pairs"] == len(pairs)
    assert [row["prediction"] for row in answer["rows"]] == labels.tolist()
    np.testing.assert_allclose([row["probabilities"]["1"] for row in answer["rows"]], chances[:, 1])


def test_predict_in_blocks_gives_the_same(client, model):
    pairs = [(f"Ann {n} met Bob.", f"Bob was met by Ann {n}.") for n in range(1100)]
    rows = client.post("/api/predict", json={"pairs": pairs}).json()["rows"]
    assert [row["prediction"] for row in rows] == model.predict(pairs).tolist()


def test_requests_that_are_predicted_together_have_their_own_rows(client, models, model, monkeypatch):
    site, served = Site(models), models.find(None)
    batches = [load_rewrites("test", size=7)[0][start:] for start in range(4)]
    requests = [PredictRequest(pairs=[list(pair) for pair in batch]) for batch in batches]
    requests.insert(1, PredictRequest(pairs=[["a"]]))
    requests.append(PredictRequest(pairs=[{"id": 5, "source": "Ann met Bob.", "target": "Ünn met Bob."}]))
    answers = predict_together(site, served, requests, None)
    assert answers.pop(1).place == {"row": 0}
    assert [row["id"] for row in json.loads(answers.pop())["rows"]] == [5]
    alone = [client.post("/api/predict", json={"pairs": batch}).content for batch in batches]
    assert answers == alone

    def refuse(items, threshold=None):
        if len(items) in (6, 22):  # alone, and together with the others
            raise InputError("this is wrong", row=2)
        return type(model).decide(model, items, threshold)

    monkeypatch.setattr(model, "decide", refuse)
    del requests[1], requests[-1]
    answers = predict_together(site, served, requests, None)
    assert str(answers.pop(1)) == "row 2: this is wrong"
    assert answers == alone[:1] + alone[2:]


def test_other_fields_are_copied(client):
    items = [{"id": 7, "source": PAIR[0], "target": PAIR[1]}, {"id": 8, "source": "", "target": ""}]
    rows = client.post("/api/predict", json={"pairs": items, "threshold": 0.001}).json()["rows"]
    assert [row["id"] for row in rows] == [7, 8]
    assert [row["prediction"] for row in rows] == [1, 1]


def test_explain_gives_the_json_of_the_command(client, model):
    asked = {"source": PAIR[0], "target": PAIR[1], "top": 4, "neighbors": 2}
    answer = client.post("/api/explain", json=asked).json()
    assert answer == to_json_value(model.explain(PAIR, neighbors=2).to_dict(4))
    whole = client.post("/api/explain", json={"pairs": [PAIR, PAIR]}).json()["rows"]
    total = sum(part["contribution"] for part in whole[1]["parts"]) + whole[1]["intercept"]
    assert total == pytest.approx(whole[0]["decision"])


def test_rules_give_the_json_of_the_command(client, model):
    answer = client.get("/api/rules", params={"top": 3}).json()
    assert answer == to_json_value(describe_rules(model, list_rules(model, 3)))


def test_ask_and_question(client):
    answer = client.post("/api/ask", json={"question": "What is the capital of Estonia?"}).json()
    assert (answer["answer"], answer["confident"]) == (["Tallinn"], True)
    rows = client.post("/api/ask", json={"questions": ["capital of Estonia", "zzz qqq"]}).json()["rows"]
    assert [row["confident"] for row in rows] == [True, False]
    assert [row["not_understood"] for row in rows] == [[], ["zzz", "qqq"]]
    row = client.post("/api/question", json={"question": "who wrote hamlet?"}).json()["rows"][0]
    assert row["type"] == "Fact" and row["patterns"]
    rows = client.post("/api/question", json={"questions": ["who wrote hamlet?", "为什么天是蓝的?"]}).json()["rows"]
    assert [row["type"] for row in rows] == ["Fact", "Reason"]


def test_models_health_and_metrics(client):
    described = client.get("/api/models").json()
    assert described["models"][0]["classes"] == [0, 1] and described["database"] == "europe"
    assert client.get("/api/health").json()["status"] == "ok"
    client.post("/api/predict", json={"pairs": [PAIR]})
    text = client.get("/api/metrics").text
    assert 'rekern_requests_total{method="POST",path="/api/predict",status="200"}' in text
    assert 'rekern_rows_total{model="demo"}' in text and 'rekern_jobs{queue="jobs"} 0' in text
    for line in text.splitlines():
        assert line.startswith("#") or float(line.rpartition(" ")[2]) >= 0


@pytest.mark.parametrize(
    ("path", "body", "status", "place"),
    [
        ("predict", {"pairs": [PAIR, ["only one"]]}, 422, {"row": 1}),
        ("predict", {"pairs": [PAIR, {"source": "a", "target": 7}]}, 422, {"row": 1, "column": "target"}),
        ("predict", {"pairs": [PAIR, ["a", "x" * 1001]]}, 422, {"row": 1, "column": "target"}),
        ("predict", {"pairs": [["a", "\ud800"]]}, 422, {"row": 0, "column": "target"}),
        ("predict", {"pairs": [["a", "b"]] * 1201}, 422, {"row": 1200}),
        ("predict", {"pairs": []}, 422, {"column": "pairs"}),
        ("predict", {"pairs": "a"}, 422, {"column": "pairs"}),
        ("predict", {}, 422, {"column": "pairs"}),
        ("predict", {"texts": ["a"]}, 422, {"column": "pairs"}),
        ("predict", {"pairs": [PAIR], "threshold": 2}, 422, {"column": "threshold"}),
        ("predict", {"pairs": [PAIR], "model": "other"}, 404, {"column": "model"}),
        ("explain", {"source": "a"}, 422, {"row": 0, "column": "target"}),
        ("explain", {"source": "a", "target": "b", "label": "nobody"}, 422, {"row": 0}),
        ("explain", {"source": "a", "target": "b", "top": 0}, 422, {"column": "top"}),
        ("ask", {"question": "  "}, 422, {"row": 0, "column": "question"}),
        ("ask", {"questions": []}, 422, {"column": "questions"}),
        ("question", {}, 422, {"column": "question"}),
    ],
)
def test_problems_name_their_place(client, path, body, status, place):
    content = json.dumps(body)
    answer = client.post(f"/api/{path}", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail"} <= set(problem) and problem["status"] == status
    assert {name: problem[name] for name in ("row", "column") if name in problem} == place


@pytest.mark.parametrize("body", [b"{", b"", b"[" * 50_000, b'{"pairs": NaN}', b"\xff\xfe", b"7", b'"pairs"', b"null"])
def test_bodies_that_are_no_object_are_refused(client, body):
    answer = client.post("/api/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_without_its_type_is_told(client):
    for path in ("predict", "explain", "ask", "question"):
        for content, type in (
            (b'{"question": "who?"}', "application/x-www-form-urlencoded"),
            (b"[]", "application/json"),
        ):
            answer = client.post(f"/api/{path}", content=content, headers={"content-type": type})
            assert answer.status_code == 422 and "Content-Type: application/json" in answer.json()["detail"], path


def test_a_value_that_is_nested_too_deeply_fails_alone(client, models):
    deep = []
    for _ in range(900):
        deep = [deep]
    requests = [PredictRequest(pairs=[list(PAIR)]), PredictRequest(pairs=[{"source": "a", "target": "b", "x": deep}])]
    good, bad = predict_together(Site(models), models.find("demo"), requests, None)
    assert json.loads(good)["pairs"] == 1 and isinstance(bad, InputError)
    body = b'{"pairs": [{"source": "a", "target": "b", "x": %s}]}' % (b"[" * 900 + b"]" * 900)
    assert client.post("/api/predict", content=body, headers={"content-type": "application/json"}).status_code == 422


def test_unknown_addresses_and_methods(client):
    assert client.get("/api/nothing").json()["status"] == 404
    wrong = client.get("/api/predict")
    assert wrong.json()["status"] == 405 and wrong.headers["allow"] == "POST"


def test_the_schema_describes_every_path(client):
    schema = client.get("/openapi.json").json()
    paths = {f"/api/{name}" for name in NAMES}
    assert paths <= set(schema["paths"])


def test_models_of_texts_and_of_numbers(client, models):
    pairs, labels = load_rewrites("train", size=60)
    texts = TextClassifier(calibration=0, n_jobs=1).fit([source for source, _ in pairs], labels)
    numbers = PairRegressor(n_jobs=1).fit(pairs, labels)
    others = ServedModels({"texts": texts, "numbers": numbers})
    before, models._models = models._models, others._models
    try:
        asked = {"texts": ["Ann met Bob.", {"id": 3, "text": "Bob met Ann."}]}
        rows = client.post("/api/predict", json=asked).json()["rows"]
        assert [row["id"] for row in rows] == [None, 3]
        assert client.post("/api/explain", json={"text": "Ann met Bob."}).json()["prediction"] in (0, 1)
        assert client.post("/api/predict", json={"texts": [7]}).json()["row"] == 0
        asked = {"model": "numbers", "pairs": [PAIR]}
        assert isinstance(client.post("/api/predict", json=asked).json()["rows"][0]["prediction"], float)
        assert client.post("/api/predict", json=asked | {"threshold": 0.5}).status_code == 422
        assert client.post("/api/explain", json=asked | {"label": "x"}).status_code == 422
        assert client.get("/api/rules", params={"model": "numbers", "top": 2}).json()["outputs"][0]["label"] is None
    finally:
        models._models = before


def test_a_ranker_ranks_in_groups():
    pairs, _ = load_rewrites("train", size=9)
    ranker = PairRanker(Rewriting(1)).fit(pairs, [1, 0, 0] * 3, [row // 3 for row in range(9)])
    rows = [{"group": row // 3, "source": source, "target": target} for row, (source, target) in enumerate(pairs)]
    with TestClient(make_application(Site(ServedModels({"ranker": ranker}))), base_url="http://127.0.0.1") as client:
        found = client.post("/api/predict", json={"pairs": rows, "group": "group"}).json()["rows"]
        for number in range(3):
            assert sorted(row["rank"] for row in found if row["group"] == number) == [1, 2, 3]
        alone = client.post("/api/predict", json={"pairs": rows}).json()["rows"]  # by the first text
        assert max(row["rank"] for row in alone) < 3
        missing = client.post("/api/predict", json={"pairs": rows, "group": "topic"})
        assert missing.status_code == 422 and "topic" in missing.json()["detail"]


def test_names_of_models():
    assert choose_name("a", {}) == "a"
    assert choose_name("a", {"a": 1, "a-2": 1}) == "a-3"
    assert not ServedModel("n", PairRegressor()).classes


def test_json_has_no_numbers_that_json_lacks():
    assert json.loads(dump_json({1: np.float64("nan"), "a": np.arange(2)})) == {"1": None, "a": [0, 1]}
