"""SVM-LIGHT-TK lines: what is read, and faults with their places."""

import gzip

import pytest

from rekern.errors import InputError
from rekern.structures.formats.svm_light_tk import TKExample, from_svmlighttk, read_svmlighttk


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
    (tmp_path / "again.dat.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read_svmlighttk(tmp_path / "again.dat.gz") == read_svmlighttk(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 |BT| (S (NP he) |ET|", "line 2, column 8: this bracket is never closed"),
        ("1 |BT| (S he) |BT| he |ET|", "line 2, column 20: a tree begins with a bracket"),
        ("1 |BT| (S he)", "line 2: trees come right behind the label, and end with |ET|"),
        ("1 |ET| 1:1 |BV| 2:1", "line 2: the vectors are never closed"),
        ("1 |BT| (S) |ET| 1:1 |BT| (S) |EV|", "line 2: trees come right behind the label, and end with |ET|"),
        ("NUM |BT| (S he) |ET|", "line 2: a line begins with a number, its label; 'NUM' is not a number"),
        ("|BT| (S he) |ET|", "line 2: a line begins with a number, its label; '' is not a number"),
        ("1 2 |BT| (S he) |ET|", "line 2: trees come right behind the label, and end with |ET|"),
        ("1 |BT| (S he) |ET| x:1 |EV|", "line 2: 'x:1' is not a feature"),
        ("1 |BT| (S he) |ET| 1:nan |EV|", "line 2: 'nan' is not a number"),
        ("1 |BT| (S he) |ET| 1:1 1:2 |EV|", "line 2: '1:2' is not a feature"),
    ],
)
def test_faults_have_a_place(line, message):
    with pytest.raises(InputError) as error:
        from_svmlighttk(f"1 |BT| (S) |ET|\n{line}\n")
    assert str(error.value).startswith(message) and "\n" not in str(error.value)
