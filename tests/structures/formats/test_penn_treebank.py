"""Files of trees in brackets, cleaning up Penn labels, and files of a wrong format."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.trees import nodes, read, written
from rekern.errors import InputError
from rekern.structures.formats.conllu import read_conllu
from rekern.structures.formats.format_detection import looks_like
from rekern.structures.formats.kelp import read_klp
from rekern.structures.formats.penn_treebank import (
    from_brackets,
    read_brackets,
    unescaped,
    without_empty_nodes,
    write_brackets,
)
from rekern.structures.formats.svm_light_tk import read_svmlighttk
from rekern.structures.trees import Trees

LABELS = st.sampled_from(["S", "NP", "-NONE-", "NP-SBJ-1", "LEX##dog::n", "é", "-LRB-", "``", "0"])
TREES = st.recursive(
    LABELS.map(lambda label: (label, [])), lambda below: st.tuples(LABELS, st.lists(below, max_size=4)), max_leaves=12
)
NESTED = st.recursive(
    st.sampled_from(["he", "(", ")", "a(b)c", "é", "\u00a0"]),
    lambda below: st.lists(below, max_size=3).map(lambda children: ("X", *children)),
    max_leaves=8,
)


@settings(deadline=None, max_examples=50)
@given(st.lists(TREES, max_size=4), st.booleans(), st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory, found, pretty, packed):
    path = tmp_path_factory.mktemp("trees") / ("trees.mrg.gz" if packed else "trees.mrg")
    trees = Trees.from_items([written(tree) for tree in found])
    write_brackets(path, trees, pretty)
    again = read_brackets(path)
    assert list(again) == list(trees)


def pruned(tree):
    """The tree without -NONE-, straight from the definition."""
    if tree[0] == "-NONE-":
        return None
    children = [kept for kept in map(pruned, tree[1]) if kept]
    return (tree[0], children) if children or not tree[1] else None


@settings(deadline=None)
@given(st.lists(TREES, max_size=4))
def test_empty_nodes_are_pruned(found):
    kept = without_empty_nodes(Trees.from_items([written(tree) for tree in found]))
    assert [read(text) for text in kept] == [pruned(tree) for tree in found]
    assert kept.offsets[-1] == sum(len(nodes(pruned(tree))) for tree in found)


def as_pairs(item):
    return (item, []) if isinstance(item, str) else (item[0], [as_pairs(child) for child in item[1:]])


@settings(deadline=None)
@given(st.lists(NESTED.filter(lambda item: isinstance(item, tuple)), max_size=4))
def test_nested_tuples(found):
    trees = Trees.from_items([*found, "(S (NP he))"])
    assert trees[-1] == "(S (NP he))"
    flat = [[trees.vocabulary[label] for label in trees[i : i + 1].labels] for i in range(len(found))]
    assert [sorted(labels) for labels in flat] == [sorted(label for label, _ in nodes(as_pairs(t))) for t in found]
    again = unescaped(Trees.from_items(list(trees)))  # written with -LRB-, read and unescaped
    for name in ("first", "count", "offsets"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))
    assert [again.vocabulary[x] for x in again.labels] == [trees.vocabulary[x] for x in trees.labels]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (("S", None), "row 1: a label is None"),
        (("S", ["NP"]), "row 1: a label is a list"),
        ((("S",), "he"), "row 1: a label is a tuple"),
        (("S", ""), "row 1: a label is empty or holds a blank"),
        (("S", "he runs"), "row 1: a label is empty or holds a blank"),
        (("S", ()), "row 1: a label is a tuple"),
        (("(S)", "(NP)"), "row 1: a label is a tree in brackets"),
        (("(S he)", "(S she)"), "row 1: a label is a tree in brackets"),
    ],
)
def test_faults_in_tuples(item, message):
    with pytest.raises(InputError) as error:
        Trees.from_items(["(S)", item])
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


def test_tuples_among_brackets():
    deep = "he"
    for _ in range(5000):
        deep = ("S", deep)
    trees = Trees.from_items(["(A b)", ("S", ("NP", "he"), "x"), "()", (), ("S",), deep])
    assert list(trees)[:5] == ["(A b)", "(S (NP he) (x))", "()", "()", "(S)"]
    assert trees.offsets[-1] - trees.offsets[-2] == 5001
    with pytest.raises(InputError, match="row 0, line 1, column 1: this bracket is never closed"):
        Trees.from_items(["(A", ("S", "he")])


def test_options(tmp_path):
    text = "( (S (NP-SBJ-1 (-NONE- *PRO*))\n     (VP (VB stop) (PRN (-LRB- -LRB-) (CD 1\\/2) (-RRB- \\))))) )\n"
    literal = "(S (NP-SBJ-1 (-NONE- *PRO*)) (VP (VB stop) (PRN (-LRB- -LRB-) (CD 1\\/2) (-RRB- -RRB-))))"
    assert list(from_brackets(text.replace("\\)", "-RRB-"))) == [literal]
    trees = from_brackets(text, empty_nodes=False, function_tags=False, unescape=True)
    words = [trees.vocabulary[label] for label in trees.labels[trees.count == 0]]
    assert words == ["stop", "(", "1/2", ")"]
    assert trees[0] == "(S (VP (VB stop) (PRN (-LRB- -LRB-) (CD 1/2) (-RRB- -RRB-))))"
    path = tmp_path / "wsj.mrg"
    path.write_text(text)
    assert list(read_brackets(path, False, False, True)) == list(trees)
    with pytest.raises(InputError, match=r"line 2, column \d+: this bracket closes nothing"):
        read_brackets(path)


def test_pretty_trees():
    text = "(S (NP (DT the) (NN dog)) (VP (VBZ is) (ADJP (JJ big))) (. .))"
    pretty = Trees.from_items([text]).written(0, "pretty")
    assert pretty.splitlines() == [
        "(S",
        "  (NP (DT the) (NN dog))",
        "  (VP",
        "    (VBZ is)",
        "    (ADJP (JJ big)))",
        "  (. .))",
    ]
    with pytest.raises(InputError, match="style='html'"):
        Trees.from_items([text]).written(0, "html")


FILES = {
    "trees in brackets": "(S (NP he))\n",
    "CoNLL-U": "# text\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n",
    "KeLP's .klp lines": "A |BT:t| (S) |ET|\n",
    "SVM-LIGHT-TK lines": "1 |BT| (S) |ET|\n",
    "raw text": "The dog barks.\n",
    "a table": "text\tlabel\nhe runs\t1\n",
    "JSON": '{"a": 1}\n',
    "XML or HTML": "<?xml version='1.0'?>\n",
    "SVM-light vectors": "1 1:0.5 7:1\n",
}
READERS = {
    "trees in brackets": read_brackets,
    "CoNLL-U": read_conllu,
    "KeLP's .klp lines": read_klp,
    "SVM-LIGHT-TK lines": read_svmlighttk,
}


@pytest.mark.parametrize("wanted", READERS)
def test_a_wrong_format_is_named(tmp_path, wanted):
    for found, text in FILES.items():
        assert looks_like(text) == found
        path = tmp_path / "file"
        path.write_text(text)
        # Vectors alone are lines of SVM-LIGHT-TK too, and KeLP has representations without a name.
        alike = [("SVM-LIGHT-TK lines", "SVM-light vectors"), ("KeLP's .klp lines", "SVM-LIGHT-TK lines")]
        if wanted == found or (wanted, found) in alike:
            assert len(READERS[wanted](path)) == 1
            continue
        with pytest.raises(InputError) as error:
            READERS[wanted](path)
        assert str(error.value).startswith(f"{path} looks like {found}, not like {wanted}: ")
        assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "x.mrg"
    for data, message in [
        (b"(S (NP he)\xff)", "x.mrg, line 1: byte 0xff at offset 10 is not UTF-8; convert the file to UTF-8"),
        (b"(S\0)", "x.mrg, line 1: a NUL character; give a text file in UTF-8; this one is binary,"),
        (gzip.compress(b"(S (NP he))" * 99)[:30], "x.mrg is not a whole gzip file"),
        (b"(S he)\n(S (NP he)\n", "x.mrg, line 2, column 1: this bracket is never closed"),
    ]:
        path.write_bytes(data)
        with pytest.raises(InputError, match=message):
            read_brackets(path)
    with pytest.raises(InputError, match="is a folder"):
        read_brackets(tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        read_brackets(tmp_path / "nowhere")
    path.write_bytes(b"\xef\xbb\xbf(S he)\r\n")
    assert list(read_brackets(path)) == ["(S he)"]
    path.write_bytes(b"")
    assert len(read_brackets(path)) == 0
