"""Support vector machines that classify questions: on bigrams (the paper's SB), or on a kernel of this package.

They answer without scikit-learn; `rekern.questions.svm_training` trains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.core.object_descriptions import build, describe
from rekern.errors import InputError, ModelFileError
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_archive import Arrays
from rekern.questions.question_model import QuestionModel
from rekern.questions.question_units import Tagger, cut
from rekern.questions.taggers import choose_tagger


class GramKernel(Protocol):
    """A kernel, as far as a machine needs one."""

    def gram(self, X: Sequence[object], Y: Sequence[object] | None = None) -> Floats:
        """Return the kernel values of all items in X with all items in Y, or in X."""
        ...


@dataclass(frozen=True)
class OneVsRestSVM:
    """One machine for each type against the rest: score(x) = Σ coefficients[i] · K(xᵢ, x) + intercept, by column.

    ``gamma`` is that of a Gaussian kernel, 0 for the kernel itself. The scores are multiplied by ``temperature``, so
    that their softmax is a probability.
    """

    coefficients: Floats
    intercept: Floats
    C: float
    gamma: float
    temperature: float

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> OneVsRestSVM:
        """Read the machines from the file of a classifier."""
        described = archive.header["machine"]
        numbers = (float(described[name]) for name in ("price", "width", "temperature"))
        return cls(archive.read_array("coefficients", 2), archive.read_array("intercept", 1), *numbers)

    def describe(self, arrays: Arrays) -> JsonObject:
        """Return the machines as JSON; arrays are put into ``arrays``."""
        arrays |= {"coefficients": self.coefficients, "intercept": self.intercept}
        return {"machine": {"price": self.C, "width": self.gamma, "temperature": self.temperature}}

    def scores(self, gram: Floats) -> Floats:
        """Return the scores of questions, from their kernel values with the training questions."""
        scores: Floats = self.temperature * (gram @ self.coefficients + self.intercept)
        return scores


@dataclass(frozen=True)
class BigramSVM(QuestionModel):
    """Machines on the bigrams of questions, with a linear or a Gaussian kernel."""

    classes_: AnyArray
    svm: OneVsRestSVM
    bigrams: NGramPatterns
    questions: list[str]
    tagger: Tagger | None = None

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> BigramSVM:
        """Read the model from the file of a classifier."""
        header = archive.header
        questions = [question for question in header["questions"] if isinstance(question, str)]
        if len(questions) != len(header["questions"]):
            raise ModelFileError("its questions are not texts")
        bigrams = NGramPatterns([str(term) for term in header["bigrams"]], (2,), "words")
        tagger = choose_tagger(header["parameters"]["tagger"], archive.context.given.get("tagger"))
        return cls(*_read_svm(archive, len(questions)), bigrams, questions, tagger)

    def describe(self, arrays: Arrays) -> JsonObject:
        """Return the model as JSON for the file of a classifier; arrays are put into ``arrays``."""
        return {"questions": self.questions, **self.svm.describe(arrays), "bigrams": self.bigrams.terms}

    def scores(self, questions: Sequence[object]) -> Floats:
        """Return the decision values of the types, one row per question."""
        left = self.bigrams.match(cut(str(question), self.tagger) for question in questions)
        right = self.bigrams.match(cut(question, self.tagger) for question in self.questions)
        norms = (np.asarray(left.sum(axis=1)).ravel(), np.asarray(right.sum(axis=1)).ravel())
        return self.svm.scores(apply_gaussian((left @ right.T).toarray(), self.svm.gamma, *norms))


@dataclass(frozen=True)
class KernelSVM(QuestionModel):
    """Machines on a kernel of texts, trees or lists of tokens."""

    classes_: AnyArray
    svm: OneVsRestSVM
    kernel: GramKernel
    questions: list[object]

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> KernelSVM:
        """Read the model from the file of a classifier."""
        header = archive.header
        questions: list[object] = [_check_storable(question) for question in header["questions"]]
        kernel = build(header["kernel"], {}, archive.context)
        if not hasattr(kernel, "gram"):
            raise ModelFileError("it has no kernel")
        kernel.diag(questions)  # bad parameters and bad questions raise an error here, not at the first prediction
        return cls(*_read_svm(archive, len(questions)), kernel, questions)

    def describe(self, arrays: Arrays) -> JsonObject:
        """Return the model as JSON for the file of a classifier; arrays are put into ``arrays``."""
        kernel_arrays: Arrays = {}
        kernel = describe(self.kernel, kernel_arrays)
        if kernel_arrays:
            raise InputError("a classifier whose kernel holds word vectors cannot be saved; use a kernel without them")
        questions = [_check_storable(question) for question in self.questions]
        return {"questions": questions, **self.svm.describe(arrays), "kernel": kernel}

    def scores(self, questions: Sequence[object]) -> Floats:
        """Return the decision values of the types, one row per question."""
        if not questions:
            return np.zeros((0, len(self.classes_)))
        return self.svm.scores(self.kernel.gram(questions, self.questions))


def apply_gaussian(products: Floats, gamma: float, left: Floats | None = None, right: Floats | None = None) -> Floats:
    """Compute exp(−γ |x − y|²) from inner products and the squared norms of both sides; γ = 0 keeps the products.

    >>> apply_gaussian(np.array([[4.0, 0.0], [0.0, 1.0]]), 0.2).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    if not gamma:
        return products
    left = np.diag(products) if left is None else left
    right = np.diag(products) if right is None else right
    values: Floats = np.exp(-gamma * np.maximum(left[:, None] + right - 2 * products, 0.0))
    return values


def _read_svm(archive: OpenArchive, n_questions: int) -> tuple[AnyArray, OneVsRestSVM]:
    classes, svm = np.array(archive.header["classes"]), OneVsRestSVM.from_archive(archive)
    if svm.coefficients.shape != (n_questions, len(classes)) or len(svm.intercept) != len(classes):
        raise ModelFileError("its parts do not fit together")
    return classes, svm


def _check_storable(question: object) -> str | list[str]:
    if isinstance(question, str):
        return question
    if isinstance(question, list | tuple) and all(isinstance(token, str) for token in question):
        return list(question)
    raise InputError("only questions that are texts, bracketed trees or lists of tokens can be saved with a kernel")
