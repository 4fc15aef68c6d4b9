"""The translation model: its probabilities, and that learning makes the training sentences more probable."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.krisp import read_grammar, reading_ranker
from rekern.krisp.reading_ranker import NOTHING, WordTranslation, list_parts

GRAMMAR = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})", "S -> both({S}, {S})"])
MEANINGS = [GRAMMAR.parse(text) for text in ("all", "big(all)", "red(all)", "both(big(all), red(big(all)))")]
EXAMPLES = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), st.sampled_from(MEANINGS)),
    min_size=1,
    max_size=6,
)


def measure_likelihood(examples, rounds):
    """The log probability of all words after some rounds, straight from the definition of the model."""
    pairs = [(words, [NOTHING, *list_parts(meaning)]) for words, meaning in examples]
    chance = {}
    for _ in range(rounds):
        counts, totals = {}, {}
        for words, parts in pairs:
            for word in words:
                whole = sum(chance.get((word, part), 0.0) if chance else 1.0 for part in parts)
                for part in parts:
                    share = (chance.get((word, part), 0.0) if chance else 1.0) / whole
                    counts[word, part] = counts.get((word, part), 0.0) + share
                    totals[part] = totals.get(part, 0.0) + share
        chance = {(word, part): count / totals[part] for (word, part), count in counts.items()}
    logs = [
        math.log(sum(chance.get((word, part), 0.0) for part in parts) / len(parts))
        for words, parts in pairs
        for word in words
    ]
    return sum(logs), chance


@settings(max_examples=40, deadline=None)
@given(EXAMPLES)
def test_the_table_is_that_of_the_definition(examples):
    table = WordTranslation.learn(*zip(*examples)).table
    _, chance = measure_likelihood(examples, reading_ranker.ROUNDS)
    for (word, part), value in chance.items():
        assert table[part].get(word, 0.0) == pytest.approx(value, abs=1e-6)
    for row in table.values():
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(EXAMPLES)
def test_learning_makes_the_sentences_more_probable(examples):
    values = [measure_likelihood(examples, rounds)[0] for rounds in (1, 3, reading_ranker.ROUNDS)]
    assert values == sorted(values) or values == pytest.approx(sorted(values))


def test_a_meaning_without_the_part_of_a_word_explains_it_worse():
    sentences = [["things"], ["large", "things"], ["red", "things"], ["large", "red", "large", "things"]]
    translation = WordTranslation.learn(sentences, MEANINGS)
    known, other = translation.explain_all(["large", "things"], map(list_parts, MEANINGS[1:3]))
    assert known > other + 1
    assert translation.explain_all(["never", "seen"], [list_parts(MEANINGS[0])])[0] < -10
