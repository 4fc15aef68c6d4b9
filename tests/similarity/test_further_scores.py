"""Scores of word vectors, order, contexts, WordNet's hierarchy, aligned words and answers, by their definitions."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close
from reference import similarity_groups as reference
from reference.similarities import Statistics
from rekern import PairClassifier, load_model
from rekern.errors import InputError
from rekern.similarity import Similarities, WordVectors
from rekern.similarity.further_scores import ALIGNER, CONTEXTS, ORDER, VECTORS
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.score_descriptions import describe_score
from rekern.similarity.score_groups import GROUPS
from rekern.similarity.word_classes import FUNCTION_STEMS

WORDS = [
    "the",
    "dog",
    "Dog",
    "not",
    "no",
    "may",
    "could",
    "said",
    "all",
    "5",
    "five",
    "1,000",
    "1000",
    "monday",
    "1999",
]
WORDS += ["Tom", "Ann", ",", "cat"]
token_lists = st.lists(st.sampled_from(WORDS), max_size=8) | st.lists(
    st.sampled_from(["dog", "cat", "Tom"]), max_size=9
)
corpora = st.lists(st.tuples(token_lists, token_lists), min_size=1, max_size=4)
RANDOM = np.random.default_rng(5).normal(size=(8, 3))
VECTOR_OF = dict(zip(["the", "dog", "not", "tom", "cat", "five", "5", "all"], RANDOM.tolist()))
MEANINGS = [
    {"not": "not", "no": "not"},
    {"may": "may", "could": "could"},
    {"said": "said"},
    {"all": "all"},
    {"5": "5", "five": "5", "1,000": "1000", "1000": "1000", "1999": "1999"},
    {"monday": "monday", "1999": "1999"},
]
FEW = patch("rekern.similarity.used_words.FREQUENT", 2)  # most of these words are content words then


def score(group, training, items, **parameters):
    with FEW:
        return Similarities(groups=(group,), standardize=False, **parameters).fit(training).scores(items)


def is_content(training):
    frequent = Statistics(training).frequent[:2]
    return lambda word: word not in frequent and any(map(str.isalnum, word))


@settings(max_examples=100, deadline=None)
@given(corpora, corpora)
def test_vectors(training, items):
    space = WordVectors(list(VECTOR_OF), list(VECTOR_OF.values()))
    found = score("vectors", training, items, space=space)
    known = {word: VECTOR_OF[word.casefold()] for word in WORDS if word.casefold() in VECTOR_OF}
    known = {word: np.array(vector, np.float32).tolist() for word, vector in known.items()}
    idf, content = Statistics(training).idf, is_content(training)
    expected = [reference.vector_scores(s, t, known, idf, content) for s, t in items]
    np.testing.assert_allclose(found, expected, atol=1e-9)


NEAR = [("dog", "cat"), ("tom", "ann"), ("not", "no")]  # in a thesaurus
ALIGNED_WORDS = ["the", "dog", "Dog", "puppy", "cat", "not", "no", "Tom", "Ann", "could", ",", "5", "five"]
aligned_lists = st.lists(st.sampled_from(ALIGNED_WORDS), max_size=9)


@pytest.fixture(scope="module")
def puppies(tmp_path_factory):
    """A WordNet with two words of one meaning."""
    folder = tmp_path_factory.mktemp("wordnet")
    WordNet.from_synsets([("p", "n", ["puppy", "whelp"], [], ""), ("d", "n", ["cat", "puppy"], [], "")]).save(folder)
    return str(folder)


@settings(max_examples=200, deadline=None)
@given(items=st.lists(st.tuples(aligned_lists, aligned_lists), min_size=1, max_size=4))
def test_aligner(puppies, items):
    words = list(VECTOR_OF)
    space = WordVectors(words, list(VECTOR_OF.values()))
    found = score("aligner", [(["q"], ["q"])], items, space=space, wordnet=puppies, thesaurus=NEAR)
    unit = {word: np.array(v, np.float32) / np.linalg.norm(np.array(v, np.float32)) for word, v in VECTOR_OF.items()}
    listed = [{"cat", "puppy"}, *map(set, NEAR)]

    def are_listed(x, y):
        return {x.casefold(), y.casefold()} in listed

    def cosine_of(x, y):
        known = [unit.get(word.casefold()) for word in (x, y)]
        return (
            0.0 if any(vector is None for vector in known) else float(known[0].astype(float) @ known[1].astype(float))
        )

    def weigh(word):
        rank = words.index(word.casefold()) if word.casefold() in words else len(words)
        return math.log(1 + rank / 30)

    def is_content(word):
        return word not in FUNCTION_STEMS and any(map(str.isalnum, word))

    expected = [reference.aligner_scores(s, t, cosine_of, are_listed, weigh, is_content) for s, t in items]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_an_aligned_pair_by_hand(puppies):
    """Of two equal words, the one with the same neighbours is linked; a function word needs such neighbours."""
    space = WordVectors(["the", "dog"], [[1.0, 0.0], [0.0, 1.0]])
    pairs = [("the puppy saw the dog", "the cat saw a wolf"), ("the", "the"), ("", "dog"), ("cat", "puppy")]
    names = ("aligned precision", "aligned recall", "source unaligned words", "target unaligned words")
    scores = Similarities(names, standardize=False, space=space, wordnet=puppies, thesaurus=[]).fit(pairs)
    (first, second, third, fourth) = scores.scores(pairs)
    rare, dog = math.log(1 + 2 / 30), math.log(1 + 1 / 30)
    close(first, [2 * rare / (2 * rare + dog), 2 / 3, math.log(2), math.log(2)])
    close(second, [1, 1, 0, 0])
    close(third, [1, 0, 0, math.log(2)])
    close(fourth, [1, 1, 0, 0])


def test_words_of_a_learned_space_have_their_idf(puppies):
    pairs = [("a dog ran", "a dog sat"), ("a cat ran", "cats sat"), ("a wolf sat", "wolves ran")]
    scores = Similarities(("aligned precision",), standardize=False, wordnet=puppies, thesaurus=[]).fit(pairs)
    idf = scores.idf_
    expected = idf["dog"] / (idf["dog"] + idf["ran"])
    close(scores.scores([("a dog ran", "the dog")]), [[expected]])


@settings(max_examples=150, deadline=None)
@given(corpora, corpora)
def test_order(training, items):
    content = is_content(training)
    close(score("order", training, items), [reference.order_scores(s, t, s, t, content) for s, t in items])


@settings(max_examples=150, deadline=None)
@given(corpora, corpora)
def test_contexts(training, items):
    content, meanings = is_content(training), [known.get for known in MEANINGS]
    close(score("contexts", training, items), [reference.context_scores(s, t, meanings, content) for s, t in items])


SYNSETS = [
    ("e", "n", ["entity"], [], ""),
    ("a", "n", ["animal", "beast"], ["e"], ""),
    ("d", "n", ["dog"], ["a"], ""),
    ("c", "n", ["cat"], ["a"], ""),
    ("k", "n", ["kitten"], ["c"], ""),
    ("t", "n", ["toy", "dog"], ["e"], ""),
]


def test_relations(tmp_path):
    WordNet.from_synsets(SYNSETS).save(tmp_path)
    pairs = [(["a", "kitten"], ["an", "animal"]), (["animal"], ["kitten"]), (["dog"], ["cat"]), ([], ["cat"])]
    found = score("relations", [(["q"], ["q"])], pairs, wordnet=str(tmp_path))
    close(found, [[0.5, 0.5, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1], [1, 0, 1, 0, 1, 0]])


HIERARCHY = st.lists(st.tuples(st.sets(st.sampled_from("abcdef"), max_size=2), st.sets(st.integers(0, 9))), max_size=9)


@settings(max_examples=100, deadline=None)
@given(HIERARCHY, st.lists(st.sampled_from("abcdefg"), max_size=4), st.lists(st.sampled_from("abcdefg"), max_size=4))
def test_relations_in_any_hierarchy(drawn, source, target):
    """Synsets are below earlier ones, so that there is no circle."""
    synsets = [
        (str(n), "n", sorted(words), [str(m) for m in sorted(above) if m < n], "")
        for n, (words, above) in enumerate(drawn)
    ]
    wordnet = WordNet.from_synsets(synsets)
    training = [(list("abcdefg"), list("ab"))]
    found = score("relations", training, [(source, target)], wordnet=wordnet)
    idf = Statistics(training).idf
    close(found[0], reference.relation_scores(source, target, synsets, idf))


ANSWERS = [
    ("Who wrote Hamlet?", "The play was written by William Shakespeare.", "person wanted", 1),
    ("Who wrote Hamlet?", "The play Hamlet is long.", "person wanted", -1),
    ("When was it written?", "It was written in 1601.", "time wanted", 1),
    ("In what year was it written?", "It was written long ago.", "time wanted", -1),
    ("Where does it play?", "It plays in the Kronborg of old.", "place wanted", 1),
    ("How many acts does it have?", "It has five of them.", "number wanted", 1),
    ("How many acts do five plays have?", "The five of them differ.", "number wanted", -1),
    ("Why does he wait?", "He waits because of doubt.", "reason wanted", 1),
    ("What is a play?", "Plays are a kind of text.", "definition wanted", 1),
    ("What is a play?", "Plays last hours.", "definition wanted", -1),
    ("It plays here.", "Ann plays in Rome.", "place wanted", 0),
]


@pytest.mark.parametrize(("question", "answer", "name", "value"), ANSWERS)
def test_answers(question, answer, name, value):
    found = score("answers", [("zz yy", "zz yy")], [(question, answer)])[0]
    known = dict(zip(GROUPS["answers"].names, found.tolist()))
    assert known.pop(name) == value
    assert not any(number for other, number in known.items() if other.endswith("wanted"))


@pytest.mark.parametrize("group", ["answers", "relations"])
def test_groups_with_a_direction(group):
    with pytest.raises(InputError, match=f"'{group}' distinguishes the two sides; leave symmetric=True out"):
        score(group, [("a", "b")], [("a", "b")], symmetric=True)


@pytest.mark.parametrize("group", ["vectors", "order", "contexts", "relations", "answers", "aligner"])
def test_every_score_is_described(group):
    for name in GROUPS[group].names:
        assert describe_score(name) != name


def test_descriptions_are_english():
    linked = "linked with an equal word or a synonym of the source"
    assert describe_score("aligned recall") == f"content words of the target that are {linked}, rare ones counting more"
    assert describe_score("tag 2-gram cosine") == "similarity of the counts of runs of two parts of speech (cosine)"


@pytest.mark.parametrize("group", ["vectors", "order", "contexts", "aligner"])
def test_symmetric(group, puppies):
    pairs = [("Ann may not see 5 dogs", "a dog sees Ann and Tom on Monday"), ("five", "no 6"), ("", "cat")]
    scores = Similarities(
        groups=(group,), symmetric=True, space=WordVectors(["dog"], [[1.0]]), wordnet=puppies, thesaurus=[]
    )
    scores.fit(pairs)
    close(scores.scores(pairs), scores.scores([pair[::-1] for pair in pairs]))
    assert len(scores.names()) == len(
        {"vectors": VECTORS, "order": ORDER, "contexts": CONTEXTS, "aligner": ALIGNER}[group]
    )


def test_model_files(tmp_path):
    pairs = [("Ann may not see 5 dogs", "a dog sees Ann"), ("who ran ?", "Tom Smith ran"), ("a cat", "no cat")] * 4
    scores = Similarities(groups=("vectors", "order", "contexts", "answers"), space=WordVectors(["dog"], [[1.0]]))
    model = PairClassifier(kernel=scores, calibration=0).fit(pairs, [1, 1, 0] * 4)
    model.save(tmp_path / "m.rekern")
    again = load_model(tmp_path / "m.rekern")
    assert np.array_equal(again.decision_function(pairs), model.decision_function(pairs))
    assert any("negation" in str(part) for part in again.explain(pairs[2]).parts)


def test_model_file_with_aligned_words(tmp_path, puppies):
    pairs = [("Ann saw a puppy", "a cat saw Ann"), ("a dog ran", "Tom sat"), ("no cat", "a puppy")] * 4
    space = WordVectors(["dog", "saw"], [[1.0, 0.0], [0.0, 1.0]])
    scores = Similarities(groups=("aligner",), space=space, wordnet=puppies, thesaurus=[("no", "a")])
    model = PairClassifier(kernel=scores, calibration=0).fit(pairs, [1, 0, 1] * 4)
    model.save(tmp_path / "m.rekern")
    again = load_model(tmp_path / "m.rekern", wordnet=puppies)
    assert np.array_equal(again.decision_function(pairs), model.decision_function(pairs))
    assert any("linked" in str(part) for part in again.explain(pairs[0]).parts)
