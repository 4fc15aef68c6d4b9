"""The model of the demonstration: whether a sentence follows from another, learned from the embedded pairs."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from rekern.core.cache_folder import cache_folder
from rekern.core.files import make_folder, write_atomically
from rekern.core.model_archive import load_model
from rekern.core.version import __version__
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.errors import ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.kernels.rewriting import Rewriting
from rekern.learning.pair_classifier import PairClassifier
from rekern.similarity.precision_recall import PrecisionRecall


def make_demonstration_kernel() -> Kernel:
    """Return the kernel of the demonstration: rules with aligned wildcards, precision and recall.

    >>> make_demonstration_kernel()
    Sum(left=Rewriting(k=(1, 4)), right=PrecisionRecall())
    """
    return Rewriting((1, 4)) + PrecisionRecall()


def find_demonstration_file() -> Path:
    """Return where the trained model is kept: in the cache folder, under a name that says what it was trained on.

    >>> find_demonstration_file().suffix
    '.rekern'
    """
    digest = hashlib.sha256(repr((__version__, load_rewrites("train"))).encode()).hexdigest()
    return cache_folder() / f"demonstration-{digest[:12]}.rekern"


def load_demonstration_model() -> PairClassifier:
    """Return the model of the demonstration. The first time it is trained, which takes a few seconds, and kept."""
    path = find_demonstration_file()
    if path.is_file():
        with suppress(ModelFileError):
            model: PairClassifier = load_model(path)
            return model
    pairs, labels = load_rewrites("train")
    trained = PairClassifier(make_demonstration_kernel()).fit(pairs, labels)
    with suppress(OSError):  # it is trained anew the next time
        make_folder(path.parent, "cached files")
        with write_atomically(path) as temporary:
            trained.save(temporary, keep_pairs=True)
    return trained
