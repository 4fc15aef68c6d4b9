"""Options that several commands share: how to read a table, which kernel to use."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from rekern.core.files import show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table


class Wildcards(StrEnum):
    """What a wildcard of a rule stands for."""

    aligned = "aligned"
    free = "free"
    none = "none"


ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file that `rekern train` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Threads; all cores by default.")]

Source = Annotated[
    str | None,
    typer.Option("--source", metavar="COLUMN", help="The first text: a name or a number."),
]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="The second text."),
]
Label = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="The label.")]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COLUMN", help="Candidates of one group are ranked."),
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="tsv, csv, jsonl, json, parquet, msrp or rte."),
]
Encoding = Annotated[str, typer.Option("--encoding", metavar="NAME", help="Of a text file.")]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line is a pair; columns are 1, 2 and, for the label, 3.",
    ),
]

Windows = Annotated[
    str,
    typer.Option("--k", metavar="SIZES", help="Window sizes: 4, or 1-4, or source x target: 3x5,4x4."),
]
WildcardKind = Annotated[
    Wildcards,
    typer.Option("--wildcards", help="Aligned (kb-SRK), standing for any word (pw-SRK), none (ps-SRK)."),
]
Decay = Annotated[float, typer.Option("--decay", metavar="X", help="The weight of a wildcard, up to 1.")]
Span = Annotated[
    int,
    typer.Option("--span", min=1, metavar="N", help="The most words a wildcard stands for."),
]
NoPr = Annotated[bool, typer.Option("--no-pr", help="Leave precision and recall out.")]
Language = Annotated[
    str,
    typer.Option("--language", metavar="NAME", help="Whose stems to use (Snowball), or none."),
]
KeepCase = Annotated[bool, typer.Option("--keep-case", help="Do not fold the case.")]
KernelText = Annotated[
    str | None,
    typer.Option("--kernel", metavar="JSON", help="Instead of all these: any kernel, as JSON or in a .json file."),
]


@dataclass(frozen=True)
class Reading:
    """How the user wants a table to be read."""

    source: str | None = None
    target: str | None = None
    label: str | None = None
    group: str | None = None
    format: str | None = None
    encoding: str = "utf-8"
    no_header: bool = False

    def table(self, path: str | Path, labelled: bool = True) -> Table:
        """The table in a file (or on standard input), with or without labels.

        >>> Reading(source="q1").table("no such file.tsv")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: there is no file no such file.tsv: check the path
        """
        from rekern.datasets.tables import read_table

        source, target, label = ("1", "2", "3") if self.no_header else ("source", "target", "label")
        return read_table(
            path,
            self.source or source,
            self.target or target,
            (self.label or label) if labelled else None,
            self.format,
            self.group,
            encoding=self.encoding,
            header=not self.no_header,
        )


def parse_windows(text: str) -> Any:
    """The parameter ``k`` of a re-writing kernel from its text on the command line.

    >>> parse_windows("4"), parse_windows("1-4"), parse_windows("3x5,4x4"), parse_windows("2,4")
    (4, (1, 4), [(3, 5), (4, 4)], [2, 4])
    """
    from rekern.core.parameters import LONGEST_WINDOW, list_windows

    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            k: Any = (first, last)
        elif "," in text or "x" in text:
            k = [_window(part) for part in text.split(",")]
        else:
            k = int(text)
        list_windows(k)
    except ValueError:
        form = f"4, or 1-4, or 3x5,4x4, with different sizes from 1 to {LONGEST_WINDOW}"
        raise InputError(f"--k {text!r} is no list of window sizes: write {form}") from None
    return k


def _window(text: str) -> int | tuple[int, int]:
    if "x" not in text:
        return int(text)
    source, target = text.split("x")
    return int(source), int(target)


@dataclass(frozen=True)
class KernelOptions:
    """How the user describes a kernel: re-writing rules by a few options, or any kernel as JSON.

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

    def build(self) -> Any:
        """The kernel, its parameters checked."""
        if self.kernel is not None:
            for field in fields(self):
                if field.name != "kernel" and getattr(self, field.name) != field.default:
                    option = "--" + field.name.replace("_", "-")
                    raise InputError(f"--kernel describes the whole kernel: leave {option} out")
            return _described_kernel(self.kernel)
        sizes = parse_windows(self.k)
        if not 0 < self.decay <= 1:
            raise InputError(f"--decay {self.decay:g} is out of range: give a number above 0 and at most 1")

        from rekern.kernels.rewriting.rewriting_kernel import Rewriting
        from rekern.similarity import PrecisionRecall
        from rekern.structures.tokens import Tokenizer

        language = None if self.language.lower() == "none" else self.language.lower()
        tokenizer = Tokenizer(language, lowercase=not self.keep_case)
        tokenizer("a")  # an unknown language says so here
        rules = Rewriting(sizes, self.wildcards.value, self.decay, span=self.span, tokenizer=tokenizer)
        return rules if self.no_pr else rules + PrecisionRecall(tokenizer)


def with_kernel_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `KernelOptions`, which it gets as one argument, ``kernel``."""
    options = get_type_hints(KernelOptions, include_extras=True)
    signature = inspect.signature(command, eval_str=True)
    parameters = []
    for name, parameter in signature.parameters.items():
        if name != "kernel":
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        for field in fields(KernelOptions):
            kind, annotation = inspect.Parameter.KEYWORD_ONLY, options[field.name]
            parameters.append(inspect.Parameter(field.name, kind, default=field.default, annotation=annotation))

    def run(**given: Any) -> None:
        chosen = KernelOptions(**{field.name: given.pop(field.name) for field in fields(KernelOptions)})
        command(**given, kernel=chosen)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _described_kernel(text: str) -> Any:
    """The kernel of a text on the command line: JSON, or the name of a file that holds it."""
    from rekern.datasets.table_formats import read_bytes
    from rekern.kernels.kernel_json import kernel_from_json

    if text.lstrip().startswith(("{", "[")):
        return kernel_from_json(text, "--kernel")
    try:
        return kernel_from_json(read_bytes(text).decode(), text)
    except UnicodeDecodeError:
        raise InputError(f"{text} is not UTF-8: give --kernel JSON, or the name of a file that holds it") from None


def kernel_in_words(kernel: Any) -> dict[str, str]:
    """A kernel's parameters and its tokens, for people.

    >>> kernel_in_words(KernelOptions(language="none", keep_case=True).build())
    {'kernel': 'rules with aligned wildcards, k 1-4, + precision and recall', 'tokens': 'case kept, no stems'}
    """
    from rekern.kernels.rewriting.rewriting_kernel import Rewriting
    from rekern.similarity import PrecisionRecall
    from rekern.structures.tokens import Tokenizer

    rules, score = kernel, ""
    if isinstance(getattr(kernel, "right", None), PrecisionRecall):
        rules, score = kernel.left, ", + precision and recall"
    if not isinstance(rules, Rewriting) or not isinstance(rules.tokenizer, Tokenizer):
        return {"kernel": " ".join(repr(kernel).split()), "tokens": "as the kernel has it"}
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
    return {"kernel": f"rules {kinds[rules.wildcards]}, k {k}{more}{score}", "tokens": f"{case}, {stems}"}


def load(path: Path, n_jobs: int | None = None) -> Any:
    """The model of pairs in a file, to be used with this many threads.

    >>> load(Path("no such.rekern"))
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such.rekern: there is no such file
    """
    from rekern.core.model_archive import load_model

    model = load_model(path)
    command = {"QuestionClassifier": "question", "SemanticParser": "ask"}.get(type(model).__name__)
    if command is not None:
        raise InputError(f"{show_path(path)} is no model of pairs: use it with rekern {command} --model")
    model.n_jobs = n_jobs
    return model


def same_source_groups(table: Table) -> list[Any]:
    """The group of each pair: the column that was asked for, or else the source itself.

    >>> from rekern.datasets import from_frame
    >>> same_source_groups(from_frame({"source": ["who", "who"], "target": ["me", "you"]}, label=None))
    ['who', 'who']
    """
    return table.groups if table.groups is not None else [source for source, _ in table.pairs]


def check_numbers(table: Table, remedy: str) -> None:
    """Refuse labels of which one is not a number.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": ["1", "much"]})
    >>> check_numbers(table, "give a number")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1: the label 'much' is not a number; give a number
    """
    for row, label in enumerate(table.labels or []):
        try:
            float(label)
        except ValueError:
            raise InputError(f"{table.place(row)}: the label {label!r} is not a number; {remedy}") from None
