"""Support vector machines on sparse features by dual coordinate descent (Hsieh et al., 2008; Ho and Lin, 2012).

What LIBLINEAR does, but it also hands back the dual coefficients, so that a model trained on features has the same
form as one trained on a Gram: a coefficient for each training pair. Features that only one row has need not be there:
they change nothing but that row's norm, which is given apart. Nor need equal features be there twice.
The constant feature 1 stands for the intercept.
"""

import numpy as np
import scipy.sparse as sp

from rekern.core.compiling import compiled
from rekern.core.hashing import mix
from rekern.core.key_index import number_keys


@compiled
def _descend(indptr, indices, values, norms, targets, limits, width, regression, bias, tolerance, most, seed):
    """Coefficients b that minimise ½ bᵀQb − targetsᵀb + width ‖b‖₁ within their limits; Q is XXᵀ with a given diagonal.

    It stops when primal and dual objective differ by less than ``tolerance``, as a share of the primal.
    For classification b has the sign of its target (±1); for regression either sign. ``bias`` is the value of the
    constant feature.
    """
    number = len(norms)
    weights = np.zeros(indices.max() + 1 if len(indices) else 1)
    offset = 0.0
    coefficients = np.zeros(number)
    shared = np.zeros(number)
    for row in range(number):
        for entry in range(indptr[row], indptr[row + 1]):
            shared[row] += values[entry] * values[entry]
    np.random.seed(seed)  # noqa: NPY002 - Numba's own generator, one for each thread
    order = np.arange(number)
    length = 0.0  # of the weight vector, squared
    sweep = 0
    for sweep in range(most):  # noqa: B007 - its last value is returned
        for index in range(number - 1, 0, -1):
            other = np.random.randint(0, index + 1)  # noqa: NPY002
            order[index], order[other] = order[other], order[index]
        losses, gains = 0.0, 0.0  # of the primal and the dual objective, as they are met on the way
        for row in order:
            square = norms[row] + bias * bias
            if square == 0.0 or limits[row] == 0.0:
                continue
            value = offset * bias + (norms[row] - shared[row]) * coefficients[row]
            for entry in range(indptr[row], indptr[row + 1]):
                value += weights[indices[entry]] * values[entry]
            gradient = value - targets[row]
            old = coefficients[row]
            if regression:
                # One-dimensional: minimise ½ q d² + g d + width |old + d|.
                centre = old - gradient / square
                new = np.sign(centre) * max(abs(centre) - width / square, 0.0)
                new = min(max(new, -limits[row]), limits[row])
            elif targets[row] > 0:
                new = min(max(old - gradient / square, 0.0), limits[row])
            else:
                new = min(max(old - gradient / square, -limits[row]), 0.0)
            step = new - old
            if regression:
                losses += limits[row] * max(abs(gradient) - width, 0.0)
                gains += new * targets[row] - width * abs(new)
            else:
                losses += limits[row] * max(1.0 - value * targets[row], 0.0)
                gains += abs(new)
            if step != 0.0:
                length += step * (2.0 * value + step * square)
                coefficients[row] = new
                offset += step * bias
                for entry in range(indptr[row], indptr[row + 1]):
                    weights[indices[entry]] += step * values[entry]
        # The gap between the objectives tells how far they can be from the optimum. A bound on the largest step would
        # not do: among many alike rows one of them keeps moving long after the machine has settled.
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            break
    return coefficients, offset * bias, sweep + 1


@compiled
def _descend_gram(gram, limit, tolerance, most):
    """The same for a classifier without intercept on a dense Gram, all of whose rows belong on the positive side."""
    number = len(gram)
    values = np.zeros(number)
    coefficients = np.zeros(number)
    for _ in range(most):
        losses, gains, length = 0.0, 0.0, 0.0
        for row in range(number):
            square = gram[row, row]
            if square <= 0.0:
                continue
            new = min(max(coefficients[row] - (values[row] - 1.0) / square, 0.0), limit)
            step = new - coefficients[row]
            losses += limit * max(1.0 - values[row], 0.0)
            gains += new
            if step != 0.0:
                coefficients[row] = new
                for other in range(number):
                    values[other] += step * gram[row, other]
        for row in range(number):
            length += coefficients[row] * values[row]
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            break
    return coefficients


@compiled
def _sign_columns(indptr, indices, bits, counts, signatures):
    """Count each column's entries, and add up a signature of where they are and what they are."""
    for row in range(len(indptr) - 1):
        code = mix(np.uint64(row + 1) * np.uint64(0x9E3779B97F4A7C15))
        for entry in range(indptr[row], indptr[row + 1]):
            counts[indices[entry]] += 1
            signatures[indices[entry]] += mix(code ^ bits[entry])


@compiled
def _pick_columns(indptr, indices, values, numbers, factors, starts, kept, picked, norms):
    """The entries of the columns that have a number, times the factor of that column; and the norms of all rows."""
    at = 0
    for row in range(len(indptr) - 1):
        norm = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            value = values[entry]
            norm += value * value
            number = numbers[indices[entry]]
            if number >= 0:
                kept[at] = number
                picked[at] = value * factors[number]
                at += 1
        norms[row] = norm
        starts[row + 1] = at


def condensed(matrix: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    """A matrix with the same products of different rows and far fewer entries, and the squared norms of the whole rows.

    A column that one row has alone is left out; of columns that are equal, one is kept, times the root of their number.
    Equal columns are known by a 64-bit signature: among a million columns two that differ look equal with a
    probability of 3 in 10⁸.

    >>> large = sp.csr_array(np.array([[1.0, 2.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 5.0]]))
    >>> small, norms = condensed(large)
    >>> small.toarray().round(3).tolist(), norms.tolist()
    ([[1.0, 2.828], [3.0, 0.0], [0.0, 1.414]], [9.0, 9.0, 27.0])
    """
    matrix = sp.csr_array(matrix)
    rows, columns = matrix.shape
    indptr, indices, values = _arrays(matrix)
    counts, signatures = np.zeros(columns, np.int32), np.zeros(columns, np.uint64)
    _sign_columns(indptr, indices, (values + 0.0).view(np.uint64), counts, signatures)  # -0.0 is 0.0
    shared = np.flatnonzero(counts > 1)
    groups, distinct = number_keys(signatures[shared])
    first = np.empty(len(distinct), np.int64)
    first[groups[::-1]] = shared[::-1]
    first.sort()  # columns keep their order, so that neighbours stay neighbours in memory
    numbers = np.full(columns, -1, np.int32)
    numbers[first] = np.arange(len(first), dtype=np.int32)
    place = np.searchsorted(shared, first)
    factors = np.sqrt(np.bincount(groups, minlength=len(distinct))[groups[place]])
    size = int(counts[first].sum())
    starts, kept, picked = np.zeros(rows + 1, np.int64), np.empty(size, np.int32), np.empty(size)
    norms = np.empty(rows)
    _pick_columns(indptr, indices, values, numbers, factors, starts, kept, picked, norms)
    return sp.csr_array((picked, kept, starts), shape=(rows, len(first))), norms


def classify(
    matrix: sp.csr_array, norms: np.ndarray, signs: np.ndarray, limits: np.ndarray, tolerance: float = 1e-3
) -> tuple[np.ndarray, float]:
    """The coefficients and the intercept of a support vector classifier (hinge loss); ``signs`` are ±1."""
    coefficients, intercept, _ = _descend(
        *_arrays(matrix), norms, signs.astype(float), limits, 0.0, False, 1.0, tolerance, 1000, 0
    )
    return coefficients, intercept


def regress(
    matrix: sp.csr_array,
    norms: np.ndarray,
    targets: np.ndarray,
    limits: np.ndarray,
    width: float,
    tolerance: float = 1e-3,
) -> tuple[np.ndarray, float]:
    """The coefficients and the intercept of support vector regression with an insensitive zone of ``width``."""
    middle = float(np.mean(targets))
    coefficients, intercept, _ = _descend(
        *_arrays(matrix), norms, targets - middle, limits, width, True, 1.0, tolerance, 1000, 0
    )
    return coefficients, intercept + middle


def order(matrix: sp.csr_array, norms: np.ndarray, limit: float, tolerance: float = 1e-3) -> np.ndarray:
    """The coefficients of a classifier without intercept for which every row is to lie on the positive side."""
    rows = matrix.shape[0]
    coefficients, _, _ = _descend(
        *_arrays(matrix), norms, np.ones(rows), np.full(rows, limit), 0.0, False, 0.0, tolerance, 1000, 0
    )
    return coefficients


def order_by_gram(gram: np.ndarray, limit: float, tolerance: float = 1e-3) -> np.ndarray:
    """As `order`, from the Gram of the rows."""
    return _descend_gram(gram, float(limit), tolerance, 1000)


def _arrays(matrix: sp.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
