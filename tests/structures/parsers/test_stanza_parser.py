"""Stanza: documents in the documented shape, made by hand in the library's place; no Stanza model runs here."""

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from rekern.errors import InputError
from rekern.structures.parsers import parser


@dataclass
class Word:
    text: str
    lemma: str | None
    upos: str
    xpos: str | None
    head: int
    deprel: str


@dataclass
class Sentence:
    words: list[Word]
    constituency: Any


@dataclass
class Document:
    sentences: list[Sentence]
    text: str = ""


LEFT = Sentence(
    [Word("He", "he", "PRON", "PRP", 2, "nsubj"), Word("left", "leave", "VERB", "VBD", 0, "root"),
     Word(".", None, "PUNCT", None, 2, "punct")],
    "(ROOT (S (NP (PRP He)) (VP (VBD left)) (. .)))",
)  # fmt: skip


@dataclass
class Library:
    """What the adapter calls of Stanza."""

    made: list[Any] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    missing: bool = False

    def pipeline(self, language: str, **options: Any) -> Any:
        if self.missing:
            raise FileNotFoundError(f"Resources file not found at: resources.json\nTry {language}")
        self.made.append((language, options))
        return self.answer

    def answer(self, given: Any) -> Any:
        self.asked.append(given)
        if isinstance(given[0], Document):
            return [Document([LEFT] * document.text.count("left")) for document in given]
        return Document([LEFT] * len(given))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    found = Library()
    module = ModuleType("stanza")
    module.__version__ = "1.10.1"  # type: ignore[attr-defined]
    module.Pipeline = found.pipeline  # type: ignore[attr-defined]
    module.Document = Document  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stanza", module)
    return found


def test_dependencies(library: Library) -> None:
    stanza = parser("stanza")
    one, none, two = stanza.parse(["He left.", "", "He left. He left."])
    (found,) = one.sentences
    assert found.words == ("He", "left", ".") and found.lemmas == ("he", "leave", ".")
    assert found.tags == ("PRP", "VBD", "PUNCT") and found.heads == (1, -1, 1)
    assert found.relations == ("nsubj", "root", "punct")
    assert none.sentences == () and len(two.sentences) == 2 and one.constituents is None
    ((language, options),) = library.made
    assert language == "en" and options["processors"] == "tokenize,pos,lemma,depparse"
    assert options["download_method"] is None and options["use_gpu"] is False
    assert len(library.asked) == 1  # all texts in one batch
    assert stanza.identity["version"] == "1.10.1" and stanza.identity["model"] == "en default"


def test_constituents_and_given_tokens(library: Library) -> None:
    (parse,) = parser("stanza", constituents=True, tokenized=True).parse(["He left ."])
    assert parse.constituents == ("(ROOT (S (NP (PRP He)) (VP (VBD left)) (. .)))",)
    assert library.asked == [[["He", "left", "."]]]
    assert library.made[0][1]["processors"].endswith(",constituency")
    assert library.made[0][1]["tokenize_pretokenized"] is True


def test_a_missing_model_says_how_to_get_it(library: Library) -> None:
    library.missing = True
    with pytest.raises(InputError, match=r"Stanza has no usable model for 'de' .*stanza.download\('de'\)"):
        list(parser("stanza", language="de").parse(["Er ging."]))
