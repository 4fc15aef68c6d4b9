"""Corpora for which no figures of these kernels were published: ours beside a TF-IDF baseline.

Settings are compared on the corpus's own development part (PAWS, whose training part is not here, is cross-validated);
the test part is read after that.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rekern.datasets.public_corpora import DataPath, load_paws, load_qqp, load_sick, load_stsb, load_wikiqa
from rekern.datasets.tables import Table
from rekern.kernels import Rewriting
from rekern.learning import PairClassifier, PairRanker, PairRegressor, correlations, ranking_measures
from rekern.reproduce.rewriting_settings import Setting, srk, with_similarities
from rekern.reproduce.tfidf_baseline import tfidf_scores
from rekern.reproduce.two_class_experiment import experiment, write_json
from rekern.similarity import PrecisionRecall, Similarities

PRICES = (0.1, 1.0, 10.0)


@dataclass(frozen=True)
class Kind:
    """What is learned: how a model is made and trained, and which measures judge it; the first one is chosen by."""

    model: Callable[[Setting, int | None], Any]
    measures: Callable[[Any, Table], dict[str, float]]
    main: str

    def trained(self, setting: Setting, table: Table, n_jobs: int | None) -> Any:
        """A model of this kind, trained on a table."""
        groups = () if self.main != "map" else (table.groups,)
        return self.model(setting, n_jobs).fit(table.pairs, table.labels, *groups)


def accuracy(predicted: Any, table: Table) -> dict[str, float]:
    """Per cent of right labels.

    >>> from rekern.datasets import from_frame
    >>> accuracy([1, 1], from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": [1, 0]}))
    {'accuracy': 50.0}
    """
    return {"accuracy": round(100 * float(np.mean(np.asarray(predicted) == np.array(table.labels))), 2)}


def agreement(predicted: Any, table: Table) -> dict[str, float]:
    """Pearson's and Spearman's correlation with the labels; 0 for a constant prediction.

    >>> from rekern.datasets import from_frame
    >>> agreement([1, 2, 4], from_frame({"source": ["a"] * 3, "target": ["b"] * 3, "label": [1, 2, 3]}))
    {'pearson': 0.982, 'spearman': 1.0}
    """
    found = correlations(predicted, table.labels)
    return {name: round(found[name] or 0.0, 4) for name in ("pearson", "spearman")}


def ranking(predicted: Any, table: Table) -> dict[str, float]:
    """Mean average precision and mean reciprocal rank over the questions."""
    found = ranking_measures(predicted, table.labels, table.groups)
    return {"map": round(found["map"], 4), "mrr": round(found["mrr"], 4)}


CLASSES = Kind(
    lambda setting, n_jobs: PairClassifier(setting.kernel, setting.price, calibration=0, n_jobs=n_jobs),
    accuracy,
    "accuracy",
)
NUMBERS = Kind(
    lambda setting, n_jobs: PairRegressor(setting.kernel, setting.price, n_jobs=n_jobs), agreement, "pearson"
)
ORDER = Kind(lambda setting, n_jobs: PairRanker(setting.kernel, setting.price, n_jobs=n_jobs), ranking, "map")


def kernels() -> list[Setting]:
    """What is compared: precision and recall, ps-SRK with them, kb-SRK without and with them, and with more scores.

    >>> " ".join(f"{setting.method}:{setting.kmax}" for setting in kernels())
    'pr:None ps-srk+pr:2 kb-srk:2 kb-srk:4 kb-srk+pr:2 kb-srk+pr:4 kb-srk+sim:4'
    """
    chosen = [("ps-srk+pr", 2), ("kb-srk", 2), ("kb-srk", 4), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    return [Setting("pr", PrecisionRecall())] + [srk(method, kmax) for method, kmax in chosen] + [with_similarities()]


def linear_kernels() -> list[Setting]:
    """The same for a corpus that is too large for a Gram: kernels with explicit features, and fewer of them.

    >>> all(setting.kernel.has_features() for setting in linear_kernels())
    True
    """
    scores = Setting("kb-srk+sim", Rewriting(k=(1, 2)) + 0.1 * Similarities(), 2, note="0.1 × linear")
    chosen = [("kb-srk", 2), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    return [Setting("pr", PrecisionRecall())] + [srk(method, kmax) for method, kmax in chosen] + [scores]


def compare(
    kind: Kind,
    load: Callable[[str], Table],
    parts: tuple[str, str, str],
    settings: Sequence[Setting],
    prices: Sequence[float] = PRICES,
    record: Path | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Train on the first part, choose on the second, test on the third.

    All settings are compared at C = 1, then the best of them at other values of C.
    """
    table, dev = load(parts[0]), load(parts[1])
    found = [_judged(kind, setting, table, dev, n_jobs) for setting in settings]
    best = max(found, key=lambda one: one[2][kind.main])
    others = [_judged(kind, best[0].at(C), table, dev, n_jobs) for C in prices if best[0].price != C]
    best = max([best, *others], key=lambda one: one[2][kind.main])
    chosen = {**best[0].described(), **{f"dev_{name}": value for name, value in best[2].items()}}
    if record is not None:
        write_json(record, chosen)

    test = load(parts[2])
    rows: list[dict[str, Any]] = []
    for setting, model, on_dev in found:
        rows.append({"method": setting.method, "kmax": setting.kmax, "published": None, "note": setting.note})
        rows[-1] |= {**kind.measures(_predicted(model, test), test), f"dev_{kind.main}": on_dev[kind.main]}
    rows.append({"method": "tfidf", "kmax": None, "published": None})
    rows[-1] |= kind.measures(tfidf_scores(table, test.pairs, kind.main), test)
    chosen |= kind.measures(_predicted(best[1], test), test)
    candidates = [{**one[0].described(), f"dev_{kind.main}": one[2][kind.main]} for one in [*found, *others]]
    return {
        "rows": rows,
        "chosen_on_train": chosen,
        "candidates": candidates,
        "train_pairs": len(table),
        "test_pairs": len(test),
    }


def _judged(
    kind: Kind, setting: Setting, table: Table, dev: Table, n_jobs: int | None
) -> tuple[Setting, Any, dict[str, float]]:
    model = kind.trained(setting, table, n_jobs)
    return setting, model, kind.measures(_predicted(model, dev), dev)


def _predicted(model: Any, table: Table) -> Any:
    """Predictions by a copy: a model keeps its table of weighted rules, which is large on QQP."""
    return copy(model).predict(table.pairs)


def qqp(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Duplicate questions, the public part of them."""
    parts = ("train", "dev", "test")
    record = out / "qqp-chosen.json" if out else None
    return compare(CLASSES, lambda part: load_qqp(part, data), parts, linear_kernels(), PRICES[:2], record, n_jobs)


def sick(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Compositional sentences: entailment in three classes, relatedness from 1 to 5."""
    result: dict[str, Any] = {}
    for response, kind in (("entailment", CLASSES), ("relatedness", NUMBERS)):
        found = compare(
            kind,
            lambda part, response=response: load_sick(part, response, data),  # type: ignore[misc]
            ("train", "trial", "test"),
            kernels(),
            record=out / f"sick-{response}-chosen.json" if out else None,
            n_jobs=n_jobs,
        )
        for row in found["rows"] + found["candidates"]:
            row["task"] = response
        if not result:
            result = found
            result["chosen_on_train"]["task"] = response
        else:
            result["rows"] += found["rows"]
            result["candidates"] += found["candidates"]
            result["chosen_on_train"][response] = found["chosen_on_train"]
    return result


def stsb(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Similarity from 0 to 5."""
    parts = ("train", "dev", "test")
    record = out / "stsb-chosen.json" if out else None
    return compare(NUMBERS, lambda part: load_stsb(part, data), parts, kernels(), record=record, n_jobs=n_jobs)


def wikiqa(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Sentences that answer a question, ranked."""
    parts = ("train", "dev", "test")
    record = out / "wikiqa-chosen.json" if out else None
    return compare(ORDER, lambda part: load_wikiqa(part, data=data), parts, kernels(), PRICES[:2], record, n_jobs)


def paws(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Paraphrases and non-paraphrases with the same words; trained on the development part."""
    table = load_paws("dev", data)
    test: list[Table] = []

    def load_test() -> Table:
        test.append(load_paws("test", data))
        return test[0]

    record = out / "paws-chosen.json" if out else None
    result = experiment(table, load_test, kernels(), finalists=1, record=record, n_jobs=n_jobs)
    measured = accuracy(tfidf_scores(table, test[0].pairs, "accuracy"), test[0])
    result["rows"].append({"method": "tfidf", "kmax": None, **measured, "published": None})
    return result
