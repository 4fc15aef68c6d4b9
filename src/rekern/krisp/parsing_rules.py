"""From a meaning grammar to what is learned: rules whose predicates are leaves of their own, and the classes to learn.

``City -> loc_2({State})`` becomes a rule City → loc_2 State with the leaf ``loc_2``, which covers words of its own. A
production of the start symbol with one slot (``answer({City})``), one without words and one that only wraps names
(``stateid({StateName})``) get no leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rekern.krisp.derivation_chart import LEAF, RULE, Node, Rules
from rekern.krisp.grammar import Derivation, Grammar, Production


@dataclass
class Builder:
    """Collects symbols, leaves and rules, and lays them out for the search."""

    symbols: dict[str, int] = field(default_factory=dict)
    leaves: list[tuple[int, int, Production | None]] = field(default_factory=list)  # symbol, class, production
    rules: list[tuple[int, tuple[int, ...], int, Production, bool]] = field(default_factory=list)

    def symbol(self, name: str) -> int:
        """The number of a symbol."""
        return self.symbols.setdefault(name, len(self.symbols))

    def lay_out(self) -> Rules:
        """The arrays for the search; leaves and rules are sorted by their symbols."""
        number = len(self.symbols)
        self.leaves.sort(key=lambda leaf: leaf[0])
        self.rules.sort(key=lambda rule: rule[0])
        leaf_first = np.searchsorted([leaf[0] for leaf in self.leaves], range(number + 1))
        rule_first = np.searchsorted([rule[0] for rule in self.rules], range(number + 1))
        arities = [len(rule[1]) for rule in self.rules]
        partial = [0] + [(1 << arity) if arity > 2 else 0 for arity in arities]
        return Rules(
            np.array(self._order(), np.int32),
            leaf_first.astype(np.int32),
            np.array([leaf[1] for leaf in self.leaves], np.int32),
            rule_first.astype(np.int32),
            np.concatenate([[0], np.cumsum(arities)]).astype(np.int32),
            np.array([child for rule in self.rules for child in rule[1]], np.int32),
            np.array([rule[2] for rule in self.rules], np.int32),
            np.cumsum(partial).astype(np.int32),
            np.array([int(rule[4]) for rule in self.rules], np.int32),
        )

    def _order(self) -> list[int]:
        """The symbols, the only child of a rule before its left side."""
        below: dict[int, set[int]] = {}
        for left, children, *_ in self.rules:
            if len(children) == 1:
                below.setdefault(left, set()).add(children[0])
        order: list[int] = []
        done: set[int] = set()
        for symbol in range(len(self.symbols)):
            stack = [symbol]
            while stack:
                waiting = [child for child in sorted(below.get(stack[-1], ())) if child not in done]
                if waiting:
                    stack.append(waiting[0])
                else:
                    last = stack.pop()
                    if last not in done:
                        done.add(last)
                        order.append(last)
        return order


class Classes:
    """The classes to learn: productions, and predicates, which all productions with the same words share.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)", "State -> next_to({State})"])
    >>> Classes(grammar).labels
    ['Query -> answer({State})', 'State -> state(all)', 'State -> next_to({State})', 'next_to']
    """

    def __init__(self, grammar: Grammar, productions: Iterable[Production] | None = None):
        self.grammar = grammar
        used = grammar.productions if productions is None else productions
        self.productions = sorted(set(used), key=lambda production: (production.number, production.value or ""))
        self.labels: list[str] = []
        self.of_production: dict[Production, int] = {}
        self.of_predicate: dict[Production, int] = {}
        numbers: dict[str, int] = {}
        chains = _chains(grammar)
        for production in self.productions:
            if not production.learned:
                continue
            self.of_production[production] = len(self.labels)
            self.labels.append(str(production))
        for production in self.productions:
            if has_leaf(grammar, production, chains):
                words = production.predicate or str(production)
                if words not in numbers:
                    numbers[words] = len(self.labels)
                    self.labels.append(words)
                self.of_predicate[production] = numbers[words]

    def rules(self) -> tuple[Builder, Rules]:
        """All rules of these productions, for free search; names are symbols without rules."""
        builder = Builder()
        builder.symbol(self.grammar.start)
        for production in self.productions:
            left = builder.symbol(production.left)
            if production.learned:
                self._add(builder, production, left, [builder.symbol(slot) for slot in production.slots])
        for number in sorted(set(self.of_predicate.values())):
            builder.leaves.append((builder.symbol(self.labels[number]), number, None))
        for symbol in self.grammar.entities:
            builder.symbol(symbol)
        return builder, builder.lay_out()

    def forced(self, derivation: Derivation) -> tuple[Builder, Rules, list[tuple[int, Derivation]]]:
        """The rules of one derivation only, every node a symbol of its own, and its names with their symbols."""
        builder = Builder()
        names: list[tuple[int, Derivation]] = []

        def visit(node: Derivation) -> int:
            symbol = builder.symbol(f"node {len(builder.symbols)}")
            if node.production.kind != "rule":
                names.append((symbol, node))
                own = self.of_production.get(replace(node.production, value=node.value))
                if own is not None:  # a value that other words may express, too
                    builder.leaves.append((symbol, own, None))
                return symbol
            children = [visit(child) for child in node.children]
            predicate = self.of_predicate.get(node.production)
            if predicate is not None:
                leaf = builder.symbol(f"node {len(builder.symbols)}")
                builder.leaves.append((leaf, predicate, None))
                children = [leaf, *children]
            self._place(builder, node.production, symbol, children)
            return symbol

        visit(derivation)
        return builder, builder.lay_out(), names

    def _add(self, builder: Builder, production: Production, left: int, children: list[int]) -> None:
        predicate = self.of_predicate.get(production)
        if predicate is not None:
            children = [builder.symbol(self.labels[predicate]), *children]
        self._place(builder, production, left, children)

    def _place(self, builder: Builder, production: Production, left: int, children: Sequence[int]) -> None:
        own = self.of_production.get(production, -1)
        if children:
            builder.rules.append((left, tuple(children), own, production, production in self.of_predicate))
        else:
            builder.leaves.append((left, own, production))

    def of(self, derivation: Derivation) -> set[int]:
        """The classes that a derivation has."""
        found = {self.of_production.get(p) for p in derivation.productions()}
        found |= {self.of_predicate.get(p) for p in derivation.productions()}
        return {number for number in found if number is not None}

    def nodes(self, builder: Builder, node: Node) -> list[tuple[int, int, int]]:
        """The classes of a found derivation with their spans, (class, start, end)."""
        found = []
        if node.kind == LEAF:
            found.append((builder.leaves[node.number][1], node.start, node.end))
        elif node.kind == RULE and builder.rules[node.number][2] >= 0:
            found.append((builder.rules[node.number][2], node.start, node.end))
        for child in node.children:
            found += self.nodes(builder, child)
        return found


def silent(grammar: Grammar, production: Production) -> bool:
    """Whether a production has no words of its own in a sentence: it wraps names, or has no words at all."""
    if production.silent or not production.predicate:
        return bool(production.slots)
    names = {p.left for p in grammar.productions if p.kind == "name"} | set(grammar.name_templates)
    return bool(production.slots) and all(slot in names and slot in grammar.entities for slot in production.slots)


def has_leaf(grammar: Grammar, production: Production, chains: set[Production]) -> bool:
    """Whether a production's words become a leaf."""
    if production.kind != "rule" or not production.slots:
        return False
    if production in chains:
        return True
    return not _wraps(grammar, production) and not silent(grammar, production)


def _wraps(grammar: Grammar, production: Production) -> bool:
    """Whether it only stands around a whole meaning; one with several slots has words that tell what joins them."""
    return production.left == grammar.start and len(production.slots) == 1


def _chains(grammar: Grammar) -> set[Production]:
    """Productions with one slot that would lead back to their own left side over the same words without a leaf."""
    single = [
        p
        for p in grammar.productions
        if p.kind == "rule" and len(p.slots) == 1 and (p.left == grammar.start or silent(grammar, p))
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
