"""The options that describe a kernel: a few for re-writing rules, or any kernel as JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.kernels.kernel import Kernel
    from rekern.structures.tokenizer import Tokenizer

    WindowSizes = int | tuple[int, int] | list[int | tuple[int, int]]


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
NoPr = Annotated[bool, typer.Option("--no-pr", help="Leave out precision and recall of words.")]
Language = Annotated[
    str,
    typer.Option("--language", metavar="NAME", help="Language of the Snowball stemmer, or none."),
]
KeepCase = Annotated[bool, typer.Option("--keep-case", help="Do not convert to lower case.")]
KernelText = Annotated[
    str | None,
    typer.Option("--kernel", metavar="JSON", help="Instead of these options: a kernel, as JSON or a .json file."),
]


@dataclass(frozen=True)
class KernelOptions(OptionGroup):
    """How the user describes a kernel.

    >>> KernelOptions(no_pr=True).build().k
    (1, 4)
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

    def build(self) -> Kernel:
        """Build the kernel and check its parameters."""
        if self.kernel is not None:
            for field in fields(self):
                if field.name != "kernel" and getattr(self, field.name) != field.default:
                    option = "--" + field.name.replace("_", "-")
                    raise InputError(f"--kernel describes the whole kernel: leave {option} out")
            return _read_kernel(self.kernel)
        sizes = parse_windows(self.k)
        if not 0 < self.decay <= 1:
            raise InputError(f"--decay {self.decay:g} is out of range: give a number above 0 and at most 1")

        from rekern.kernels import Rewriting
        from rekern.similarity import PrecisionRecall

        tokenizer = self.make_tokenizer()
        rules = Rewriting(sizes, self.wildcards.value, self.decay, span=self.span, tokenizer=tokenizer)
        return rules if self.no_pr else rules + PrecisionRecall(tokenizer)


def parse_windows(text: str) -> WindowSizes:
    """Parse the value of ``--k`` into the parameter ``k`` of a re-writing kernel.

    >>> parse_windows("4"), parse_windows("1-4"), parse_windows("3x5,4x4"), parse_windows("2,4")
    (4, (1, 4), [(3, 5), (4, 4)], [2, 4])
    """
    from rekern.core.parameters import LONGEST_WINDOW, list_windows

    sizes: WindowSizes
    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            sizes = (first, last)
        elif "," in text or "x" in text:
            sizes = [_parse_window(part) for part in text.split(",")]
        else:
            sizes = int(text)
        list_windows(sizes)
    except ValueError:
        form = f"4, or 1-4, or 3x5,4x4, with different sizes from 1 to {LONGEST_WINDOW}"
        raise InputError(f"--k {text!r} is no list of window sizes: write {form}") from None
    return sizes


def _parse_window(text: str) -> int | tuple[int, int]:
    if "x" not in text:
        return int(text)
    source, target = text.split("x")
    return int(source), int(target)


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

    >>> summary = summarize_kernel(KernelOptions(language="none", keep_case=True).build())
    >>> summary.kernel
    'rules with aligned wildcards, k 1-4, + precision and recall'
    >>> summary.tokens
    'case kept, no stems'
    """
    from rekern.kernels import Rewriting
    from rekern.similarity import PrecisionRecall
    from rekern.structures.tokenizer import Tokenizer

    rules, score = kernel, ""
    if isinstance(getattr(kernel, "right", None), PrecisionRecall):
        rules, score = kernel.left, ", + precision and recall"
    if not isinstance(rules, Rewriting) or not isinstance(rules.tokenizer, Tokenizer):
        return KernelSummary(" ".join(repr(kernel).split()), "as the kernel defines them")
    if isinstance(rules.k, tuple):
        k = "-".join(map(str, rules.k))
    else:
        sizes = rules.k if isinstance(rules.k, list) else [rules.k]
        k = ",".join("x".join(map(str, size)) if isinstance(size, tuple) else str(size) for size in sizes)
    kinds = {"aligned": "with aligned wildcards", "free": "with wildcards for any word", "none": "without wildcards"}
    more = f", decay {rules.decay:g}" if rules.decay != 1 else ""
    more += f", span {rules.span}" if rules.span != 1 else ""
    tokens = rules.tokenizer
    stems = f"{tokens.language} stems" if tokens.language else "no stems"
    case = "case folded" if tokens.lowercase else "case kept"
    return KernelSummary(f"rules {kinds[rules.wildcards]}, k {k}{more}{score}", f"{case}, {stems}")
