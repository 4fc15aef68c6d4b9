"""From a meaning grammar to what the parser learns: rules whose predicates are leaves, and the classes to learn.

``City -> loc_2({State})`` becomes a rule City → loc_2 State with the leaf ``loc_2``, which covers words of its own. A
production of the start symbol with one slot (``answer({City})``), one without words and one that only wraps names
(``stateid({StateName})``) get no leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np

from rekern.krisp.derivation_chart import ChartNode, Rules
from rekern.krisp.derivation_chart_core import LEAF, NAME, RULE
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention
from rekern.krisp.productions import AGAIN, Derivation, Production
from rekern.krisp.pronouns import MeaningPart, find_repeated


class Leaf(NamedTuple):
    """A leaf of the search: the symbol, the class to learn, and the production if the leaf stands for a whole one."""

    symbol: int
    label: int
    production: Production | None


class Rule(NamedTuple):
    """A rule of the search: its symbols, its class (-1 for none), its production, and if its first child is a leaf."""

    left: int
    children: tuple[int, ...]
    label: int
    production: Production
    has_leaf: bool


class ClassSpan(NamedTuple):
    """A class to learn, and the words that express it."""

    label: int
    start: int
    end: int


@dataclass
class RuleBuilder:
    """Collects symbols, leaves and rules, and lays them out for the search.

    >>> builder = RuleBuilder()
    >>> builder.number_symbol("State"), builder.number_symbol("City"), builder.number_symbol("State")
    (0, 1, 0)
    """

    symbols: dict[str, int] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    @cached_property
    def has_pronouns(self) -> bool:
        """Whether one of its leaves repeats another meaning; only to be asked when all leaves are there."""
        return any(leaf.production is not None and leaf.production.kind == AGAIN for leaf in self.leaves)

    def number_symbol(self, name: str) -> int:
        """The number of a symbol."""
        return self.symbols.setdefault(name, len(self.symbols))

    def lay_out(self) -> Rules:
        """Make the arrays for the search; sorts the leaves and the rules by their symbols."""
        n = len(self.symbols)
        self.leaves.sort(key=lambda leaf: leaf.symbol)
        self.rules.sort(key=lambda rule: rule.left)
        leaf_first = np.searchsorted([leaf.symbol for leaf in self.leaves], range(n + 1))
        rule_first = np.searchsorted([rule.left for rule in self.rules], range(n + 1))
        arities = [len(rule.children) for rule in self.rules]
        partial = [0] + [(1 << arity) if arity > 2 else 0 for arity in arities]
        return Rules(
            order=np.array(self._order_symbols(), np.int32),
            leaf_first=leaf_first.astype(np.int32),
            leaf_class=np.array([leaf.label for leaf in self.leaves], np.int32),
            rule_first=rule_first.astype(np.int32),
            child_first=np.concatenate([[0], np.cumsum(arities)]).astype(np.int32),
            children=np.array([child for rule in self.rules for child in rule.children], np.int32),
            rule_class=np.array([rule.label for rule in self.rules], np.int32),
            partial_first=np.cumsum(partial).astype(np.int32),
            slot_first=np.array([int(rule.has_leaf) for rule in self.rules], np.int32),
        )

    def to_derivation(
        self, mentions: Sequence[Mention], node: ChartNode, known: dict[int, Derivation | None] | None = None
    ) -> Derivation | None:
        """The derivation of the meaning grammar that a derivation of the search stands for.

        Pronouns are replaced by the meanings that they repeat. The result is None if there is nothing to repeat.
        ``known`` are the derivations of nodes without pronouns, by ``id``: derivations of one search share their nodes.
        """
        known = {} if known is None else known
        plain = self._derive_plainly(mentions, node, known)
        if plain is not None:
            return plain
        parts = list(self._list_parts(mentions, node))
        pronouns = [part for part in parts if part.node.kind == LEAF and part.production.kind == AGAIN]
        repeated: dict[int, ChartNode] = {}
        for pronoun in pronouns:
            found = find_repeated(pronoun, parts, pronouns)
            if found is None:
                return None
            repeated[id(pronoun.node)] = found
        return self._derive(mentions, node, repeated, known)

    def _derive_plainly(
        self, mentions: Sequence[Mention], node: ChartNode, known: dict[int, Derivation | None]
    ) -> Derivation | None:
        """The derivation of a node without pronouns; None if it has one."""
        key = id(node)
        if key in known:
            return known[key]
        found: Derivation | None = None
        if node.kind == NAME:
            mention = mentions[node.number]
            found = Derivation(mention.production, (), None if mention.production.kind == "name" else mention.text)
        elif node.kind == LEAF:
            found = _derive_leaf(self.leaves[node.number].production)
        else:
            rule = self.rules[node.number]
            below = [self._derive_plainly(mentions, child, known) for child in node.children[int(rule.has_leaf) :]]
            children = tuple(child for child in below if child is not None)
            if len(children) == len(below):
                found = Derivation(rule.production, children)
        known[key] = found
        return found

    def _derive(
        self,
        mentions: Sequence[Mention],
        node: ChartNode,
        repeated: Mapping[int, ChartNode],
        known: dict[int, Derivation | None],
    ) -> Derivation:
        """The derivation of a node with pronouns; what they repeat has none."""
        plain = self._derive_plainly(mentions, repeated.get(id(node), node), known)
        if plain is not None:
            return plain
        rule = self.rules[node.number]
        below = node.children[int(rule.has_leaf) :]
        return Derivation(rule.production, tuple(self._derive(mentions, child, repeated, known) for child in below))

    def _list_parts(self, mentions: Sequence[Mention], node: ChartNode) -> Iterator[MeaningPart]:
        """The nodes of a derivation of the search that stand for meanings, from the top down."""
        if node.kind == NAME:
            yield MeaningPart(node, mentions[node.number].production)
        elif node.kind == LEAF:
            production = self.leaves[node.number].production
            if production is not None:  # otherwise it is the leaf of a predicate
                yield MeaningPart(node, production)
        else:
            yield MeaningPart(node, self.rules[node.number].production)
            for child in node.children:
                yield from self._list_parts(mentions, child)

    def list_class_spans(self, node: ChartNode) -> list[ClassSpan]:
        """The classes of a derivation of the search, with the words that express them."""
        found = []
        if node.kind == LEAF:
            found.append(ClassSpan(self.leaves[node.number].label, node.start, node.end))
        elif node.kind == RULE and self.rules[node.number].label >= 0:
            found.append(ClassSpan(self.rules[node.number].label, node.start, node.end))
        for child in node.children:
            found += self.list_class_spans(child)
        return found

    def _order_symbols(self) -> list[int]:
        """The symbols, with the only child of a rule before its left side."""
        below: dict[int, set[int]] = {symbol: set() for symbol in range(len(self.symbols))}
        for rule in self.rules:
            if len(rule.children) == 1:
                below[rule.left].add(rule.children[0])
        return list(TopologicalSorter(below).static_order())


def _derive_leaf(production: Production | None) -> Derivation | None:
    """The derivation of a leaf; None if it is that of a predicate, or a pronoun."""
    if production is None or production.kind == AGAIN:
        return None
    if production.value is None:
        return Derivation(production)
    return Derivation(replace(production, value=None), (), production.value)


class SearchRules(NamedTuple):
    """The rules of all productions, for a free search."""

    builder: RuleBuilder
    arrays: Rules


class DerivationRules(NamedTuple):
    """The rules of one derivation only, every node with a symbol of its own, and its names with their symbols."""

    builder: RuleBuilder
    arrays: Rules
    names: list[tuple[int, Derivation]]


class ParserClasses:
    """The classes to learn: productions, and predicates, which all productions with the same words share.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)", "State -> next_to({State})"])
    >>> ParserClasses(grammar).labels
    ['Query -> answer({State})', 'State -> state(all)', 'State -> next_to({State})', 'next_to']
    """

    def __init__(self, grammar: Grammar, productions: Iterable[Production] | None = None):
        self.grammar = grammar
        used = grammar.productions if productions is None else productions
        self.productions = sorted(set(used), key=lambda production: (production.number, production.value or ""))
        self.labels: list[str] = []
        self._of_production: dict[Production, int] = {}
        self._of_predicate: dict[Production, int] = {}
        numbers: dict[str, int] = {}
        chains = _find_chains(grammar)
        for production in self.productions:
            if not production.is_learned:
                continue
            self._of_production[production] = len(self.labels)
            self.labels.append(str(production))
        for production in self.productions:
            if _has_leaf(grammar, production, chains):
                words = production.predicate or str(production)
                if words not in numbers:
                    numbers[words] = len(self.labels)
                    self.labels.append(words)
                self._of_predicate[production] = numbers[words]

    def build_rules(self) -> SearchRules:
        """Build the rules of these productions, for a free search; names are symbols without rules."""
        builder = RuleBuilder()
        builder.number_symbol(self.grammar.start)
        for production in self.productions:
            left = builder.number_symbol(production.left)
            if production.is_learned:
                children = [builder.number_symbol(slot) for slot in production.slots]
                predicate = self._of_predicate.get(production)
                if predicate is not None:
                    children = [builder.number_symbol(self.labels[predicate]), *children]
                self._add_rule(builder, production, left, children)
        for label in sorted(set(self._of_predicate.values())):
            builder.leaves.append(Leaf(builder.number_symbol(self.labels[label]), label, None))
        for symbol in self.grammar.entities:
            builder.number_symbol(symbol)
        return SearchRules(builder, builder.lay_out())

    def build_derivation_rules(self, derivation: Derivation) -> DerivationRules:
        """Build the rules of one derivation, for a search of the words that express its parts."""
        builder = RuleBuilder()
        names: list[tuple[int, Derivation]] = []

        def visit(node: Derivation) -> int:
            symbol = builder.number_symbol(f"node {len(builder.symbols)}")
            if node.production.kind == AGAIN:
                builder.leaves.append(Leaf(symbol, self._of_production[node.production], None))
                return symbol
            if node.production.kind != "rule":
                names.append((symbol, node))
                own = self._of_production.get(replace(node.production, value=node.value))
                if own is not None:  # a value that other words may express, too
                    builder.leaves.append(Leaf(symbol, own, None))
                return symbol
            children = [visit(child) for child in node.children]
            predicate = self._of_predicate.get(node.production)
            if predicate is not None:
                leaf = builder.number_symbol(f"node {len(builder.symbols)}")
                builder.leaves.append(Leaf(leaf, predicate, None))
                children = [leaf, *children]
            self._add_rule(builder, node.production, symbol, children)
            return symbol

        visit(derivation)
        return DerivationRules(builder, builder.lay_out(), names)

    def find_classes(self, derivation: Derivation) -> set[int]:
        """The classes that a derivation has."""
        found = {self._of_production.get(p) for p in derivation.productions()}
        found |= {self._of_predicate.get(p) for p in derivation.productions()}
        return {label for label in found if label is not None}

    def _add_rule(self, builder: RuleBuilder, production: Production, left: int, children: Sequence[int]) -> None:
        own = self._of_production.get(production, -1)
        if children:
            builder.rules.append(Rule(left, tuple(children), own, production, production in self._of_predicate))
        else:
            builder.leaves.append(Leaf(left, own, production))


def _is_silent(grammar: Grammar, production: Production) -> bool:
    """Whether no words of a sentence express a production itself: it wraps names, or has no words at all."""
    if production.silent or not production.predicate:
        return bool(production.slots)
    names = {p.left for p in grammar.productions if p.kind == "name"} | set(grammar.name_templates)
    return bool(production.slots) and all(slot in names and slot in grammar.entities for slot in production.slots)


def _has_leaf(grammar: Grammar, production: Production, chains: set[Production]) -> bool:
    """Whether the words of a production become a leaf."""
    if production.kind != "rule" or not production.slots:
        return False
    if production in chains:
        return True
    return not _is_wrapper(grammar, production) and not _is_silent(grammar, production)


def _is_wrapper(grammar: Grammar, production: Production) -> bool:
    """Whether it only wraps a whole meaning; a production with several slots has words that join them."""
    return production.left == grammar.start and len(production.slots) == 1


def _find_chains(grammar: Grammar) -> set[Production]:
    """Productions with one slot that would lead back to their own left side over the same words without a leaf."""
    single = [
        p
        for p in grammar.productions
        if p.kind == "rule" and len(p.slots) == 1 and (p.left == grammar.start or _is_silent(grammar, p))
    ]
    below: dict[str, set[str]] = {}
    for production in single:
        below.setdefault(production.left, set()).add(production.slots[0])
    found = set()
    for production in single:
        reached, waiting = set(), [production.slots[0]]
        while waiting:
            symbol = waiting.pop()
            if symbol not in reached:
                reached.add(symbol)
                waiting += below.get(symbol, ())
        if production.left in reached:
            found.add(production)
    return found
