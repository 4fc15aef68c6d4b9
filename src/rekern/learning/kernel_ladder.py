"""The kernels that a search tries: a ladder from simple to rich, each step with what it needs.

A step adds something to re-writing rules: nothing, precision and recall, scores, curves over scores, curves with
products of every two scores, a Gaussian kernel over scores; then scores that need WordNet, word vectors or a
thesaurus, and kernels over trees, where there are any. A Gaussian kernel may have other shapes, which are tried if it
is among the best. With too many pairs for a Gram, kernels without features are approximated by landmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import NamedTuple, TypeAlias

from rekern.kernels import (
    AllProduct,
    Curves,
    Gaussian,
    Kernel,
    Landmarks,
    PairSum,
    PartialTree,
    Rewriting,
    Spectrum,
    Symmetric,
)
from rekern.kernels.combinations import Scaled, Sum
from rekern.kernels.kernel import walk_kernels
from rekern.learning.named_kernels import PRODUCTS
from rekern.similarity import PrecisionRecall, Similarities, UnsharedWords
from rekern.similarity.lexical_resources import Thesaurus
from rekern.structures.representations import Representations
from rekern.structures.trees import Trees
from rekern.structures.word_space import WordSpace

Windows: TypeAlias = tuple[int, int] | None

DEFAULT_WINDOWS: Windows = (1, 4)
OTHER_WINDOWS: tuple[Windows, ...] = ((1, 2), (1, 1), None)  # None leaves the rules out
COSTS = (0.3, 3.0)  # besides 1
FAR_COSTS = {0.3: 0.1, 3.0: 10.0}  # tried if the near one is the best
BASIC = ("basic",)
MORE = ("basic", "ngrams", "sequences", "differences")
TEXT = (*MORE, "order", "contexts")


class Shape(NamedTuple):
    """The shape of a Gaussian kernel over n scores: its weight, and gamma times n."""

    weight: float
    width: float


SHAPE = Shape(10.0, 0.3)
# Tried if SHAPE is among the best.
OTHER_SHAPES = (Shape(1.0, 1.0), Shape(3.0, 0.3), Shape(30.0, 0.3), Shape(10.0, 0.1))
SHAPE_BESIDE_TREES = Shape(3.0, 0.3)
WEIGHT_OF_SCORES = 4.0  # of all scores together, as much as re-writing rules of four window sizes
CHECKED_ROWS = 50  # of a column that may have trees
N_LANDMARKS = 1000  # of a kernel without features, where there are too many pairs for a Gram


@dataclass(frozen=True)
class Resources:
    """What the user gave besides the texts; nothing else is opened.

    >>> Resources(wordnet="oewn").list_groups()
    ('wordnet', 'relations', 'esa', 'substitution')
    """

    wordnet: str | None = None
    space: WordSpace | None = None
    thesaurus: Thesaurus | None = None
    tokenizer: Callable[[str], list[str]] | None = None
    trees: tuple[str, ...] = ()  # the representations of both sides that are trees
    answers: bool = False  # whether candidates are ranked, as answers to a question
    many_pairs: bool = False  # more than a Gram is computed for

    def list_groups(self) -> tuple[str, ...]:
        """Return the groups of scores that become possible."""
        groups: tuple[str, ...] = ("wordnet", "relations", "esa", "substitution") if self.wordnet is not None else ()
        groups += ("thesaurus",) if self.thesaurus is not None else ()
        groups += ("alignment", "vectors") if self.space is not None else ()
        return groups + (("aligner",) if {"wordnet", "thesaurus", "vectors"} <= set(groups) else ())


class Step(NamedTuple):
    """A step of the ladder: what is added to re-writing rules, in words and as a kernel."""

    number: int
    name: str
    kernel: Kernel | None
    tokenizer: Callable[[str], list[str]] | None = None  # of the rules
    shapes: tuple[tuple[str, Kernel], ...] = ()  # the same in other shapes, in words and as kernels

    def list_shapes(self) -> list[Step]:
        """List the step in its other shapes; they are as simple as it is."""
        return [self._replace(name=name, kernel=kernel) for name, kernel in self.shapes]


class Candidate(NamedTuple):
    """A kernel to try: a step with the window sizes of its rules, in one order of the pairs or in both, or with the
    words of the target alone besides, which tell something where people wrote the targets for their classes.

    >>> candidate = Candidate(Step(1, "overlap", PrecisionRecall()), (1, 2))
    >>> candidate.name, candidate.kernel
    ('rules 1-2 + overlap', Sum(left=Rewriting(k=(1, 2)), right=PrecisionRecall()))
    """

    step: Step
    windows: Windows
    both_orders: bool = False
    target_words: bool = False

    @property
    def name(self) -> str:
        """The kernel in words."""
        rules = "" if self.windows is None else f"rules {describe_windows(self.windows)}"
        words = "words of the target" if self.target_words else ""
        name = " + ".join(filter(None, (rules, self.step.name, words)))
        return f"both orders: {name}" if self.both_orders else name

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        tokenizer = self.step.tokenizer
        parts: list[Kernel] = [] if self.windows is None else [Rewriting(k=self.windows, tokenizer=tokenizer)]
        parts += [] if self.step.kernel is None else [self.step.kernel]
        if self.target_words:
            parts += [Spectrum(k, tokenizer=tokenizer, on="target") for k in (1, 2)]
        kernel = reduce(add, parts)
        return _use_both_orders(kernel) if self.both_orders else kernel

    @property
    def rank(self) -> tuple[int, int, bool, bool]:
        """How complicated the kernel is: simple ones first."""
        largest = 0 if self.windows is None else self.windows[1]
        return self.step.number, largest, self.both_orders, self.target_words


def describe_windows(windows: tuple[int, int]) -> str:
    """Return window sizes as text.

    >>> describe_windows((1, 4)), describe_windows((1, 1))
    ('1-4', '1')
    """
    first, last = windows
    return str(first) if first == last else f"{first}-{last}"


def list_steps(resources: Resources) -> list[Step]:
    """List the steps of the ladder that need no more than the texts and these resources.

    >>> [step.name for step in list_steps(Resources())][:3]
    ['', 'overlap', 'scores']
    """
    found = [Step(0, "", None), Step(0, "overlap", PrecisionRecall(resources.tokenizer))]
    text = (*TEXT, "answers") if resources.answers else TEXT
    sets = {
        name: Similarities(groups=groups, tokenizer=resources.tokenizer)
        for name, groups in (("scores", BASIC), ("more scores", MORE), ("text scores", text))
    }
    basic = sets["scores"]
    found.append(Step(0, "scores", basic * (WEIGHT_OF_SCORES / len(basic.names()))))
    found += [_make_curves(scores, name) for name, scores in sets.items()]
    found += [_make_products(scores, name) for name, scores in sets.items() if name != "scores"]
    found += [_make_gaussian_step(scores, name) for name, scores in sets.items()]
    groups = resources.list_groups()
    if groups:
        scores = _make_scores(groups, resources)
        found += [_make_curves(scores, "all scores"), _make_products(scores, "all scores")]
        found.append(_make_gaussian_step(scores, "all scores"))
    if resources.trees:
        found += [Step(0, name, kernel) for name, kernel in _list_on_trees(groups, resources)]
    if resources.many_pairs:
        found = [_use_landmarks(step) for step in found]
    return [step._replace(number=number, tokenizer=resources.tokenizer) for number, step in enumerate(found)]


def _use_landmarks(step: Step) -> Step:
    """The step with landmarks for what has no features."""
    if step.kernel is None or step.kernel.has_features():
        return step
    (first, kernel), *others = (
        (f"{name}, {N_LANDMARKS:,} landmarks", _approximate(kernel))
        for name, kernel in ((step.name, step.kernel), *step.shapes)
    )
    return step._replace(name=first, kernel=kernel, shapes=tuple(others))


def _approximate(kernel: Kernel) -> Kernel:
    """The kernel with landmarks for its terms without features; weights stay outside, so that shapes share them."""
    if kernel.has_features():
        return kernel
    if isinstance(kernel, Sum):
        return _approximate(kernel.left) + _approximate(kernel.right)
    return _approximate(kernel.kernel) * kernel.weight if isinstance(kernel, Scaled) else Landmarks(kernel, N_LANDMARKS)


def _use_both_orders(kernel: Kernel) -> Kernel:
    """The kernel over both orders of a pair; landmarks are pairs of which both orders are the same."""
    if not has_landmarks(kernel):
        return Symmetric(kernel)
    if isinstance(kernel, Sum):
        return _use_both_orders(kernel.left) + _use_both_orders(kernel.right)
    if isinstance(kernel, Scaled):
        return _use_both_orders(kernel.kernel) * kernel.weight
    assert isinstance(kernel, Landmarks)
    return Landmarks(Symmetric(kernel.kernel), kernel.n)


def has_landmarks(kernel: Kernel) -> bool:
    """Return whether a part of a kernel is approximated by landmarks.

    >>> has_landmarks(Rewriting()), has_landmarks(Rewriting() + Landmarks(PrecisionRecall()))
    (False, True)
    """
    return any(isinstance(part, Landmarks) for part in walk_kernels(kernel))


def _make_curves(scores: Similarities, name: str) -> Step:
    return Step(0, f"curves over {name}", Curves(scores))


def _make_products(scores: Similarities, name: str) -> Step:
    return Step(0, f"curves and products over {name}", Curves(scores, products=PRODUCTS))


def _make_gaussian_step(scores: Similarities, name: str) -> Step:
    (first, kernel), *others = (
        (f"{shape.weight:g} Gaussian {shape.width:g}/n over {name}", _make_gaussian(scores, shape))
        for shape in (SHAPE, *OTHER_SHAPES)
    )
    return Step(0, first, kernel, shapes=tuple(others))


def _make_gaussian(scores: Similarities | UnsharedWords, shape: Shape) -> Kernel:
    kernel: Kernel = Gaussian(scores, shape.width / len(scores.names()))
    return kernel if shape.weight == 1 else kernel * shape.weight


def _make_scores(groups: Sequence[str], resources: Resources, on: str | None = None) -> Similarities:
    kernels: tuple[Kernel, ...] = ()
    if on is not None:
        groups, kernels = (*groups, "tags", "links", "kernels"), (PartialTree(on=on),)
    return Similarities(
        groups=(*TEXT, *(("answers",) if resources.answers else ()), *groups),
        tokenizer=resources.tokenizer,
        on=on,
        wordnet=resources.wordnet,
        space=resources.space,
        thesaurus=resources.thesaurus,
        kernels=kernels,
    )


def _list_on_trees(groups: Sequence[str], resources: Resources) -> list[tuple[str, Kernel]]:
    """Steps with trees: scores from the first column of trees, and kernels over the trees of each column."""
    first = resources.trees[0]
    scores, unshared = _make_scores(groups, resources, on=first), UnsharedWords(on=first)
    gaussian = _make_gaussian(scores, SHAPE_BESIDE_TREES)
    both = gaussian + _make_gaussian(unshared, SHAPE_BESIDE_TREES)
    found: list[tuple[str, Kernel]] = [
        (f"curves over all scores and unshared words of {first}", Curves(scores) + Curves(unshared)),
        (f"Gaussians over all scores and unshared words of {first}", both),
    ]
    for name in resources.trees:
        trees = PartialTree(on=name)
        found += [
            (f"Gaussian over all scores + trees ({name}, sums)", gaussian + PairSum(trees)),
            (f"Gaussians over all scores and unshared words + trees ({name}, sums)", both + PairSum(trees)),
            (f"Gaussians over all scores and unshared words + trees ({name}, products)", both + AllProduct(trees)),
        ]
    return found


def find_trees(table: Representations) -> tuple[str, ...]:
    """Return the names of the representations of both sides that are trees, "constituents" first.

    >>> find_trees(Representations({"source": ["a"], "target": ["b"], "source.t": ["(A a)"], "target.t": ["(B b)"]}))
    ('t',)
    """
    ends = [name.removeprefix("source.") for name in table.columns if name.startswith("source.")]
    found = [end for end in ends if all(_has_trees(table, f"{side}.{end}") for side in ("source", "target"))]
    return tuple(sorted(found, key=lambda name: name != "constituents"))


def _has_trees(table: Representations, name: str) -> bool:
    if name not in table.columns:
        return False
    column = table[name]
    if isinstance(column, Trees):
        return True
    return isinstance(column, list) and all(
        isinstance(value, str) and value.lstrip().startswith("(") for value in column[:CHECKED_ROWS]
    )
