"""A report about a trained model: what it is, how good it is on labelled pairs, where it fails, and why."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from rekern.core.arrays import AnyArray, Ints
from rekern.core.json_values import JsonObject
from rekern.core.progress import track
from rekern.drawing import draw_report
from rekern.errors import InputError
from rekern.kernels.kernel_items import materialize_items
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.learning.measures import class_measures, correlations, ranking_measures
from rekern.learning.pair_classifier import Decisions, PairClassifier
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_model import PairModel
from rekern.learning.pair_ranker import PairRanker, find_groups
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.reports.held_out import (
    LearnedPairs,
    choose_rows,
    choose_sizes,
    fit_copy,
    get_learned_pairs,
    list_both_texts,
    make_report_folds,
    predict_held_out,
    predict_pairs,
)
from rekern.learning.reports.report_figures import Figures, measure_classes, measure_numbers, measure_orders
from rekern.learning.text_classifier import TextClassifier
from rekern.learning.text_input import read_texts
from rekern.structures.representations import Representations

SHOWN_RULES = 15
SHOWN_CURVES = 12
SHOWN_MISTAKES = 20
SHOWN_PAIRS = 5000  # in the table of all pairs; of more, those with the largest errors
SHOWN_PARTS = 8  # of a mistake

Model = PairClassifier | PairRegressor | PairRanker


@dataclass(frozen=True)
class Report:
    """The figures of a report, the explanations of the worst mistakes, and all pairs with their predictions.

    >>> pairs = [("a b", "a b"), ("c d", "c d"), ("a b", "e f"), ("c d", "g h")]
    >>> from rekern import PairClassifier
    >>> report = make_report(PairClassifier(calibration=0).fit(pairs, [1, 1, 0, 0]), pairs, [1, 1, 0, 0])
    >>> report
    Report(4 rows: accuracy 1, macro_f1 1, auc 1, average_precision 1)
    >>> report.figures["measures"]["accuracy"], len(report.rows)
    (1.0, 4)
    >>> report.to_html().startswith("<!DOCTYPE html>")
    True
    """

    figures: JsonObject
    mistakes: list[JsonObject]
    explanations: list[PairExplanation]  # of the mistakes
    rows: list[JsonObject]

    def __repr__(self) -> str:
        measures, intervals = (cast("JsonObject", self.figures[name]) for name in ("measures", "intervals"))
        shown = [f"{name} {cast('float', measures[name]):.4g}" for name in intervals]
        return f"Report({len(self.rows):,} rows: {', '.join(shown)})"

    def to_dict(self) -> JsonObject:
        """Return the figures and the worst mistakes, for JSON."""
        return {**self.figures, "mistakes": self.mistakes}

    def to_html(self) -> str:
        """Return the report as a page of HTML that needs no other file."""
        return draw_report(self.to_dict(), self.draw_mistakes(), self.rows)

    def _repr_html_(self) -> str:
        return draw_report(self.to_dict(), self.draw_mistakes(), [], whole=False)

    def draw_mistakes(self) -> list[str]:
        """Return the drawings of the mistakes, without their style."""
        return [why.to_html(SHOWN_PARTS, style=False) for why in self.explanations]


def make_report(
    model: Model,
    X: object,
    y: Iterable[object],
    groups: Iterable[Hashable] | None = None,
    *,
    names: JsonObject | None = None,
    n_mistakes: int = SHOWN_MISTAKES,
    learning_curve: bool = False,
    threshold: float | str | None = None,
) -> Report:
    """Report on how a trained model does on labelled pairs.

    Parameters
    ----------
    model : PairClassifier, PairRegressor, PairRanker or TextClassifier
        A trained model.
    X : pairs of texts, or texts
        Those to predict, in any form that the model takes.
    y : labels
        One for each pair; classes as the model knows them.
    groups : optional
        Of a ranker: the group of each pair, by default its source.
    names : dict, optional
        What the page says about the files, such as ``{"model": "m.rekern", "data": "test.tsv"}``.
    n_mistakes : int
        The number of mistakes that are explained.
    learning_curve : bool
        Whether to train on parts of the training pairs too. The model needs its training pairs for it.
    threshold : optional
        Another threshold than the model's, as in ``decide``.

    Examples
    --------
    >>> from rekern import PairClassifier
    >>> pairs = [("a b", "a b"), ("c d", "c d"), ("a b", "e f"), ("c d", "g h")]
    >>> model = PairClassifier(calibration=0).fit(pairs, [1, 1, 0, 0])
    >>> make_report(model, pairs, [1, 1, 0, 1]).figures["measures"]["confusion"]
    [[1, 0], [1, 2]]
    """
    labels, X = list(y), materialize_items(X)
    texts = list_both_texts(model, X)
    if len(labels) != len(texts):
        raise InputError(f"there are {len(texts)} pairs but {len(labels)} labels; give one for each")
    if not labels:
        raise InputError("there are no pairs to report on; give at least one")
    learned = None
    if learning_curve:  # an absence of pairs is found before the work
        learned = get_learned_pairs(model, "for a learning curve", "leave the learning curve out")
    found = predict_pairs(model, X, threshold)
    used = None
    if isinstance(model, PairRanker):
        used = list(find_groups(X) if groups is None else groups)
    figures = _measure(model, found, labels, used, texts)
    curve = None
    if learned is not None:
        rows = np.arange(len(learned.labels))
        curve = _draw_learning_curve(model, learned, rows, lambda copy: _score(copy, X, labels, used))
    values = _describe(model, names, figures, len(labels), "a test set", curve)
    explain = partial(_explain, [model] * len(labels), _list_items(model, X))
    return _finish(values, figures, found, labels, texts, explain, n_mistakes)


def report_training(
    model: Model,
    folds: int = 5,
    *,
    names: JsonObject | None = None,
    n_mistakes: int = SHOWN_MISTAKES,
    learning_curve: bool = False,
) -> Report:
    """Report on a model by cross-validation on its training pairs, if it has them (``save(keep_pairs=True)``).

    Pairs of one text stay in one fold. A pair is predicted, and a mistake explained, by a model that was trained
    without its fold. The other parameters are those of `make_report`.

    >>> from rekern import PairClassifier
    >>> pairs = [("a b", "a b"), ("c d", "c d"), ("a f", "e f"), ("c h", "g h")]
    >>> model = PairClassifier(calibration=0).fit(pairs, [1, 1, 0, 0])
    >>> report_training(model, folds=2).figures["pairs"]
    4
    """
    learned = get_learned_pairs(model)
    splits = make_report_folds(model, learned, folds)
    found, copies = predict_held_out(model, learned, splits)
    labels = learned.labels.tolist()
    figures = _measure(model, found, labels, learned.groups, learned.texts)
    curve = None
    if learning_curve:
        train, test = splits[0]
        items, truth = [learned.items[row] for row in test.tolist()], learned.labels[test].tolist()
        used = None if learned.groups is None else [learned.groups[row] for row in test.tolist()]
        curve = _draw_learning_curve(model, learned, train, lambda copy: _score(copy, items, truth, used))
    how = f"cross-validation in {len(splits)} folds of the training pairs"
    values = _describe(model, names, figures, len(labels), how, curve)
    used_by = {row: copy for copy, fold in zip(copies, splits) for row in fold.test.tolist()}
    models = [used_by[row] for row in range(len(labels))]
    explain = partial(_explain, models, _list_items(model, learned.items))
    return _finish(values, figures, found, labels, learned.texts, explain, n_mistakes)


def _measure(
    model: Model,
    found: Decisions,
    labels: Sequence[object],
    groups: Sequence[Hashable] | None,
    texts: Sequence[tuple[str, str]],
) -> Figures:
    if isinstance(model, PairClassifier):
        return measure_classes(found, labels, model.classes_.tolist(), texts)
    numbers = [float(label) for label in labels]  # type: ignore[arg-type]
    if groups is None:
        return measure_numbers(found, numbers, texts)
    return measure_orders(found, numbers, groups, texts)


def _score(model: PairModel, X: object, labels: Sequence[object], groups: Sequence[Hashable] | None) -> float:
    """Return the one measure of a learning curve: accuracy, Pearson's correlation, or MAP."""
    guesses: AnyArray = predict_pairs(model, X).labels
    if isinstance(model, PairClassifier):
        names = np.unique(np.array([*model.classes_.tolist(), *labels])).tolist()
        return class_measures(guesses.tolist(), labels, names)["accuracy"]
    numbers = [float(label) for label in labels]  # type: ignore[arg-type]
    if groups is None:
        return correlations(guesses, numbers)["pearson"] or 0.0
    return ranking_measures(guesses, numbers, groups)["map"]


def _draw_learning_curve(
    model: Model, learned: LearnedPairs, rows: Ints, score: Callable[[PairModel], float]
) -> JsonObject:
    points: list[tuple[int, float]] = []
    sizes = choose_sizes(len(rows))
    for size in track(sizes, len(sizes), "learning curve"):
        try:
            copy = fit_copy(model, learned, choose_rows(model, learned, rows, size))
        except InputError:  # too few pairs of a class, or no order to learn
            continue
        points.append((size, score(copy)))
    return {"measure": _name_measure(model), "points": points}


def _name_measure(model: PairModel) -> str:
    return {"classify": "accuracy", "regress": "Pearson's correlation"}.get(model.task, "mean average precision")


def _describe(
    model: Model, names: JsonObject | None, figures: Figures, n: int, how: str, curve: JsonObject | None
) -> JsonObject:
    """Return the figures as plain values, with what the model is."""
    about: JsonObject = {
        "task": model.task,
        "kernel": summarize_kernel(model.kernel_),
        "C": model.C,
        "solver": model.solver_,
        "how_chosen": None if model.how_chosen_ is None else model.how_chosen_.to_dict(),
    }
    if isinstance(model, PairClassifier):
        about |= {"classes": model.classes_.tolist(), "threshold": model.threshold_}
    if model.has_pairs():
        about["training_pairs"] = len(model.pairs_)
    found = figures.curves if curve is None else {**figures.curves, "learning": curve}
    return {
        "names": dict(names or {}),
        "model": about,
        "pairs": n,
        "how": how,
        "measures": dict(figures.measures),
        "intervals": figures.intervals,
        "curves": found,
        "slices": {"measure": figures.sliced, "rows": [part.to_dict() for part in figures.slices]},
        "rules": _list_rules(model),
    }


def _list_rules(model: Model) -> JsonObject:
    """Return the strongest rules and curves; of several classes, those of each."""
    labels = model.classes_.tolist() if isinstance(model, PairClassifier) and len(model.classes_) > 2 else [None]
    found: JsonObject = {}
    for label in labels:
        try:
            rules = model.rules(SHOWN_RULES, label).to_dict()
        except InputError:  # a kernel without rules and scores
            continue
        found["" if label is None else str(label)] = {**rules, "scores": rules["scores"][:SHOWN_CURVES]}
    return found


def _list_items(model: Model, X: object) -> Representations:
    """Return the pairs so that each of them can be explained."""
    return read_texts(model.kernel_, X) if isinstance(model, TextClassifier) else Representations.from_items(X)


def _explain(models: Sequence[PairModel], items: Representations, row: int) -> PairExplanation:
    """Explain the decision about a pair by the model that made it."""
    model = models[row]
    found: PairExplanation = model.explain(items[row], neighbors=2 if model.has_pairs() else 0)
    return found


def _finish(
    values: JsonObject,
    figures: Figures,
    found: Decisions,
    labels: Sequence[object],
    texts: Sequence[tuple[str, str]],
    explain: Callable[[int], PairExplanation],
    n_mistakes: int,
) -> Report:
    """Explain the worst mistakes, and list all pairs."""
    guesses = found.labels.tolist()
    sizes = {mistake.row: mistake.size for mistake in figures.mistakes}
    rows: list[JsonObject] = []
    for row, (source, target) in enumerate(texts):
        chance = None if found.probabilities is None else float(found.probabilities[row].max())
        listed = {"row": row + 1, "source": source, "target": target, "label": labels[row], "prediction": guesses[row]}
        rows.append({**listed, "probability": chance, "error": sizes.get(row, 0.0)})
    worst = figures.mistakes[:n_mistakes]
    mistakes = [rows[mistake.row] for mistake in worst]
    explanations = [explain(mistake.row) for mistake in track(worst, len(worst), "explaining mistakes")]
    values["n_mistakes"] = len(figures.mistakes)
    rows.sort(key=lambda row: (-row["error"], row["row"]))
    return Report(values, mistakes, explanations, rows[:SHOWN_PAIRS])
