"""KeLP's files: round trips, pairs, and faults with their places."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.formats.kelp import KelpExample, from_klp, read_klp, to_klp, trees_named, write_klp

NAMES = st.text("abcXYZ_-", min_size=1, max_size=3)
TREES = st.sampled_from(["(LEX##dog::n)", "(SYNT##root(POS##NN(LEX##a|b::n)))", "(S(NP(he))(VP(runs)))", "()"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
FEATURES = st.text("ab:_?|é", min_size=1, max_size=3)


@st.composite
def examples(draw, depth=2):
    names = iter(draw(st.lists(NAMES, unique=True, min_size=5, max_size=5)))

    def some(values):
        return {next(names): draw(values)} if draw(st.booleans()) else {}

    sides = (draw(examples(depth - 1)), draw(examples(depth - 1))) if depth and draw(st.booleans()) else ()
    texts = some(st.text("he runs|,<>é", max_size=9).map(str.strip).filter(lambda text: "|E" not in text))
    vectors = some(st.dictionaries(FEATURES, NUMBERS, max_size=3))
    dense = some(st.lists(NUMBERS, max_size=3).map(tuple))
    trees = some(TREES)
    others = some(st.just(("SQ", "(he)(runs)")))
    if not (texts or vectors or dense or trees or others or sides):
        trees = {"t": "(S)"}
    labels = draw(st.lists(st.sampled_from(["NUM", "+1", "score:0.5"]), max_size=2).map(tuple))
    return KelpExample(labels, texts, vectors, dense, trees, others, sides)


@settings(deadline=None, max_examples=50)
@given(st.lists(examples(), max_size=3))
def test_what_is_written_is_read_back(found):
    text = to_klp(found)
    assert from_klp(text) == found
    assert to_klp(from_klp(text)) == text


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
        ("A |BV:v| a |EV|", "line 2, column 10: 'a' is no feature"),
        ("A |BV:v| a:x |EV|", "line 2, column 10: 'x' is no number"),
        ("A |BV:v| a:nan |EV|", "line 2, column 10: 'nan' is no number"),
        ("A |BV:v| a:1 a:2 |EV|", "line 2, column 10: the feature 'a' comes twice"),
        ("A |BDV:v| 1 inf |EDV|", "line 2, column 11: 'inf' is no number"),
        ("A |<| |BS:t| he |ES| |>|", "line 2, column 22: |,| and the second example of the pair are missing"),
        ("A |<| |BS:t| he |ES| |,| |BS:t| he |ES|", "line 2, column 40: the pair is never closed"),
        ("A |BS:t| he |ES| more", "line 2, column 18: nothing more belongs here"),
        ("A |>|", "line 2, column 3: a representation is needed here"),
        ("he runs", "line 2, column 1: no representation"),
    ],
)
def test_faults_have_a_place(line, message):
    with pytest.raises(InputError) as error:
        from_klp(f"A |BT:t| (S) |ET|\n{line}\n")
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "example",
    [
        KelpExample(("a b",), {"t": "x"}),
        KelpExample(("",), {"t": "x"}),
        KelpExample(),
        KelpExample(texts={"t": "x |ET| y"}),
        KelpExample(texts={"t": "two\nlines"}),
        KelpExample(texts={"t u": "x"}),
        KelpExample(trees={"t": "(S"}),
        KelpExample(vectors={"v": {"a b": 1.0}}),
        KelpExample(dense={"v": (float("nan"),)}),
        KelpExample(sides=(KelpExample(texts={"t": "x"}),)),
    ],
)
def test_what_cannot_be_written(example, tmp_path):
    with pytest.raises(InputError, match=r"^example 1(, line 1, column 1)?: "):
        write_klp(tmp_path / "x.klp", [KelpExample(texts={"t": "x"}), example])
    assert not list(tmp_path.iterdir())


def test_pairs_in_pairs_without_end(tmp_path):
    example = KelpExample(texts={"t": "he runs"})
    for _ in range(5000):
        example = KelpExample(sides=(example, example))
    with pytest.raises(InputError, match="example 0: pairs in pairs, too deep"):
        write_klp(tmp_path / "deep.klp", [example])


@pytest.mark.parametrize("name", ["TREC_10.coarse.klp.gz", "train_5500.coarse.klp.gz"])
def test_real_files(corpora, name):
    path = corpora / "trec_qc" / "kelp_trees" / name
    if not path.exists():
        pytest.skip("KeLP's trees of the TREC questions are not here")
    found = read_klp(path)
    assert len(found) in (500, 5452)
    assert set(found[0].trees) == {"grct", "lct", "loct", "cgrct", "clct"}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line, written in zip(lines, to_klp(found[:500]).splitlines()):
            assert written == line.rstrip()
