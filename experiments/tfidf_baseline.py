"""The baseline: the similarity of two texts as the cosine of their TF-IDF vectors, and a model of that one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression

from rekern.core.arrays import AnyArray, Floats
from rekern.datasets.tables import Table
from rekern.structures.tokenizer import Tokenizer


def predict_by_tfidf(table: Table, test: Sequence[tuple[str, str]], measure: str) -> AnyArray:
    """Predict test pairs from the cosine alone.

    Classes (measure ``accuracy``) are predicted by logistic regression, numbers (``pearson``) by linear regression; for
    a ranking (``map``) the cosine itself is returned. Tokens are those of the kernels; the document frequencies are
    those of the training texts.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a b", "c d"] * 5, "target": ["a b", "e f"] * 5, "label": [1, 0] * 5})
    >>> predict_by_tfidf(table, [("x a", "a x"), ("a c", "e d")], "accuracy")
    array([1, 0])
    """
    vectorizer = TfidfVectorizer(analyzer=Tokenizer()).fit([text for pair in table.pairs for text in pair])
    train, held_out = (_compute_cosines(vectorizer, pairs) for pairs in (table.pairs, test))
    if measure == "map":
        return held_out
    model = LogisticRegression() if measure == "accuracy" else LinearRegression()
    predicted: AnyArray = model.fit(train[:, None], np.array(table.labels)).predict(held_out[:, None])
    return predicted


def _compute_cosines(vectorizer: TfidfVectorizer, pairs: Sequence[tuple[str, str]]) -> Floats:
    """Compute cosines; the rows of the vectorizer have length 1 already, or 0 for a text without known words."""
    sources, targets = (vectorizer.transform([pair[side] for pair in pairs]) for side in (0, 1))
    return np.asarray(sources.multiply(targets).sum(axis=1)).ravel()
