"""The string kernels straight from their definitions: slow, pure Python, meant to be read.

A text is a sequence of hashable tokens (not ``None``: that is the wildcard), a pair is ``(source, target)``.
Nothing here is clever: substrings, patterns and index tuples are listed one by one. Only whole numbers and powers of
``decay`` are added and multiplied, so ``decay=Fraction(1, 2)`` gives exact values.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import sqrt
from typing import Any

Token = Hashable
Text = Sequence[Token]
Pair = tuple[Text, Text]
Pattern = tuple[Token, ...]
Alignment = tuple[tuple[int, int], ...]
Rule = tuple[Pattern, Pattern, Alignment]
Number = float | Fraction

WILDCARD = None


# Re-writing rules and the kernels over them


def rewriting_features(
    s: Text, t: Text, window: tuple[int, int], wildcards: str = "aligned", decay: Number = 1.0, span: int = 1
) -> dict[Rule, Number]:
    """Every rule that matches the pair, with its value n * decay**i.

    A rule is ``(source pattern, target pattern, alignment)``. The patterns have ``window[0]`` and ``window[1]``
    elements, each a token or WILDCARD, and a wildcard stands for 1 to ``span`` consecutive tokens. The alignment is a
    sorted tuple of index pairs (source wildcard, target wildcard), from 0. n is the number of contiguous substring
    pairs, told apart by their positions, that the rule matches in at least one way.

    - ``"aligned"``: the alignment is a bijection between the wildcards of the two sides, aligned wildcards stand for
      the same tokens, and i is the number of aligned pairs.
    - ``"free"``: no alignment, and i is the number of wildcards on both sides together.
    - ``"none"``: no wildcards.

    >>> for rule, value in sorted(rewriting_features("ab", "b", (1, 1), decay=0.5).items(), key=str):
    ...     print(rule, value)
    (('a',), ('b',), ()) 1.0
    (('b',), ('b',), ()) 1.0
    ((None,), (None,), ((0, 0),)) 0.5
    """
    matched: Counter[Rule] = Counter()
    for source in substrings(s, window[0], window[0] * span):
        for target in substrings(t, window[1], window[1] * span):
            matched.update(rules_matching(source, target, window, wildcards, span))
    return {rule: n * decay ** weighted_wildcards(rule, wildcards) for rule, n in matched.items()}


def rewriting_kernel(
    pair1: Pair,
    pair2: Pair,
    window: tuple[int, int],
    wildcards: str = "aligned",
    decay: Number = 1.0,
    span: int = 1,
) -> Number:
    """The inner product of the two pairs' features: the sum over rules of n1 * n2 * decay**(2 i).

    >>> rewriting_kernel(("ab", "b"), ("cb", "b"), (1, 1), decay=0.5)   # b → b, and ⟨1⟩ → ⟨1⟩
    1.25
    """
    return dot(
        rewriting_features(*pair1, window, wildcards, decay, span),
        rewriting_features(*pair2, window, wildcards, decay, span),
    )


def rewriting_sum_kernel(
    pair1: Pair,
    pair2: Pair,
    windows: Iterable[tuple[int, int]],
    wildcards: str = "aligned",
    decay: Number = 1.0,
    span: int = 1,
    normalize: bool = True,
) -> Number:
    """The sum over several windows, each kernel normalised before it is added unless ``normalize`` is false.

    >>> rewriting_sum_kernel(("ab", "b"), ("ab", "b"), [(1, 1), (2, 2)])   # the target is too short for (2, 2)
    1.0
    """
    options = {"wildcards": wildcards, "decay": decay, "span": span}
    if normalize:
        return sum(normalized(rewriting_kernel, pair1, pair2, window=window, **options) for window in windows)
    return sum(rewriting_kernel(pair1, pair2, window, **options) for window in windows)


def substrings(text: Text, shortest: int, longest: int) -> Iterator[tuple[Token, ...]]:
    """The contiguous substrings of shortest to longest tokens, one for each first and last position.

    >>> ["".join(sub) for sub in substrings("aba", 1, 2)]
    ['a', 'b', 'a', 'ab', 'ba']
    """
    for length in range(shortest, longest + 1):
        yield from kgrams(text, length)


def rules_matching(
    source: Text, target: Text, window: tuple[int, int], wildcards: str = "aligned", span: int = 1
) -> set[Rule]:
    """The rules that match the whole of source and target; a rule that matches in several ways is there once.

    >>> sorted(rules_matching("ab", "b", (2, 1)), key=str)
    [(('a', 'b'), ('b',), ()), (('a', None), (None,), ((1, 0),))]
    """
    longest = {"aligned": span, "free": span, "none": 0}[wildcards]
    target_parses = list(parses(tuple(target), window[1], longest))
    rules: set[Rule] = set()
    for source_pattern, source_filling in parses(tuple(source), window[0], longest):
        for target_pattern, target_filling in target_parses:
            if wildcards == "aligned":
                for alignment in bijections(source_filling, target_filling):
                    rules.add((source_pattern, target_pattern, alignment))
            else:
                rules.add((source_pattern, target_pattern, ()))
    return rules


def parses(text: tuple[Token, ...], length: int, span: int) -> Iterator[tuple[Pattern, dict[int, tuple[Token, ...]]]]:
    """Each way to read the text as a pattern of ``length`` elements, with the tokens that each wildcard stands for.

    >>> [pattern for pattern, filling in parses(("a", "b"), 2, span=1)]
    [('a', 'b'), ('a', None), (None, 'b'), (None, None)]
    >>> list(parses(("a", "b", "c"), 2, span=2))[0]
    (('a', None), {1: ('b', 'c')})
    """
    if length == 0:
        if not text:
            yield (), {}
        return
    if not text:
        return
    for pattern, filling in parses(text[1:], length - 1, span):
        yield (text[0], *pattern), {index + 1: tokens for index, tokens in filling.items()}
    for taken in range(1, min(span, len(text)) + 1):
        for pattern, filling in parses(text[taken:], length - 1, span):
            yield (WILDCARD, *pattern), {0: text[:taken], **{index + 1: tokens for index, tokens in filling.items()}}


def bijections(source_filling: dict[int, Any], target_filling: dict[int, Any]) -> Iterator[Alignment]:
    """The one-to-one alignments of all wildcards of both sides in which aligned ones stand for the same tokens.

    >>> list(bijections({0: "x", 2: "x"}, {1: "x", 3: "x"}))
    [((0, 1), (2, 3)), ((0, 3), (2, 1))]
    """
    if len(source_filling) != len(target_filling):
        return
    indices = sorted(source_filling)
    for order in permutations(sorted(target_filling)):
        if all(source_filling[i] == target_filling[j] for i, j in zip(indices, order)):
            yield tuple(zip(indices, order))


def weighted_wildcards(rule: Rule, wildcards: str) -> int:
    """The i of decay**i: aligned pairs once, free wildcards each.

    >>> weighted_wildcards(((None, "x"), ("y", None), ((0, 1),)), "aligned")
    1
    >>> weighted_wildcards(((None, "x"), ("y", None), ()), "free")
    2
    """
    source, target, alignment = rule
    return len(alignment) if wildcards == "aligned" else (source + target).count(WILDCARD)


# The same kernels a second time: list every rule there can be, and every string pair that it can be changed into


def rewriting_kernel_over_all_rules(
    pair1: Pair,
    pair2: Pair,
    window: tuple[int, int],
    wildcards: str = "aligned",
    decay: Number = 1.0,
    span: int = 1,
) -> Number:
    """As ``rewriting_kernel``, by going through all rules over the tokens that occur; for tiny alphabets and windows.

    >>> rewriting_kernel_over_all_rules(("ab", "b"), ("cb", "b"), (1, 1), decay=0.5)
    1.25
    """
    alphabet = sorted({token for text in (*pair1, *pair2) for token in text}, key=repr)
    places1, places2 = (Counter(product(substrings(s, 1, len(s)), substrings(t, 1, len(t)))) for s, t in (pair1, pair2))
    total: Number = 0
    for rule in all_rules(alphabet, window, wildcards):
        images = changed_into(rule, alphabet, span)
        n1 = sum(places1[image] for image in images)
        n2 = sum(places2[image] for image in images)
        total += n1 * n2 * decay ** (2 * weighted_wildcards(rule, wildcards))
    return total


def all_rules(alphabet: Sequence[Token], window: tuple[int, int], wildcards: str) -> Iterator[Rule]:
    """Every rule over the alphabet: all patterns of the window's lengths, all alignments that the kind allows.

    >>> len(list(all_rules("ab", (1, 1), "none"))), len(list(all_rules("ab", (1, 1), "free")))
    (4, 9)
    >>> len(list(all_rules("ab", (1, 1), "aligned")))
    5
    """
    elements = [*alphabet] if wildcards == "none" else [*alphabet, WILDCARD]
    for source in product(elements, repeat=window[0]):
        for target in product(elements, repeat=window[1]):
            if wildcards != "aligned":
                yield source, target, ()
                continue
            source_indices = [i for i, element in enumerate(source) if element is WILDCARD]
            target_indices = [j for j, element in enumerate(target) if element is WILDCARD]
            if len(source_indices) == len(target_indices):
                for order in permutations(target_indices):
                    yield source, target, tuple(zip(source_indices, order))


def changed_into(rule: Rule, alphabet: Sequence[Token], span: int = 1) -> set[tuple[tuple[Token, ...], ...]]:
    """Every (source, target) that the rule's patterns can be changed into by putting strings for the wildcards.

    >>> sorted(changed_into((("x", None), (None,), ((1, 0),)), "ab"))
    [(('x', 'a'), ('a',)), (('x', 'b'), ('b',))]
    """
    source, target, alignment = rule
    domain = [string for length in range(1, span + 1) for string in product(alphabet, repeat=length)]
    source_wildcards = [i for i, element in enumerate(source) if element is WILDCARD]
    aligned_with = {j: i for i, j in alignment}
    alone = [j for j, element in enumerate(target) if element is WILDCARD and j not in aligned_with]
    images = set()
    for strings in product(domain, repeat=len(source_wildcards) + len(alone)):
        in_source = dict(zip(source_wildcards, strings))
        in_target = dict(zip(alone, strings[len(source_wildcards) :]))
        in_target.update({j: in_source[i] for j, i in aligned_with.items()})
        images.add((fill(source, in_source), fill(target, in_target)))
    return images


def fill(pattern: Pattern, strings: dict[int, tuple[Token, ...]]) -> tuple[Token, ...]:
    """The pattern with a string in place of each wildcard, by index.

    >>> fill(("x", None), {1: ("a", "b")})
    ('x', 'a', 'b')
    """
    return tuple(token for i, element in enumerate(pattern) for token in strings.get(i, (element,)))


# Kernels on single texts


def spectrum_kernel(s: Text, t: Text, k: int) -> int:
    """The k-grams that two texts share, counted with multiplicity on both sides.

    >>> spectrum_kernel("abab", "ab", 2)
    2
    """
    return dot(Counter(kgrams(s, k)), Counter(kgrams(t, k)))


def wildcard_kernel(s: Text, t: Text, k: int, m: int, decay: Number = 1.0) -> Number:
    """The (k, m)-wildcard kernel: patterns of k elements with at most m wildcards, each wildcard weighing decay.

    >>> wildcard_kernel("ab", "ac", 2, 1, decay=0.5)   # only "a *", 0.5 on each side
    0.25
    """
    return dot(wildcard_features(s, k, m, decay), wildcard_features(t, k, m, decay))


def wildcard_features(s: Text, k: int, m: int, decay: Number = 1.0) -> dict[Pattern, Number]:
    """The patterns of k elements, at most m of them wildcards, with n * decay**wildcards, n the matching k-grams.

    >>> wildcard_features("ab", 2, 1, 0.5)
    {('a', 'b'): 1.0, (None, 'b'): 0.5, ('a', None): 0.5}
    """
    counts: Counter[Pattern] = Counter()
    for gram in kgrams(s, k):
        for size in range(min(m, k) + 1):
            for hidden in combinations(range(k), size):
                counts[tuple(WILDCARD if i in hidden else token for i, token in enumerate(gram))] += 1
    return {pattern: n * decay ** pattern.count(WILDCARD) for pattern, n in counts.items()}


def subsequence_kernel(s: Text, t: Text, max_length: int, decay: Number = 1.0, weight: str = "gaps") -> Number:
    """Shared subsequences of 1 to max_length tokens, every occurrence on each side weighing a power of decay.

    The exponent is last - first + 1 for ``weight="span"`` and the number of skipped tokens for ``weight="gaps"``.

    >>> subsequence_kernel("axb", "ab", 2, decay=0.5, weight="gaps")   # a, b, and "a b" with one token skipped
    2.5
    >>> subsequence_kernel("axb", "ab", 2, decay=0.5, weight="span")   # 2 * 0.5**2 + 0.5**3 * 0.5**2
    0.53125
    """
    return dot(subsequence_features(s, max_length, decay, weight), subsequence_features(t, max_length, decay, weight))


def subsequence_features(s: Text, max_length: int, decay: Number = 1.0, weight: str = "gaps") -> dict[Any, Number]:
    """Every subsequence of 1 to max_length tokens with the summed weight of its occurrences.

    >>> subsequence_features("aba", 2, 0.5, "gaps")
    {('a',): 2.0, ('b',): 1.0, ('a', 'b'): 1.0, ('a', 'a'): 0.5, ('b', 'a'): 1.0}
    """
    features: dict[Any, Number] = {}
    for length in range(1, max_length + 1):
        for positions in combinations(range(len(s)), length):
            covered = positions[-1] - positions[0] + 1
            exponent = {"span": covered, "gaps": covered - length}[weight]
            tokens = tuple(s[i] for i in positions)
            features[tokens] = features.get(tokens, 0) + decay**exponent
    return features


# Shared small pieces


def kgrams(text: Text, k: int) -> list[tuple[Token, ...]]:
    """The contiguous substrings of k tokens, in order.

    >>> kgrams("abc", 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(text[i : i + k]) for i in range(len(text) - k + 1)]


def dot(left: dict[Any, Any], right: dict[Any, Any]) -> Any:
    """The inner product of two sparse vectors.

    >>> dot({"x": 2, "y": 1}, {"x": 3, "z": 5})
    6
    """
    return sum(value * right[name] for name, value in left.items() if name in right)


def normalized(kernel: Callable[..., Any], x: Any, y: Any, **options: Any) -> float:
    """K(x, y) / sqrt(K(x, x) K(y, y)), and 0 where K(x, x) or K(y, y) is 0.

    >>> normalized(spectrum_kernel, "abc", "abd", k=2), normalized(spectrum_kernel, "a", "abd", k=2)
    (0.5, 0.0)
    """
    norms = kernel(x, x, **options) * kernel(y, y, **options)
    return float(kernel(x, y, **options)) / sqrt(norms) if norms else 0.0


def precision_recall(s: Text, t: Text) -> tuple[float, float]:
    """The tokens that s and t share (each as often as in the poorer of the two) over |s| and over |t|; 0 if empty.

    >>> precision_recall("aab", "abbb")   # one a and one b
    (0.6666666666666666, 0.5)
    """
    overlap = (Counter(s) & Counter(t)).total()
    return (overlap / len(s) if s else 0.0), (overlap / len(t) if t else 0.0)
