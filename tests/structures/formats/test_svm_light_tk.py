"""SVM-LIGHT-TK lines: round trips and faults with their places."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.formats.svm_light_tk import (
    TKExample,
    from_svmlighttk,
    read_svmlighttk,
    to_svmlighttk,
    write_svmlighttk,
)

TREES = st.sampled_from(["(S (NP he) (VP runs))", "(dog)", "()", "(S a|b)", "(S (# #))"])
VECTORS = st.dictionaries(st.integers(0, 10**9), st.floats(allow_nan=False, allow_infinity=False), max_size=3)
LINES = st.builds(
    TKExample,
    st.sampled_from(["1", "-1", "+1", "0.25"]),
    st.lists(TREES, max_size=3).map(tuple),
    st.lists(VECTORS, max_size=3).map(tuple),
)


@settings(deadline=None)
@given(st.lists(LINES, max_size=4))
def test_what_is_written_is_read_back(found):
    assert from_svmlighttk(to_svmlighttk(found)) == found


def test_forms(tmp_path):
    lines = ["# head", "", "1 1:0.5 3:2 # plain", "-1 |BT| (S he)|BT|(S (# #))\t|ET|"]
    lines += ["+1 |ET| 2:1 |EV| # x", "0 |BV| 2:1 |EV| # y", "1"]
    path = tmp_path / "train.dat"
    path.write_text("\n".join(lines))
    assert read_svmlighttk(path) == [
        TKExample("1", (), ({1: 0.5, 3: 2.0},)),
        TKExample("-1", ("(S he)", "(S (# #))")),
        TKExample("+1", (), ({2: 1.0},)),
        TKExample("0", (), ({}, {2: 1.0})),
        TKExample("1"),
    ]
    write_svmlighttk(tmp_path / "again.dat.gz", [TKExample("1", ("(S he)",))])
    assert read_svmlighttk(tmp_path / "again.dat.gz") == [TKExample("1", ("(S he)",))]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 |BT| (S (NP he) |ET|", "line 2, column 8: this bracket is never closed"),
        ("1 |BT| (S he) |BT| he |ET|", "line 2, column 20: a tree begins with a bracket"),
        ("1 |BT| (S he)", "line 2, column 3: the trees are never closed"),
        ("1 |ET| 1:1 |BV| 2:1", "line 2: the vectors are never closed"),
        ("1 |BT| (S) |ET| 1:1 |BT| (S) |EV|", "line 2: a tree behind |ET|"),
        ("NUM |BT| (S he) |ET|", "line 2: a line begins with a number, its label; found 'NUM'"),
        ("|BT| (S he) |ET|", "line 2: a line begins with a number, its label; found ''"),
        ("1 2 |BT| (S he) |ET|", "line 2: '2' stands between the label and |BT|"),
        ("1 |BT| (S he) |ET| x:1 |EV|", "line 2: 'x:1' is no feature"),
        ("1 |BT| (S he) |ET| 1:nan |EV|", "line 2: '1:nan' is no feature"),
        ("1 |BT| (S he) |ET| 1:1 1:2 |EV|", "line 2: the feature 1 comes twice"),
    ],
)
def test_faults_have_a_place(line, message):
    with pytest.raises(InputError) as error:
        from_svmlighttk(f"1 |BT| (S) |ET|\n{line}\n")
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        TKExample("NUM"),
        TKExample("1 2"),
        TKExample("1", ("(S",)),
        TKExample("1", ("(S |BT|)",)),
        TKExample("1", (), ({-1: 1.0},)),
        TKExample("1", (), ({1: float("inf")},)),
    ],
)
def test_what_cannot_be_written(line):
    with pytest.raises(InputError, match=r"^line 1"):
        to_svmlighttk([TKExample("1", ("(S)",)), line])
