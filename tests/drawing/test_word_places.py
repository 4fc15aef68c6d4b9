"""The words of rules are found in texts, however the text was cut into tokens."""

import pytest

from rekern.drawing.word_places import Element, Span, find_words, place_elements, split_pieces, split_rule


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("He said: don't!", ["He", "said", ":", "don't", "!"]),
        ("well-known e-mail - x", ["well-known", "e-mail", "-", "x"]),
        ("我爱你 ok", ["我", "爱", "你", "ok"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("a👩‍👧b ❤️", ["a", "👩‍👧", "b", "❤️"]),
        ("x" * 30, ["x" * 24, "x" * 6]),
        ("", []),
    ],
)
def test_pieces(text: str, pieces: list[str]) -> None:
    assert [piece.text for piece in split_pieces(text)] == pieces


@pytest.mark.parametrize(
    ("text", "words", "spans"),
    [
        ("He didn't go", "did n't", [(1, 1), (1, 1)]),  # two tokens in one piece
        ('"Yes," he said', "`` yes", [(0, 0), (1, 1)]),  # the quotes of the Penn Treebank
        ("The cat on the mat", "the mat", [(3, 3), (4, 4)]),  # not inside of another word
        ("concatenate the cat", "cat", [(2, 2)]),
        ("Straße frei", "strasse", [(0, 0)]),
        ("He arrived", "arriv", [(1, 1)]),  # a stem
        ("Ben met Ann", "ann met", []),
        ("", "a", []),
        ("a", "", []),
    ],
)
def test_words_are_found(text: str, words: str, spans: list[tuple[int, int]]) -> None:
    assert find_words(split_pieces(text), words) == [Span(*span) for span in spans]


def test_signs_of_patterns_that_are_words_are_quoted() -> None:
    source, target = split_rule(r"\⟨1⟩ ⟨1⟩ → ⟨1⟩")
    assert source == [r"\⟨1⟩", "⟨1⟩"] and target == ["⟨1⟩"]
    spans = [Span(0, 2), Span(3, 3)]
    assert place_elements(source, spans, ["⟨1⟩", "x"]) == [Element(0, Span(0, 2)), Element(1, Span(3, 3))]


def test_a_wildcard_over_several_words() -> None:
    spans = [Span(place, place) for place in range(5)]
    found = place_elements(["⟨1⟩", "of", "⟨2⟩"], spans, ["the", "king", "of", "old", "spain"])
    assert found == [Element(1, Span(0, 1)), Element(0, Span(2, 2)), Element(2, Span(3, 4))]


def test_elements_that_do_not_fit_are_one_span() -> None:
    assert place_elements(["a"], [Span(0, 0), Span(1, 1)], ["b", "c"]) == [Element(0, Span(0, 1))]
