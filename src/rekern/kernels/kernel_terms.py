"""The summands of a kernel, so that several kernels can share their Grams."""

from __future__ import annotations

from typing import NamedTuple

from sklearn.base import clone

from rekern.kernels.combinations import Scaled, Sum
from rekern.kernels.kernel import Kernel
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.symmetric import Symmetric


class Term(NamedTuple):
    """A summand of a kernel: its weight and a kernel that is no sum."""

    weight: float
    kernel: Kernel


def split_into_terms(kernel: Kernel, weight: float = 1.0) -> list[Term]:
    """Split a kernel into a weighted sum, with a term for each window size of re-writing rules.

    The terms have learned nothing yet, even if the kernel has.

    >>> from rekern.kernels import Spectrum
    >>> for term in split_into_terms(Rewriting(k=(1, 2)) + 2 * Spectrum(3)):
    ...     print(*term)
    1.0 Rewriting(k=[(1, 1)])
    1.0 Rewriting(k=[(2, 2)])
    2.0 Spectrum(k=3)
    """
    if isinstance(kernel, Sum):
        return split_into_terms(kernel.left, weight) + split_into_terms(kernel.right, weight)
    if isinstance(kernel, Scaled):
        return split_into_terms(kernel.kernel, weight * float(kernel.weight))
    if isinstance(kernel, Symmetric):  # the mean over both orders of a sum is the sum of the means
        return [Term(part.weight, Symmetric(part.kernel)) for part in split_into_terms(kernel.kernel, weight)]
    if type(kernel) is Rewriting:
        parameters = kernel.get_params(deep=False)
        return [Term(weight, Rewriting(**{**parameters, "k": [window]})) for window in kernel.windows()]
    return [Term(weight, clone(kernel, safe=False))]
