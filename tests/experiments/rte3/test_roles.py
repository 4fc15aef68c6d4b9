"""The group "roles": graphs by hand, and the scores against their reference."""

import math

import numpy as np
import pytest
import reference_roles as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.rte3.content import INCLUSION, ContentTree
from experiments.rte3.role_scores import (
    FRAMES,
    ROLES,
    STEPS,
    compare_roles,
    list_role_links,
    measure_ways,
    score_graphs,
)
from experiments.rte3.roles import RoleGraph, make_role_graph
from rekern.errors import InputError
from rekern.similarity import Similarities, WordVectors
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.structures import sentence, to_conllu
from rekern.structures.stemmer import stem

PREPOSITIONS, OTHERS = ["of", "in", "by", "for"], ["subject", "object", "is", "part", "quality", "time", "xcomp"]


def read(text):
    """A sentence from ``word/tag/head/relation``, with the heads counted from 1 and 0 for the root."""
    rows = [word.split("/") for word in text.split()]
    words, tags, heads, relations = zip(*rows)
    return sentence(words, [int(head) - 1 for head in heads], tags=tags, relations=relations)


def graph(*texts):
    found, heads = [read(text) for text in texts], []
    for one in found:
        first = len(heads)
        heads += [head + first if head >= 0 else -1 for head in one.heads]
    words, tags, relations = ([v for one in found for v in getattr(one, n)] for n in ("words", "tags", "relations"))
    return make_role_graph([stem(word) for word in words], words, tags, heads, relations)


def edges(*texts):
    made = graph(*texts)
    return {f"{made.tree.words[one]} {role} {made.tree.words[other]}" for one, role, other in made.edges}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann/NNP/2/nsubj saw/VBD/0/root Bob/NNP/2/dobj", {"saw subject Ann", "saw object Bob"}),
        (
            "Bob/NNP/3/nsubjpass was/VBD/3/auxpass seen/VBN/0/root by/IN/3/agent Ann/NNP/4/pobj",
            {"seen subject Ann", "seen object Bob"},
        ),
        (
            "men/NNS/0/root who/WP/3/nsubj vote/VBP/1/relcl in/IN/3/prep Rome/NNP/4/pobj",
            {"vote subject men", "vote in Rome"},
        ),
        ("men/NNS/0/root seen/VBN/1/acl there/RB/2/advmod", {"seen object men", "men acl seen"}),
        ("men/NNS/0/root Ann/NNP/3/nsubj saw/VBD/1/relcl", {"saw subject Ann", "saw object men"}),
        (
            "men/NNS/2/nsubj want/VBP/0/root to/TO/4/aux vote/VB/2/xcomp",
            {"want subject men", "vote subject men", "want xcomp vote"},
        ),
        (
            "Ann/NNP/2/nsubj sang/VBD/0/root and/CC/2/cc danced/VBD/2/conj",
            {"sang subject Ann", "danced subject Ann"},
        ),
        ("Ann/NNP/4/nsubj and/CC/1/cc Bob/NNP/1/conj sang/VBD/0/root", {"sang subject Ann", "sang subject Bob"}),
        ("Rome/NNP/2/nsubj is/VBZ/0/root a/DT/4/det city/NN/2/attr", {"Rome is city"}),
        ("Ann/NNP/0/root ,/,/1/punct a/DT/4/det singer/NN/1/appos", {"Ann is singer"}),
        ("Rome/NNP/2/nsubj has/VBZ/0/root parks/NNS/2/dobj", {"parks of Rome"}),
        ("Ann/NNP/3/poss 's/POS/1/case song/NN/0/root", {"song of Ann"}),
        ("singer/NN/2/compound Ann/NNP/0/root", {"Ann is singer"}),
        ("Lincoln/NNP/2/compound family/NN/0/root", {"family of Lincoln"}),
        ("Ann/NNP/2/nsubj sang/VBD/0/root Monday/NNP/2/npadvmod", {"sang subject Ann", "sang time Monday"}),
        ("out/IN/4/prep of/IN/1/prep Rome/NNP/2/pobj went/VBD/0/root", {"went of Rome"}),
        (
            "Ann/NNP/2/nsubj gave/VBD/0/root to/IN/2/dative Bob/NNP/3/pobj",
            {"gave subject Ann", "gave to Bob"},
        ),
        (
            "Ann/NNP/2/nsubj sold/VBD/0/root Bob/NNP/2/dative cars/NNS/2/dobj",
            {"sold subject Ann", "sold to Bob", "sold object cars"},
        ),
    ],
)
def test_roles(text, expected):
    assert edges(text) == expected


def test_words_for_the_same():
    found = edges("Ann/NNP/2/nsubj sang/VBD/0/root", "She/PRP/2/nsubj danced/VBD/0/root")
    assert found == {"sang subject Ann", "danced subject Ann"}
    firm = "Acme/NNP/2/nsubj grew/VBD/0/root", "The/DT/2/det company/NN/3/nsubj hired/VBD/0/root"
    made = graph(*firm)
    assert [(made.tree.words[one], made.tree.words[other]) for one, other in made.same] == [("company", "Acme")]
    assert edges(*firm) == {"grew subject Acme", "hired subject Acme"}
    assert edges(firm[0], "The/DT/3/det big/JJ/3/amod company/NN/4/nsubj hired/VBD/0/root") == {
        "grew subject Acme",
        "company quality big",
        "hired subject company",
    }
    assert len(graph("Ann/NNP/2/nsubj sang/VBD/0/root", "Ann/NNP/2/nsubj danced/VBD/0/root").same) == 1
    assert not graph("She/PRP/2/nsubj sang/VBD/0/root").same


def doubts(text, word):
    made = graph(text)
    place = made.tree.words.index(word)
    return made.denied[place], made.doubted[place]


def test_denied_and_doubtful():
    accepted = "Ann/NNP/2/nsubj accepted/VBD/0/root an/DT/4/det offer/NN/2/dobj to/TO/6/aux flee/VB/4/acl"
    assert doubts(accepted, "flee") == (False, True) and doubts(accepted, "accepted") == (False, False)
    assert doubts("Ann/NNP/2/nsubj declined/VBD/0/root prizes/NNS/2/dobj", "prizes") == (True, True)
    assert doubts("Ann/NNP/4/nsubj may/MD/4/aux not/RB/4/neg sing/VB/0/root", "sing") == (True, True)
    assert doubts("Ann/NNP/3/nsubj will/MD/3/aux sing/VB/0/root", "sing") == (False, False)
    assert doubts("if/IN/3/mark Ann/NNP/3/nsubj sings/VBZ/4/advcl rain/NN/0/root", "sings") == (False, True)


SPACE = WordVectors(["big"], [[1.0]])


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    WordNet.from_synsets([("1", "n", ["city"], [], "")]).save(folder)
    return str(folder)


def score(source, target, wordnet):
    texts = [to_conllu([read(text) for text in side]) for side in (source, target)]
    items = {"source.t": texts[:1], "target.t": texts[1:], "source": ["a"], "target": ["b"]}
    kernel = Similarities(
        groups=("roles",), on="t", standardize=False, wordnet=wordnet, thesaurus=[("sell", "sold")], space=SPACE
    )
    return dict(zip(kernel.names(), kernel.fit(items).scores(items)[0]))


def test_a_passive_sentence_says_the_same_and_its_reverse_does_not(wordnet):
    source = ["Ann/NNP/2/nsubj saw/VBD/0/root Bob/NNP/2/dobj"]
    same = "{}/NNP/3/nsubjpass was/VBD/3/auxpass saw/VBN/0/root by/IN/3/agent {}/NNP/4/pobj"
    right, wrong = (score(source, [same.format(*names)], wordnet) for names in (("Bob", "Ann"), ("Ann", "Bob")))
    assert right["frame"] == right["weakest role"] == right["frame found"] == 1.0
    assert right["other fillers"] == 0.0 and wrong["other fillers"] == 2.0
    assert wrong["frame"] == wrong["weakest role"] == pytest.approx(0.6)
    assert right["subject steps"] == right["object steps"] == right["way found"] == 1.0
    assert right["length of way"] == 2.0


def test_what_something_is(wordnet):
    target = ["Rome/NNP/2/nsubj is/VBZ/0/root a/DT/4/det city/NN/2/attr"]
    found = score(["the/DT/2/det city/NN/3/compound Rome/NNP/4/nsubj grew/VBD/0/root"], target, wordnet)
    assert found["target says is"] == found["is supported"] == found["is steps"] == 1.0
    found = score(["Rome/NNP/2/nsubj left/VBD/0/root a/DT/4/det city/NN/2/dobj"], target, wordnet)
    assert found["is supported"] == 0.0 and found["length of way"] == 2.0


def test_pronouns_shorten_ways(wordnet):
    target = ["Ann/NNP/2/nsubj met/VBD/0/root Bob/NNP/2/dobj"]
    found = score(["Ann/NNP/2/nsubj sang/VBD/0/root", "She/PRP/2/nsubj met/VBD/0/root Bob/NNP/2/dobj"], target, wordnet)
    assert found["frame"] == 1.0 and found["length of way"] == 2.0 and found["text steps"] == 0.0
    found = score(["Ann/NNP/2/nsubj sang/VBD/0/root", "We/PRP/2/nsubj met/VBD/0/root Bob/NNP/2/dobj"], target, wordnet)
    assert found["frame"] < 1.0 and found["text steps"] == 2.0


def test_texts_without_words(wordnet):
    dot, word = ["././0/root"], ["city/NN/0/root"]
    assert score(dot, word, wordnet)["frame found"] == 0.0
    assert score(word, dot, wordnet)["included words by roles"] == 1.0


@st.composite
def graphs(draw, most=4):
    size = draw(st.integers(0, most))
    parents = [draw(st.integers(-1, place - 1)) for place in range(size)]
    places = st.integers(0, max(size - 1, 0))
    edge = st.tuples(places, st.sampled_from([*PREPOSITIONS, *OTHERS]), places).filter(lambda edge: edge[0] != edge[2])
    pair = st.tuples(places, places).filter(lambda pair: pair[0] != pair[1])

    def draw_list(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    tree = ContentTree(
        ["w"] * size, ["w"] * size, draw_list(st.integers(0, 4)), parents, [False] * size, [0] * size, [0] * size,
        [0] * size, {},
    )  # fmt: skip
    many = 4 if size > 1 else 0
    return RoleGraph(
        tree,
        draw(st.lists(edge, max_size=many)) if many else [],
        draw(st.lists(pair, max_size=2)) if many else [],
        draw_list(st.booleans()),
        draw_list(st.booleans()),
    )


class GivenSupport:
    def __init__(self, support):
        self.support = support

    def compare(self, source, target):
        return self.support.copy()

    def weigh(self, tree):
        return np.ones(len(tree))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_scores(data):
    source, target = data.draw(graphs()), data.draw(graphs())
    values = st.sampled_from([0.0, 0.0, 0.4, 0.7, 1.0])
    given_support = [[data.draw(values) for _ in range(len(source))] for _ in range(len(target))]
    support = np.array(given_support, float).reshape(len(target), len(source))
    far = reference.distances(source)
    lengths = measure_ways(list_role_links(source))
    np.testing.assert_allclose(lengths.tolist(), far, atol=1e-9)
    found = dict(zip(ROLES, score_graphs(source, target, GivenSupport(support))))
    alike = reference.shared_support(source, support.tolist())
    np.testing.assert_allclose(
        [found[name] for name in FRAMES], reference.frames(source, target, alike, far), atol=1e-9
    )
    known = [found["target says is"], found["is supported"]]
    np.testing.assert_allclose(known, reference.identity(source, target, alike), atol=1e-9)
    if found["way found"]:
        steps = {name: found[f"{name} steps"] for name in STEPS}
        assert sum(steps.values()) >= (found["length of way"] > 0) and found["length of way"] <= 6.0
        shortest = 0.05 * steps["same"] + 0.5 * (steps["is"] + steps["part"])
        assert found["length of way"] >= min(shortest, 6.0) - 1e-9


@given(*(st.sampled_from([*PREPOSITIONS, *OTHERS, "number", "predicate", "adverb", "acl"]) for _ in range(2)))
def test_comparison_of_roles(one, other):
    assert compare_roles(one, other) == reference.compare(one, other)


def test_inclusion_by_roles_needs_no_roles(wordnet):
    """Without roles beyond the tree's links, inclusion is that of the tree."""
    target = read("cars/NNS/2/nsubj stop/VBP/0/root")
    items = {"source.t": [to_conllu([target])], "target.t": [to_conllu([target])], "source": ["a"], "target": ["b"]}
    kernel = Similarities(groups=("inclusion", "roles"), on="t", standardize=False, wordnet=wordnet, thesaurus=[],
                          space=SPACE)  # fmt: skip
    found = dict(zip(kernel.names(), kernel.fit(items).scores(items)[0]))
    assert all(math.isclose(found[name], found[f"{name} by roles"]) for name in INCLUSION)


def test_what_is_needed():
    with pytest.raises(InputError, match="needs constituent trees or dependencies: name"):
        Similarities(groups=("roles",)).fit([("a", "b")])
    with pytest.raises(InputError, match="distinguishes the two sides"):
        Similarities(groups=("roles",), symmetric=True).fit([("a", "b")])


def test_a_long_text(wordnet):
    """3,000 words, a third of them one name; ways through all words would take time in proportion to the cube."""
    told = "Ann/NNP/2/nsubj saw/VBD/0/root Tom{}/NNP/2/dobj"
    source = [told.format(number) for number in range(1000)]
    right, other = (score(source, [told.format(number)], wordnet) for number in (7, 1007))
    assert right["frame"] == right["frame found"] == 1.0 and right["length of way"] == 2.0
    assert other["frame"] < 1.0 and other["other fillers"] == 0.0
