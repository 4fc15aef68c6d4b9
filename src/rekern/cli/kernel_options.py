"""The options that describe a kernel: a short name, a few options for re-writing rules, or any kernel as JSON."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.core.parameters import WindowSizes
    from rekern.kernels import Rewriting
    from rekern.kernels.kernel import Kernel
    from rekern.structures.tokenizer import Tokenizer


# The names of `rekern.learning.named_kernels`, written down again so that ``--help`` need not import it.
DEFAULT_NAME = "rules+curves"
NAMES = (DEFAULT_NAME, "rules+scores", "rules+gaussian", "rules", "paper", "curves", "scores", "gaussian")


class Wildcards(StrEnum):
    """What a wildcard of a rule stands for."""

    aligned = "aligned"
    free = "free"
    none = "none"


Windows = Annotated[
    str,
    typer.Option("--k", metavar="SIZES", help="Window sizes: 4, or 1-4, or source x target: 3x5,4x4."),
]
WildcardKind = Annotated[
    Wildcards,
    typer.Option("--wildcards", help="Same word on both sides (kb-SRK), any word (pw-SRK), or none (ps-SRK)."),
]
Decay = Annotated[float, typer.Option("--decay", metavar="X", help="Weight of a wildcard, at most 1.")]
Span = Annotated[
    int,
    typer.Option("--span", min=1, metavar="N", help="Maximum number of words that a wildcard stands for."),
]
NoPr = Annotated[bool, typer.Option("--no-pr", help="Rules alone, without scores: as --kernel rules.")]
Language = Annotated[
    str,
    typer.Option("--language", metavar="NAME", help="Language of the Snowball stemmer, or none."),
]
KeepCase = Annotated[bool, typer.Option("--keep-case", help="Do not convert to lower case.")]
KernelText = Annotated[
    str | None,
    typer.Option(
        "--kernel",
        metavar="NAME|JSON",
        help=f"{', '.join(NAMES)}; or any kernel, as JSON or a .json file. [default: {DEFAULT_NAME}]",
    ),
]


@dataclass(frozen=True)
class KernelOptions(OptionGroup):
    """How the user describes a kernel.

    >>> KernelOptions(kernel="rules", k="1-2").build().k
    (1, 2)
    >>> KernelOptions(kernel='{"type": "PairSum", "kernel": {"type": "SubTree", "on": "tree"}}').build()
    PairSum(kernel=SubTree(on='tree'))
    """

    k: Windows = "1-4"
    wildcards: WildcardKind = Wildcards.aligned
    decay: Decay = 1.0
    span: Span = 1
    no_pr: NoPr = False
    language: Language = "english"
    keep_case: KeepCase = False
    kernel: KernelText = None

    def find_changed(self) -> str | None:
        """Return the first option that says something about the kernel itself, and not about tokens; None if none does.

        >>> KernelOptions(k="1-2").find_changed(), KernelOptions(language="german").find_changed()
        ('--k', None)
        """
        for field in fields(self):
            if field.name not in ("language", "keep_case") and getattr(self, field.name) != field.default:
                return "--" + field.name.replace("_", "-")
        return None

    def make_tokenizer(self) -> Tokenizer:
        """Make the tokenizer, and check that there is a stemmer for the language."""
        from rekern.structures.tokenizer import Tokenizer

        language = None if self.language.lower() == "none" else self.language.lower()
        tokenizer = Tokenizer(language, lowercase=not self.keep_case)
        tokenizer("a")  # raises an error if there is no stemmer for the language
        return tokenizer

    def is_named(self) -> bool:
        """Return whether the kernel is given by its short name, or not at all."""
        return self.kernel is None or not is_json_kernel(self.kernel)

    def build(self) -> Kernel:
        """Build the kernel and check its parameters."""
        name = DEFAULT_NAME if self.kernel is None else self.kernel
        if is_json_kernel(name):
            others = [field.name for field in fields(self) if field.name != "kernel"]
            self._refuse("--kernel describes the whole kernel", *others)
            return _read_kernel(name)
        if self.no_pr:
            if self.kernel not in (None, "rules", "paper"):
                raise InputError(f"--no-pr means --kernel rules: leave one of --no-pr and --kernel {name} out")
            name = "rules"
        sizes = parse_windows(self.k)
        if not 0 < self.decay <= 1:
            raise InputError(f"--decay {self.decay:g} is out of range: give a number above 0 and at most 1")

        from rekern.kernels import Rewriting
        from rekern.learning.named_kernels import has_rules, make_named_kernel

        tokenizer = self.make_tokenizer()
        rules = Rewriting(sizes, self.wildcards.value, self.decay, span=self.span, tokenizer=tokenizer)
        built = make_named_kernel(name, rules, tokenizer)
        if not has_rules(name):
            self._refuse(f"--kernel {name} has no rules", "k", "wildcards", "decay", "span")
        return built

    def _refuse(self, why: str, *names: str) -> None:
        """Refuse options that would have no effect."""
        for field in fields(self):
            if field.name in names and getattr(self, field.name) != field.default:
                raise InputError(f"{why}: leave --{field.name.replace('_', '-')} out")


def is_json_kernel(text: str) -> bool:
    """Return whether the value of ``--kernel`` is JSON or names a file, and is no short name.

    >>> is_json_kernel('{"type": "Spectrum"}'), is_json_kernel("my.json"), is_json_kernel("rules+scores")
    (True, True, False)
    """
    is_file = text.lower().endswith(".json") or (text not in NAMES and os.path.isfile(text))
    return text.lstrip().startswith(("{", "[")) or is_file


def parse_windows(text: str) -> WindowSizes:
    """Parse the value of ``--k`` into the parameter ``k`` of a re-writing kernel.

    >>> parse_windows("4"), parse_windows("1-4"), parse_windows("3x5,4x4"), parse_windows("2,4")
    (4, (1, 4), [(3, 5), (4, 4)], [2, 4])
    """
    from rekern.core.parameters import read_windows

    try:
        return read_windows(text)
    except ValueError as error:
        raise InputError(f"--k {error}") from None


def _read_kernel(text: str) -> Kernel:
    """Build the kernel given as JSON, or as the name of a file with JSON."""
    from rekern.core.text_files import read_text
    from rekern.kernels.kernel_json import kernel_from_json

    if text.lstrip().startswith(("{", "[")):
        return kernel_from_json(text, "--kernel")
    return kernel_from_json(read_text(text), text)


class KernelSummary(NamedTuple):
    """A kernel in words."""

    kernel: str
    tokens: str


def summarize_kernel(kernel: Kernel) -> KernelSummary:
    """Describe a kernel and its tokens in words.

    >>> summary = summarize_kernel(KernelOptions(kernel="paper", language="none", keep_case=True).build())
    >>> summary.kernel
    'rules with aligned wildcards, k 1-4, + precision and recall'
    >>> summary.tokens
    'case kept, no stems'
    >>> summarize_kernel(KernelOptions(kernel="rules+curves").build()).kernel
    'rules with aligned wildcards, k 1-4, + curves of 48 scores and products of every two'
    """
    from rekern.kernels import Rewriting
    from rekern.kernels.kernel_summary import summarize_kernel as show_kernel
    from rekern.structures.tokenizer import Tokenizer

    described = describe_scores(kernel)
    if described is not None:
        return KernelSummary(described, _describe_tokens(_find_tokenizer(kernel)))
    rules, scores = kernel, None
    right = getattr(kernel, "right", None)
    if right is not None:
        rules, scores = kernel.left, describe_scores(right)
    known = isinstance(rules, Rewriting) and isinstance(rules.tokenizer, Tokenizer)
    if not known or (right is not None and scores is None):
        return KernelSummary(show_kernel(kernel), "as the kernel defines them")
    more = "" if scores is None else f", + {scores}"
    return KernelSummary(f"{_describe_rules(rules)}{more}", _describe_tokens(rules.tokenizer))


def describe_scores(kernel: Kernel) -> str | None:
    """Describe a kernel over scores in words; None if it is another kernel.

    >>> from rekern.kernels import Curves, Gaussian
    >>> from rekern.similarity import Similarities
    >>> describe_scores(Curves(Similarities())), describe_scores(3 * Gaussian(Similarities(), 0.01))
    ('curves of 28 scores', '3 × a Gaussian kernel over 28 scores')
    """
    from rekern.kernels import Curves, Gaussian, Scaled
    from rekern.similarity import PrecisionRecall, Similarities

    if isinstance(kernel, Scaled):
        inner = describe_scores(kernel.kernel)
        return None if inner is None else f"{kernel.weight:g} × {inner}"
    if isinstance(kernel, PrecisionRecall):
        return "precision and recall"
    if isinstance(kernel, Similarities):
        return f"{len(kernel.names())} scores"
    if isinstance(kernel, Curves | Gaussian) and isinstance(kernel.kernel, Similarities):
        how = "curves of" if isinstance(kernel, Curves) else "a Gaussian kernel over"
        more = " and products of every two" if isinstance(kernel, Curves) and kernel.products else ""
        return f"{how} {describe_scores(kernel.kernel)}{more}"
    return None


def _describe_rules(rules: Rewriting) -> str:
    if isinstance(rules.k, tuple):
        k = "-".join(map(str, rules.k))
    else:
        sizes = rules.k if isinstance(rules.k, list) else [rules.k]
        k = ",".join("x".join(map(str, size)) if isinstance(size, tuple) else str(size) for size in sizes)
    kinds = {"aligned": "with aligned wildcards", "free": "with wildcards for any word", "none": "without wildcards"}
    more = f", decay {rules.decay:g}" if rules.decay != 1 else ""
    more += f", span {rules.span}" if rules.span != 1 else ""
    return f"rules {kinds[rules.wildcards]}, k {k}{more}"


def _find_tokenizer(kernel: Kernel) -> object:
    """Return the tokenizer of a kernel or of the one inside it."""
    children = kernel.list_children()
    return _find_tokenizer(children[0]) if children else getattr(kernel, "tokenizer", None)


def _describe_tokens(tokenizer: object) -> str:
    from rekern.structures.tokenizer import Tokenizer

    if not isinstance(tokenizer, Tokenizer):
        return "as the kernel defines them"
    stems = f"{tokenizer.language} stems" if tokenizer.language else "no stems"
    return f"{'case folded' if tokenizer.lowercase else 'case kept'}, {stems}"
