"""The scores of words in plain NumPy are those of the compiled kernel, to the bit."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.krisp import WordSubsequences
from rekern.krisp.annotated_sentence import AnnotatedSentence
from rekern.krisp.parser_weights import ParserWeights, score_substrings
from rekern.krisp.sentence_corpus import SentenceCorpus
from rekern.krisp.substring_gram import compute_norms
from rekern.krisp.substrings import Substrings
from rekern.krisp.word_reader import ParserInput
from rekern.krisp.word_scores import WordKernel, WordScorer

sentences = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(tuple), min_size=1, max_size=4)


@settings(deadline=None, max_examples=40)
@given(sentences, st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(tuple), st.integers(0, 10**6))
def test_scores_are_those_of_the_kernel(known, question, seed):
    rng = np.random.default_rng(seed)
    kernel = WordSubsequences(rng.uniform(0.1, 1.0), int(rng.integers(1, 4)), bool(rng.integers(2)))
    spans = []
    for number, words in enumerate(known):
        start = int(rng.integers(len(words)))
        spans.append((number, start, int(rng.integers(start + 1, len(words) + 1))))
    substrings = Substrings(SentenceCorpus(map(AnnotatedSentence, known)), spans)
    norms, coefficients = compute_norms(kernel, substrings), rng.normal(size=(3, len(spans)))
    sigmoids = rng.normal(size=(3, 3))
    weights = ParserWeights((), substrings, norms, coefficients, sigmoids)
    wanted = score_substrings(kernel, weights, ParserInput(question, AnnotatedSentence(question)))
    parameters = WordKernel(kernel.decay, kernel.length, kernel.normalize)
    scorer = WordScorer(parameters, [item.words for item in substrings], norms[0], coefficients, sigmoids)
    assert np.array_equal(scorer.score(question), wanted)
