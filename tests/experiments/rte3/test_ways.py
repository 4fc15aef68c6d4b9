"""The group "ways" and what the target states: sentences by hand, and the scores against their reference."""

from dataclasses import replace

import numpy as np
import pytest
import reference_ways as reference
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_roles import shared_support
from test_roles import GivenSupport, graph, graphs, read, wordnet  # noqa: F401

from experiments.rte3.role_scores import WAYS, StatedRelation, find_statement, list_role_links, measure_ways, score_way
from rekern.kernels import Gaussian
from rekern.similarity import Similarities, WordVectors
from rekern.structures import to_conllu

SPACE = WordVectors(["works", "born", "rome"], [[3.0, 4.0], [0.0, -2.0], [1.0, 0.0]])
WORKS = "Ann/NNP/2/nsubj works/VBZ/0/root for/IN/2/prep Acme/NNP/3/pobj"
BORN = "Ann/NNP/3/nsubjpass was/VBD/3/auxpass born/VBN/0/root in/IN/3/prep Rome/NNP/4/pobj"
CALLED = "Acme/NNP/2/nsubj called/VBD/0/root Tom/NNP/2/dobj of/IN/3/prep Rome/NNP/4/pobj"


def table(*pairs):
    sides = [[to_conllu([read(text)]) if text else "" for text in side] for side in zip(*pairs)]
    texts = [["a"] * len(pairs), ["b"] * len(pairs)]
    return {"source.t": sides[0], "target.t": sides[1], "source": texts[0], "target": texts[1]}


def make(wordnet, **parameters):  # noqa: F811
    return Similarities(groups=("ways",), on="t", wordnet=wordnet, thesaurus=[], space=SPACE, **parameters)


def score(source, target, wordnet):  # noqa: F811
    kernel, items = make(wordnet, standardize=False), table((source, target))
    return dict(zip(kernel.names(), kernel.fit(items).scores(items)[0]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WORKS, ("Ann", "Acme", ["works"])),
        (BORN, ("Ann", "Rome", ["born"])),
        (
            "Ann/NNP/2/nsubj is/VBZ/0/root chief/NN/2/attr of/IN/3/prep Acme/NNP/4/pobj",
            ("Ann", "Acme", ["chief"]),
        ),
        ("Ann/NNP/2/nsubj sang/VBD/0/root", ("Ann", "sang", [])),
        ("Ann/NNP/3/nsubj often/RB/3/advmod sang/VBD/0/root", None),
        ("rain/NN/0/root", None),
        ("././0/root", None),
    ],
)
def test_what_is_stated(text, expected):
    made = graph(text)
    found = find_statement(made)
    words = made.tree.words
    assert (found and (words[found.about], words[found.last], [words[place] for place in found.relation])) == expected


def test_the_way_between_two_things(wordnet):  # noqa: F811
    found = score(WORKS, WORKS, wordnet)
    assert found["things joined"] == found["relation on the way"] == found["words on the way"] == 1.0
    assert found["distance of things"] == 2.0 and found["things in order"] == 1.0
    assert found["names nearer to the last"] == found["denied on the way"] == 0.0
    denied = (
        WORKS.replace("works/VBZ/0", "not/RB/3/neg works/VBZ/0").replace("/2/", "/3/").replace("/3/pobj", "/4/pobj")
    )
    assert score(denied, WORKS, wordnet)["denied on the way"] == 1.0
    assert score(BORN, WORKS, wordnet) == dict.fromkeys(WAYS, 0.0)


def test_other_names_are_nearer(wordnet):  # noqa: F811
    found = score(CALLED, "Acme/NNP/2/nsubj left/VBD/0/root Rome/NNP/2/dobj", wordnet)
    assert found["distance of things"] == 3.0 and found["words on the way"] == 2.0
    assert found["names between things"] == pytest.approx(np.log(2))
    assert found["names nearer to the last"] == found["names nearer to the first"] == pytest.approx(np.log(2))
    assert found["relation supported"] == found["relation on the way"] == 0.0


def test_every_score_has_its_own_value(wordnet):  # noqa: F811
    """Two other names are nearer to the last thing than the first is, and one to the first."""
    source = (
        "Annabelle/NNP/2/nsubj called/VBD/0/root Tom/NNP/2/dobj of/IN/3/prep Rome/NNP/4/pobj in/IN/5/prep "
        "Bob/NNP/6/pobj"
    )
    sources = to_conllu([read(source), read("Sue/NNP/2/nsubj left/VBD/0/root")])
    kernel = make(wordnet, standardize=False)
    items = {
        **table((source, "Annabel/NNP/2/nsubj left/VBD/0/root Rome/NNP/2/dobj")),
        "source.t": [sources],
    }
    found = dict(zip(kernel.names(), kernel.fit(items).scores(items)[0]))
    assert found["names nearer to the last"] == pytest.approx(np.log(3))
    assert found["names nearer to the first"] == pytest.approx(np.log(2))
    assert (found["relation supported"], found["relation on the way"]) == (1.0, 0.0)
    assert (found["support of the first"], found["support of the last"]) == (0.85, 1.0)


@st.composite
def stating(draw):
    """A graph whose first word without a word above has a role, with its words in any order."""
    made = draw(graphs(5).filter(lambda made: len(made) > 1))
    size, role = len(made), draw(st.sampled_from(["subject", "object", "is"]))
    edges = [(0, role, draw(st.integers(1, size - 1))), *made.edges]
    new = draw(st.permutations(range(size)))
    old = [new.index(place) for place in range(size)]
    parents = [made.tree.parents[place] for place in old]
    tree = replace(made.tree, parents=[new[parent] if parent >= 0 else -1 for parent in parents])
    return replace(made, tree=tree, edges=[(new[one], role, new[other]) for one, role, other in edges])


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_scores(data):
    source, target = data.draw(stating()), data.draw(st.one_of(stating(), stating(), graphs(5)))
    values = st.sampled_from([0.0, 0.0, 0.45, 0.5, 0.75, 0.8, 0.85, 1.0])
    drawn = [[data.draw(values) for _ in range(len(source))] for _ in range(len(target))]
    support = np.array(drawn, float).reshape(len(target), len(source))
    lengths = measure_ways(list_role_links(source))
    found = score_way(source, target, GivenSupport(support))
    stated = find_statement(target)
    assert (stated and (stated.about, stated.last, stated.relation)) == reference.statement(target)
    expected = reference.scores(source, target, shared_support(source, support.tolist()), lengths.tolist())
    assert any(np.allclose(found, row, atol=1e-9) for row in expected)


def test_vector_of_the_relation():
    kernel = StatedRelation(on="t", space=SPACE)
    rows = kernel.scores(table((BORN, WORKS), (WORKS, BORN), (WORKS, "Ann/NNP/2/nsubj sang/VBD/0/root"), (WORKS, "")))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, -1.0], [0.0, 0.0], [0.0, 0.0]])
    assert kernel.names() == ["stated relation 1", "stated relation 2"]


def test_a_product_with_what_is_stated(wordnet):  # noqa: F811
    """Pairs with the same scores are alike only if their targets state the same."""
    items = table((WORKS, WORKS), (BORN, BORN), (CALLED, WORKS), (CALLED, BORN))
    kernel = Gaussian(make(wordnet), 0.1) * Gaussian(StatedRelation(on="t", space=SPACE), 0.5)
    gram = kernel.fit(items).gram(items)
    np.testing.assert_allclose(np.diag(gram), 1.0)
    assert gram[0, 1] < 0.5
