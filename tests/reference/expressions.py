"""Multiword expression distance straight from its definition: every n-gram, every document, nothing shared."""

import math


def expressions(documents, shortest, longest, min_documents, max_distance=1.0, is_word=None):
    """{n-gram: (φ, μ, distance, normalised)} of the token lists ``documents``; n-grams consist of words only."""
    is_word = is_word or (lambda token: any(c.isalnum() for c in token))
    ngrams = {
        tuple(document[start : start + size])
        for document in documents
        for size in range(shortest, longest + 1)
        for start in range(len(document) - size + 1)
    }
    found = {}
    for ngram in ngrams:
        if not all(map(is_word, ngram)):
            continue
        phi = sum(stands_in(ngram, document) for document in documents)
        mu = sum(set(ngram) <= set(document) for document in documents)
        if phi < min_documents:
            continue
        med = math.log(mu) - math.log(phi)
        largest = math.log(len(documents)) - math.log(phi)
        normalized = med / largest if largest else 0.0
        if normalized <= max_distance:
            found[ngram] = (phi, mu, med, normalized)
    return found


def stands_in(ngram, document):
    size = len(ngram)
    return any(tuple(document[start : start + size]) == ngram for start in range(len(document) - size + 1))


def joined(tokens, expressions):
    """Tokens with expressions joined: at each place the longest that fits, then on behind it."""
    if not tokens:
        return []
    fitting = [e for e in expressions if len(e) > 1 and tuple(tokens[: len(e)]) == tuple(e)]
    size = max(map(len, fitting), default=1)
    return ["_".join(tokens[:size]), *joined(tokens[size:], expressions)]
