"""The compiled cores against each other and against the rules of the definition, one by one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rekern.kernels.rewriting.rule_keys import find_constants

from helpers import corpora, pairs, texts, windows
from reference.rewriting import WILDCARD, rewriting_features
from rekern.kernels import Rewriting
from rekern.kernels.rewriting.aligned_rules import TokenArrays, extract_aligned_rules
from rekern.kernels.rewriting.aligned_rules_core import ROW_LIMIT, list_long_rules
from rekern.kernels.rewriting.rule_text import PairWords, find_matches
from rekern.kernels.rewriting.short_aligned_rules_core import list_short_rules, map_keys
from rekern.kernels.strings.pattern_text import quote_token
from rekern.structures import Pairs


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
    general = list_long_rules(ids, offsets, token_keys, window, 1, *factors, 0, 1)
    short = list_short_rules(ids, offsets, token_keys, window, *factors, 0, 1, ROW_LIMIT)
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
    for part, parts in ((0, 1), (1, 4)):
        general = list_long_rules(ids, offsets, token_keys, window, 1, *factors, part, parts)
        short = list_short_rules(ids, offsets, token_keys, window, *factors, part, parts, ROW_LIMIT)
        assert general[3] == short[3] == -1
        assert by_row(*general[:3]) == by_row(*short[:3])


@settings(max_examples=40, deadline=None)
@given(corpora("ab", 8, max_pairs=2), windows(), st.integers(1, 2), st.sampled_from([4, 16]))
def test_parts_make_up_the_whole(corpus, k, span, parts):
    tokens = TokenArrays(*arrays(corpus))
    for window in k[1]:
        whole = by_row(*extract_aligned_rules(tokens, window, span, 0.5)[0])
        pieces = [by_row(*extract_aligned_rules(tokens, window, span, 0.5, p, parts)[0]) for p in range(parts)]
        for row, expected in enumerate(whole):
            found = [piece[row] for piece in pieces]
            assert sum(map(len, found)) == len(expected)
            assert {key: value for piece in found for key, value in piece.items()} == expected


@settings(max_examples=40, deadline=None)
@given(corpora("abcd", 8, max_pairs=3), st.tuples(st.integers(1, 4), st.integers(1, 4)), st.integers(1, 3))
def test_sought_rules_are_listed_as_among_all_rules(corpus, window, step):
    tokens = TokenArrays(*arrays(corpus))
    whole = extract_aligned_rules(tokens, window, 1, 0.5)[0]
    sought = whole.keys[::step]
    found = by_row(*extract_aligned_rules(tokens, window, 1, 0.5, sought=map_keys(sought))[0])
    for every, some in zip(by_row(*whole), found, strict=True):
        assert some.items() <= every.items()
        assert {key for key in every if key in set(sought.tolist())} <= some.keys()
    assert not len(extract_aligned_rules(tokens, window, 1, 0.5, sought=map_keys(sought[:0]))[0].keys)


def test_a_pair_with_too_many_rules_is_named():
    rng = np.random.default_rng(0)
    ids, offsets, token_keys = arrays([("a b", "a b"), [list(map(str, rng.integers(0, 4, 90))) for _ in "st"]])
    factors = (1.0, *find_constants((5, 5), 1))
    assert list_short_rules(ids, offsets, token_keys, (5, 5), *factors, 0, 1, ROW_LIMIT)[3] == -1
    assert list_short_rules(ids, offsets, token_keys, (5, 5), *factors, 0, 1, 10_000)[3] == 1


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


def test_numbered_columns_hold_the_listed_keys():
    rng = np.random.default_rng(3)
    sides = [list(map(str, rng.integers(0, 9, rng.integers(0, 9)))) for _ in range(100)]
    corpus = Pairs.from_items(list(zip(sides[::2], sides[1::2])))
    for kernel in (Rewriting((1, 3)), Rewriting([(2, 3)], "free", 0.5), Rewriting(2, "none"), Rewriting(2, span=2)):
        listed, numbered = kernel.make_extractor().list_rules(corpus), kernel.make_extractor().number_rules(corpus)
        keys = numbered.keys[numbered.columns]
        assert len(np.unique(numbered.keys)) == len(numbered.keys)
        assert by_row(listed.indptr, listed.keys, listed.values) == by_row(numbered.indptr, keys, numbered.values)


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
