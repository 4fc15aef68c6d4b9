"""Pairs in a corpus: with a model, without one, within a corpus and for queries."""

import numpy as np
import pytest

from rekern import PairClassifier, PairFinder, PairRegressor, TextClassifier
from rekern.datasets import load_rewrites
from rekern.errors import InputError
from rekern.search import pair_finder
from rekern.search.match_log import HEADER, RECORD, open_match_log
from rekern.search.matches import ScoredPairs, group_rows

PAIRS, LABELS = load_rewrites("train", size=160)
TEXTS = list(dict.fromkeys(text for pair in PAIRS[:60] for text in pair))


@pytest.fixture(scope="module")
def model():
    return PairClassifier("rules").fit(PAIRS, LABELS)


@pytest.fixture(scope="module")
def finder(model):
    return PairFinder(model, candidates=6).fit(TEXTS)


def test_queries_are_ranked_by_the_probability_of_the_model(model, finder):
    queries = [source for source, _ in load_rewrites("test", size=10)[0]]
    found = finder.find(queries, top=3)
    everything = finder.find(queries, top=None)
    assert len(everything) > len(found) == 3 * len(queries)
    for number, query in enumerate(queries):
        mine = [match for match in everything if match.source_row == number]
        assert [match.source for match in mine] == [query] * len(mine) and len(mine) <= 6
        expected = model.predict_proba([(query, match.target) for match in mine])[:, 1]
        assert [match.probability for match in mine] == expected.tolist()
        assert expected.tolist() == sorted(expected, reverse=True)
        assert [match for match in found if match.source_row == number] == mine[:3]
        assert all(TEXTS[match.target_row] == match.target for match in mine)
    likely = finder.find(queries, top=None, min_probability=0.5)
    assert list(likely) == [match for match in everything if match.probability >= 0.5]


def test_duplicates_are_pairs_above_the_threshold(model, finder, monkeypatch):
    found = list(finder.find_duplicates())
    assert found and all(match.source_row < match.target_row for match in found)
    assert all(match.probability >= model.threshold_ for match in found)
    rows = [(match.source_row, match.target_row) for match in found]
    assert rows == sorted(set(rows))
    known = {frozenset(pair) for pair, label in zip(PAIRS[:60], LABELS[:60]) if label}
    hits = {frozenset((match.source, match.target)) for match in found} & known
    assert len(hits) > 0.6 * len(known)
    monkeypatch.setattr(pair_finder, "PAIRS", 7)  # pairs at a time
    assert list(finder.find_duplicates()) == found
    assert list(finder.set_params(n_jobs=2).find_duplicates()) == found
    blocks = list(finder.score_duplicates())
    resumed = list(finder.score_duplicates(first=3))
    assert [block.sources.tolist() for block in blocks[3:]] == [block.sources.tolist() for block in resumed]
    best = list(finder.find_duplicates(top=1, min_probability=0.0))
    for match in finder.find_duplicates(min_probability=0.0):
        mine = [other for other in best if {match.source_row, match.target_row} & {other.source_row, other.target_row}]
        assert mine and max(other.probability for other in mine) >= match.probability


def test_without_a_model_the_score_ranks():
    finder = PairFinder(candidates=4).fit(TEXTS)
    found = finder.find(TEXTS[:5], top=2)
    assert found.probabilities is None and "probability" not in found.to_columns()
    assert all(one.score >= two.score for one, two in zip(found, list(found)[1:]) if one.source_row == two.source_row)
    assert found[0].source == found[0].target  # the text itself, which is in the corpus
    assert all(match.source_row != match.target_row for match in finder.find_duplicates(top=1))
    assert finder.explain(TEXTS[0], 0).parts[0].kind == "word"


def test_duplicates_are_found_from_both_sides():
    # "common" alone is among the candidates of nobody else, but it has candidates itself
    corpus = ["rare word common", "rare word common", "rare word common", "common"]
    pairs = {(match.source_row, match.target_row) for match in PairFinder(candidates=1).fit(corpus).find_duplicates()}
    assert (0, 3) in pairs and (0, 1) in pairs


def test_one_class_of_three():
    labels = [("no", "yes", "maybe")[label if row % 3 else 2] for row, label in enumerate(LABELS)]
    model = PairClassifier("rules").fit(PAIRS, labels)
    with pytest.raises(InputError, match=r"3 classes \(maybe, no, yes\): say with label"):
        PairFinder(model).fit(TEXTS)
    found = PairFinder(model, label="yes").fit(TEXTS[:20]).find_duplicates(min_probability=0.0)
    expected = model.predict_proba(list(zip(found.sources, found.targets)))[:, 2]
    np.testing.assert_array_equal(found.probabilities, expected)


def test_models_that_cannot_match(model):
    for other, message in (
        (PairRegressor("rules").fit(PAIRS[:20], LABELS[:20]), "PairRegressor does not say whether"),
        (TextClassifier(calibration=0).fit(["a b", "c d"], [0, 1]), "TextClassifier does not say whether"),
        (PairClassifier("rules", calibration=0).fit(PAIRS, LABELS), "has no probabilities"),
    ):
        with pytest.raises(InputError, match=message):
            PairFinder(other).fit(TEXTS)
    with pytest.raises(InputError, match="candidates=0"):
        PairFinder(model, candidates=0).fit(TEXTS)
    with pytest.raises(InputError, match="call fit first"):
        PairFinder(model).find(["a"])


def test_explanations_are_those_of_the_model(model, finder):
    match = finder.find_duplicates()[0]
    why = finder.explain(match.source, match.target_row)
    assert why.decision == pytest.approx(model.decision_function([(match.source, match.target)])[0])


def test_odd_corpora(model):
    for corpus in ([], [""], ["", ""], ["same", "same", "same"]):
        finder = PairFinder(model).fit(corpus)
        assert len(finder.find([])) == 0 and len(finder.find([""])) == 0
        found = finder.find_duplicates(min_probability=0.0)
        assert len(found) == (3 if corpus[:1] == ["same"] else 0)
        assert [sorted(group) for group in found.group_rows()] == ([[0, 1, 2]] if len(found) else [])


def test_matches_are_shown_in_a_few_lines(finder):
    found = finder.find([f"{finder.index_.read_text(0)} " * 9] * 9, top=2)
    lines = repr(found).splitlines()
    assert len(found) > 3 and lines[0] == f"<Matches: {len(found)} pairs>" and lines[-1] == "  …" and len(lines) == 5
    assert all("(probability 0." in line and len(line) < 160 for line in lines[1:4])


def test_groups_are_what_pairs_connect():
    sources, targets = np.array([7, 2, 5, 0]), np.array([9, 3, 2, 8])
    assert group_rows(sources, targets) == [[2, 3, 5], [0, 8], [7, 9]]
    assert group_rows(sources[:0], targets[:0]) == []


def test_a_log_goes_on_where_it_was(tmp_path):
    path, state = tmp_path / "log", {"corpus": "a"}
    block = ScoredPairs(np.array([0, 1]), np.array([2, 3]), np.array([0.5, 0.25]), np.array([0.75, 1.0]))
    with pytest.raises(KeyboardInterrupt), open_match_log(path, state, True) as log:
        log.append(block)
        raise KeyboardInterrupt
    size = path.stat().st_size
    assert size == HEADER + 2 * RECORD.itemsize
    with open(path, "ab") as stream:
        stream.write(b"half a record")  # what a kill leaves behind
    with pytest.raises(KeyboardInterrupt), open_match_log(path, state, True) as log:
        assert log.done == 1 and path.stat().st_size == size
        raise KeyboardInterrupt
    with open_match_log(path, state, True) as log:
        log.append(block)
        found = list(log.read_blocks(size=3))
        assert [part.sources.tolist() for part in found] == [[0, 1, 0], [1]]
        assert found[0].probabilities.tolist() == [0.75, 1.0, 0.75]
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"x" * 2000, b'{"corpus": "a", "done": 3, "pairs": 9}'])
def test_a_log_of_something_else_is_not_used(tmp_path, content):
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(KeyboardInterrupt), open_match_log(path, {"corpus": "a"}, False) as log:
        assert log.done == 0
        raise KeyboardInterrupt
    assert not path.exists()
