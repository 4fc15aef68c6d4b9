"""Training on the features of landmarks: which kernel it is, and the features of all training items."""

from __future__ import annotations

import numpy as np

from rekern.errors import InputError
from rekern.kernels.gram_plan import fill_gram
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.landmarks import Landmarks
from rekern.learning.dense_descent import Features
from rekern.learning.dense_descent_core import square_rows


def add_landmarks(kernel: Kernel, n: int | None) -> Kernel:
    """Return the kernel by its values with ``n`` landmarks; the kernel itself if ``n`` is None.

    >>> from rekern.kernels import Spectrum
    >>> add_landmarks(Spectrum(1), 100), add_landmarks(Landmarks(Spectrum(1), choice="random"), 100)
    (Landmarks(kernel=Spectrum(k=1), n=100), Landmarks(choice='random', kernel=Spectrum(k=1), n=100))
    """
    if n is None:
        return kernel
    if isinstance(kernel, Landmarks):
        kernel.set_params(n=n)
        return kernel
    return Landmarks(kernel, n)


def strip_landmarks(kernel: Kernel) -> Kernel:
    """Return the kernel that landmarks approximate; any other kernel unchanged.

    >>> from rekern.kernels import Spectrum
    >>> strip_landmarks(Landmarks(Spectrum(1)))
    Spectrum(k=1)
    """
    return kernel.kernel if isinstance(kernel, Landmarks) else kernel


def list_landmark_features(kernel: Landmarks, items: Items, n_jobs: int | None) -> Features:
    """Return the features of all items, in blocks; with 32 bits, for there are many.

    >>> from rekern.kernels import Spectrum
    >>> list_landmark_features(Landmarks(Spectrum(1)).fit(["a", "b"]), ["b", "a", "b"], None).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    plan = kernel.plan_features(items, n_jobs)
    size = 4 * plan.rows * plan.columns
    try:
        matrix = np.empty((plan.rows, plan.columns), np.float32)
    except MemoryError:
        many = f"the features of {plan.rows:,} items take {size / 1e9:.1f} GB"
        raise InputError(f"{many}: give fewer landmarks than {plan.columns:,}") from None
    fill_gram(plan, matrix, n_jobs)
    return matrix


def scale_costs(kernel: Landmarks, items: Items, features: Features) -> float:
    """Return the factor of the costs of errors with which C means the same as for the exact machine.

    Landmarks keep only a part of an item: the square of its features is less than K(x, x). If all items were shorter by
    a factor s, then a machine with costs larger by 1/s² would come to the same decisions, and with the same costs it
    would learn less from each. So the factor is the mean of K(x, x) divided by the mean of the squares. It is 1 if all
    items are landmarks.

    >>> from rekern.kernels import Spectrum
    >>> marks = Landmarks(Spectrum(1, normalize=False), n=1).fit(["a"])
    >>> scale_costs(marks, ["a", "a b"], list_landmark_features(marks, ["a", "a b"], None))  # 1 and 2; 1 and 1
    1.5
    """
    kept = float(square_rows(features).mean())
    return float(np.mean(kernel.kernel.diag(items))) / kept if kept > 0 else 1.0
