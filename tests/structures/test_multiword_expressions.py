"""Multiword expressions: the counts against the definition, files, and joining in every tokenizer."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from reference import expressions as reference
from rekern import PairClassifier, load_model
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall
from rekern.structures import Expression, Expressions, Tokenizer, Tokens, multiword_expressions

documents = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", ","]), max_size=9), max_size=12)
sizes = st.sampled_from([(2, 2), (2, 4), (3, 3), (2, 8)])
TEXTS = ["He came in spite of rain", "in spite of it all", "rain of spite in it", "all came", "he came"]


def counted(learned):
    return {tuple(row.text.split(" ")): (row.documents, row.together) for row in learned.rows_}


@settings(deadline=None, max_examples=60)
@given(documents, sizes, st.integers(1, 3), st.sampled_from([0.0, 0.3, 1.0]))
def test_learns_what_the_definition_says(texts, sizes, min_documents, max_distance):
    learned = Expressions(sizes, min_documents, max_distance).fit(iter(texts))
    wanted = reference.expressions(texts, *sizes, min_documents)
    near = {ngram: row for ngram, row in wanted.items() if row[3] <= max_distance + 1e-12}
    found = counted(learned)
    # a normalised distance may lie exactly at the limit, on either side of it by rounding
    assert all(row[:2] == found[ngram] for ngram, row in near.items() if row[3] < max_distance - 1e-12)
    assert found.items() <= {ngram: row[:2] for ngram, row in near.items()}.items()
    for row in learned.rows_:
        _, _, med, normalized = wanted[tuple(row.text.split(" "))]
        assert row.distance == pytest.approx(med, abs=1e-12)
        assert row.normalized == pytest.approx(normalized, abs=1e-12)
        assert 0 <= row.normalized <= 1 and row.distance >= 0
    keys = [(row.normalized, -row.documents, row.text) for row in learned.rows_]
    assert keys == sorted(keys)
    assert learned.documents_ == len(texts) and learned.min_documents_ == min_documents


@settings(deadline=None, max_examples=50)
@given(documents, st.integers(1, 20), st.integers(1, 2))
def test_with_little_room_the_floor_rises_but_counts_stay_exact(texts, most, min_documents):
    learned = Expressions((2, 3), min_documents, 1.0, most=most).fit(texts)
    wanted = reference.expressions(texts, 2, 3, learned.min_documents_)
    assert learned.min_documents_ >= min_documents and len(learned.rows_) <= most
    assert counted(learned) == {ngram: row[:2] for ngram, row in wanted.items()}


def test_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    texts = [[f"w{n}" for n in rng.geometric(0.1, rng.integers(0, 30))] for _ in range(400)]
    whole = Expressions(min_documents=3, max_distance=1.0).fit(texts)
    monkeypatch.setattr(multiword_expressions, "BATCH", 7)
    assert Expressions(min_documents=3, max_distance=1.0).fit(texts).rows_ == whole.rows_


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=5),
)
def test_joins_from_left_to_right_the_longest_first(tokens, given_expressions):
    wanted = reference.joined(tokens, given_expressions)
    texts = [" ".join(expression) for expression in given_expressions]
    tokenizer = Tokenizer(language=None, expressions=texts)
    assert tokenizer(" ".join(tokens)) == wanted
    assert list(Tokens.from_texts([" ".join(tokens)] * 2, tokenizer)) == [wanted] * 2
    learned = Expressions()
    learned.rows_ = [Expression(text, 1, 1, 0.0, 0.0) for text in texts]
    assert learned.join(tokens) == wanted


def test_tokenizer_finishes_expressions_like_texts():
    tokenizer = Tokenizer(expressions=["United  States", "U.S. dollars", "do n't", "single", "", "ends here."])
    assert tokenizer("The UNITED states don't like U.S. dollars") == [
        "the", "unit_state", "do_n't", "like", "u.s._dollar",
    ]  # fmt: skip
    assert tokenizer("single") == ["singl"] and tokenizer("") == []
    assert Tokenizer(lowercase=False, language=None, expressions=["New York"])("new york New York") == [
        "new", "york", "New_York",
    ]  # fmt: skip
    assert Tokenizer(expressions=[])("as it is") == Tokenizer()("as it is")
    assert Tokenizer(expressions=["a, b"], punctuation=False)("a, b a b") == ["a_b", "a_b"]


@settings(deadline=None)
@given(st.text() | st.text(alphabet="New York's. U"), st.booleans())
def test_tokens_as_written_stand_beside_the_finished_ones(text, punctuation):
    for found in (None, ["new york", "york new york", "'s u"]):
        tokenizer = Tokenizer(punctuation=punctuation, expressions=found)
        assert len(tokenizer.as_written()(text)) == len(tokenizer(text))
    assert "".join(Tokenizer().as_written()(text)) == "".join(Tokenizer(None, lowercase=False)(text))


def test_what_is_no_list_of_texts_is_refused():
    for value, words in (
        ("in spite of", "must be a list of texts, not a str"),
        ([3], "expression 0 is the number 3"),
        (["fine", None], "expression 1 is None"),
    ):
        with pytest.raises(InputError, match=words):
            Tokenizer(expressions=value)("text")
        with pytest.raises(InputError, match=words):
            Tokens.from_texts(["text"], Tokenizer(expressions=value))


def test_kernels_models_and_their_files_know_joined_tokens(tmp_path):
    found = Expressions(min_documents=2, max_distance=0.5).fit(TEXTS).texts_
    assert "in spite of" in found
    tokenizer = Tokenizer(expressions=found)
    assert clone(tokenizer).get_params() == tokenizer.get_params()
    kernel = Rewriting(k=(1, 2), tokenizer=tokenizer) + PrecisionRecall(tokenizer)
    pairs = [(TEXTS[i], TEXTS[j]) for i in range(5) for j in range(5)]
    labels = [int(i % 2 == j % 2) for i in range(5) for j in range(5)]
    ready = [(tokenizer(one), tokenizer(other)) for one, other in pairs]
    np.testing.assert_array_equal(kernel.gram(pairs), kernel.gram(ready))
    assert not np.array_equal(kernel.gram(pairs), (Rewriting(k=(1, 2)) + PrecisionRecall()).gram(pairs))
    model = PairClassifier(kernel=kernel).fit(pairs, labels)
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert loaded.kernel.left.tokenizer.expressions == found
    np.testing.assert_array_equal(loaded.decision_function(pairs), model.decision_function(pairs))
    assert any("in_spite_of" in rule.rule for side in model.rules(200) for rule in side)


def test_saves_and_loads(tmp_path):
    learned = Expressions((2, 3), 1, 0.8).fit(TEXTS)
    learned.save(tmp_path / "found.json")
    again = Expressions.load(tmp_path / "found.json")
    assert again.rows_ == learned.rows_ and again.documents_ == len(TEXTS)
    assert (again.sizes, again.min_documents, again.max_distance) == ((2, 3), 1, 0.8)
    text = (tmp_path / "found.json").read_text()
    assert "in spite of" in text and text.isascii()


def changed(content, **changes):
    return json.dumps({**content, **changes}).encode()


def test_damaged_files_are_refused_in_one_line(tmp_path):
    path = tmp_path / "found.json"
    Expressions(min_documents=2).fit(TEXTS).save(path)
    good = json.loads(path.read_text())
    bad = [
        (b"", "not JSON"), (b"\xff\xfe", "not UTF-8"), (b"[" * 100_000, "not JSON"),
        (b"[]", "format"), (b"{}", "format"),
        (changed(good, version=2), "version is 2"),
        (changed(good, sizes=[2, 99]), "out of range"),
        (changed(good, sizes="ab"), "sizes"),
        (changed(good, max_distance="x"), "max_distance"),
        (changed(good, documents="many"), "wrong type"),
        (changed(good, expressions={"a b": 1}), "wrong type"),
        (changed(good, expressions=[["a b", 3, 2]]), "expression 0 is impossible"),
        (changed(good, expressions=[["a b", 0, 0]]), "expression 0 is impossible"),
        (changed(good, expressions=[[7, 1, 1]]), "expression 0 is impossible"),
        (changed(good, expressions=[["a b", 1, 10**400]]), "impossible"),
        (changed(good, expressions=["ab"]), "not enough values"),
        (json.dumps({k: v for k, v in good.items() if k != "documents"}).encode(), "lacks 'documents'"),
    ]  # fmt: skip
    for content, words in bad:
        path.write_bytes(content)
        with pytest.raises(InputError, match=words) as caught:
            Expressions.load(path)
        assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    with pytest.raises(InputError, match="there is no file"):
        Expressions.load(tmp_path / "absent.json")


def test_odd_collections():
    assert Expressions().fit([]).rows_ == [] and Expressions().fit(["", "", ""]).rows_ == []
    assert Expressions(min_documents=1).fit(["one"]).rows_ == []
    same = Expressions(min_documents=1).fit(["to be"] * 3).rows_
    assert same == [Expression("to be", 3, 3, 0.0, 0.0)]
    assert Expressions(min_documents=1).fit(["x" * 100 + " y", "🙂 🙂 !", "a \ud800 b"]).texts_ == []
    long = Expressions((2, 2), 1, 1.0).fit([["ha"] * 100_000, ["ha"]]).rows_
    assert [(row.text, row.documents, row.together) for row in long] == [("ha ha", 1, 2)]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"sizes": 3}, "two whole numbers"),
        ({"sizes": (1, 2)}, "out of range"),
        ({"sizes": (4, 2)}, "out of range"),
        ({"sizes": (2, 9)}, "out of range"),
        ({"sizes": (2, True)}, "two whole numbers"),
        ({"min_documents": 0}, "min_documents=0: give a whole number from 1 to"),
        ({"min_documents": 2.5}, "min_documents=2.5: give a whole number from 1 to"),
        ({"most": 0}, "most=0: give a whole number from 1 to"),
        ({"max_distance": float("nan")}, "max_distance=nan: give a number of at least 0 and at most 1"),
        ({"max_distance": "0.5"}, "max_distance='0.5': give a number of at least 0 and at most 1"),
    ],
)
def test_impossible_settings_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        Expressions(**parameters).fit(["a b"])


def test_bad_documents_are_named():
    with pytest.raises(InputError, match="a list of texts is needed, got a str"):
        Expressions().fit("one text")
    with pytest.raises(InputError, match="row 10001: the text is None"):
        Expressions().fit(["a"] * 10_001 + [None])
    with pytest.raises(InputError, match="row 0: token 1 is the number 3"):
        Expressions().fit([["a", 3]])


def test_before_fit_and_with_numpy_settings(tmp_path):
    for use in (lambda: Expressions().texts_, lambda: Expressions().join(["a"]), lambda: Expressions().save(tmp_path)):
        with pytest.raises(ValueError, match=r"not fitted yet: call fit\(texts\)"):
            use()
    with pytest.raises(InputError, match="a list of texts is needed"):
        Expressions().fit(None)
    learned = Expressions((np.int64(2), np.int64(3)), np.int64(1), np.float32(0.5)).fit(["so far", "so good"])
    learned.save(tmp_path / "found.json")
    assert Expressions.load(tmp_path / "found.json").texts_ == learned.texts_
