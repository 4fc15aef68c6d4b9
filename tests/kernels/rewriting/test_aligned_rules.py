"""The compiled cores against each other and against the rules of the definition, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import corpora, pairs, texts, windows
from reference.rewriting import WILDCARD, rewriting_features
from rekern.kernels import Rewriting
from rekern.kernels.rewriting.aligned_rules import find_constants
from rekern.kernels.rewriting.aligned_rules_core import list_long_rules
from rekern.kernels.rewriting.rule_text import PairWords, find_matches
from rekern.kernels.rewriting.short_aligned_rules_core import list_short_rules
from rekern.kernels.strings.pattern_text import quote_token
from rekern.structures import Pairs

LIMIT = 1 << 24  # rules of a pair


def arrays(corpus):
    tokens = Pairs.from_items(corpus).tokens
    return tokens.ids, tokens.offsets, tokens.token_keys()


def words_of(source, target):
    return PairWords.from_pair(Pairs.from_items([(source, target)]), 0)


def by_row(indptr, keys, values):
    return [
        dict(zip(keys[a:b].tolist(), values[a:b].tolist())) for a, b in zip(indptr[:-1].tolist(), indptr[1:].tolist())
    ]


def text_of(rule, wildcards):
    """A rule of the reference as the package writes it."""
    source, target, alignment = rule
    number = {i: n + 1 for n, (i, _) in enumerate(alignment)}
    number2 = {j: number[i] for i, j in alignment}

    def side(pattern, numbers):
        sign = (lambda i: f"⟨{numbers[i]}⟩") if wildcards == "aligned" else (lambda i: "∗")
        return " ".join(sign(i) if element is WILDCARD else element for i, element in enumerate(pattern))

    return f"{side(source, number)} → {side(target, number2)}"


@settings(max_examples=50, deadline=None)
@given(corpora("ab", 9) | corpora("abcdef", 9), st.tuples(st.integers(1, 6), st.integers(1, 6)), st.floats(0.5, 1))
def test_short_rules_equal_general_rules(corpus, window, decay):
    ids, offsets, token_keys = arrays(corpus)
    factors = (decay, *find_constants(window, 1))
    general = list_long_rules(ids, offsets, token_keys, window, 1, *factors, LIMIT)
    short = list_short_rules(ids, offsets, token_keys, window, *factors, LIMIT)
    assert general[3] == short[3] == -1
    assert by_row(*general[:3]) == by_row(*short[:3])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([2, 9, 60]), st.sampled_from([(1, 1), (2, 3), (4, 4), (6, 5)]))
def test_long_texts_have_the_general_rules(seed, words, window):
    """Texts of more than 64 tokens are looked at in strips; those that end with a strip are among them."""
    chance = np.random.default_rng(seed)
    most = {2: 12, 9: 80, 60: 200}[words]
    lengths = [chance.integers(1, most), 64 if words > 2 else 6, chance.integers(1, most), min(most, 127)]
    sides = [list(map(str, chance.integers(0, words, length))) for length in lengths]
    ids, offsets, token_keys = arrays([tuple(sides[:2]), tuple(sides[2:])])
    factors = (0.5, *find_constants(window, 1))
    general = list_long_rules(ids, offsets, token_keys, window, 1, *factors, LIMIT)
    short = list_short_rules(ids, offsets, token_keys, window, *factors, LIMIT)
    assert general[3] == short[3] == -1
    assert by_row(*general[:3]) == by_row(*short[:3])


def test_a_pair_with_too_many_rules_is_named():
    rng = np.random.default_rng(0)
    ids, offsets, token_keys = arrays([("a b", "a b"), [list(map(str, rng.integers(0, 4, 90))) for _ in "st"]])
    factors = (1.0, *find_constants((5, 5), 1))
    assert list_short_rules(ids, offsets, token_keys, (5, 5), *factors, LIMIT)[3] == -1
    assert list_short_rules(ids, offsets, token_keys, (5, 5), *factors, 10_000)[3] == 1
    assert list_long_rules(ids, offsets, token_keys, (5, 5), 1, *factors, 10_000)[3] == 1


@settings(max_examples=80, deadline=None)
@given(pairs("ab", 6) | pairs("abcd", 6), windows(), st.sampled_from(["aligned", "free", "none"]), st.integers(1, 2))
def test_rulebook_lists_the_rules_of_the_definition(pair, k, wildcards, span):
    for window in k[1] if span == 1 else [(2, 2)]:
        expected = rewriting_features(*pair, window, wildcards, Fraction(1, 2), span)
        found = find_matches(words_of(*pair), window, wildcards, span)
        assert len({match.key for match in found}) == len(found)
        assert sorted(match.rule for match in found) == sorted(text_of(rule, wildcards) for rule in expected)
        kernel = Rewriting([window], wildcards, 0.5, normalize=False, span=span)
        listed = kernel.make_extractor().list_rules(Pairs.from_items([pair]))
        values = dict(zip(listed.keys.tolist(), listed.values.tolist()))
        by_text = {text_of(rule, wildcards): float(value) for rule, value in expected.items()}
        assert {match.rule: values.pop(match.key) for match in found} == by_text
        assert not values


@settings(max_examples=40, deadline=None)
@given(pairs("abc", 6), st.integers(1, 2))
def test_rulebook_names_words_of_the_pair(pair, span):
    source, target = (f" {' '.join(side)} " for side in pair)
    for match in find_matches(words_of(*pair), (2, 2), "aligned", span):
        assert f" {match.source} " in source
        assert f" {match.target} " in target
        assert match.rule.split(" → ")[0].count("⟨") == match.wildcards


def test_tokens_that_look_like_signs_are_marked():
    (rule,) = find_matches(words_of(["→"], ["⟨1⟩"]), (1, 1), "aligned", 1)
    assert rule.rule == "\\→ → \\⟨1⟩"
    assert quote_token("\\") == "\\\\"
    assert quote_token("") == ""


@given(texts("ab", 8), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_keys_depend_on_the_text_alone(text, k):
    pair = (text, text)
    alone = Rewriting(k).make_extractor().list_rules(Pairs.from_items([pair]))
    company = Rewriting(k).make_extractor().list_rules(Pairs.from_items([("x y z", "b"), pair, ("a", "b")]))
    begin, end = company.indptr[1], company.indptr[2]
    assert sorted(zip(alone.keys.tolist(), alone.values.tolist())) == sorted(
        zip(company.keys[begin:end].tolist(), company.values[begin:end].tolist())
    )


@pytest.mark.parametrize("window", [(1, 6), (6, 1), (6, 6)])
def test_six_equal_tokens_have_all_their_rules(window):
    kernel = Rewriting([window], normalize=False)
    pair = (["a"] * 6, ["a"] * 6)
    expected = rewriting_features(*pair, window)
    assert kernel.features([pair]).nnz == len(expected)
    assert kernel.diag([pair])[0] == sum(value**2 for value in expected.values())
