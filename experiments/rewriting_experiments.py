"""The experiments of "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012): its two corpora, and an ablation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments import published_results as published
from experiments.algorithm_calls import count_algorithm_calls
from experiments.corpora import DataPath, load_msrp, load_rte
from experiments.rewriting_settings import (
    KERNELS,
    KMAX,
    list_candidates,
    list_paper_settings,
    make_rewriting_setting,
)
from experiments.two_class_experiment import run_two_classes
from rekern.core.arrays import Ints
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.structures.tokenizer import Tokenizer


def run_msrp(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the experiment on paraphrases: Table 1, Figure 7, and Figure 6."""
    table = load_msrp("train", data)
    result = _run_paper("msrp", table, lambda: load_msrp("test", data), None, out, n_jobs)
    return {**result, "figure6": count_algorithm_calls(table.pairs, n_jobs=n_jobs)}


def run_rte3(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the experiment on entailment: Table 2 and Figure 8."""
    evaluated = _find_evaluated_rows(data)
    return _run_paper("rte3", load_rte("train", data), lambda: load_rte("test", data), evaluated, out, n_jobs)


def run_rte3_ablation(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run aligned rules (kb-SRK) on RTE-3 with other tokens and another decay.

    The figures are only reported; nothing is chosen on the test part.
    """
    settings = [
        make_rewriting_setting(method, kmax, variant.decay, variant.tokenizer, variant.note)
        for variant in ABLATION
        for method in ("kb-srk", "kb-srk+pr")
        for kmax in KMAX
    ]
    record = out / "rte3-ablation-chosen.json" if out else None
    evaluated = _find_evaluated_rows(data)
    table = load_rte("train", data)
    return run_two_classes(table, lambda: load_rte("test", data), settings, (), evaluated, record=record, n_jobs=n_jobs)


class Variant(NamedTuple):
    """A row of the ablation: how it is described, the decay λ, and the tokenizer."""

    note: str
    tokenizer: Tokenizer
    decay: float = 1.0


ABLATION = [
    Variant("stems, no case, punctuation, λ = 1 (the default)", Tokenizer()),
    Variant("stems, case", Tokenizer(lowercase=False)),
    Variant("no stems, no case", Tokenizer(language=None)),
    Variant("no stems, case", Tokenizer(language=None, lowercase=False)),
    Variant("stems, no case, no punctuation", Tokenizer(punctuation=False)),
    Variant("no stems, case, no punctuation", Tokenizer(language=None, lowercase=False, punctuation=False)),
    Variant("stems, no case, λ = 0.5", Tokenizer(), 0.5),
]


def _run_paper(
    name: str,
    table: Table,
    load_test: Callable[[], Table],
    evaluated: Ints | None,
    out: Path | None,
    n_jobs: int | None,
) -> JsonObject:
    record = out / f"{name}-chosen.json" if out else None
    result = run_two_classes(
        table, load_test, list_paper_settings(), list_candidates(), evaluated, record=record, n_jobs=n_jobs
    )
    best = {family: find_best_row(result["rows"], family) for family in published.OWN[name]}
    for family, value in published.OWN[name].items():
        row = best[family]
        kmax = published.BEST_KMAX[name].get(family)
        if kmax is not None:  # the paper says for which window size it found its value
            row = next(row for row in result["rows"] if (row["method"], row["kmax"]) == (f"{family}+pr", kmax))
        row["published"] = value
    tables = [{"system": system, "published": value, "ours": None} for system, value in published.OTHERS[name].items()]
    tables += [
        {"system": family, "published": value, "ours": best[family]["accuracy"], "kmax": best[family]["kmax"]}
        for family, value in published.OWN[name].items()
    ]
    tables.append({"system": "chosen on train", "published": None, "ours": result["chosen_on_train"]["accuracy"]})
    return {**result, "tables": tables}


def find_best_row(rows: list[JsonObject], family: str) -> JsonObject:
    """Find the row of a kernel, with PR or without, that has the best test accuracy, as in the paper's tables.

    >>> rows = [{"method": "kb-srk", "kmax": 1, "accuracy": 70.0}, {"method": "kb-srk+pr", "kmax": 1, "accuracy": 71.0}]
    >>> find_best_row(rows, "kb-srk")["method"]
    'kb-srk+pr'
    """
    methods = (family, f"{family}+pr") if family in KERNELS else (family,)
    return max((row for row in rows if row["method"] in methods), key=lambda row: row["accuracy"])


def _find_evaluated_rows(data: DataPath) -> Ints:
    """Find the rows on which settings are compared: RTE-1 was collected differently, so it only serves for training."""
    first = len(load_rte("rte1_dev", data)) + len(load_rte("rte1_test", data))
    return np.arange(first, len(load_rte("train", data)))
