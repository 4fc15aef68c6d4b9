"""Candidates by definition: BM25 (with an exponent on the inverse document frequency) and a sort of all texts."""

import math
from collections import Counter


def score(query: list[str], text: list[str], texts: list[list[str]]) -> float:
    """The score of a text for a query, among all texts; repeated words of the query count again."""
    mean = sum(map(len, texts)) / len(texts)
    counts = Counter(text)
    total = 0.0
    for word in query:
        if counts[word]:
            found = sum(word in other for other in texts)
            frequency = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * len(text) / mean)
            total += frequency**1.5 * counts[word] * (1.2 + 1) / (counts[word] + norm)
    return total


def find_candidates(
    query: list[str], texts: list[list[str]], n: int, own: int | None = None
) -> list[tuple[int, float]]:
    """The rows and scores of the best texts that share a word with the query, the best first, then by row."""
    scores = [(row, score(query, text, texts)) for row, text in enumerate(texts) if row != own]
    return sorted((pair for pair in scores if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:n]


def find_related_candidates(
    query: list[str], texts: list[list[str]], n: int, vectors: dict[str, list[float]], least: float, share: float
) -> list[tuple[int, float]]:
    """The same with the three related words of each word of the query, which weigh at most a share of it."""
    mean = sum(map(len, texts)) / len(texts)

    def weigh(word: str) -> float:
        found = sum(word in text for text in texts)
        return math.log(1 + (len(texts) - found + 0.5) / (found + 0.5)) ** 1.5 * (1.2 + 1)

    def compare(word: str, other: str) -> float:
        one, two = vectors[word], vectors[other]
        return sum(a * b for a, b in zip(one, two)) / math.sqrt(sum(a * a for a in one) * sum(b * b for b in two))

    indexed = {word for text in texts for word in text}
    weights: dict[str, float] = {}
    for word, count in Counter(query).items():
        limit = math.inf
        if word in indexed:
            limit = weigh(word)
            weights[word] = max(weights.get(word, 0.0), limit * count)
        others = [other for other in indexed if word in vectors and other in vectors and other != word]
        near = sorted((-compare(word, other), other) for other in others if compare(word, other) >= least)
        for cosine, other in near[:3]:
            weights[other] = max(weights.get(other, 0.0), share * -cosine * min(weigh(other), limit) * count)
    scores = []
    for row, text in enumerate(texts):
        counts = Counter(text)
        norm = 1.2 * (1 - 0.75 + 0.75 * len(text) / mean) if text else 1.0
        total = sum(weight * counts[word] / (counts[word] + norm) for word, weight in weights.items())
        scores.append((row, total))
    return sorted((pair for pair in scores if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:n]
