"""Algorithms 1 and 2 of "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012), in plain Python, line by line.

They compute the kernel with aligned wildcards and windows of k tokens on both sides. A *double* is a pair of tokens,
one of each pair's text; it is identical when both are the same token. ``benchmarks/paper_algorithms.py`` is the
compiled twin.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from math import comb, factorial
from typing import Any

from reference.rewriting import Text, kgrams

Number = float | Fraction


def kbar(as1: Text, at1: Text, as2: Text, at2: Text, decay: Number = 1.0) -> Number:
    """Algorithm 1: the kernel of two pairs of k-grams.

    >>> kbar("abbccbb", "cbcbbcb", "abcccdd", "cbccdcd", decay=1)   # Figure 2: 12 + 24 + 14 + 2
    52
    """
    return g(Counter(zip(as1, as2)), Counter(zip(at1, at2)), decay)


def g(in_source: Counter[Any], in_target: Counter[Any], decay: Number) -> Number:
    """Lines 3 to 8 of Algorithm 1, on how often each double occurs in the source and in the target.

    >>> g(Counter({("c", "c"): 2}), Counter({("c", "c"): 3}), decay=0.5)   # 1 + 6 / 4 + 6 / 16
    2.875
    """
    result: Number = 1
    for e in in_source.keys() | in_target.keys():
        a, b = in_source[e], in_target[e]
        result *= sum(ways(e, i, a, b) * decay ** (2 * i) for i in range(min(a, b) + 1))
    return result


def ways(e: tuple[Any, Any], i: int, a: int, b: int) -> int:
    """In how many ways i pairs of aligned wildcards come from e, found a times in the source and b in the target.

    >>> ways(("b", "d"), 2, 2, 2), ways(("b", "d"), 1, 2, 2), ways(("b", "b"), 1, 2, 2)   # others must all be wildcards
    (2, 0, 4)
    """
    if e[0] == e[1]:
        return comb(a, i) * comb(b, i) * factorial(i)
    return factorial(i) if a == b == i else 0


def algorithm2(s1: Text, t1: Text, s2: Text, t2: Text, k: int, decay: Number = 1.0) -> tuple[Number, int]:
    """Algorithm 2: the kernel of (s1, t1) and (s2, t2), and how often it called g.

    >>> algorithm2("abbccbb", "cbcbbcb", "abcccdd", "cbccdcd", 7, decay=1)
    (52, 1)
    """
    ms, cs = grouped_doubles(s1, s2, k)
    mt, ct = grouped_doubles(t1, t2, k)
    result: Number = 0
    calls = 0
    for key in ms.keys() & mt.keys():
        for vs in ms[key]:
            for vt in mt[key]:
                result += cs[vs] * ct[vt] * g(Counter(dict(vs)), Counter(dict(vt)), decay)
                calls += 1
    return result, calls


def grouped_doubles(x1: Text, x2: Text, k: int) -> tuple[dict[Any, set[Any]], Counter[Any]]:
    """Lines 2 to 5: the double counts of all k-gram pairs, under those of non-identical doubles, and their frequency.

    >>> values, frequency = grouped_doubles("ab", "ab", 1)
    >>> sorted(len(group) for group in values.values()), frequency.total()   # aa and bb together; ab; ba
    ([1, 1, 2], 4)
    """
    values: dict[Any, set[Any]] = defaultdict(set)
    frequency: Counter[Any] = Counter()
    for gram1 in kgrams(x1, k):
        for gram2 in kgrams(x2, k):
            value = frozenset(Counter(zip(gram1, gram2)).items())
            key = frozenset((e, count) for e, count in value if e[0] != e[1])
            values[key].add(value)
            frequency[value] += 1
    return values, frequency
