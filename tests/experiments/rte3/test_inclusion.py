"""The group "inclusion" against its reference, and by hand."""

import math

import numpy as np
import pytest
import reference_inclusion as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.rte3.content import (
    LIGHT_STEMS,
    ContentTree,
    WordSupport,
    list_links,
    make_content_tree,
    measure_ways,
    place_tree,
    score_trees,
)
from rekern.errors import InputError
from rekern.similarity import Similarities, WordVectors
from rekern.similarity.lexical_resources import LexicalResources
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.structures.stemmer import stem

FORMS = ["the", "of", "is", "not", "may", "if", "accused", "Rome", "US", "us", "dog-like", "8,586-meter", "-", "e-mail"]
TAGS = ["DT", "IN", "VBZ", "RB", "MD", "CC", "NNP", "NN", "CD", "PRP$"]
RELATIONS = ["VP:VP", "NP:VP", "NP:PP", "PP:VP", "S:SBAR", "NP:S", "S:ROOT", "DT:NP"]


@st.composite
def parent_lists(draw, most=6):
    """The parents of a tree or several, in any order of the places."""
    size = draw(st.integers(0, most))
    order = draw(st.permutations(range(size)))
    parents = [-1] * size
    for at, place in enumerate(order):
        above = draw(st.integers(-1, at - 1))
        parents[place] = order[above] if above >= 0 else -1
    return parents


@st.composite
def sentences(draw):
    heads = draw(parent_lists(9))
    listed = [draw(st.lists(st.sampled_from(v), min_size=len(heads), max_size=len(heads))) for v in (FORMS, TAGS)]
    relations = draw(st.lists(st.sampled_from(RELATIONS), min_size=len(heads), max_size=len(heads)))
    return [stem(form.casefold()) for form in listed[0]], *listed, heads, relations


@settings(max_examples=300, deadline=None)
@given(sentences())
def test_content_trees(sentence):
    tree = make_content_tree(*sentence)
    words, parents, marks = reference.content_tree(*sentence, LIGHT_STEMS)
    assert (tree.words, tree.parents) == (words, parents)
    assert list(zip(tree.denials, tree.hedges)) == marks
    assert len(tree.sentences) == len(tree.kinds) == len(tree.stems) == len(words)


@st.composite
def content_trees(draw, most):
    parents = draw(parent_lists(most))
    size = len(parents)

    def draw_list(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    numbers = draw_list(st.integers(0, 1)), draw_list(st.integers(0, 1))
    flags = [part and parent >= 0 for part, parent in zip(draw_list(st.booleans()), parents)]
    of_sentence = draw_list(st.integers(0, 2))
    return ContentTree(
        ["w"] * size, ["w"] * size, draw_list(st.integers(0, 4)), parents, flags, of_sentence, *numbers, {}
    )


class GivenSupport:
    """Support and weights that a test draws."""

    def __init__(self, support, weights):
        self.support, self.weights = support, weights

    def compare(self, source, target):
        return self.support

    def weigh(self, tree):
        return self.weights


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_places_and_scores(data):
    source, target = data.draw(content_trees(4)), data.draw(content_trees(4))
    values = st.sampled_from([0.0, 0.0, 0.4, 0.7, 0.9, 1.0])
    support = np.array([[data.draw(values) for _ in range(len(source))] for _ in range(len(target))], float).reshape(
        len(target), len(source)
    )
    given_weights = np.array([data.draw(st.sampled_from([0.0, 1.0, 2.5])) for _ in range(len(target))], float)
    weights = (1 + given_weights) * np.where(np.array(target.kinds, int) == 2, 0.5, 1.0)
    apart = measure_ways(list_links(source))
    np.testing.assert_allclose(apart.tolist(), reference.distances(source.parents, source.is_part), atol=1e-12)
    places, total = place_tree(support, np.array(target.parents, np.int64), weights, apart)
    best = reference.best_value(support.tolist(), target.parents, weights, apart.tolist())
    assert total == pytest.approx(best, abs=1e-9)
    listed = [None if place < 0 else int(place) for place in places]
    assert reference.value(listed, support.tolist(), target.parents, weights, apart) == pytest.approx(best, abs=1e-9)
    found = score_trees(source, target, GivenSupport(support, given_weights))
    expected = reference.scores(source, target, support.tolist(), weights.tolist(), listed)
    np.testing.assert_allclose(found, expected, atol=1e-9)


WORDNET = WordNet.from_synsets(
    [
        ("1", "n", ["animal"], [], ""),
        ("2", "n", ["dog", "hound"], ["1"], ""),
        ("3", "n", ["puppy"], ["2"], ""),
    ]
)
SPACE = WordVectors(["big", "large", "red"], [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("dogs", "Dog", 1.0),
        ("hound", "dog", 0.9),
        ("puppy", "animal", 0.7),
        ("animal", "puppy", 0.0),
        ("car", "Auto", 0.9),
        ("auto", "car", 0.9),
        ("Italian", "Italy", 0.85),
        ("founder", "founding", 0.8),
        ("large", "big", 0.7 * 0.8),
        ("large", "Big", 0.0),
        ("red", "big", 0.0),
        ("seventh", "7", 1.0),
        ("1990s", "1990", 1.0),
        ("1990", "1991", 0.0),
        ("five", "fiver", 0.0),
    ],
)
def test_support(source, target, expected):
    resources = LexicalResources(WORDNET, [("car", "auto")], SPACE, None, None, 3, {}, 1.0, ())
    found = WordSupport(resources).measure(source, stem(source.casefold()), target, stem(target.casefold()))
    assert found == pytest.approx(expected, abs=1e-6)


def score(*trees, **options):
    items = {"source.t": [trees[0]], "target.t": [trees[1]], "source": ["a"], "target": ["b"]}
    kernel = Similarities(
        groups=("inclusion",), on="t", standardize=False, thesaurus=[("car", "auto")], space=SPACE, **options
    )
    return dict(zip(kernel.names(), kernel.fit(items).scores(items)[0]))


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    WORDNET.save(folder)
    return str(folder)


def test_by_hand(wordnet):
    """What a text says of another subject is farther apart in its tree."""
    target = "(ROOT (S (NP (NNP Ann)) (VP (VBD sold) (NP (DT a) (NN car)))))"
    same = score("(ROOT (S (NP (NNP Ann)) (VP (VBD sold) (NP (DT the) (JJ red) (NN auto)))))", target, wordnet=wordnet)
    other = score(
        "(ROOT (S (NP (NP (DT the) (NN son)) (PP (IN of) (NP (NNP Ann)))) (VP (VBD sold) (NP (DT a) (NN car)))))",
        target,
        wordnet=wordnet,
    )
    assert same["links kept"] == same["links near"] == other["links near"] == 1.0
    assert other["links kept"] < 1.0 and other["stretch"] > same["stretch"] == 0.0
    weight = 1 + math.log(1 + 3 / 30)  # of a word that the vectors do not have
    assert same["included words"] == pytest.approx((1 + 0.5 + 0.9) / 2.5)
    assert same["missed nouns"] == pytest.approx(math.log(1 + 0.1 * weight))
    assert other["included words"] == 1.0 and other["inclusion"] == pytest.approx(1 - 0.1 * 0.5 / 2.5)
    assert same["words between"] == 0.0 and other["words between"] == pytest.approx(math.log(2))


def test_negation_hedges_acronyms_and_sentences(wordnet):
    target = "(ROOT (S (NP (NNP CDC)) (VP (VBZ barks))))"
    source = (
        "(ROOT (S (NP (NP (NNPS Centers)) (PP (IN for) (NP (NNP Disease) (NNP Control)))) (VP (MD may) (RB not) "
        "(VP (VB bark)))) (S (NP (NNS dogs)) (VP (VBP bark))))"
    )
    found = score(source, target, wordnet=wordnet)
    assert found["negated inclusion"] == found["hedged inclusion"] == 1.0
    assert found["included in one sentence"] == found["included words"] == pytest.approx((0.9 + 0.5) / 1.5)
    back = score(target, source, wordnet=wordnet)
    assert back["missed names"] == pytest.approx(math.log(1 + 3 * 0.1 * (1 + math.log(1 + 3 / 30))))
    assert back["negated inclusion"] == 1.0 and back["hedged inclusion"] == -1.0


def test_texts_without_words(wordnet):
    empty, text = "(ROOT (. .))", "(ROOT (NP (NN dog)))"
    nothing = score(empty, text, wordnet=wordnet)
    assert nothing["included words"] == nothing["inclusion"] == 0.0
    everything = score(text, empty, wordnet=wordnet)
    assert everything["included words"] == everything["inclusion"] == everything["included links"] == 1.0


def test_what_is_needed():
    with pytest.raises(InputError, match="needs constituent trees or dependencies"):
        Similarities(groups=("inclusion",)).fit([("a", "b")])
    with pytest.raises(InputError, match="distinguishes the two sides"):
        Similarities(groups=("inclusion",), symmetric=True).fit([("a", "b")])
