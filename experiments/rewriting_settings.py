"""Settings of the experiments on pairs: a kernel, the cost C of errors, and the name of a result."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from rekern.core.json_values import JsonObject
from rekern.kernels import Gaussian, Kernel, Rewriting
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures import Tokenizer

KERNELS = {"ps-srk": "none", "pw-srk": "free", "kb-srk": "aligned"}
KMAX = (1, 2, 3, 4)
COSTS = (0.3, 1.0, 3.0, 10.0)
N_SCORES = 28  # of Similarities
FOLDERS = re.compile(r"='[^']*/")  # before the name of a file, in a kernel's description


@dataclass(frozen=True)
class Setting:
    """What is trained: ``method`` is the name of the row, ``note`` adds what the name does not say."""

    method: str
    kernel: Kernel
    kmax: int | None = None
    C: float = 1.0
    note: str = ""
    loss: str = "hinge"  # of a support vector machine, or "logistic"

    def with_cost(self, C: float) -> Self:
        """Return the same setting with another C."""
        return replace(self, C=C)

    def to_dict(self) -> JsonObject:
        """Return the setting as plain data for JSON; files are named without their folders.

        >>> Setting("words", Similarities(groups=("wordnet",), wordnet="/data/oewn")).to_dict()["kernel"]
        "Similarities(groups=('wordnet',), wordnet='oewn')"
        """
        kernel = FOLDERS.sub("='", " ".join(repr(self.kernel).split()))
        return {"method": self.method, "kmax": self.kmax, "C": self.C, "note": self.note, "kernel": kernel}


def make_rewriting_setting(
    method: str, kmax: int, decay: float = 1.0, tokenizer: Tokenizer | None = None, note: str = ""
) -> Setting:
    """Make a setting with the rewriting rules of the windows 1 to ``kmax``, each normalised (K_1 + … + K_kmax).

    ``method`` is the paper's name: ``kb-srk`` (aligned wildcards), ``pw-srk`` (free wildcards) or ``ps-srk`` (none);
    ``+pr`` adds precision and recall.

    >>> make_rewriting_setting("ps-srk", 2).kernel
    Rewriting(k=(1, 2), wildcards='none')
    """
    name, _, scores = method.partition("+")
    kernel: Kernel = Rewriting(k=(1, kmax), wildcards=KERNELS[name], decay=decay, tokenizer=tokenizer)
    if scores:
        kernel = kernel + PrecisionRecall(tokenizer)
    return Setting(method, kernel, kmax, note=note)


def list_paper_settings() -> list[Setting]:
    """List the rows of the paper's figures: three kernels, kmax from 1 to 4, with and without PR; and PR alone."""
    methods = [f"{name}{scores}" for name in KERNELS for scores in ("", "+pr")]
    rules = [make_rewriting_setting(method, kmax) for method in methods for kmax in KMAX]
    return [Setting("pr", PrecisionRecall()), *rules]


def list_candidates() -> list[Setting]:
    """List what our own row is chosen from by cross-validation, besides the paper's settings."""
    rules, idf = Rewriting(k=(1, 4)), Similarities(("idf precision", "idf recall"), standardize=False)
    return [make_rewriting_setting("kb-srk+pr", kmax, decay=0.5, note="decay 0.5") for kmax in KMAX] + [
        make_similarity_setting(),
        Setting("kb-srk+sim", rules + Gaussian(Similarities(), 1 / N_SCORES), 4, note="Gaussian, γ = 1/28"),
        Setting("kb-srk+sim", rules + idf, 4, note="idf precision and recall"),
    ]


def make_similarity_setting() -> Setting:
    """Make a setting with aligned rules (kb-SRK) and a Gaussian kernel over all scores of `Similarities`."""
    kernel = Rewriting(k=(1, 4)) + 3 * Gaussian(Similarities(), 0.3 / N_SCORES)
    return Setting("kb-srk+sim", kernel, 4, note="3 × Gaussian, γ = 0.3/28")
