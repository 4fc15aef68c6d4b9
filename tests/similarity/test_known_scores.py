"""Scores of the same pairs are computed once, whatever kernels learn from them, and are the same."""

import numpy as np
import pytest

from helpers import rewritings
from rekern.kernels import Curves, Gaussian
from rekern.similarity import Similarities
from rekern.similarity.score_groups import GROUPS
from rekern.structures.pairs import Pairs

TEXTS, _ = rewritings(30)
TEXTS = [(source.replace("a", "A", 1), target) for source, target in TEXTS]  # the group basic looks at capitals


@pytest.fixture
def computed(monkeypatch):
    """The groups that are computed, one after the other."""
    groups = []
    for name, group in GROUPS.items():

        def score(*arguments, name=name, group=group):
            groups.append(name)
            return group.score(*arguments)

        monkeypatch.setitem(GROUPS, name, group._replace(score=score))
    return groups


def test_only_new_scores_are_computed(computed):
    pairs = Pairs.from_items(TEXTS, with_forms=True)
    few = Similarities(groups=("basic", "ngrams")).fit(pairs)
    assert computed == ["ngrams"]
    many = Similarities(groups=("sequences", "basic", "ngrams"))
    kernels = [few, Curves(many).fit(pairs).kernel, Gaussian(many).fit(pairs).kernel, many.fit(pairs)]
    assert computed == ["ngrams", "sequences"]
    for kernel in kernels:
        alone = Similarities(groups=kernel.groups).fit(Pairs.from_items(TEXTS, with_forms=True))
        assert np.array_equal(kernel.scores(pairs), alone.scores(TEXTS))
        assert np.array_equal(kernel.mean_, alone.mean_)


def test_other_settings_and_other_pairs_are_computed_anew(computed):
    pairs = Pairs.from_items(TEXTS, with_forms=True)
    for kernel in (Similarities(groups=("ngrams",)), Similarities(groups=("ngrams",), symmetric=True)):
        kernel.fit(pairs)
    Similarities(groups=("ngrams",)).fit(pairs[:10])
    Similarities(groups=("ngrams",)).fit(TEXTS)
    assert computed == ["ngrams"] * 4
