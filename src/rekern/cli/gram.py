"""``rekern gram``: a kernel's matrix in a file, for other learners."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli import options, output
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table

NO_OPTIONS = options.KernelOptions()
IN_MEMORY = 1 << 30  # bytes of a Gram that is kept in memory on its way to a LIBSVM file


@options.with_kernel_options
def gram(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Pairs: the rows.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="OUT", help="A .npy file, or .libsvm for svm-train -t 4.")],
    against: Annotated[
        str | None, typer.Argument(metavar="TRAIN", help="Pairs: the columns. FILE itself by default.")
    ] = None,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="For .libsvm: FILE has no labels; write 0 for each.")
    ] = False,
    kernel: options.KernelOptions = NO_OPTIONS,
    source: options.Source = None,
    target: options.Target = None,
    label: options.Label = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Write a kernel's matrix for other learners.

    An interrupted .npy continues where it was when the same command runs again. In a .libsvm file labels that are not
    numbers are replaced by 0, 1, 2 … in alphabetical order.
    """
    extension = Path(out).suffix.lower()
    if extension not in (".npy", ".libsvm"):
        raise InputError(f"{out} tells no format: write to NAME.npy, or to NAME.libsvm for svm-train -t 4")
    labelled = extension == ".libsvm" and not unlabelled
    function = kernel.build()
    reading = options.Reading(source, target, label, None, format, encoding, no_header)
    rows = reading.table(file, labelled)
    columns = None if against is None else reading.table(against, labelled)
    shape = (len(rows), len(rows if columns is None else columns))
    report: dict[str, Any] = {"rows": shape[0], "columns": shape[1], **options.kernel_in_words(function)}
    started = time.perf_counter()
    if extension == ".npy":
        function.gram(rows.items, columns and columns.items, n_jobs=jobs, out=out)
    else:
        numbers, names = label_numbers(rows, columns) if labelled else ([0] * len(rows), None)
        if names:
            report["labels"] = names
        _write_libsvm(function, rows, columns, numbers, out, jobs)
    report["seconds"] = time.perf_counter() - started
    report["written"] = os.fspath(out)
    report["bytes"] = os.stat(out).st_size
    if json:
        output.print_json(report)
        return
    print(f"kernel    {report['kernel']}\ntokens    {report['tokens']}")
    if report.get("labels"):
        print("labels    " + ", ".join(f"{number} = {name}" for name, number in report["labels"].items()))
    size = output.size(report["bytes"])
    print(f"written   {out}: {shape[0]:,} × {shape[1]:,} ({size}), in {output.seconds(report['seconds'])}")


def label_numbers(rows: Table, columns: Table | None) -> tuple[list[Any], dict[str, int] | None]:
    """The labels as numbers, and which number stands for which string.

    With a second table its labels decide, so that training and test files agree.

    >>> from rekern.datasets import from_frame
    >>> label_numbers(from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": ["yes", "no"]}), None)
    ([1, 0], {'no': 0, 'yes': 1})
    """
    labels = rows.labels or []
    deciding = labels if columns is None else columns.labels or []
    if not any(isinstance(label, str) for label in (*labels, *deciding)):
        return labels, None
    names = {name: number for number, name in enumerate(sorted({str(label) for label in deciding}))}
    for row, label in enumerate(labels):
        if str(label) not in names:
            known = ", ".join(names)
            raise InputError(f"{rows.place(row)}: the label {label!s} is not in {(columns or rows).path}, only {known}")
    return [names[str(label)] for label in labels], names


def _write_libsvm(
    kernel: Any, rows: Table, columns: Table | None, labels: list[Any], out: str, jobs: int | None
) -> None:
    from rekern.core.files import write_atomically
    from rekern.core.progress import track

    other = None if columns is None else columns.items
    large = 8 * len(rows) * len(rows if other is None else other) > IN_MEMORY
    scratch = Path(f"{out}.npy") if large else None
    with write_atomically(out) as temporary:
        try:
            matrix = kernel.gram(rows.items, other, n_jobs=jobs, out=scratch)
            with open(temporary, "w", encoding="ascii") as file:
                for number, (label, values) in enumerate(track(zip(labels, matrix), len(matrix), "writing"), 1):
                    file.write(libsvm_line(label, number, values.tolist()))
        finally:
            if scratch is not None:
                scratch.unlink(missing_ok=True)


def libsvm_line(label: Any, number: int, values: list[float]) -> str:
    """One row of LIBSVM's format for precomputed kernels; LIBSVM finds a value by its place, so zeros are written too.

    >>> libsvm_line(1, 2, [0.5, 0.0])
    '1 0:2 1:0.5 2:0\\n'
    """
    cells = " ".join(f"{column}:{value!r}" if value else f"{column}:0" for column, value in enumerate(values, 1))
    return f"{label} 0:{number} {cells}\n"
