"""``rekern serve`` as a process: its options, its first line, its orderly end."""

import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.running import error_of, invoke
from rekern.datasets import load_rewrites
from rekern.kernels import Rewriting
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.europe import europe_asker
from rekern.krisp.answering.europe_facts import fill_europe
from rekern.learning import PairClassifier, demonstration_model
from rekern.questions import QuestionClassifier
from rekern.web.guard import Guard
from rekern.web.served_models import ServedModels


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "small.rekern"
    pairs, labels = load_rewrites("train", size=60)
    PairClassifier(Rewriting((1, 2)), calibration=0).fit(pairs, labels).save(path)
    return path


def test_bad_options(tmp_path: Path, model_file: Path) -> None:
    assert "add --token" in error_of("serve", "--host", "0.0.0.0")
    assert "add --token" in error_of("serve", "--host", "example.org")
    assert "contradict" in error_of("serve", "--token", "x", "--no-token")
    assert "token is empty" in error_of("serve", "--token", " ")
    assert "go together" in error_of("serve", "--train", "x.tsv")
    assert "no such file" in error_of("serve", "no such.rekern", "--port", "0")
    assert "needs a model of rekern ask" in error_of("serve", model_file, "--database", "x.db", "--port", "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "choose another with --port" in error_of("serve", model_file, "--port", taken.getsockname()[1])


def test_a_process_answers_and_ends(model_file: Path) -> None:
    command = [sys.executable, "-m", "rekern", "serve", str(model_file), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line.startswith("http://127.0.0.1:") and "serves small" in line
            address, answers = line.split()[0], list[bytes]()
            body = json.dumps({"question": "what is the capital of estonia?"}).encode()
            request = urllib.request.Request(f"{address}api/ask", body, {"Content-Type": "application/json"})
            asker = threading.Thread(target=lambda: answers.append(urllib.request.urlopen(request, timeout=60).read()))
            asker.start()
            while not answers and not json.loads(urllib.request.urlopen(f"{address}api/health").read())["jobs"]:
                time.sleep(0.01)  # until the request runs
        finally:
            process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=60)
        asker.join(60)
    assert process.returncode == 0 and "POST /api/ask 200" in log and "all requests are answered" in log
    assert json.loads(answers[0])["answer"] == ["Tallinn"]


def test_the_address_as_json(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rekern.web.server.run_server", lambda *others: None)
    monkeypatch.setattr("rekern.web.warm_up.start_warm_up", lambda site: None)
    shown = json.loads(invoke("serve", model_file, "--port", "0", "--json").stdout)
    assert shown["models"] == ["small"] and re.fullmatch(r"http://127\.0\.0\.1:\d+/", shown["url"])


def test_questions_to_a_database_of_ones_own(tmp_path: Path, model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(tmp_path / "europe.db") as connection:
        fill_europe(connection)
    connection.close()
    (tmp_path / "grammar.txt").write_text(
        "Query -> capital({Land})    := SELECT capital FROM country WHERE name IN ({1})\n"
        "Query -> currency({Land})   := SELECT currency FROM country WHERE name IN ({1})\n"
        "Land -> {Name}              := SELECT name FROM country WHERE name = {1}\n"
        "Name -> '{name}'\n"
        "names Name := SELECT name FROM country\n"
    )
    (tmp_path / "questions.tsv").write_text(
        "question\tmeaning\ncapital of spain\tcapital('Spain')\nthe capital of italy\tcapital('Italy')\n"
        "currency of norway\tcurrency('Norway')\nthe currency of malta\tcurrency('Malta')\n"
    )
    served: list[Guard] = []
    monkeypatch.setattr("rekern.web.server.run_server", lambda application, *others: served.append(application))
    monkeypatch.setattr("rekern.web.warm_up.start_warm_up", lambda site: None)
    files = ("--grammar", tmp_path / "grammar.txt", "--train", tmp_path / "questions.tsv")
    invoke("serve", model_file, "--port", "0", "--database", tmp_path / "europe.db", *files)
    with TestClient(served[0], base_url="http://127.0.0.1") as client:
        answer = client.post("/api/ask", json={"question": "The capital of Estonia?"}).json()
        assert answer["answer"] == ["Tallinn"]
        assert "europe.db" in client.get("/api/models").json()["database"]
        assert "europe.db" in client.get("/ask").text


def test_the_model_of_the_demonstration_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKERN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(demonstration_model, "load_rewrites", partial(load_rewrites, size=60))
    trained = demonstration_model.load_demonstration_model()
    path = demonstration_model.find_demonstration_file()
    assert path.is_file()
    monkeypatch.setattr(PairClassifier, "fit", None)  # the second time nothing is trained
    served = ServedModels.load([], lambda parser: None)
    pair = ("Ann met Bob.", "Bob met Ann.")
    assert served.find(None).name == "demo"
    assert served.find("demo").model.predict([pair]).tolist() == trained.predict([pair]).tolist()
    monkeypatch.undo()
    path.write_bytes(b"damaged")


def test_models_of_other_kinds(tmp_path: Path, model_file: Path) -> None:
    questions, kinds = ["who wrote it?", "why is it so?", "who are you?", "why not?"], ["a", "b", "a", "b"]
    QuestionClassifier().fit(questions, kinds).save(tmp_path / "types.rekern")
    asked: list[object] = []

    def make_asker(parser: object) -> Asker:
        asked.append(parser)
        return europe_asker()

    served = ServedModels.load([model_file, model_file, tmp_path / "types.rekern"], make_asker)
    assert [model.name for model in served.list_models()] == ["small", "small-2"]
    assert served.find_question_model().classes_.tolist() == ["a", "b"]
    assert served.ask("capital of estonia").result is not None and asked == [None]
