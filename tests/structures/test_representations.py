"""Tables of named representations: from anything, in parts, read once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures import Graphs, Pairs, Representations, Tokens, Trees

COLUMNS = {
    "source": ["a b", "c", "a b"],
    "target": ["c", "d", ""],
    "source.tree": ["(A x)", "(B y)", "(A x)"],
    "target.tree": ["(B y)", "()", "(A x)"],
    "graph": ['{"nodes": ["a"]}', '{"nodes": ["a", "b"], "edges": [[0, 1, "x"]]}', '{"nodes": []}'],
}


def test_columns_in_any_form():
    table = Representations(COLUMNS)
    assert (len(table), table.columns) == (3, list(COLUMNS))
    assert dict(table[1]) == {name: column[1] for name, column in COLUMNS.items()}
    assert table[-1]["source"] == "a b"
    assert [row["target"] for row in table] == COLUMNS["target"]
    assert table[1:]["source"] == ["c", "a b"]
    assert table.take(np.array([True, False, True]))["target"] == ["c", ""]
    assert list(table.graphs("graph"))[1] == (["a", "b"], [(0, 1, "x")])
    for X, columns in [
        (Pairs.from_items([("a", "b")]), ["source", "target"]),
        (Tokens.from_texts(["a"]), ["text"]),
        (Trees.from_items(["(A b)"]), ["text"]),
        (np.array([["a", "b"]]), ["source", "target"]),
        (np.array(["a", "b"]), ["text"]),
        ((pair for pair in [("a", "b")]), ["source", "target"]),
        ([], ["text", "source", "target"]),
    ]:
        assert Representations.from_items(X).columns == columns
    assert Representations.from_items(table) is table


def test_trees_are_read_once(monkeypatch):
    calls = []
    read = Trees.from_items.__func__

    def counting(cls, X):
        calls.append(X)
        return read(cls, X)

    monkeypatch.setattr(Trees, "from_items", classmethod(counting))
    table = Representations(COLUMNS)
    trees = table.trees("source.tree")
    assert table.trees("source.tree") is trees
    assert list(table[1:].trees("source.tree")) == ["(B y)", "(A x)"]
    assert list(Representations.from_items([table[2], table[0]]).trees("source.tree")) == ["(A x)", "(A x)"]
    assert list(table.select_columns(["source.tree"]).trees("source.tree")) == list(trees)
    assert len(calls) == 1
    assert table.texts(["tree"]).table.trees("tree") is table.texts(["tree"]).table.trees("tree")
    assert list(table.take([2]).texts(["tree"]).table.trees("tree")) == ["(A x)"]
    assert len(calls) == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from(["(A x)", "(B y)", "()"])] * 4), min_size=1, max_size=5), st.data())
def test_distinct_texts(rows, data):
    names = ("source", "target", "source.tree", "target.tree")
    columns = dict(zip(names, map(list, zip(*rows))))
    forms = [
        Representations(columns),
        Representations({n: Trees.from_items(c) if "." in n else c for n, c in columns.items()}),
    ]
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))
    for table in forms:
        for part, expected in ((table, rows), (table.take(chosen), [rows[i] for i in chosen])):
            texts, sources, targets = part.texts(["text", "tree"])
            found = list(zip(texts["text"], texts["tree"]))
            assert len(set(found)) == len(found)
            assert [found[i] for i in sources] == [(row[0], row[2]) for row in expected]
            assert [found[i] for i in targets] == [(row[1], row[3]) for row in expected]


def test_ready_structures_stay():
    graphs = Graphs.from_items([(["a"], []), (["b"], [])])
    table = Representations({"graph": graphs, "text": Tokens.from_texts(["a b", "c"])})
    assert table.graphs("graph") is graphs
    assert table[1]["text"] == ["c"]
    assert isinstance(table[1:]["graph"], Graphs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Representations({"a": [1], "b": []}), "the columns of a table must be of one length, not a 1, b 0"),
        (lambda: Representations({"a": "text"}), "a column of a table is a str; give a list"),
        (lambda: Representations.from_items("text"), "for one row write"),
        (lambda: Representations.from_items([{"a": 1}, {"b": 1}]), "row 1: no 'a' among b"),
        (lambda: Representations.from_items([{"a": 1}, 3]), "row 1: a dict with a is needed, got the number 3"),
        (lambda: Representations(COLUMNS)["tree"], "no representation 'tree'; the columns are source, target"),
        (lambda: Representations(COLUMNS).texts(["parse"]), "no column 'source.parse'.*the sources have tree"),
        (lambda: Representations({"t": ["(A b)", "(A"]}).trees("t"), "row 1, t: line 1, column 1"),
        (lambda: Representations({"g": [(["a"], [(0, 1)])]}).graphs("g"), "row 0, g: edge 0: there is no"),
        (lambda: Representations({"g": ["[" * 100_000]}).graphs("g"), "row 0, g: the text is not JSON"),
    ],
)
def test_errors_are_one_line(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_rows_out_of_range():
    with pytest.raises(IndexError):
        Representations(COLUMNS)[3]
    with pytest.raises(KeyError):
        Representations(COLUMNS)[0]["nothing"]
