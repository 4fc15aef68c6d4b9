"""The kernels that a search tries: a ladder from simple to rich, each step with what it needs.

A step adds something to re-writing rules: nothing, precision and recall, scores, curves over scores, curves and
products of every two scores, a Gaussian kernel over scores; then scores that need WordNet, word vectors or a
thesaurus, and kernels over trees, where there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import NamedTuple, TypeAlias

from rekern.kernels import AllProduct, Curves, Gaussian, Kernel, PairSum, PartialTree, Rewriting
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
FURTHER = ("order", "contexts")  # where there are resources or trees
# A narrow and a wide Gaussian kernel: their weight, and gamma times the number of scores.
GAUSSIANS = {"narrow": (1.0, 1.0), "wide": (3.0, 0.3)}
WEIGHT_OF_SCORES = 4.0  # of all scores together, as much as re-writing rules of four window sizes
CHECKED_ROWS = 50  # of a column that may have trees


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

    def list_groups(self) -> tuple[str, ...]:
        """Return the groups of scores that become possible."""
        groups: tuple[str, ...] = ("wordnet", "relations", "esa", "substitution") if self.wordnet is not None else ()
        groups += ("thesaurus",) if self.thesaurus is not None else ()
        return groups + (("alignment", "vectors") if self.space is not None else ())


class Step(NamedTuple):
    """A step of the ladder: what is added to re-writing rules, in words and as a kernel."""

    number: int
    name: str
    kernel: Kernel | None
    tokenizer: Callable[[str], list[str]] | None = None  # of the rules


class Candidate(NamedTuple):
    """A kernel to try: a step with the window sizes of its rules.

    >>> candidate = Candidate(Step(1, "overlap", PrecisionRecall()), (1, 2))
    >>> candidate.name, candidate.kernel
    ('rules 1-2 + overlap', Sum(left=Rewriting(k=(1, 2)), right=PrecisionRecall()))
    """

    step: Step
    windows: Windows

    @property
    def name(self) -> str:
        """The kernel in words."""
        rules = "" if self.windows is None else f"rules {describe_windows(self.windows)}"
        return " + ".join(filter(None, (rules, self.step.name)))

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        parts = [] if self.windows is None else [Rewriting(k=self.windows, tokenizer=self.step.tokenizer)]
        return reduce(add, [*parts, *([] if self.step.kernel is None else [self.step.kernel])])

    @property
    def rank(self) -> tuple[int, int]:
        """How complicated the kernel is: simple ones first."""
        return self.step.number, 0 if self.windows is None else self.windows[1]


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
    found: list[tuple[str, Kernel | None]] = [("", None), ("overlap", PrecisionRecall(resources.tokenizer))]
    basic, more = (Similarities(groups=groups, tokenizer=resources.tokenizer) for groups in (BASIC, MORE))
    found.append(("scores", basic * (WEIGHT_OF_SCORES / len(basic.names()))))
    found += [("curves", Curves(basic)), ("curves over more scores", Curves(more))]
    found.append(("curves and products over more scores", Curves(more, products=PRODUCTS)))
    found += _list_gaussians(basic, "scores") + _list_gaussians(more, "more scores")
    groups = resources.list_groups()
    if groups:
        scores = _make_scores(groups, resources)
        found.append(("curves over all scores", Curves(scores)))
        found.append(("curves and products over all scores", Curves(scores, products=PRODUCTS)))
        found += _list_gaussians(scores, "all scores")
    if resources.trees:
        found += _list_on_trees(groups, resources)
    return [Step(number, name, kernel, resources.tokenizer) for number, (name, kernel) in enumerate(found)]


def _list_gaussians(scores: Similarities, name: str) -> list[tuple[str, Kernel | None]]:
    return [(f"{width} Gaussian over {name}", _make_gaussian(scores, width)) for width in GAUSSIANS]


def _make_gaussian(scores: Similarities | UnsharedWords, width: str) -> Kernel:
    weight, gamma = GAUSSIANS[width]
    kernel: Kernel = Gaussian(scores, gamma / len(scores.names()))
    return kernel if weight == 1 else kernel * weight


def _make_scores(groups: Sequence[str], resources: Resources, on: str | None = None) -> Similarities:
    kernels: tuple[Kernel, ...] = ()
    if on is not None:
        groups, kernels = (*groups, "tags", "links", "kernels"), (PartialTree(on=on),)
    return Similarities(
        groups=(*MORE, *FURTHER, *groups),
        tokenizer=resources.tokenizer,
        on=on,
        wordnet=resources.wordnet,
        space=resources.space,
        thesaurus=resources.thesaurus,
        kernels=kernels,
    )


def _list_on_trees(groups: Sequence[str], resources: Resources) -> list[tuple[str, Kernel | None]]:
    """Steps with trees: scores from the first column of trees, and kernels over the trees of each column."""
    first = resources.trees[0]
    scores, unshared = _make_scores(groups, resources, on=first), UnsharedWords(on=first)
    wide = _make_gaussian(scores, "wide") + _make_gaussian(unshared, "wide")
    found: list[tuple[str, Kernel | None]] = [
        (f"curves over all scores and unshared words of {first}", Curves(scores) + Curves(unshared)),
        (f"wide Gaussians over all scores and unshared words of {first}", wide),
    ]
    for name in resources.trees:
        trees = PartialTree(on=name)
        found += [
            (f"wide Gaussian over all scores + trees ({name}, sums)", _make_gaussian(scores, "wide") + PairSum(trees)),
            (f"wide Gaussians over all scores and unshared words + trees ({name}, sums)", wide + PairSum(trees)),
            (f"wide Gaussians over all scores and unshared words + trees ({name}, products)", wide + AllProduct(trees)),
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
