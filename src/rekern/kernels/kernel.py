"""The base class of all kernels: values, Gram matrices, diagonals, decision functions, explicit features.

A kernel says how to read a corpus once and how to compute one block of rows of a Gram (`plan_gram`). Blocks, threads,
symmetry and files are handled by `gram_plan` and `gram_file`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from rekern.core.arrays import AnyArray, Floats
from rekern.core.device import choose_device, use_device
from rekern.core.messages import show_value
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import keep_threads, split_range
from rekern.core.parameter_tables import check_first
from rekern.core.registry import find_class
from rekern.core.state_schema import find_schema
from rekern.errors import InputError, ModelFileError
from rekern.kernels.decision_functions import DecisionFunction, GramDecision
from rekern.kernels.gram_file import resolve_path, write_gram
from rekern.kernels.gram_plan import GramPlan, compute_gram
from rekern.kernels.kernel_items import Item, Items, add_sides, make_sequence, materialize_items
from rekern.structures.pairs import check_one_pair

if TYPE_CHECKING:
    import scipy.sparse as sp

PAIRS_AT_ONCE = 16
ENTRANCES = ("plan_gram", "diag", "features", "list_features", "fit", "adapt", "decision_function", "explain")

_PARAMETER_NAMES: dict[type, tuple[str, ...]] = {}


def can_list_features(kernel: Kernel) -> bool:
    """Return whether a kernel can list its features, as scikit-learn's ``available_if`` asks."""
    return kernel.has_features()


class Kernel(BaseEstimator):
    """The base of all kernels; a subclass defines ``plan_gram`` and ``diag``.

    >>> from rekern.kernels import PartialTree, Spectrum
    >>> isinstance(PartialTree(), Kernel), isinstance(Spectrum(2) + Spectrum(3), Kernel)
    (True, True)
    """

    on_texts = False  # whether an item is one text, tree or graph, and not a pair of texts
    reads_tokens = False  # whether the kernel reads a pair as tokens, made by its ``tokenizer``
    reads_forms = False  # whether the kernel reads the tokens of a pair as they are written, too
    structure = "words"  # what the kernel reads of an item: words, trees or graphs
    checks_itself: ClassVar[frozenset[str]] = frozenset()  # parameters that the class checks, not the table beside it
    has_device_core = False  # whether a GPU can compute the kernel
    on: str | None = None  # the representation of the items that the kernel reads; None for the words

    def __init_subclass__(cls, **options: object) -> None:
        """Make the methods that begin the work of a kernel check its parameters first."""
        super().__init_subclass__(**options)
        for name in ENTRANCES:
            if name in vars(cls):
                setattr(cls, name, check_first(vars(cls)[name]))

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Read the items and return how to compute the Gram of X and Y, or of X with itself if Y is None."""
        raise NotImplementedError

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        raise NotImplementedError

    def list_children(self) -> list[Kernel]:
        """Return the kernels that this kernel is made of; none for a kernel that reads items itself.

        >>> from rekern.kernels import Spectrum
        >>> (Spectrum(1) + Spectrum(2)).list_children()
        [Spectrum(k=1), Spectrum()]
        """
        return [value for value in self._list_parameters() if isinstance(value, Kernel)]

    def list_inner_kernels(self) -> list[Kernel]:
        """Return the kernels in parameters that are tuples: they compare the two sides of a pair with each other."""
        tuples = [value for value in self._list_parameters() if isinstance(value, tuple)]
        return [part for value in tuples for part in value if isinstance(part, Kernel)]

    def _list_parameters(self) -> list[object]:
        # Not get_params: it inspects the signature in every call, which took a third of the time of one prediction.
        kind = type(self)
        if kind not in _PARAMETER_NAMES:
            _PARAMETER_NAMES[kind] = tuple(signature(kind).parameters)
        return [getattr(self, name) for name in _PARAMETER_NAMES[kind]]

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn what the kernel needs from training items; for a kernel with features, also its columns."""
        for child in self.list_children():
            child.fit(X, y)
        return self

    def adapt(self, X: Items, y: object = None) -> Self:
        """Learn only what the values of the kernel depend on, and no columns; most kernels learn nothing."""
        children = self.list_children()
        for child in children:
            child.adapt(X, y)
        if not children:
            self.fit(X, y)
        return self

    def gram(
        self,
        X: Items,
        Y: Items = None,
        n_jobs: int | None = None,
        out: str | Path | None = None,
        device: str | None = None,
    ) -> Floats:
        """Return the matrix of K(x, y), of X with itself if Y is None.

        ``n_jobs`` threads share the work (all cores unless a ``joblib.parallel_config`` says otherwise). With ``out``
        the matrix is written block by block to an ``.npy`` file and returned as a memory map; an interrupted run
        continues with the blocks that are missing.

        With ``device="cuda"`` a GPU computes it, if the kernel or a part of it can be computed there; by default the
        environment variable ``REKERN_DEVICE`` says so.

        The method itself can be given to scikit-learn as a kernel: ``SVC(kernel=Spectrum(2).gram)``.
        """
        path = None if out is None else _check_path(out)  # now, so that a bad path is known before the work
        if device is not None and choose_device(device) == "cuda":
            check_device_kernel(self)
        with use_device(device), keep_threads():
            plan = self.plan_gram(materialize_items(X), materialize_items(Y), n_jobs)
            if path is not None:
                return write_gram(plan, path, n_jobs, description=repr(self))
            return compute_gram(plan, n_jobs)

    def paired(self, X: Items, Y: Items) -> Floats:
        """Return K(X[i], Y[i]) for every i.

        >>> from rekern.kernels import Spectrum
        >>> Spectrum(1, normalize=False).paired(["a b", "c"], ["b c", "d"])
        array([1., 0.])
        """
        left, right = make_sequence(X), make_sequence(Y)
        if len(left) != len(right):
            raise InputError(f"there are {len(left)} items to pair with {len(right)}; give as many of each")
        values = np.empty(len(left))
        # A few at a time: more values are computed than needed, but a call for each would cost more.
        for first, last in split_range(len(left), PAIRS_AT_ONCE):
            values[first:last] = np.diagonal(self.gram(left[first:last], right[first:last], n_jobs=1))
        return values

    def reads(self) -> set[str]:
        """Return the columns of a table of items that the kernel reads (see `rekern.structures.Representations`).

        >>> from rekern.kernels import PartialTree, Rewriting, SoftPairing
        >>> sorted(PartialTree(on="tree").reads()), sorted((Rewriting() + SoftPairing(PartialTree(on="tree"))).reads())
        (['tree'], ['source', 'source.tree', 'target', 'target.tree'])
        """
        children = self.list_children()
        if children:
            return {name for child in children for name in child.reads()}
        words = "text" if self.on is None else self.on
        if self.on_texts:
            return {words}
        return add_sides({words, *(name for kernel in self.list_inner_kernels() for name in kernel.reads())})

    def __call__(self, a: Item, b: Item) -> float:
        """Return the kernel's value on two items."""
        check_one_pair(a)
        check_one_pair(b)
        return float(self.gram([a], [b], n_jobs=1)[0, 0])

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the function x ↦ Σ coefficients[i] · K(X[i], x), in the form that this kernel computes best.

        >>> from rekern.kernels import Subsequence
        >>> Subsequence().decision_function(["a", "b"], np.array([[1.0], [2.0]])).score(["b"])
        array([[2.]])
        """
        return GramDecision(self, X, coefficients)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the decision function whose ``to_state()`` is given; what `decision_function` makes has the same bits.

        >>> from rekern.kernels import Subsequence
        >>> decide = Subsequence().decision_function(["a", "b"], np.array([[1.0], [2.0]]))
        >>> Subsequence().restore_decision(decide.to_state(), 1).score(["b"])
        array([[2.]])
        """
        return GramDecision.from_state(self, state, outputs)

    def get_learned(self) -> State:
        """Return what `adapt` has learned: by default all attributes whose names end in "_".

        A kernel that learns more than numbers, texts and arrays overrides this method and `set_learned`.
        """
        return State({name: value for name, value in vars(self).items() if _is_learned(name)})

    def count_sizes(self) -> dict[str, int]:
        """Return the sizes that the schema of what the kernel has learned refers to, such as the number of scores."""
        return {}

    def set_learned(self, state: State) -> None:
        """Set what `get_learned` of a kernel with the same parameters returned; ``state`` comes from a file."""
        schema = find_schema(type(self))
        if schema is not None:
            schema.learned.check(state, type(self).__name__, self.count_sizes())
        for name, value in state.items():
            if not _is_learned(name) or hasattr(type(self), name):
                raise ModelFileError(f"its kernel cannot have learned {name!r}")
            setattr(self, name, value)

    def has_features(self) -> bool:
        """Return whether the kernel can list its features explicitly."""
        return False

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the explicit features of the items, a sparse row for each; the product with itself is the Gram.

        The columns are the features of these items. Use `fit` and `transform` for the columns of training items.
        """
        raise TypeError(f"{type(self).__name__} has no explicit features that could be listed; use gram()")

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the features of the items over the columns that `fit` learned; what `transform` calls."""
        raise TypeError(f"{type(self).__name__} has no explicit features that could be listed; use gram()")

    def name_columns(self) -> list[str]:
        """Return the text of every column that `fit` learned; what `get_feature_names_out` calls."""
        raise TypeError(f"{type(self).__name__} has no explicit features that could be named; use gram()")

    @available_if(can_list_features)
    def transform(self, X: Items) -> sp.csr_array:
        """Return the features of the items over the columns learned by `fit`; features not seen there are dropped.

        >>> from rekern.kernels import Spectrum
        >>> Spectrum(1, normalize=False).fit(["a b"]).transform(["b c b"]).toarray()
        array([[0., 2.]])
        """
        return self.list_features(materialize_items(X))

    @available_if(can_list_features)
    def fit_transform(self, X: Items, y: object = None) -> sp.csr_array:
        """Learn the columns and return the features of the same items."""
        X = materialize_items(X)
        return self.fit(X, y).list_features(X)

    @available_if(can_list_features)
    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the name of every column: the n-gram, rule, fragment or score, as text.

        >>> from rekern.kernels import Spectrum
        >>> Spectrum(2).fit(["a rose is"]).get_feature_names_out().tolist()
        ['a rose', 'rose is']
        """
        return np.array(make_unique(self.name_columns()), dtype=object)

    def set_output(self, *, transform: object = None) -> Self:
        """Accept the call of pipelines that ask for data frames; the features stay a sparse matrix."""
        return self

    def __add__(self, other: object) -> Kernel:
        if isinstance(other, Real) and other == 0:  # so that sum([...]) works
            return self
        return _combine("Sum", self, other) if isinstance(other, Kernel) else NotImplemented

    __radd__ = __add__

    def __mul__(self, other: object) -> Kernel:
        if isinstance(other, Kernel):
            return _combine("Product", self, other)
        return _combine("Scaled", self, float(other)) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def normalized(self) -> Kernel:
        """Return this kernel divided by √(K(x, x) K(y, y)); 0 where an item has K(x, x) = 0."""
        return _combine("Normalized", self)


def walk_kernels(kernel: Kernel, enter: Callable[[Kernel], bool] = lambda kernel: True) -> Iterator[Kernel]:
    """Yield a kernel and all kernels that it is made of, each before its children.

    The children of a kernel are left out if ``enter(kernel)`` is False.

    >>> from rekern.kernels import Spectrum
    >>> [type(part).__name__ for part in walk_kernels(2 * (Spectrum(1) + Spectrum(2)))]
    ['Scaled', 'Sum', 'Spectrum', 'Spectrum']
    """
    yield kernel
    if enter(kernel):
        for child in kernel.list_children():
            yield from walk_kernels(child, enter)


def check_device_kernel(kernel: Kernel) -> None:
    """Raise an error if no part of a kernel can be computed by a GPU.

    >>> from rekern.kernels import PartialTree, Spectrum
    >>> check_device_kernel(PartialTree() + Spectrum(2))
    >>> check_device_kernel(Spectrum(2))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: no part of Spectrum is computed by a GPU; leave out the device
    """
    if not any(part.has_device_core for part in walk_kernels(kernel)):
        raise InputError(f"no part of {type(kernel).__name__} is computed by a GPU; leave out the device")


def _check_path(out: object) -> Path:
    """Return the path of a file to write to."""
    if not isinstance(out, str | PathLike):
        raise InputError(f"out={show_value(out)}: give the path of a file")
    return resolve_path(out if isinstance(out, str) else Path(out))


def make_unique(names: Sequence[str]) -> list[str]:
    """Return the names with a number behind those that occurred before.

    >>> make_unique(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        unique.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return unique


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_") and name.isidentifier()


def _combine(name: str, *arguments: object) -> Kernel:
    """Make a sum, product or the like. Found by name, because these classes are built on this one."""
    combination = cast("Callable[..., Kernel]", find_class(name))
    return combination(*arguments)
