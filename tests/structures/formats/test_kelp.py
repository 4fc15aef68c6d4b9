"""KeLP's files: pairs, and faults with their places."""

import gzip
import re

import pytest

from rekern.errors import InputError
from rekern.structures.formats.kelp import KelpExample, from_klp, read_klp, trees_named


def test_forms():
    (pair,) = from_klp(
        "\n1 |<| a |BS:q| How ? |ES||,||<||BT| (S he)|ET| |,| |BDV| 1,2;3 4 |EDV| |>| |>| |BV:f| a:b:1 |EV|\n"
    )
    assert pair.labels == ("1",) and pair.vectors == {"f": {"a:b": 1.0}}
    left, right = pair.sides
    assert left == KelpExample(("a",), {"q": "How ?"})
    assert right.sides == (KelpExample(trees={"0": "(S he)"}), KelpExample(dense={"0": (1.0, 2.0, 3.0, 4.0)}))
    assert trees_named([pair.sides[1]], "0", side=0)[0] == "(S he)"
    with pytest.raises(InputError, match="not a pair"):
        trees_named([left], "q", side=0)
    assert from_klp("") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A |BT:t| (S (NP he) |ET|", "line 2, column 10: this bracket is never closed"),
        ("A |BT:t|   (S he)) |ET|", "line 2, column 18: this bracket closes nothing"),
        ("A |BT:t| (S he)", "line 2, column 3: |BT:t| is never closed; end it with |ET|"),
        ("A |BS:t| he |ES| |BT:t| (S) |ET|", "line 2, column 18: a second representation with the name 't'"),
        ("A |BV:v| a |EV|", "line 2, column 3: features are name:value, each once"),
        ("A |BV:v| a:x |EV|", "line 2, column 3: 'x' is not a number"),
        ("A |BV:v| a:nan |EV|", "line 2, column 3: 'nan' is not a number"),
        ("A |BV:v| a:1 a:2 |EV|", "line 2, column 3: features are name:value, each once"),
        ("A |BDV:v| 1 inf |EDV|", "line 2, column 3: 'inf' is not a number"),
        ("A |<| |BS:t| he |ES| |>|", "line 2, column 22: |>| is out of place; a pair is |<| example |,| example |>|"),
        ("A |<| |BS:t| he |ES| |,| |BS:t| he |ES|", "line 2, column 40: a pair ends with |>|"),
        ("A |BS:t| he |ES| more", "line 2, column 18: nothing more belongs here"),
        ("A |>|", "line 2, column 1: this belongs to no representation"),
        ("he runs", "line 2, column 1: no representation"),
    ],
)
def test_faults_have_a_place(line, message):
    with pytest.raises(InputError) as error:
        from_klp(f"A |BT:t| (S) |ET|\n{line}\n")
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["TREC_10.coarse.klp.gz", "train_5500.coarse.klp.gz"])
def test_real_files(corpora, name):
    path = corpora / "trec_qc" / "kelp_trees" / name
    if not path.exists():
        pytest.skip("KeLP's trees of the TREC questions are not here")
    found = read_klp(path)
    assert len(found) in (500, 5452)
    assert set(found[0].trees) == {"grct", "lct", "loct", "cgrct", "clct"}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line, example in zip(lines, found[:500]):
            assert example.labels == (line.split()[0],)
            written = {"S": example.texts, "T": example.trees}
            written["V"] = {
                name: " ".join(f"{word}:{value}" for word, value in bag.items())
                for name, bag in example.vectors.items()
            }
            for kind, name, content in re.findall(r"\|B(\w):(\w+)\| (.*?) \|E\1\|", line):
                assert written[kind].pop(name) == content
            assert not any(written.values())
