"""Meaning grammars: which meanings there are, how each is written, and (optionally) its SQL.

A grammar file is plain text with one production per line. A line that begins with a blank continues the line before::

    # a comment
    start Query
    Query -> answer({State})                  := SELECT DISTINCT name FROM ({1})
    State -> next_to({State})                 := SELECT b AS name FROM border WHERE a IN ({1})
    State -> both({State}, {State})           := {1} INTERSECT {2}
    State -> state(all)                       := SELECT name FROM state
    State -> stateid({StateName})             := SELECT name FROM state WHERE name = {1}
    StateName -> '{name}'
    names StateName = texas | new york | united states of america
    names StateName := SELECT name FROM state
    also StateName united states of america = usa | the u. s.

- ``start`` names the start symbol. Without this line, it is the left side of the first production.
- The right side of a production is the text of the meaning. ``{State}`` is a slot for a meaning of the non-terminal
  ``State``; ``{{`` and ``}}`` stand for braces. Blanks do not matter when a meaning is read; a meaning is printed with
  the blanks of the grammar.
- After ``:=`` stands an SQL template: ``{1}``, ``{2}`` … are the SQL of the slots, in their order. The value of a name
  is a bound parameter, so ``{1}`` for a slot of names becomes a parameter, never text.
- ``{name}`` (only in a production without other slots) makes one production for each name of the non-terminal: those
  of its ``names NonTerminal = a | b`` lines, and those that its ``names NonTerminal := SELECT …`` line finds in the
  database (`Grammar.name_queries`, `Grammar.with_names`). ``also NonTerminal name = phrase | phrase`` lists other words
  for a name. ``{number}`` stands for any number that the sentence mentions, ``{word}`` for any of its words,
  ``{identifier}`` for words that are written as in programs (R2, left_wing, ourHalf). ``Player -> {again}`` is a
  pronoun: it repeats another ``Player`` of the same sentence, the last one before it or else the first one after it.

`rekern.krisp.read_grammar` reads such files.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from rekern.errors import InputError
from rekern.krisp.meaning_reader import DEEPEST, MeaningReader, ProductionIndex, index_productions
from rekern.krisp.productions import AGAIN, VALUES, Derivation, Production, fill_name, shorten, split_meaning
from rekern.krisp.question_words import fold_accents, split_phrase


class PhraseIndex(NamedTuple):
    """The phrases of all names of a grammar, as words in lower case, and the length of the longest.

    ``folded`` has the same phrases without accents.
    """

    longest: int
    productions: dict[tuple[str, ...], list[Production]]
    folded: dict[tuple[str, ...], list[Production]]

    def find(self, words: tuple[str, ...]) -> list[Production]:
        """The names with this phrase; if there is none, those with this phrase but for accents.

        >>> from rekern.krisp import read_grammar
        >>> grammar = read_grammar(["Query -> {Book}", "Book -> '{name}'", "names Book = Les Misérables | Émile"])
        >>> [production.value for production in grammar.phrases.find(("les", "miserables"))]
        ['Les Misérables']
        """
        return self.productions.get(words) or self.folded.get(tuple(map(fold_accents, words)), [])


@dataclass(frozen=True, repr=False)
class Grammar:
    """A checked context-free grammar of meanings; make one with `rekern.krisp.read_grammar`.

    ``name_queries`` holds the SQL that finds the names of a non-terminal, ``name_templates`` its ``{name}`` production.

    >>> from rekern.krisp import read_grammar
    >>> read_grammar(["Query -> answer({State})", "State -> state(all)"])
    Grammar(Query, 2 productions)
    """

    start: str
    productions: tuple[Production, ...]
    name_queries: Mapping[str, str] = field(default_factory=dict)
    name_templates: Mapping[str, Production] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Grammar({self.start}, {len(self.productions)} productions)"

    @cached_property
    def by_left(self) -> dict[str, list[Production]]:
        """The productions of each non-terminal, in the order of the file."""
        found: dict[str, list[Production]] = {}
        for production in self.productions:
            found.setdefault(production.left, []).append(production)
        return found

    @cached_property
    def entities(self) -> frozenset[str]:
        """The non-terminals whose productions only name something: names, numbers, words.

        >>> from rekern.krisp import read_grammar
        >>> sorted(read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"]).entities)
        ['State']
        """
        return frozenset(
            [left for left, found in self.by_left.items() if all(p.kind != "rule" for p in found)]
            + list(self.name_templates)
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its rules."""
        return frozenset(word for p in self.productions if p.kind == "rule" for word in p.predicate.split())

    @cached_property
    def phrases(self) -> PhraseIndex:
        """The phrases of all names.

        >>> from rekern.krisp import read_grammar
        >>> read_grammar(["Query -> {State}", "State -> '{name}'", "names State = new york"]).phrases.longest
        2
        """
        known: dict[tuple[str, ...], list[Production]] = {}
        for production in self.productions:
            for words in {form for phrase in production.phrases for form in split_phrase(phrase)}:
                known.setdefault(words, []).append(production)
        plain: dict[tuple[str, ...], dict[int, Production]] = {}  # by their numbers: many names may share a phrase
        for words, found in known.items():
            same = plain.setdefault(tuple(map(fold_accents, words)), {})
            same.update((production.number, production) for production in found)
        folded = {words: list(found.values()) for words, found in plain.items()}
        return PhraseIndex(max(map(len, known), default=0), known, folded)

    @cached_property
    def value_types(self) -> dict[str, frozenset[str]]:
        """The non-terminals that take numbers, and those that take identifiers, from the sentence."""
        return {
            kind: frozenset(p.left for p in self.productions if p.kind == kind) for kind in ("number", "identifier")
        }

    @cached_property
    def value_productions(self) -> list[Production]:
        """The productions that take numbers, identifiers or words from the sentence."""
        return [production for production in self.productions if production.kind in VALUES]

    @cached_property
    def index(self) -> ProductionIndex:
        """The productions as the reader of meanings looks them up."""
        return index_productions(self.productions)

    def derivations(self, meaning: str, limit: int = 1000) -> list[Derivation]:
        """All derivations of a meaning (at most ``limit`` of each part of it), in the order of the grammar.

        >>> from rekern.krisp import read_grammar
        >>> len(read_grammar(["Query -> {A}", "Query -> {B}", "A -> x", "B -> x"]).derivations("x"))
        2
        """
        return self._derive_all(MeaningReader(self.index, self.start, meaning, limit), meaning)

    def parse(self, meaning: str, productions: Iterable[str] | None = None) -> Derivation:
        """The derivation of a meaning.

        If there are several, ``productions`` selects one: it lists the productions from the top down, as `Production`
        prints them. Without it, the first derivation is used, with a warning.

        >>> from rekern.krisp import read_grammar
        >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)"])
        >>> [str(production) for production in grammar.parse("answer(state(all))").productions()]
        ['Query -> answer({State})', 'State -> state(all)']
        >>> grammar.parse("answer(some)")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: the grammar cannot derive answer(some): no production goes on at 'some' (character 8)
        """
        reader = MeaningReader(self.index, self.start, meaning)
        found = self._derive_all(reader, meaning)
        if not found:
            raise InputError(f"the grammar cannot derive {shorten(meaning)}: {reader.find_obstacle()}")
        if productions is not None:
            wanted = [_to_canonical(line) for line in productions]
            for derivation in found:
                marked = self._follow_productions(derivation, wanted)
                if marked is not None:
                    return marked
            raise InputError(f"the productions given for {shorten(meaning)} are not a derivation of it")
        if len(found) > 1:
            message = f"{shorten(meaning)} has several derivations; the first in grammar order is used"
            warnings.warn(message, stacklevel=2)
        return found[0]

    def with_names(self, names: Mapping[str, Iterable[object]]) -> Grammar:
        """The grammar with more names for its ``{name}`` productions, for example from a database.

        >>> from rekern.krisp import read_grammar
        >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State := SELECT name FROM state"])
        >>> grammar.with_names({"State": ["new york", "utah"]}).parse("'utah'").meaning()
        "'utah'"
        """
        productions = list(self.productions)
        seen = {(p.left, p.value) for p in productions if p.kind == "name"}
        for left, values in names.items():
            if left not in self.name_templates:
                raise InputError(f"{shorten(left)} has no production with {{name}}, so it takes no names")
            for value in map(str, values):
                if (left, value) not in seen and value.strip():
                    seen.add((left, value))
                    productions.append(fill_name(self.name_templates[left], value))
        return replace(self, productions=tuple(replace(p, number=i) for i, p in enumerate(productions)))

    def _follow_productions(self, derivation: Derivation, wanted: Sequence[str]) -> Derivation | None:
        """The derivation, with pronouns where these productions have them; None if it does not have the others."""
        rest = iter(wanted)
        pronouns = {p.left: p for p in self.productions if p.kind == AGAIN}

        def follow(node: Derivation) -> Derivation | None:
            line, left = next(rest, None), node.production.left
            if left in pronouns and line == _to_canonical(str(pronouns[left])):
                return Derivation(pronouns[left], (node,))
            if line not in (_to_canonical(str(node.production)), _to_canonical(f"{left} -> {node.meaning()}")):
                return None
            children = []
            for child in node.children:
                found = follow(child)
                if found is None:
                    return None
                children.append(found)
            return replace(node, children=tuple(children))

        found = follow(derivation)
        return found if next(rest, None) is None else None

    def _derive_all(self, reader: MeaningReader, meaning: str) -> list[Derivation]:
        try:
            return reader.derive_all()
        except RecursionError:
            raise InputError(f"the meaning {shorten(meaning)} is nested too deeply: beyond {DEEPEST} levels") from None


def _to_canonical(line: str) -> str:
    """The text of a production without differences of spacing."""
    left, _, right = line.partition("->")
    right = re.sub(r"\{([A-Z]\w*)\}", r"\1", right).replace("{{", "{").replace("}}", "}")
    return f"{left.strip()} -> {' '.join(split_meaning(right))}"
