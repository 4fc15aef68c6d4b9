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
