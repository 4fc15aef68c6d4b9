"""The baseline: how alike two texts are by the cosine of their TF-IDF vectors, and a model of that one number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression

from rekern.datasets.tables import Table
from rekern.structures.tokenizer import Tokenizer


def tfidf_scores(table: Table, test: Sequence[tuple[str, str]], measure: str) -> np.ndarray:
    """Predictions for test pairs from the cosine alone: classes by logistic regression (measure ``accuracy``), numbers
    by linear regression (``pearson``), and for a ranking (``map``) the cosine itself.

    The tokens are the same as the kernels'; the document frequencies are those of the training texts.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a b", "c d"] * 5, "target": ["a b", "e f"] * 5, "label": [1, 0] * 5})
    >>> tfidf_scores(table, [("x a", "a x"), ("a c", "e d")], "accuracy")
    array([1, 0])
    """
    vectorizer = TfidfVectorizer(analyzer=Tokenizer()).fit([text for pair in table.pairs for text in pair])
    train, held_out = (_cosines(vectorizer, pairs) for pairs in (table.pairs, test))
    if measure == "map":
        return held_out
    model: Any = LogisticRegression() if measure == "accuracy" else LinearRegression()
    return model.fit(train[:, None], np.array(table.labels)).predict(held_out[:, None])


def _cosines(vectorizer: TfidfVectorizer, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """The rows are of length 1 already, or 0 for a text without known words."""
    sources, targets = (vectorizer.transform([pair[side] for pair in pairs]) for side in (0, 1))
    return np.asarray(sources.multiply(targets).sum(axis=1)).ravel()
