"""Search for expressions of several tokens in a list of tokens, and joining of each into one token."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

__all__ = ["ExpressionIndex", "find_spans", "index_expressions", "join_spans"]

# Expressions by their first two tokens, the longest first.
ExpressionIndex = dict[tuple[str, str], list[tuple[str, ...]]]


def index_expressions(expressions: Iterable[tuple[str, ...]]) -> ExpressionIndex:
    """Group expressions by their first two tokens, the longest first; expressions of one token are left out.

    >>> index_expressions([("as", "well"), ("as", "well", "as"), ("one",)])
    {('as', 'well'): [('as', 'well', 'as'), ('as', 'well')]}
    """
    found: ExpressionIndex = {}
    for expression in sorted(set(expressions), key=lambda tokens: (-len(tokens), tokens)):
        if len(expression) > 1:
            found.setdefault((expression[0], expression[1]), []).append(expression)
    return found


def find_spans(tokens: Sequence[str], index: ExpressionIndex) -> list[tuple[int, int]]:
    """Find expressions among tokens, from left to right and the longest first; return the begin and end of each.

    >>> find_spans(["as", "well", "as", "well"], index_expressions([("as", "well"), ("as", "well", "as")]))
    [(0, 3)]
    """
    found = []
    end = 0
    for begin, two in enumerate(pairwise(tokens)):
        if two in index and begin >= end:
            for expression in index[two]:
                if tuple(tokens[begin : begin + len(expression)]) == expression:
                    end = begin + len(expression)
                    found.append((begin, end))
                    break
    return found


def join_spans(tokens: list[str], spans: list[tuple[int, int]]) -> list[str]:
    """Join the tokens of each span by underscores into one token.

    >>> join_spans(["the", "united", "states"], [(1, 3)])
    ['the', 'united_states']
    """
    if not spans:
        return tokens
    found = []
    last = 0
    for begin, end in spans:
        found += tokens[last:begin]
        found.append("_".join(tokens[begin:end]))
        last = end
    return found + tokens[last:]
