"""``rekern predict`` for a folder of tables, here or on a cluster."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rekern.cli import output
from rekern.cli.model_argument import ResourceOptions, read_limits
from rekern.cli.table_options import TableOptions
from rekern.errors import InputError


class FolderOptions(NamedTuple):
    """What is written for each row, with which threshold, and by how many threads."""

    columns: str | None
    texts: bool
    threshold: float | str | None
    jobs: int | None


def predict_folder(
    model: Path,
    folder: str,
    out: str | None,
    cluster: str | None,
    options: FolderOptions,
    table: TableOptions,
    resources: ResourceOptions,
    json: bool,
) -> None:
    """Predict all tables of a folder; ``out`` gets a file of the same name for each."""
    from rekern.core.clusters import use_workers
    from rekern.core.parallel_jobs import run_at_workers
    from rekern.core.progress import track
    from rekern.learning.folder_prediction import FolderTask

    if out is None or out == "-" or os.path.isfile(out):
        raise InputError(f"{folder} is a folder: give a folder for the predictions with -o")
    if os.path.abspath(out) == os.path.abspath(folder):
        raise InputError("-o is the folder of the tables: give another one")
    source, target = ("1", "2") if table.no_header else ("source", "target")
    task = FolderTask(
        model=os.path.abspath(model),
        tables=os.path.abspath(folder),
        out=os.path.abspath(out),
        format=table.format,
        encoding=table.encoding,
        header=not table.no_header,
        columns=options.columns,
        texts=options.texts,
        threshold=options.threshold,
        wordnet=resources.wordnet,
        thesaurus=resources.thesaurus,
        limits=read_limits(resources.limit),
        n_jobs=options.jobs if cluster is None or options.jobs is not None else 1,
    )
    known = table.recall(task.load_model())  # an unusable model is found before a cluster is started
    task = replace(
        task,
        source=known.source or source,
        target=known.target or target,
        text=known.find_text(),
        label=known.label or "label",
        group=known.group,
    )
    missing = task.list_missing()
    started = time.perf_counter()
    pairs = 0
    with use_workers(cluster if missing else None):
        calls = [(name,) for name in missing]
        results = map(task.predict, missing) if cluster is None else run_at_workers(task.predict, calls)
        for found in track(results, len(missing), "predicting files"):
            if found.fault:
                raise InputError(found.fault)
            pairs += found.rows
    took = time.perf_counter() - started
    if json:
        output.print_json({"pairs": pairs, "files": len(missing), "written": os.fspath(out), "seconds": took})
    else:
        files = f"{len(missing):,} file{'s' * (len(missing) != 1)}"
        output.say(f"{pairs:,} predictions in {files} of {out}, after {output.format_seconds(took)}")
