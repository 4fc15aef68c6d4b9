"""Stems for rare words."""

from rekern.krisp.parser_input import learn_stems


def test_frequent_words_are_told_apart_and_rare_ones_are_not():
    sentences = [["state"]] * 3 + [["states"]] * 2 + [["stated"]]
    assert learn_stems(sentences, least=2).replace_rare(["state", "states", "stated", "stating"]) == (
        "state", "states", "state", "state"
    )  # fmt: skip
    assert learn_stems(sentences, least=4).replace_rare(["state", "states", "stated"]) == ("state", "state", "state")


def test_a_word_counts_once_in_a_sentence_and_ties_go_by_the_alphabet():
    stems = learn_stems([["lakes", "lakes"], ["lake"]], least=2)
    assert stems.frequent == frozenset()
    assert stems.replace_rare(["lakes"]) == ("lake",)


def test_names_and_unknown_words_stay():
    assert learn_stems([["<States>", "<State>"]], least=5).replace_rare(["<States>", "seen", "x"]) == (
        "<States>",
        "seen",
        "x",
    )
    assert learn_stems([]).replace_rare(["anything"]) == ("anything",)
