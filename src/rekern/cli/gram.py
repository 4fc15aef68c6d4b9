"""``rekern gram``: write a kernel's Gram matrix to a file, for other learners."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.kernel_options import KernelOptions, summarize_kernel
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions
from rekern.core.files import check_writable, refuse_to_replace
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table
    from rekern.kernels.kernel import Kernel

IN_MEMORY = 1 << 30  # bytes of the largest Gram that is kept in memory while a LIBSVM file is written


@expand_options(leave_out=("group",))
def gram(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Pairs: the rows.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="OUT", help="A .npy file, or .libsvm for svm-train -t 4.")],
    against: Annotated[
        str | None, typer.Argument(metavar="TRAIN", help="Pairs: the columns. FILE itself by default.")
    ] = None,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="For .libsvm: FILE has no labels; write 0 instead.")
    ] = False,
    kernel: KernelOptions,
    table: TableOptions,
    jobs: common_options.Jobs = None,
    device: common_options.Device = None,
    json: common_options.Json = False,
) -> None:
    """Write a kernel's Gram matrix for other learners.

    If writing a .npy file is interrupted, the same command continues it. In a .libsvm file, labels that are not numbers
    are replaced by 0, 1, 2 … in alphabetical order.
    """
    from rekern.core.device import choose_device, use_device

    extension = Path(out).suffix.lower()
    if extension not in (".npy", ".libsvm"):
        raise InputError(f"{out} does not tell the format: write to NAME.npy, or to NAME.libsvm for svm-train -t 4")
    check_writable(out)
    refuse_to_replace(out, file, against)
    choose_device(device)
    labelled = extension == ".libsvm" and not unlabelled
    built = kernel.build()
    summary = summarize_kernel(built)
    rows = table.read(file, labelled)
    columns = None if against is None else table.read(against, labelled)
    if columns is not None and rows.is_single != columns.is_single:
        single, pairs = (rows, columns) if rows.is_single else (columns, rows)
        raise InputError(f"{single.path} has single texts, but {pairs.path} has pairs: give two tables of one kind")
    shape = (len(rows), len(rows if columns is None else columns))
    names: dict[str, int] | None = None
    started = time.perf_counter()
    built.adapt((rows if columns is None else columns).items)  # the columns are the training pairs
    if extension == ".npy":
        built.gram(rows.items, columns and columns.items, n_jobs=jobs, out=out, device=device)
    else:
        numbers, names = number_labels(rows, columns) if labelled else ([0] * len(rows), None)
        with use_device(device):
            _write_libsvm(built, rows, columns, numbers, out, jobs)
    took = time.perf_counter() - started
    size = os.stat(out).st_size
    if json:
        report = {"rows": shape[0], "columns": shape[1], **summary._asdict()}
        report |= {"labels": names} if names else {}
        output.print_json({**report, "seconds": took, "written": os.fspath(out), "bytes": size})
        return
    print(f"kernel    {summary.kernel}\ntokens    {summary.tokens}")
    if names:
        print("labels    " + ", ".join(f"{number} = {name}" for name, number in names.items()))
    measured = f"({output.format_size(size)}), in {output.format_seconds(took)}"
    print(f"written   {out}: {shape[0]:,} × {shape[1]:,} {measured}")


def number_labels(rows: Table, columns: Table | None) -> tuple[list[object], dict[str, int] | None]:
    """Return the labels as numbers, and which number stands for which string.

    The numbers come from the labels of the second table if there is one, so that training and test files agree.

    >>> from rekern.datasets import from_frame
    >>> number_labels(from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": ["yes", "no"]}), None)
    ([1, 0], {'no': 0, 'yes': 1})
    """
    labels = rows.labels or []
    deciding = labels if columns is None else columns.labels or []
    if not any(isinstance(label, str) for label in (*labels, *deciding)):
        return list(labels), None
    names = {name: number for number, name in enumerate(sorted({str(label) for label in deciding}))}
    for row, label in enumerate(labels):
        if str(label) not in names:
            known = ", ".join(names)
            raise InputError(f"{rows.place(row)}: the label {label!s} is not in {(columns or rows).path}, only {known}")
    return [names[str(label)] for label in labels], names


def _write_libsvm(
    kernel: Kernel, rows: Table, columns: Table | None, labels: Sequence[object], out: str, jobs: int | None
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
                    file.write(format_libsvm_line(label, number, values.tolist()))
        finally:
            if scratch is not None:
                scratch.unlink(missing_ok=True)


def format_libsvm_line(label: object, number: int, values: list[float]) -> str:
    """Format one row of LIBSVM's format for precomputed kernels, in which zeros are written too.

    >>> format_libsvm_line(1, 2, [0.5, 0.0])
    '1 0:2 1:0.5 2:0\\n'
    """
    cells = " ".join(f"{column}:{value!r}" if value else f"{column}:0" for column, value in enumerate(values, 1))
    return f"{label} 0:{number} {cells}\n"
