"""Facts about words that are kept by number are those of the plain functions, whatever was asked before."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import drop_unused_words, mark_words, weigh_words
from rekern.similarity.word_facts import spell_words
from rekern.structures.token_table import Vocabulary
from rekern.structures.tokens import Tokens

IDF, FREQUENT = {"nation": 0.5, "n't": 2.0}, ("the", "not")
words = st.lists(st.text(max_size=5) | st.sampled_from(["nation", "National", "n't", "the", "not", "İstanbul", "ß"]))


@given(st.lists(words, max_size=4))
def test_facts_by_number_are_those_of_the_words(texts):
    tokens = Tokens.from_texts(texts, with_forms=True)
    for corpus in (tokens, tokens.forms, drop_unused_words(tokens[1:])):
        vocabulary, plain = corpus.vocabulary, list(corpus.vocabulary)
        assert isinstance(vocabulary, Vocabulary)
        assert weigh_words(vocabulary, IDF, 3.0).tolist() == weigh_words(plain, IDF, 3.0).tolist()
        assert mark_words(vocabulary, FREQUENT).tolist() == mark_words(plain, FREQUENT).tolist()
        for fold_case in (False, True):
            characters, begins, ends = spell_words(vocabulary, fold_case)
            spelled = ["".join(map(chr, characters[a:b])) for a, b in zip(begins.tolist(), ends.tolist())]
            assert spelled == [word.casefold() if fold_case else word for word in plain]
        traits, others = find_traits(vocabulary), find_traits(plain)
        for one, other in zip(traits[:4], others[:4]):
            assert one.tolist() == other.tolist()
        same = traits.prefix[:, None] == traits.prefix
        assert np.array_equal(same, others.prefix[:, None] == others.prefix)
        assert np.array_equal(traits.prefix < 0, others.prefix < 0)
