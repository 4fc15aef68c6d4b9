"""Learning names from training sentences.

A list of names is never quite right. Training finds phrases that are no names after all, other phrases for names, and
numbers and words that are in a meaning but not in its sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention, find_mentions, find_names
from rekern.krisp.productions import AGAIN, Derivation, Production
from rekern.krisp.question_words import split_phrase

RELIABLE = 0.8  # of the sentences with a word that is taken for a name, this share must lack the name's known phrases
BESIDE = 0.25  # a word that is next to a known name in a larger share of its sentences is no part of a name


def learn_names(grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]) -> Grammar:
    """Remove the phrases of `find_misleading_phrases` from a grammar, and add those of `find_new_phrases`.

    If there are none, the result is the same object.
    """
    misleading = find_misleading_phrases(grammar, sentences, derivations)
    if misleading:
        fewer = [[phrase for phrase in p.phrases if not split_phrase(phrase) & misleading] for p in grammar.productions]
        grammar = _replace_phrases(grammar, fewer)
        derivations = [rebuild_derivation(grammar, derivation) for derivation in derivations]
    new = find_new_phrases(grammar, sentences, derivations)
    if new:
        grammar = _replace_phrases(grammar, [[*p.phrases, *new.get(p, ())] for p in grammar.productions])
    return grammar


def rebuild_derivation(grammar: Grammar, derivation: Derivation) -> Derivation:
    """The derivation with the productions of a grammar that differs only in the phrases of its names."""
    children = tuple(rebuild_derivation(grammar, child) for child in derivation.children)
    return Derivation(grammar.productions[derivation.production.number], children, derivation.value)


def _replace_phrases(grammar: Grammar, phrases: Sequence[Sequence[str]]) -> Grammar:
    productions = [replace(p, phrases=tuple(found)) for p, found in zip(grammar.productions, phrases)]
    return replace(grammar, productions=tuple(productions))


def find_misleading_phrases(
    grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]
) -> set[tuple[str, ...]]:
    """Phrases that are no names in most of the sentences that have them, and in at least two of these.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = in | oh"])
    >>> sentences = [["cities", "in", "oh"], ["lakes", "in", "oh"]]
    >>> find_misleading_phrases(grammar, sentences, [grammar.parse("'oh'")] * 2)
    {('in',)}
    """
    occurrences: Counter[tuple[str, ...]] = Counter()
    uses: Counter[tuple[str, ...]] = Counter()
    for words, derivation in zip(sentences, derivations):
        meant = set(derivation.productions())
        lower = tuple(word.lower() for word in words)
        for phrase, may_mean in {lower[start:end]: found for start, end, found in find_names(grammar, lower)}.items():
            occurrences[phrase] += 1
            uses[phrase] += not meant.isdisjoint(may_mean)
    return {phrase for phrase, n in occurrences.items() if n - uses[phrase] >= 2 and n > 2 * uses[phrase]}


def find_new_phrases(
    grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]
) -> dict[Production, tuple[str, ...]]:
    """Phrases for names that are in the meaning of a sentence while none of their known phrases is in the sentence.

    A word is taken for such a name if at least two of these sentences have it, and few others do. The words that
    explain most sentences come first; if several explain the same ones equally well, none of them is taken. Words
    that are always next to it make longer phrases, unless they are often next to known names.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> sentences = ["big apple", "the big apple", "the big lake", "utah"]
    >>> derivations = [grammar.parse(f"'{name}'") for name in ("new york", "new york", "utah", "utah")]
    >>> found = find_new_phrases(grammar, [sentence.split() for sentence in sentences], derivations)
    >>> {production.value: phrases for production, phrases in found.items()}
    {'new york': ('apple', 'big apple')}
    """
    lower = [tuple(word.lower() for word in words) for words in sentences]
    places: dict[str, set[int]] = {}
    beside: dict[str, set[int]] = {}  # the sentences in which a word is next to a known name
    lacking: dict[Production, set[int]] = {}
    for place, (words, derivation) in enumerate(zip(lower, derivations)):
        for word in words:
            places.setdefault(word, set()).add(place)
        found = find_mentions(grammar, words, 0.0)
        for mention in found:
            for word in (*words[: mention.start][-1:], *words[mention.end :][:1]):
                beside.setdefault(word, set()).add(place)
        known = {mention.production for mention in found}
        for production in derivation.productions():
            if production.kind == "name" and production not in known:
                lacking.setdefault(production, set()).add(place)
    excluded = {word for word, where in beside.items() if len(where) > BESIDE * len(places[word])}
    learned = {}
    for production in sorted(lacking, key=lambda production: production.number):
        rest, phrases = set(lacking[production]), []
        only = {word: where for word, where in places.items() if len(where & rest) >= RELIABLE * len(where)}
        while only:
            most = max(len(where & rest) for where in only.values())
            if most < 2:
                break
            best = [word for word, where in only.items() if len(where & rest) == most]
            for word in best:
                if all(other == word or not only[word] & only[other] & rest for other in best):
                    phrases += _extend_word(word, [lower[place] for place in sorted(only[word])], excluded)
            rest -= {place for word in best for place in only[word]}
            only = {word: where for word, where in only.items() if word not in best}
        if phrases:
            learned[production] = tuple(phrases)
    return learned


def _extend_word(word: str, sentences: Sequence[tuple[str, ...]], excluded: set[str]) -> list[str]:
    """A word, and the longer and longer phrases around it that all sentences with the word have."""
    spans = [(words, words.index(word), words.index(word) + 1) for words in sentences]
    phrases = [word]
    while True:
        after = {words[end] if end < len(words) else None for words, _, end in spans}
        before = {words[start - 1] if start else None for words, start, _ in spans}
        if len(after) == 1 and not after & {None, *excluded}:
            spans = [(words, start, end + 1) for words, start, end in spans]
        elif len(before) == 1 and not before & {None, *excluded}:
            spans = [(words, start - 1, end) for words, start, end in spans]
        else:
            return phrases
        words, start, end = spans[0]
        phrases.append(" ".join(words[start:end]))


def is_mention_of(mention: Mention, node: Derivation) -> bool:
    """Whether a mention expresses the name, number or word of a node."""
    if mention.production.kind == "name":
        return mention.production == node.production
    return mention.text == node.value and mention.production.number == node.production.number


def mark_unsaid_values(derivations: Sequence[Derivation], mentions: Sequence[list[Mention]]) -> list[Derivation]:
    """Turn numbers and words that are in several meanings but not in their sentences into productions to learn.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> at({Time})", "Time -> {number}"])
    >>> found = mark_unsaid_values([grammar.parse("at(12)")] * 2, [[], []])
    >>> [str(derivation.children[0].production) for derivation in found]
    ['Time -> 12', 'Time -> 12']
    """

    def find_missing(node: Derivation, found: list[Mention]) -> list[Production]:
        if node.production.kind == AGAIN:  # a pronoun does not say it, but the words that it refers to may
            return []
        if node.value is not None and not any(is_mention_of(mention, node) for mention in found):
            return [replace(node.production, value=node.value)]
        return [production for child in node.children for production in find_missing(child, found)]

    missing = [set(find_missing(derivation, found)) for derivation, found in zip(derivations, mentions)]
    counts = Counter(production for found in missing for production in found)

    def change(node: Derivation, found: set[Production]) -> Derivation:
        own = replace(node.production, value=node.value) if node.value is not None else node.production
        children = tuple(change(child, found) for child in node.children)
        return Derivation(own if own in found and counts[own] > 1 else node.production, children, node.value)

    return [change(derivation, found) for derivation, found in zip(derivations, missing)]
