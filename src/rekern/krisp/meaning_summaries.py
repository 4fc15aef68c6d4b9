"""What the scores of readings need to know of their meanings; readings of a sentence share most parts of these."""

from __future__ import annotations

from typing import NamedTuple

from rekern.krisp.productions import Derivation
from rekern.krisp.second_opinion import PartBits, TellingWords
from rekern.krisp.unused_names import NameSpans
from rekern.krisp.word_translation import list_own_parts


class MeaningSummary(NamedTuple):
    """A meaning, or a part of one.

    ``repeats`` is the number of productions that stand directly below one with the same predicate, as in
    ``state(state(all))``. ``labels`` has the bits of `rekern.krisp.second_opinion.find_parts`, ``answered`` those of
    the telling words that it does not overlook, and ``used`` those of the spans of names that it uses. ``tops`` are
    the predicates that have none above them, ``parts`` those of `rekern.krisp.word_translation.list_parts`.
    """

    predicate: str
    repeats: int
    labels: int
    answered: int
    used: int
    tops: tuple[str, ...]
    parts: tuple[str, ...]


class MeaningSummarizer:
    """Summarizes the meanings of one sentence; what they share is looked at once.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
    >>> bits = PartBits({"all": 0, "big": 1, "big / big": 2, "big / all": 3, "top / big": 4})
    >>> summarizer = MeaningSummarizer(bits, TellingWords(["big"], 1, {"big": 1}, {}), NameSpans([]))
    >>> summarizer.summarize_whole(grammar.parse("big(big(all))"))[1:]
    (1, 31, 1, 0, ('big',), ('big', 'big', 'S -> all'))
    """

    def __init__(self, bits: PartBits, telling: TellingWords, names: NameSpans):
        self._bits, self._telling, self._names = bits, telling, names
        self._known: dict[int, MeaningSummary] = {}

    def summarize_whole(self, derivation: Derivation) -> MeaningSummary:
        """Summarize a whole meaning; the caller keeps it, as it is known by its address."""
        found = self._summarize(derivation)
        labels = found.labels
        for top in found.tops:
            labels |= self._bits[f"top / {top}"]
        return found._replace(labels=labels)

    def _summarize(self, node: Derivation) -> MeaningSummary:
        found = self._known.get(id(node))
        if found is not None:
            return found
        production = node.production
        predicate, is_rule = production.predicate, production.kind == "rule"
        answered = self._telling.find_answered(production)
        used = 0 if is_rule else self._names.find_used(node)
        parts = list_own_parts(node)
        is_label = is_rule and predicate != ""
        repeats, labels = 0, self._bits[predicate] if is_label else 0
        tops: tuple[str, ...] = (predicate,) if is_label else ()
        for child in node.children:
            below = self._summarize(child)
            repeats += below.repeats + (below.predicate == predicate != "")
            labels |= below.labels
            answered |= below.answered
            used |= below.used if is_rule else 0  # what a pronoun repeats is named elsewhere
            parts += below.parts
            if is_label:
                for top in below.tops:
                    labels |= self._bits[f"{predicate} / {top}"]
            else:
                tops += below.tops
        found = self._known[id(node)] = MeaningSummary(predicate, repeats, labels, answered, used, tops, parts)
        return found
