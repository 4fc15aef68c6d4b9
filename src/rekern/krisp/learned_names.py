"""What training sentences teach about names: phrases that are no names after all, other words for names, and numbers
and words that a meaning has but its sentence does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rekern.krisp.grammar import Derivation, Grammar, Production
from rekern.krisp.mentions import Mention, forms, mentions, named

RELIABLE = 0.8  # of the sentences with a word that is taken for a name, this share must lack the name's known phrases
BESIDE = 0.25  # of the sentences with a word: if it stands beside a known name in more of them, it is not part of one


def taught(grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]) -> Grammar:
    """The grammar with `learned_phrases` and without `misleading_phrases`; the grammar itself if there are none."""
    misleading = misleading_phrases(grammar, sentences, derivations)
    if misleading:
        fewer = [[phrase for phrase in p.phrases if not forms(phrase) & misleading] for p in grammar.productions]
        grammar = _with_phrases(grammar, fewer)
        derivations = [within(grammar, derivation) for derivation in derivations]
    learned = learned_phrases(grammar, sentences, derivations)
    if learned:
        grammar = _with_phrases(grammar, [[*p.phrases, *learned.get(p, ())] for p in grammar.productions])
    return grammar


def within(grammar: Grammar, derivation: Derivation) -> Derivation:
    """A derivation with the productions of a grammar that differs only in the phrases of its names."""
    children = tuple(within(grammar, child) for child in derivation.children)
    return Derivation(grammar.productions[derivation.production.number], children, derivation.value)


def _with_phrases(grammar: Grammar, phrases: Sequence[Sequence[str]]) -> Grammar:
    productions = [replace(p, phrases=tuple(found)) for p, found in zip(grammar.productions, phrases)]
    return replace(grammar, productions=tuple(productions))


def misleading_phrases(
    grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]
) -> set[tuple[str, ...]]:
    """Phrases that are no names in most of the sentences that have them, and in two of these at least.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = in | oh"])
    >>> asked = [["cities", "in", "oh"], ["lakes", "in", "oh"]]
    >>> misleading_phrases(grammar, asked, [grammar.parse("'oh'")] * 2)
    {('in',)}
    """
    seen: Counter[tuple[str, ...]] = Counter()
    used: Counter[tuple[str, ...]] = Counter()
    for words, derivation in zip(sentences, derivations):
        meant = set(derivation.productions())
        lower = tuple(word.lower() for word in words)
        for phrase, may_mean in {lower[start:end]: found for start, end, found in named(grammar, lower)}.items():
            seen[phrase] += 1
            used[phrase] += not meant.isdisjoint(may_mean)
    return {phrase for phrase, number in seen.items() if number - used[phrase] >= 2 and number > 2 * used[phrase]}


def learned_phrases(
    grammar: Grammar, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]
) -> dict[Production, tuple[str, ...]]:
    """What sentences call names that their meanings have but none of whose phrases they mention.

    A word is taken for such a name if at least two of these sentences have it, and few others do. The words that
    explain the most sentences come first; if several explain the same ones equally well, none of them is taken. Words
    that always stand beside it make longer phrases, unless they often stand beside known names.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah | new york"])
    >>> asked = ["big apple", "the big apple", "the big lake", "utah"]
    >>> meanings = ["new york", "new york", "utah", "utah"]
    >>> derivations = [grammar.parse(f"'{meaning}'") for meaning in meanings]
    >>> found = learned_phrases(grammar, [question.split() for question in asked], derivations)
    >>> {production.value: phrases for production, phrases in found.items()}
    {'new york': ('apple', 'big apple')}
    """
    lower = [tuple(word.lower() for word in words) for words in sentences]
    places: dict[str, set[int]] = {}
    beside: dict[str, set[int]] = {}  # the sentences in which a word stands beside a known name
    lacking: dict[Production, set[int]] = {}
    for place, (words, derivation) in enumerate(zip(lower, derivations)):
        for word in words:
            places.setdefault(word, set()).add(place)
        found = mentions(grammar, words, 0.0)
        for mention in found:
            for word in (*words[: mention.start][-1:], *words[mention.end :][:1]):
                beside.setdefault(word, set()).add(place)
        known = {mention.production for mention in found}
        for production in derivation.productions():
            if production.kind == "name" and production not in known:
                lacking.setdefault(production, set()).add(place)
    apart = {word for word, where in beside.items() if len(where) > BESIDE * len(places[word])}
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
                    phrases += _with_neighbours(word, [lower[place] for place in sorted(only[word])], apart)
            rest -= {place for word in best for place in only[word]}
            only = {word: where for word, where in only.items() if word not in best}
        if phrases:
            learned[production] = tuple(phrases)
    return learned


def _with_neighbours(word: str, sentences: Sequence[tuple[str, ...]], apart: set[str]) -> list[str]:
    """A word, and the longer and longer phrases around it that all sentences with the word have."""
    spans = [(words, words.index(word), words.index(word) + 1) for words in sentences]
    phrases = [word]
    while True:
        after = {words[end] if end < len(words) else None for words, _, end in spans}
        before = {words[start - 1] if start else None for words, start, _ in spans}
        if len(after) == 1 and not after & {None, *apart}:
            spans = [(words, start, end + 1) for words, start, end in spans]
        elif len(before) == 1 and not before & {None, *apart}:
            spans = [(words, start - 1, end) for words, start, end in spans]
        else:
            return phrases
        words, start, end = spans[0]
        phrases.append(" ".join(words[start:end]))


def says(mention: Mention, node: Derivation) -> bool:
    """Whether a mention is the name, number or word of a node."""
    if mention.production.kind == "name":
        return mention.production == node.production
    return mention.text == node.value and mention.production == replace(node.production, value=None)


def unsaid(derivations: Sequence[Derivation], mentions: Sequence[list[Mention]]) -> list[Derivation]:
    """The derivations, in which numbers and words that several sentences do not say become productions to learn.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> at({Time})", "Time -> {number}"])
    >>> [str(d.children[0].production) for d in unsaid([grammar.parse("at(12)")] * 2, [[], []])]
    ['Time -> 12', 'Time -> 12']
    """

    def missing(node: Derivation, found: list[Mention]) -> list[Production]:
        if node.value is not None and not any(says(mention, node) for mention in found):
            return [replace(node.production, value=node.value)]
        return [production for child in node.children for production in missing(child, found)]

    each = [set(missing(derivation, found)) for derivation, found in zip(derivations, mentions)]
    counts = Counter(production for found in each for production in found)

    def changed(node: Derivation, found: set[Production]) -> Derivation:
        own = replace(node.production, value=node.value) if node.value is not None else node.production
        children = tuple(changed(child, found) for child in node.children)
        return Derivation(own if own in found and counts[own] > 1 else node.production, children, node.value)

    return [changed(derivation, found) for derivation, found in zip(derivations, each)]
