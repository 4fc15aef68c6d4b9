"""CoreNLP: answers in the documented shape, written by hand and played back by a small server; no CoreNLP runs here."""

import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rekern.errors import InputError
from rekern.structures.parsers import parser
from rekern.structures.parsers.corenlp_parser import read_answer

LEFT = {
    "index": 0,
    "parse": "(ROOT\n  (S\n    (NP (PRP He))\n    (VP (VBD left))\n    (. .)))",
    "basicDependencies": [
        {"dep": "ROOT", "governor": 0, "governorGloss": "ROOT", "dependent": 2, "dependentGloss": "left"},
        {"dep": "nsubj", "governor": 2, "governorGloss": "left", "dependent": 1, "dependentGloss": "He"},
        {"dep": "punct", "governor": 2, "governorGloss": "left", "dependent": 3, "dependentGloss": "."},
    ],
    "tokens": [
        {"index": 1, "word": "He", "originalText": "He", "lemma": "he", "pos": "PRP", "before": "", "after": " "},
        {
            "index": 2,
            "word": "left",
            "originalText": "left",
            "lemma": "leave",
            "pos": "VBD",
            "before": " ",
            "after": "",
        },
        {"index": 3, "word": ".", "originalText": ".", "lemma": ".", "pos": ".", "before": "", "after": ""},
    ],
}


class Recorded(BaseHTTPRequestHandler):
    """Answers by what the text says."""

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        self.server.asked.append((text, json.loads(query["properties"][0])))  # type: ignore[attr-defined]
        status, body = 200, json.dumps({"sentences": [LEFT] * text.count("He left.")})
        if "slow" in text:
            status, body = 500, "CoreNLP request timed out. Your document may be too long."
        if "refused" in text:
            status, body = 403, "no"
        if "page" in text:
            body = "<html>another server</html>"
        if "shape" in text:
            body = '{"sentences": [{"tokens": []}]}'
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Recorded) as found:
        found.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def url(server: Any) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


def test_constituents_and_dependencies(server: Any) -> None:
    one, none, two = parser("corenlp", url=url(server) + "/").parse(["He  left.", "", "He left. He left."])
    (found,) = one.sentences
    assert found.words == ("He", "left", ".") and found.lemmas == ("he", "leave", ".")
    assert found.heads == (1, -1, 1) and found.relations == ("nsubj", "root", "punct")
    assert one.constituents == ("(ROOT (S (NP (PRP He)) (VP (VBD left)) (. .)))",)
    assert (none.sentences, none.constituents) == ((), ())
    assert len(two.sentences) == 2
    text, properties = server.asked[0]
    assert text == "He left." and properties["outputFormat"] == "json"
    assert properties["annotators"] == "tokenize,ssplit,pos,lemma,depparse,parse"
    assert len(server.asked) == 2  # nothing is asked about an empty text


def test_fewer_annotators_and_given_tokens(server: Any) -> None:
    found = parser("corenlp", url=url(server), annotators="tokenize,ssplit,pos,lemma,depparse", tokenized=True)
    (parse,) = found.parse(["He left."])
    assert found.gives == ("dependencies",) and parse.constituents is None and parse.sentences
    assert server.asked[0][1]["tokenize.whitespace"] == "true"
    with pytest.raises(InputError, match="they need depparse or parse"):
        parser("corenlp", annotators="tokenize")


def test_a_text_that_the_server_gives_up_is_reported(server: Any) -> None:
    with pytest.warns(UserWarning, match="no tree for 'slow': the server answers: CoreNLP request timed out"):
        slow, after = parser("corenlp", url=url(server)).parse(["slow", "He left."])
    assert slow.fault and after.sentences


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("refused", "answers 403 .*: is it a CoreNLP server"),
        ("page", "does not answer with JSON: is it a CoreNLP server"),
        ("shape", "the CoreNLP server's answer is not as documented .*basicDependencies"),
    ],
)
def test_another_server(server: Any, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(parser("corenlp", url=url(server)).parse([text]))


def test_no_server() -> None:
    with pytest.raises(InputError, match=r"no CoreNLP server answers at http://127.0.0.1:9 .*StanfordCoreNLPServer"):
        list(parser("corenlp", url="http://127.0.0.1:9").parse(["He left."]))


def test_the_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKERN_CORENLP_URL", "http://parser:9001")
    assert parser("corenlp").identity["model"] == "http://parser:9001"
    with pytest.raises(InputError, match="is not the URL of a CoreNLP server"):
        parser("corenlp", url="file:///etc/passwd")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {"sentences": 3},
        {"sentences": [None]},
        {"sentences": [{**LEFT, "basicDependencies": LEFT["basicDependencies"][:2]}]},  # a word without a head
        {"sentences": [{**LEFT, "basicDependencies": [{"dep": "x", "governor": 0, "dependent": 99}]}]},
        {"sentences": [{**LEFT, "parse": None}]},
    ],
)
def test_answers_are_not_trusted(answer: Any) -> None:
    with pytest.raises(InputError):
        read_answer(answer)
