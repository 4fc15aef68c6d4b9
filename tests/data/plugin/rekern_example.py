"""A small package of somebody else: a kernel, a score, a word space and a parser that join Rekern by entry points."""

import numpy as np

from rekern.kernels import Spectrum
from rekern.kernels.score_kernel import ScoreKernel
from rekern.structures import Pairs
from rekern.structures.parsers import Parse, Parser


class LongGrams(Spectrum):
    """N-grams of a text, three tokens long unless told otherwise."""

    def __init__(self, k=3, normalize=True, on=None, tokenizer=None):
        super().__init__(k, normalize, on, tokenizer)


class LengthRatio(ScoreKernel):
    """The length of the shorter side of a pair as a share of the longer one's."""

    def names(self):
        return ["length ratio"]

    def scores(self, X):
        lengths = np.diff(Pairs.from_items(X).tokens.offsets).reshape(-1, 2)
        return (lengths.min(axis=1) / np.maximum(lengths.max(axis=1), 1))[:, None]


class Initials:
    """A word space in which a word's vector says with which of a few letters it begins."""

    def __init__(self, letters):
        self.letters = letters

    def vectors(self, words):
        return np.array([[float(word[:1] == letter) for letter in self.letters] for word in words])

    def to_dict(self):
        return {"letters": self.letters}

    @classmethod
    def from_dict(cls, state):
        return cls(str(state["letters"]))


class FlatParser(Parser):
    """A tree of depth two: every word is a child of the root."""

    name = "flat"
    gives = ("constituents",)
    identity = {"parser": "flat"}  # noqa: RUF012

    def _parses(self, texts):
        leaves = (" ".join(f"(X {word}::n)" for word in text.split()) for text in texts)
        return [Parse(constituents=(f"(S {children})",)) for children in leaves]
