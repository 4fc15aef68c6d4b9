"""The search finds what listing all derivations finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import krisp as reference
from rekern.krisp.derivation_chart import NameSpan, list_derivations, search_derivations
from rekern.krisp.parsing_rules import Leaf, Rule, RuleBuilder

# Q -> A | B; A -> f A (leaf f) | g A B (leaf g) | names; B -> A A (no leaf) | h A B A (leaf h) | a leaf of its own
RULES = [
    ("QA", "Q", ("A",), 0),
    ("QB", "Q", ("B",), 0),
    ("Af", "A", ("f", "A"), 1),
    ("Ag", "A", ("g", "A", "B"), 1),
    ("BAA", "B", ("A", "A"), 0),
    ("Bh", "B", ("h", "A", "B", "A"), 1),
]
LEAVES = ["f", "g", "h", "B"]


def tree(builder, node, names):
    """A found derivation as the reference writes it."""
    if node.kind == 0:
        symbol = builder.leaves[node.number].symbol
        return (f"leaf {next(s for s, n in builder.symbols.items() if n == symbol)}", node.start, node.end)
    if node.kind == 1:
        return (f"name {node.number}", node.start, node.end)
    name = RULES[builder.rules[node.number].label][0]
    return (name, node.start, node.end, tuple(tree(builder, child, names) for child in node.children))


def grammar():
    builder = RuleBuilder()
    for symbol in "QABfgh":
        builder.number_symbol(symbol)
    for number, (_, left, children, first) in enumerate(RULES):
        places = tuple(builder.number_symbol(child) for child in children)
        builder.rules.append(Rule(builder.number_symbol(left), places, number, None, bool(first)))
    for number, symbol in enumerate(LEAVES):
        builder.leaves.append(Leaf(builder.number_symbol(symbol), len(RULES) + number, None))
    return builder, builder.lay_out()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([0.0, 0.3]), st.integers(1, 40))
def test_the_best_derivations_are_found(words, seed, threshold, beam):
    rng = np.random.default_rng(seed)
    builder, rules = grammar()
    chances = rng.random((len(RULES) + len(LEAVES), words, words + 1))
    chances[chances < threshold] = 0.0
    names = []
    for _ in range(4):
        start = int(rng.integers(words))
        end, value = int(rng.integers(start + 1, words + 1)), float(np.log(rng.random()))
        names.append(NameSpan(builder.symbols["A"], start, end, value))

    def leaves(symbol, start, end):
        found = [(f"leaf {symbol}", chances[len(RULES) + LEAVES.index(symbol), start, end])] if symbol in LEAVES else []
        return found + [
            (f"name {n}", np.exp(value)) for n, (s, i, j, value, _) in enumerate(names)
            if (s, i, j) == (builder.symbols[symbol], start, end)
        ]  # fmt: skip

    listed = [(*rule[:3], lambda i, j, n=n: chances[n, i, j], rule[3]) for n, rule in enumerate(RULES)]
    expected = reference.best_derivations("Q", listed, leaves, words)
    with np.errstate(divide="ignore"):
        chart = search_derivations(rules, np.log(chances), names, builder.symbols["Q"], beam)
    found = list_derivations(chart)
    assert not chart.cut
    assert len(found) == min(beam, len(expected))
    np.testing.assert_allclose([np.exp(node.value) for node in found], [p for p, _ in expected[:beam]], rtol=1e-9)
    known = {t: p for p, t in expected}
    for node in found:
        assert known[tree(builder, node, names)] == pytest.approx(np.exp(node.value))
    assert len({tree(builder, node, names) for node in found}) == len(found)


def shape(derivation, keys):
    """The parts of a derivation in the order of their words, without the words; names by their keys."""
    label, _, _, *below = derivation
    if not below:
        return keys[int(label.split()[1])] if label.startswith("name") else label
    children = sorted(enumerate(below[0]), key=lambda child: child[1][1])
    return (label, *((place, shape(child, keys)) for place, child in children))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10**6), st.integers(1, 40))
def test_the_best_distinct_derivations_are_found(words, seed, beam):
    rng = np.random.default_rng(seed)
    builder, rules = grammar()
    chances = rng.random((len(RULES) + len(LEAVES), words, words + 1))
    keys = [0, 1, 0, -1]
    names = []
    for key in keys:
        start = int(rng.integers(words))
        end, value = int(rng.integers(start + 1, words + 1)), float(np.log(rng.random()))
        names.append(NameSpan(builder.symbols["A"], start, end, value, key))

    def leaves(symbol, start, end):
        found = [(f"leaf {symbol}", chances[len(RULES) + LEAVES.index(symbol), start, end])] if symbol in LEAVES else []
        return found + [
            (f"name {n}", np.exp(name.log_probability)) for n, name in enumerate(names)
            if name[:3] == (builder.symbols[symbol], start, end)
        ]  # fmt: skip

    listed = [(*rule[:3], lambda i, j, n=n: chances[n, i, j], rule[3]) for n, rule in enumerate(RULES)]
    best = {}
    for chance, derivation in reference.best_derivations("Q", listed, leaves, words):
        best.setdefault(shape(derivation, keys), chance)
    options = {"beam": beam, "distinct": True}
    chart = search_derivations(rules, np.log(chances), names, builder.symbols["Q"], **options)
    found = list_derivations(chart)
    shapes = [shape(tree(builder, node, names), keys) for node in found]
    assert len(set(shapes)) == len(found) == min(beam, len(best))
    np.testing.assert_allclose(np.exp([node.value for node in found]), sorted(best.values(), reverse=True)[:beam])
    np.testing.assert_allclose(np.exp([node.value for node in found]), [best[one] for one in shapes])


def test_a_search_that_is_cut_says_so():
    builder, rules = grammar()
    scores = np.zeros((len(RULES) + len(LEAVES), 30, 31))
    names = [NameSpan(builder.symbols["A"], i, i + 1, 0.0) for i in range(30)]
    chart = search_derivations(rules, scores, names, builder.symbols["Q"], 30, limit=1000)
    assert chart.cut
    assert chart.roots == (0, 0)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_a_lower_bound_loses_nothing_above_it(words, seed):
    rng = np.random.default_rng(seed)
    builder, rules = grammar()
    scores = np.log(rng.random((len(RULES) + len(LEAVES), words, words + 1)))
    names = [NameSpan(builder.symbols["A"], i, i + 1, -0.1) for i in range(words)]
    whole = search_derivations(rules, scores, names, builder.symbols["Q"], 20)
    values = whole.value[slice(*whole.roots)]
    least = float(np.median(values))
    bounded = search_derivations(rules, scores, names, builder.symbols["Q"], 20, least=least)
    np.testing.assert_allclose(bounded.value[slice(*bounded.roots)], values[values >= least])
    assert len(bounded.value) <= len(whole.value)
