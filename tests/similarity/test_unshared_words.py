"""Scores of the words that a pair does not share: by hand, and in a model that is saved, loaded and explained."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from rekern import PairClassifier, load_model
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.errors import InputError
from rekern.kernels import Gaussian, Rewriting
from rekern.similarity import UnsharedWords
from rekern.similarity.unshared_words import (
    CHUNKS,
    UNSHARED,
    list_words,
    score_arrangement,
    score_unshared_words,
)
from rekern.structures import Representations, Tokens, Trees


def side_scores(one, other):
    lemmas = Tokens.from_texts([[word for word, _ in one], [word for word, _ in other]])
    tags = Tokens.from_texts([[tag for _, tag in one], [tag for _, tag in other]])
    weights = np.ones(len(lemmas.vocabulary))
    first = zip(UNSHARED, score_unshared_words(lemmas, tags, weights)[0].tolist())
    return dict([*first, *zip(CHUNKS, score_arrangement(lemmas, tags, weights)[0].tolist())])


def test_unshared_words_by_hand():
    one = [("the", "DT"), ("dog", "NN"), ("bit", "VBD"), ("2", "CD"), ("men", "NNS")]
    other = [("a", "DT"), ("dog", "NN"), ("bit", "VBD"), ("men", "NNS"), ("dog", "NN")]
    found = side_scores(one, other)
    assert found["source unshared numbers"] == found["source unshared function words"] == pytest.approx(np.log(2))
    assert found["target unshared nouns"] == pytest.approx(np.log(2))  # the second dog
    assert found["source unshared content weight"] == 1 and found["source unshared runs"] == 2
    assert (found["source unshared beginning"], found["source unshared end"]) == (1, 0)
    assert (found["target unshared beginning"], found["target unshared end"]) == (1, 1)
    assert found["chunks"] == pytest.approx(1 / 3) and found["inversions"] == 0
    assert found["meteor"] == pytest.approx(0.6 * (1 - 0.5 / 27))
    assert found["idf bigram precision"] == pytest.approx(1 / 4)
    assert found["verbs in common"] == found["names in common"] == 1 and found["same beginning"] == 0


def test_equal_and_empty_sides():
    one = [("dog", "NN"), ("bark", "VB"), ("loud", "RB")]
    same = side_scores(one, one)
    assert not any(same[name] for name in UNSHARED)
    assert same["meteor"] == pytest.approx(1 - 0.5 / 27) and same["idf trigram recall"] == 1
    for pair in ((one, []), ([], one), ([], [])):
        assert np.isfinite(list(side_scores(*pair).values())).all()


def test_words_stand_in_the_order_of_the_sentence():
    trees = Trees.from_items(["(S (NP (DT The) (NN dog)) (VP (VBZ barks) (ADVP (RB loudly))) (. .))"])
    assert [tag for _, tag in list_words(trees)[0]] == ["DT", "NN", "VBZ", "RB", "."]


def tree_of(text):
    words = text.replace("(", "").replace(")", "").split() or ["x"]
    return "(S " + " ".join(f"({('NN', 'VB', 'DT')[len(word) % 3]} {word})" for word in words) + ")"


@pytest.mark.parametrize("gaussian", [False, True])
def test_a_model_with_them_is_saved_loaded_and_explained(gaussian, tmp_path):
    pairs, labels = load_rewrites("train", size=40)
    sides = [[pair[side] for pair in pairs] for side in range(2)]
    trees = [[tree_of(text) for text in side] for side in sides]
    table = Representations({"source": sides[0], "target": sides[1], "source.tree": trees[0], "target.tree": trees[1]})
    scores = UnsharedWords(on="tree")
    kernel = Rewriting(k=(1, 2)) + (Gaussian(scores, 0.1) if gaussian else scores)
    model = PairClassifier(kernel, calibration=0, n_jobs=1).fit(table, labels)
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert loaded.decision_function(table).tolist() == model.decision_function(table).tolist()
    why = loaded.explain(table[0])
    assert why.decision == pytest.approx(why.intercept + sum(part.contribution for part in why.parts))
    assert "meteor" in [part.name for part in why.parts]
    assert ("baseline" in [part.kind for part in why.parts]) == gaussian
    assert len(repr(why).splitlines()) <= 15


def test_trees_must_be_named_and_seen():
    trees = ["(S (NNS Dogs) (VBP bark))", "(S (NNS Cats) (VBP mew))"]
    table = Representations({"source.words": trees, "target.words": trees[::-1]})
    with pytest.raises(NotFittedError, match="this UnsharedWords is not fitted yet"):
        UnsharedWords(on="words").scores(table)
    with pytest.raises(InputError, match="on=None: name the representation"):
        UnsharedWords().fit(table)
