"""Classes of single texts, trees and graphs: a topic, a sentiment, a type of question."""

from __future__ import annotations

from collections.abc import Mapping

from rekern.core.registry import register
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.learning.class_probabilities import Threshold
from rekern.learning.gram_limits import GRAM_LIMIT
from rekern.learning.model_rules import ModelRules
from rekern.learning.model_schema import CLASSIFIER
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_input import Pair
from rekern.learning.text_explanation import TextExplanation
from rekern.learning.text_input import (
    check_one_text,
    check_text_kernel,
    list_shown_texts,
    make_text_kernel,
    read_texts,
    refuse_pairs,
)
from rekern.structures.representations import Representations, Row


@register
class TextClassifier(PairClassifier):
    """A support vector machine that classifies single texts, trees or graphs.

    It is a `PairClassifier` in all but its items, which are single: texts or lists of tokens, trees in brackets or of
    NLTK, documents of spaCy, graphs, or rows of a table with the columns that the kernel reads.

    Parameters
    ----------
    kernel : Kernel, optional
        A kernel on single items, such as ``Spectrum``, ``PartialTree`` or ``Neighborhoods``. By default
        ``Spectrum(1) + Spectrum(2)``: words, and pairs of words that follow each other.
    C, class_weight, calibration, gram_limit, n_jobs, threshold, landmarks
        As in `PairClassifier`.

    Examples
    --------
    >>> texts = ["a good film", "really good fun", "good acting", "a bad film", "really bad", "bad acting"]
    >>> model = TextClassifier(calibration=0).fit(texts, ["yes", "yes", "yes", "no", "no", "no"])
    >>> model.predict(["what a good story", "bad music"]).tolist()
    ['yes', 'no']
    >>> model.explain("bad music").parts[0].name
    'bad'
    >>> from rekern.kernels import PartialTree
    >>> trees = ["(S (NP he) (VP runs))", "(S (NP she) (VP runs))", "(NP (DT the) (NN dog))", "(NP (DT a) (NN cat))"]
    >>> model = TextClassifier(PartialTree(), calibration=0).fit(trees, ["clause", "clause", "phrase", "phrase"])
    >>> model.predict(["(NP (DT the) (NN cat))"]).tolist()
    ['phrase']
    """

    schema = CLASSIFIER

    parameter_table = PairClassifier.parameter_table

    def __init__(
        self,
        kernel: Kernel | None = None,
        C: float = 1.0,
        class_weight: str | Mapping[object, float] | None = None,
        calibration: int = 5,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        threshold: Threshold = 0.5,
        landmarks: int | None = None,
    ):
        super().__init__(kernel, C, class_weight, calibration, gram_limit, n_jobs, threshold, landmarks)

    @property
    def texts_(self) -> list[str]:
        """The training texts, to show."""
        return [str(text) for text, _ in self.pairs_]

    def _resolve_kernel(self, on_features: bool = False) -> Kernel:
        return make_text_kernel() if self.kernel is None else super()._resolve_kernel(on_features)

    def check_kernel(self) -> None:
        """Raise an InputError if the kernel compares pairs."""
        check_text_kernel(self.kernel_)

    def _read_training(self, X: object) -> None:
        self.check_kernel()
        refuse_pairs(X)
        self.items_ = read_texts(self.kernel_, X)
        self.pairs_ = self.list_shown(self.items_)

    def list_shown(self, items: Representations) -> list[Pair]:
        """The text of each row of a table that the kernel reads, and nothing beside it."""
        return [(text, "") for text in list_shown_texts(items)]

    def _read_items(self, X: object, with_forms: bool = False) -> Representations:
        return read_texts(self.kernel_, X)

    def _read_pair(self, pair: object) -> Row:
        self._check_fitted()
        check_one_text(pair)
        return self._read_items([pair])[0]

    def explain(self, pair: object, label: object = None, neighbors: int = 3) -> TextExplanation:
        """Take the decision value of a text, tree or graph apart: what each feature adds, and the intercept.

        The value explained is that of ``label``: by default of the second class if there are two, else of the class
        that was predicted. ``neighbors`` is the number of training texts to show.
        """
        row = self._read_pair(pair)
        found = super().explain(row, label, neighbors)
        text = list_shown_texts(row.table)[row.index]
        return TextExplanation(**{**vars(found), "source": "", "target": "", "text": text})

    def rules(self, n: int = 20, label: object = None) -> ModelRules:
        """A model of texts has no re-writing rules; `explain` shows what it has learned."""
        raise InputError("a model of single texts has no re-writing rules; explain shows the parts of its decisions")
