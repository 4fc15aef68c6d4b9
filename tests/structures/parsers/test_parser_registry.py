"""Parsers by name: those of the package, those of other packages, and what is said when something is missing."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

import rekern.structures.parsers as parsers
from rekern.errors import InputError, MissingExtraError
from rekern.structures.parsers import Parse, Parser, parser, parser_names
from rekern.structures.parsers.interface import check_texts, collapse


class Words(Parser):
    """Every word is a sentence of its own."""

    name = "words"
    gives = ("constituents",)

    def __init__(self, tag: str = "W"):
        self.tag = tag

    @property
    def identity(self):
        return {"parser": self.name, "tag": self.tag}

    def _parses(self, texts):
        for text in texts:
            yield Parse(constituents=tuple(f"(ROOT ({self.tag} {word}))" for word in text.split()))


@pytest.fixture
def other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("other_package")
    module.Words, module.make_none = Words, dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_package", module)
    points = [
        EntryPoint("words", "other_package:Words", parsers.GROUP),
        EntryPoint("gone", "other_package:Gone", parsers.GROUP),
        EntryPoint("spacy", "other_package:Words", parsers.GROUP),
        EntryPoint("none", "other_package:make_none", parsers.GROUP),
    ]
    monkeypatch.setattr(parsers, "entry_points", lambda group: points)


def test_a_parser_of_another_package_is_found_by_its_entry_point(other_package: None) -> None:
    found = parser("words", tag="X")
    assert [parse.constituents for parse in found.parse(["a b", " "])] == [("(ROOT (X a))", "(ROOT (X b))"), ()]
    assert parser_names() == ["corenlp", "gone", "none", "spacy", "stanford", "stanza", "words"]


def test_what_is_not_a_parser(other_package: None) -> None:
    with pytest.raises(InputError, match="none makes a dict: it must make a "):
        parser("none")


def test_the_package_keeps_its_own_names(other_package: None) -> None:
    assert type(parser("spacy")).__name__ == "SpacyParser"


def test_a_parser_that_cannot_be_loaded(other_package: None) -> None:
    with pytest.raises(InputError, match=r"the parser gone cannot be loaded .*: install other_package:Gone again"):
        parser("gone")


def test_unknown_names_and_options_list_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown parser 'spaci': choose corenlp, spacy, stanford, stanza"):
        parser("spaci")
    with pytest.raises(InputError, match="no option 'langage': it has constituents, folder, gpu, language"):
        parser("stanza", langage="de")


@pytest.mark.parametrize(("name", "extra"), [("spacy", "parse"), ("stanza", "stanza")])
def test_a_missing_library_names_the_extra(name: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf'{name} is not installed: pip install "rekern\[{extra}\]"'):
        list(parser(name).parse(["He left."]))


def test_texts_are_checked_before_anything_is_parsed() -> None:
    with pytest.raises(InputError, match="text 1: the number 3 is no text"):
        check_texts(["a", 3])
    with pytest.raises(InputError, match="text 0: the text holds half of a character"):
        check_texts(["\ud800"])
    with pytest.raises(InputError, match="a list of texts is needed"):
        check_texts("one text")
    assert check_texts([]) == []


def test_white_space_and_control_characters_are_blanks() -> None:
    assert collapse("\ufeff a\u00a0b\u2028c\x00\x1bd\x85 ") == "\ufeff a b c d".strip()
