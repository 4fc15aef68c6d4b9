"""Trees out of dependencies, and lemmas in place of words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import SOME_OR_ALL
from rekern.errors import InputError
from rekern.structures.dependency_trees import from_grct, grct, lct, lemma_leaves, loct, word_trees
from rekern.structures.formats.kelp import read_klp, trees_named
from rekern.structures.sentences import Sentence, sentence
from rekern.structures.trees import Trees

LABELS = st.text("abNP.:(é", min_size=1, max_size=3)


@st.composite
def projective(draw):
    """A sentence in which no arcs cross: a tree cut into words from left to right."""
    heads: list[int] = []

    def grow(begin, end, head):
        if begin == end:
            return
        place = draw(st.integers(begin, end - 1))
        heads[place] = head
        for first, last in ((begin, place), (place + 1, end)):
            middle = draw(st.integers(first, last))
            grow(first, middle, place)
            grow(middle, last, place)

    size = draw(st.integers(0, 7))
    heads = [-1] * size
    grow(0, size, -1)
    lemmas, tags, relations = (draw(st.tuples(*[LABELS] * size)) for _ in range(3))
    return Sentence(lemmas, lemmas, tags, tuple(heads), relations)


@settings(deadline=None)
@given(st.lists(projective(), max_size=4))
def test_grct_holds_everything(found):
    trees = grct(found, punctuation=True)
    assert from_grct(trees) == found
    assert [from_grct([(text)])[0].heads for text in trees] == [item.heads for item in found]


@settings(deadline=None)
@given(st.lists(projective(), max_size=4))
def test_sizes_and_roots(found):
    words = [len(item.words) for item in found]
    for trees, factor in (
        (grct(found, True), 3),
        (lct(found, True), 3),
        (loct(found, True), 1),
        (word_trees(found), 1),
    ):
        assert (trees.offsets[1:] - trees.offsets[:-1]).tolist() == [factor * size for size in words]


def test_punctuation_is_left_out():
    found = sentence(["(", "Go", "!", ")"], [1, -1, 1, 2], tags=["-LRB-", "VB", ".", "-RRB-"])
    assert loct([found])[0] == "(LEX##go::v LEX##!::.)"  # something depends on the exclamation mark
    assert loct([found], punctuation=True)[0] == "(LEX##go::v (LEX##-LRB-::-) (LEX##!::. LEX##-RRB-::-))"
    only = sentence(["?"], [-1], tags=["."])
    assert loct([only])[0] == "(LEX##?::.)"
    universal = sentence(["Go", "!"], [-1, 0], tags=["VERB", "_"], relations=["root", "punct"])
    assert loct([universal])[0] == "(LEX##go::v)"


def test_word_trees():
    found = sentence(["New York", "is", "\t", "big"], [3, 3, 3, -1])
    assert word_trees([found])[0] == "(big (New_York) (is) (_))"
    assert word_trees([found], labels="lemmas", punctuation=False)[0] == "(big (new_york) (is) (_))"
    assert word_trees([sentence([], [])])[0] == "()"
    with pytest.raises(InputError, match="labels='tags'"):
        word_trees([found], labels="tags")
    with pytest.raises(InputError, match="item 0 is a str"):
        grct(["(S he)"])


def test_crossing_arcs():
    found = sentence(["a", "b", "c", "d"], [2, 3, -1, 2])
    assert word_trees([found])[0] == "(c (a) (d b))"


def test_lemma_leaves():
    trees = ["(S (NP (DT The) (NNS dogs)) (VP (VBP bark)) (. .))", "()", "(alone)", "(NP (DT The) dogs)"]
    assert list(lemma_leaves(trees)) == [
        "(S (NP (DT the::d) (NNS dog::n)) (VP (VBP bark::v)) (. .::.))",
        "()",
        "(alone)",
        "(NP (DT the::d) (dog::n))",
    ]
    assert lemma_leaves(["(NN Dogs)"], lemma=lambda word, tag: f"{word}-{tag}")[0] == "(NN Dogs-NN::n)"
    assert len(lemma_leaves([])) == 0


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP he))",
        "(SYNT##root (POS##VB LEX##go::v) (POS##VB LEX##go::v))",
        "(SYNT##root (SYNT##obj (POS##NN LEX##x::n)))",
        "(POS##VB LEX##go::v)",
        "(SYNT##root LEX##go::v)",
    ],
)
def test_what_is_no_grct(text):
    with pytest.raises(InputError, match=r"^row 1"):
        from_grct(["()", text])


@SOME_OR_ALL
def test_kelp_trees_are_rebuilt(corpora, step):
    folder = corpora / "trec_qc" / "kelp_trees"
    if not folder.is_dir():
        pytest.skip("KeLP's trees of the TREC questions are not here")
    examples = [item for path in sorted(folder.glob("*.klp.gz")) for item in read_klp(path)]
    assert len(examples) == 5952
    examples = examples[::step]
    sentences = from_grct(trees_named(examples, "grct"))
    for name, convert in (("grct", grct), ("lct", lct), ("loct", loct)):
        trees: Trees = convert(sentences)
        assert [trees.written(tree, "kelp") for tree in range(len(trees))] == [item.trees[name] for item in examples]
