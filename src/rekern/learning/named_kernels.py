"""Kernels that have a short name, such as "rules+curves": what ``--kernel`` and the models accept."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from sklearn.base import clone

from rekern.core.messages import show_value
from rekern.errors import InputError
from rekern.kernels.combinations import Scaled
from rekern.kernels.curves import Curves
from rekern.kernels.gaussian import Gaussian
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.similarity.precision_recall import PrecisionRecall
from rekern.similarity.similarities import Similarities

Tokenize = Callable[[str], list[str]]

DEFAULT = "rules+curves"
# Each name and what it stands for, the default first.
NAMED_KERNELS = {
    "rules+curves": "re-writing rules, a curve for each of 48 scores, and products of every two (the default)",
    "rules+scores": "re-writing rules, and a weight for each of 48 scores",
    "rules+gaussian": "re-writing rules, and a Gaussian kernel over 48 scores",
    "rules": "re-writing rules alone",
    "paper": "re-writing rules, and precision and recall of words: the setting of Bu, Li and Zhu (2012)",
    "curves": "a curve for each score and products of every two, without rules",
    "scores": "a weight for each score, without rules",
    "gaussian": "a Gaussian kernel over the scores, without rules",
}
TEXT_GROUPS = ("basic", "ngrams", "sequences", "differences")  # the scores that need nothing but the text
PRODUCTS = 3.0  # the weight of the products of every two scores, as much as that of the curves
GAUSSIAN_WEIGHT, GAUSSIAN_WIDTH = 3.0, 0.3  # of the Gaussian; gamma is the width divided by the number of scores


def make_named_kernel(name: str, rules: Rewriting | None = None, tokenizer: Tokenize | None = None) -> Kernel:
    """Return the kernel with a short name; the rules of it can be given, and the tokenizer of its scores.

    >>> make_named_kernel("paper", Rewriting(k=(1, 2)))
    Sum(left=Rewriting(k=(1, 2)), right=PrecisionRecall())
    >>> make_named_kernel("rules+curve")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no kernel named 'rules+curve'; did you mean 'rules+curves'?
    """
    chosen = name.strip().lower().replace(" ", "")
    if chosen not in NAMED_KERNELS:
        near = get_close_matches(chosen, NAMED_KERNELS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"the names are {', '.join(NAMED_KERNELS)}"
        raise InputError(f"there is no kernel named {name!r}; {hint}")
    rules = Rewriting(k=(1, 4)) if rules is None else rules
    first, _, second = chosen.partition("+")
    if first == "rules" and second:
        return rules + _make_scores(second, tokenizer)
    if first == "rules":
        return rules
    return rules + PrecisionRecall(tokenizer) if first == "paper" else _make_scores(first, tokenizer)


def resolve_kernel(kernel: object, on_features: bool = False) -> Kernel:
    """Return a new kernel from what a model was given: a kernel, its short name, or None for the default.

    A kernel with a name that is to be trained ``on_features`` has no products of scores: see `drop_products`.

    >>> resolve_kernel("rules")
    Rewriting(k=(1, 4))
    >>> resolve_kernel("curves").products, resolve_kernel("curves", on_features=True).products
    (3.0, 0.0)
    """
    if isinstance(kernel, Kernel):
        copy: Kernel = clone(kernel, safe=False)
        return copy
    if kernel is None or is_kernel_name(kernel):
        named = make_named_kernel(DEFAULT if kernel is None else str(kernel))
        return drop_products(named) if on_features else named
    names = ", ".join(NAMED_KERNELS)
    raise InputError(
        f"kernel={show_value(kernel)}: give a kernel such as Rewriting(k=(1, 4)), or the name of one: {names}"
    )


def drop_products(kernel: Kernel) -> Kernel:
    """Return a copy of a kernel whose curves have no products of scores, for training on features.

    48 scores have 1,128 products: on a Gram they cost little, as features of each pair they would double time
    and memory.

    >>> drop_products(make_named_kernel("curves")).products
    0.0
    """
    found: Kernel = clone(kernel, safe=False)
    for part in walk_kernels(found):
        if isinstance(part, Curves):
            part.products = 0.0
    return found


def is_kernel_name(value: object) -> bool:
    """Return whether a value is the name of a kernel.

    >>> is_kernel_name("paper"), is_kernel_name("rbf"), is_kernel_name(None)
    (True, False, False)
    """
    return isinstance(value, str) and value in NAMED_KERNELS


def has_rules(name: str) -> bool:
    """Return whether the kernel with this name has re-writing rules.

    >>> has_rules("paper"), has_rules("curves")
    (True, False)
    """
    return name.startswith("rules") or name == "paper"


def _make_scores(name: str, tokenizer: Tokenize | None) -> Kernel:
    scores = Similarities(groups=TEXT_GROUPS, tokenizer=tokenizer)
    if name == "curves":
        return Curves(scores, products=PRODUCTS)
    if name == "gaussian":
        return Scaled(Gaussian(scores, GAUSSIAN_WIDTH / len(scores.names())), GAUSSIAN_WEIGHT)
    return scores
