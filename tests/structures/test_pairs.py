"""Pairs from every kind of table, and what is said about rows that are none."""

from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures import Pairs, Tokenizer, Tokens, as_pairs, as_texts
from rekern.structures.pairs import check_one_pair

SOURCES, TARGETS = ["one two", "", "three"], ["four", "five six", "seven"]
ROWS = list(zip(SOURCES, TARGETS))
ITEMS = [(s.split(), t.split()) for s, t in ROWS]
side = st.text(max_size=8) | st.lists(st.text(max_size=4), max_size=4)


def pandas_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def dataset(columns):
    return pytest.importorskip("datasets").Dataset.from_dict(columns)


TABLES = [pandas_frame, polars_frame, arrow_table, dataset, dict]
Row = namedtuple("Row", "left right")


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        tuple(ROWS),
        [list(row) for row in ROWS],
        [Row(*row) for row in ROWS],
        (row for row in ROWS),
        np.array(ROWS),
        np.array(ROWS, dtype=object),
        [np.array(row) for row in ROWS],
        [{"source": s, "target": t, "label": 1} for s, t in ROWS],
    ],
)
def test_rows(rows):
    assert as_pairs(rows) == (SOURCES, TARGETS)


@pytest.mark.parametrize("table", TABLES)
def test_tables(table):
    assert as_pairs(table({"source": SOURCES, "target": TARGETS})) == (SOURCES, TARGETS)
    assert as_pairs(table({"left": SOURCES, "right": TARGETS})) == (SOURCES, TARGETS)
    assert as_pairs(table({"target": TARGETS, "source": SOURCES})) == (SOURCES, TARGETS)
    assert as_pairs(table({"id": [1, 2, 3], "target": TARGETS, "x": SOURCES, "source": SOURCES})) == (SOURCES, TARGETS)
    assert as_pairs(table({"source": [], "target": []})) == ([], [])
    with pytest.raises(InputError, match="needs the columns source and target, or two columns alone; it has a, b, c"):
        as_pairs(table({"a": SOURCES, "b": TARGETS, "c": TARGETS}))
    with pytest.raises(InputError, match=r"as in X\[\['text1', 'text2'\]\]"):
        as_pairs(table({"id": TARGETS, "text1": SOURCES, "text2": TARGETS}))
    with pytest.raises(InputError, match="two columns alone; it has source"):
        as_pairs(table({"source": SOURCES}))


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_token_lists(table):
    columns = {"source": [s for s, _ in ITEMS], "target": [t for _, t in ITEMS]}
    assert list(Pairs.from_items(table(columns))) == ITEMS


@pytest.mark.parametrize("table", TABLES)
def test_missing_values_in_tables(table):
    with pytest.raises(
        InputError, match=r"^row 1, target: the text is (None|NaN|missing); drop the row or give it a text"
    ):
        Pairs.from_items(table({"source": ["a", "b"], "target": ["c", None]}))


@pytest.mark.parametrize("table", TABLES)
def test_texts_of_tables(table):
    assert as_texts(table({"text": SOURCES})) == SOURCES
    with pytest.raises(InputError, match="one column of texts is needed, got 2: a, b"):
        as_texts(table({"a": SOURCES, "b": TARGETS}))


def test_texts_of_columns():
    columns = {"text": SOURCES}
    for texts in (SOURCES, tuple(SOURCES), iter(SOURCES), np.array(SOURCES), np.array(SOURCES)[:, None]):
        assert as_texts(texts) == SOURCES
    for table in TABLES:
        assert as_texts(table(columns)["text"]) == SOURCES
    assert as_texts(Tokens.from_texts(["a b", "c"])) == [["a", "b"], ["c"]]


def test_rows_of_a_pandas_frame():
    frame = pandas_frame(np.array(ROWS, dtype=object))
    named = frame.set_axis(["target", "source"], axis=1).assign(id=7)
    expected = as_pairs(ROWS)
    assert as_pairs([row for _, row in frame.iterrows()]) == expected
    assert as_pairs([row for _, row in named.iterrows()]) == expected[::-1]
    with pytest.raises(InputError, match=r"row 1: a table of pairs needs .*; it has 0, 1, id"):
        as_pairs([ROWS[0], frame.assign(id=7).iloc[0]])


def test_pandas_frames_of_two_columns_with_one_name_or_numbers():
    frame = pandas_frame(np.array(ROWS, dtype=object))
    assert as_pairs(frame) == (SOURCES, TARGETS)
    frame.columns = ["text", "text"]
    frame.index = [7, 7, 9]
    assert as_pairs(frame) == (SOURCES, TARGETS)


def test_lazy_frames_and_dataset_dictionaries_say_what_to_give():
    with pytest.raises(InputError, match=r"a LazyFrame holds no rows yet; give X\.collect"):
        as_pairs(polars_frame({"source": SOURCES, "target": TARGETS}).lazy())
    parts = pytest.importorskip("datasets").DatasetDict({"train": dataset({"source": SOURCES, "target": TARGETS})})
    with pytest.raises(InputError, match="this dataset has the parts train; give one of them"):
        as_pairs(parts)


def test_streamed_datasets():
    stream = dataset({"id": [1, 2, 3], "source": SOURCES, "target": TARGETS}).to_iterable_dataset()
    assert as_pairs(stream) == (SOURCES, TARGETS)


def test_columns_of_different_length():
    with pytest.raises(InputError, match="the columns differ in length: 3 sources, 2 targets"):
        as_pairs({"source": SOURCES, "target": TARGETS[:2]})


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("abc", "a list of pairs is needed, got a str; for one pair write [(source, target)]"),
        (b"abc", "a list of pairs is needed, got bytes; for one pair write [(source, target)]"),
        (None, "a list of pairs is needed, got None"),
        (5, "a list of pairs is needed, got the number 5"),
        ({("a", "b")}, "a list of pairs is needed, got a set, which has no order"),
        (np.array(3), "a list of pairs is needed, got an array with 0 dimensions"),
        (("a b", "c d"), "a list of pairs is needed, got two texts; for one pair write [(source, target)]"),
        (["a b", "c d"], "a list of pairs is needed, got two texts; for one pair write [(source, target)]"),
        (["a b", "c d", "e"], "row 0: a pair needs two sides, got a str; write (source, target)"),
        ([("a", "b", "c")] * 2, "a list of pairs is needed, got two lists of 3; write list(zip(sources, targets))"),
        ([("a", "b"), "cd"], "row 1: a pair needs two sides, got a str; write (source, target)"),
        ([("a", "b"), ("a", "b", "c")], "row 1: a pair needs two sides, got 3"),
        ([("a", "b"), ()], "row 1: a pair needs two sides, got 0"),
        ([("a", "b"), None], "row 1: a pair needs two sides, got None; write (source, target)"),
        (
            [{"source": "a", "label": 1}],
            "row 0: no 'target' among source, label; a row needs the keys source and target",
        ),
        (np.array([["a", "b", "c"]]), "an array of pairs needs two columns, source and target, got 3"),
    ],
)
def test_no_pairs(X, message):
    with pytest.raises(InputError) as caught:
        as_pairs(X)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([("a", None)], "row 0, target: the text is None; drop the row or give it a text (an empty one will do)"),
        ([("a", "b"), (float("nan"), "b")], "row 1, source: the text is NaN; drop the row or give it a text"),
        ([("a", ["b", 3])], "row 0, target: token 1 is the number 3; a list of tokens holds str only"),
        (np.array([["a", 3.5]], dtype=object), "row 0, target: the text is the number 3.5; give a str or a list"),
    ],
)
def test_bad_sides(X, message):
    with pytest.raises(InputError) as caught:
        Pairs.from_items(X)
    assert str(caught.value).startswith(message)


def test_token_lists_are_verbatim():
    assert Pairs.from_items([(["a", "b"], ["c"])])[0] == (["a", "b"], ["c"])
    assert Pairs.from_items([[["A", "b"], ["C", "d"]]])[0] == (["A", "b"], ["C", "d"])
    assert list(Pairs.from_items(np.array([[["A", "b"], ["C", "d"]]]))) == [(["A", "b"], ["C", "d"])]
    assert list(Pairs.from_items([["A", "b"], ["C", "d"]])) == [(["a"], ["b"]), (["c"], ["d"])]


@settings(deadline=None)
@given(st.lists(st.tuples(side, side), max_size=6), st.data())
def test_pairs_are_texts_in_turn(rows, data):
    tokenizer = Tokenizer(punctuation=False)
    pairs = Pairs.from_items(rows, tokenizer)
    wanted = [tuple(tokenizer(x) if isinstance(x, str) else x for x in row) for row in rows]
    assert len(pairs) == len(rows)
    assert list(pairs) == wanted
    assert list(pairs.tokens) == [x for row in wanted for x in row]
    assert as_pairs(pairs) == ([s for s, _ in wanted], [t for _, t in wanted])
    assert list(Pairs.from_items(list(pairs))) == wanted
    part = data.draw(st.slices(len(rows)))
    assert list(pairs[part]) == wanted[part]
    assert pairs[part].tokens.vocabulary is pairs.tokens.vocabulary
    if rows:
        chosen = data.draw(st.lists(st.integers(-len(rows), len(rows) - 1)))
        assert list(pairs.take(chosen)) == [wanted[i] for i in chosen]
        assert pairs[-1] == wanted[-1]
    with pytest.raises(IndexError):
        pairs[len(rows)]


def test_pairs_are_returned_as_they_are():
    pairs = Pairs.from_items(ROWS)
    assert Pairs.from_items(pairs) is pairs
    assert repr(pairs) == "Pairs(3 pairs, 7 tokens, 7 distinct)"


def test_an_odd_number_of_texts_is_refused():
    with pytest.raises(InputError, match="even number of texts"):
        Pairs(Tokens.from_texts(["a", "b", "c"]))


def test_scikit_learn_can_cut_pairs():
    from sklearn.model_selection import KFold
    from sklearn.utils import _safe_indexing

    pairs = Pairs.from_items(ROWS)
    train, _ = next(iter(KFold(3).split(pairs)))
    assert list(Pairs.from_items(_safe_indexing(pairs, train))) == [pairs[i] for i in train]


@pytest.mark.parametrize(
    "items",
    [
        [("A saw B", "B was seen"), ("C", "D")],
        [("a", "b"), ("c", "d")],
        [["A saw B", "B was seen"], ["C met D", "D was met"]],
        (("A saw B", "B was seen"), ("C met D", "D was met")),
        [(["a"], ["b", "c"]), (["d"], ["e"])],
        np.array([["a", "b"], ["c", "d"]]),
    ],
)
def test_two_pairs_are_not_one(items):
    with pytest.raises(InputError, match=r"^one pair is needed, got a list of two pairs; give one of them"):
        check_one_pair(items)


@pytest.mark.parametrize(
    "item",
    [
        ("a", "b"),
        ["a", "b"],
        (["a", "b"], ["c", "d"]),
        [["a", "b"], ["c", "d"]],
        (("a", "b"), ("c", "d")),
        (["a", "b", "c"], []),
        ("S", ("NP", "he"), ("VP", "runs")),
        (["a", "b"], [(0, 1), (1, 0)]),
        {"source": "a", "target": "b"},
    ],
)
def test_one_pair_is_one(item):
    check_one_pair(item)


def test_one_pair_is_no_list_of_pairs():
    pair = (["a", "cat"], ["the", "cat"])
    with pytest.raises(InputError, match="a list of pairs is needed, got one pair of token lists"):
        as_pairs(pair)
    assert as_pairs([pair]) == ([pair[0]], [pair[1]])
