"""``rekern train``: learn from a table of labelled pairs and write a model file."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.auto_options import AutoOptions
from rekern.cli.kernel_options import KernelOptions, summarize_kernel
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions
from rekern.cli.task_choice import Task, choose_task, warn_of_empty_texts, warn_of_few_pairs
from rekern.cli.threshold_options import ThresholdOptions
from rekern.cli.trial_table import format_chosen, show_trials
from rekern.core.messages import show_value
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.auto_options import AutoModel
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table
    from rekern.kernels.kernel import Kernel


@expand_options()
def train(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled pairs; - for standard input.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Where to write the model.")],
    task: Annotated[
        Task | None,
        typer.Option(
            "--task",
            help="By default: rank with --group, regress if labels are decimal numbers such as 0.5, else classify.",
            show_default=False,
        ),
    ] = None,
    cost: Annotated[float, typer.Option("--C", metavar="X", help="Cost of a training error.")] = 1.0,
    cv: Annotated[
        int | None,
        typer.Option("--cv", min=2, metavar="N", help="Run N-fold cross-validation first and print the result."),
    ] = None,
    balanced: Annotated[bool, typer.Option("--balanced", help="Give all classes the same total weight.")] = False,
    ordinal: Annotated[
        bool,
        typer.Option("--ordinal", help="Regress, and round predictions to the nearest training label."),
    ] = False,
    keep_pairs: Annotated[
        bool,
        typer.Option("--keep-pairs", help="Put the training pairs into the file; `explain` then shows similar ones."),
    ] = False,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Keep only the rules with the most effect: a file of a few MB."),
    ] = False,
    landmarks: Annotated[
        int | None,
        typer.Option(
            "--landmarks",
            min=1,
            metavar="N",
            help="Compare all pairs with N of them only, and not with each other: for trees and graphs of many pairs.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Train in blocks on disk, with about so much memory for features, such as 4GB: for millions of pairs.",
        ),
    ] = None,
    blocks: Annotated[
        Path | None,
        typer.Option(
            "--blocks",
            metavar="DIR",
            help="With --memory: keep the features here, for the same command after an interruption.",
        ),
    ] = None,
    auto: AutoOptions,
    threshold: ThresholdOptions,
    kernel: KernelOptions,
    table: TableOptions,
    cluster: common_options.Cluster = None,
    jobs: common_options.Jobs = None,
    device: common_options.Device = None,
    json: common_options.Json = False,
) -> None:
    """Train a model on labelled pairs and save it.

    A table with a column text, and neither source nor target, gives a classifier of single texts (or of trees, with a
    kernel on trees). --text names another column.

    With --memory features are kept in blocks on disk, and weights are hashed: rekern train pairs.tsv -o m.rekern
    --memory 4GB --blocks work.

    With --auto the kernel is chosen by cross-validation, in which pairs that share a text stay together; the model
    keeps what was tried (rekern explain --how-chosen). The workers of a --cluster share the folds
    and the blocks of features and Grams.
    """
    from rekern.core.clusters import check_address, use_workers
    from rekern.core.device import use_device
    from rekern.core.files import refuse_to_replace, write_atomically
    from rekern.core.model_archive import save_model
    from rekern.datasets.named_columns import remember_columns
    from rekern.learning import TextClassifier
    from rekern.learning.named_kernels import drop_products

    auto.check()
    check_address(cluster)
    if auto.auto:
        _check_auto(kernel, cost, cv, threshold, landmarks)
    if memory is not None or blocks is not None:
        _check_memory(memory, auto.auto, keep_pairs, compact, cluster)
    built = kernel.build()
    if not 0 < cost < float("inf"):
        raise InputError(f"--C {cost:g} is out of range: give a number above 0")
    if os.fspath(out) == "-":
        raise InputError("-o - is no place for a model: name a file")
    refuse_to_replace(out, file)
    # The file is opened first, so that an unwritable place is found before the work.
    with use_device(device), write_atomically(out) as temporary:
        read = table.read(file) if memory is None or cv is not None else table.store(file)
        chosen, pairs = choose_task(read, task, table.group is not None, ordinal)
        if pairs.is_single:
            built = _build_text_kernel(kernel, chosen, auto.auto)
        if balanced and chosen is not Task.classify:
            raise InputError(f"--balanced goes with --task classify, not with {chosen.value}")
        if chosen is not Task.classify:
            threshold.forbid(f"--task {chosen.value} predicts numbers")
        labels = _summarize_labels(pairs, chosen)
        report: dict[str, object] = {"task": chosen.value, "pairs": len(pairs), "columns": pairs.roles, **labels}
        if not json:
            noun = ("text" if pairs.is_single else "pair") + ("s" if len(pairs) != 1 else "")
            print(f"read      {len(pairs):,} {noun} from {pairs.path}: {_format_labels(labels)}", flush=True)
            if table.has_guessed(pairs):
                print(f"columns   {', '.join(f'{role} {name}' for role, name in pairs.roles.items())}", flush=True)
        warn_of_empty_texts(pairs)
        started = time.perf_counter()
        model: TrainedModel
        with use_workers(cluster):
            if auto.auto:
                measure = _find_measure(chosen, threshold)
                metric = None if threshold.metric is None else threshold.metric.value
                tokenizer = kernel.make_tokenizer()
                searching = auto.make_model(
                    chosen, balanced=balanced, ordinal=ordinal, metric=metric, tokenizer=tokenizer, jobs=jobs
                )
                with show_trials(measure, quiet=json) as searching.on_trial:
                    _fit(searching, pairs, chosen)
                model = searching.best_estimator_
                assert model.how_chosen_ is not None
                report["how_chosen"] = model.how_chosen_.to_dict()
                if not json:
                    print(f"chosen    {format_chosen(model.how_chosen_)}")
                built = searching.best_kernel_
                _report_kernel(built, report, json)
            else:
                model = _make_model(chosen, built, cost, balanced, ordinal, threshold.resolve(), jobs)
                model.landmarks = landmarks
                if pairs.is_single:
                    model = TextClassifier(**model.get_params(deep=False))
                on_features = memory is not None or (landmarks is None and len(pairs) > model.gram_limit)
                if on_features and kernel.is_named():  # as for a model that is given the name itself
                    model.kernel = built = drop_products(built)
                _report_kernel(built, report, json)
                if cv is not None:
                    _cross_validate(model, pairs, cv, report, json)
                started = time.perf_counter()
                _fit(model, pairs, chosen, memory, blocks)
        took = time.perf_counter() - started
        model.columns_ = None if table.no_header else remember_columns(pairs.roles)
        warn_of_few_pairs(pairs, chosen)
        content = model.to_archive(keep_pairs, compact)
        save_model(model, temporary, content)
    size = out.stat().st_size if out.is_file() else 0
    if json:
        report |= {"seconds": took, "solver": model.solver_, "model": os.fspath(out), "bytes": size}
        if compact:
            report["compact"] = content.header["compact"]
        output.print_json(report)
        return
    print(f"solver    {model.solver_}, in {output.format_seconds(took)}")
    print(f"model     {out} ({output.format_size(size)})")
    if compact:
        change = content.header["compact"]["largest_change"]
        print(f"compact   a decision value of a training pair changes by {change:.3g} at most")


def _build_text_kernel(options: KernelOptions, task: Task, auto: bool) -> Kernel:
    """Return the kernel on single texts: the one that the user describes, or words and pairs of words."""
    from rekern.kernels import Spectrum
    from rekern.learning.text_input import check_text_kernel

    if task is not Task.classify:
        raise InputError(f"single texts can be classified only, not {task.value}ed: give pairs, or --task classify")
    if auto:
        raise InputError("--auto is for pairs: for single texts leave it out, and give --kernel if you like")
    if options.kernel is None:
        changed = options.find_changed()
        if changed is not None:
            raise InputError(f"{changed} describes rules of pairs: for single texts give a kernel with --kernel")
        tokenizer = options.make_tokenizer()
        return Spectrum(1, tokenizer=tokenizer) + Spectrum(2, tokenizer=tokenizer)
    kernel = options.build()
    check_text_kernel(kernel)
    return kernel


def _check_auto(
    kernel: KernelOptions, cost: float, cv: int | None, threshold: ThresholdOptions, landmarks: int | None
) -> None:
    """Refuse options that say what --auto finds out."""
    changed = kernel.find_changed()
    if changed is not None:
        raise InputError(f"--auto chooses the kernel: leave {changed} or --auto out")
    if cost != 1.0:
        raise InputError("--auto chooses C: leave --C or --auto out")
    if landmarks is not None:
        raise InputError("--auto trains on rules and scores, which need no landmarks: leave --landmarks or --auto out")
    if cv is not None:
        raise InputError("--auto cross-validates by itself: leave --cv or --auto out")
    if threshold.threshold is not None:
        raise InputError("--auto goes with --metric, not with --threshold: give --threshold to rekern predict")


def _check_memory(memory: str | None, auto: bool, keep_pairs: bool, compact: bool, cluster: str | None) -> None:
    """Refuse options that do not go with training in blocks."""
    from rekern.learning.block_training import parse_memory

    if memory is None:
        raise InputError("--blocks goes with --memory: say how much memory features may take, such as --memory 4GB")
    parse_memory(memory)
    given = {"--auto": auto, "--keep-pairs": keep_pairs, "--compact": compact, "--cluster": cluster is not None}
    for flag, is_given in given.items():
        if is_given:
            raise InputError(f"{flag} needs all pairs in memory: leave {flag} or --memory out")


def _find_measure(task: Task, threshold: ThresholdOptions) -> str:
    if task is Task.classify:
        return "accuracy" if threshold.metric is None else threshold.metric.value
    return "pearson" if task is Task.regress else "map"


def _report_kernel(kernel: Kernel, report: dict[str, object], json: bool) -> None:
    summary = summarize_kernel(kernel)
    report |= summary._asdict()
    if not json:
        print(f"kernel    {summary.kernel}\ntokens    {summary.tokens}", flush=True)


def _cross_validate(model: TrainedModel, pairs: Table, folds: int, report: dict[str, object], json: bool) -> None:
    from rekern.cli.table_cross_validation import cross_validate

    measures = cross_validate(model, pairs, folds)
    report["cross_validation"] = measures
    if not json:
        print(f"{folds}-fold CV {_format_measures(measures)}", flush=True)


def _make_model(
    task: Task,
    kernel: Kernel,
    cost: float,
    balanced: bool,
    ordinal: bool,
    threshold: float | str | None,
    jobs: int | None,
) -> TrainedModel:
    from rekern.learning import PairClassifier, PairRanker, PairRegressor

    if task is Task.classify:
        return PairClassifier(
            kernel,
            C=cost,
            class_weight="balanced" if balanced else None,
            n_jobs=jobs,
            threshold=0.5 if threshold is None else threshold,
        )
    if task is Task.regress:
        return PairRegressor(kernel, C=cost, response="ordinal" if ordinal else "real", n_jobs=jobs)
    return PairRanker(kernel, C=cost, n_jobs=jobs)


def _fit(
    model: TrainedModel | AutoModel,
    table: Table,
    task: Task,
    memory: str | None = None,
    blocks: Path | None = None,
) -> None:
    fit: Callable[..., object] = model.fit
    extra: tuple[object, ...] = (table.list_groups(),) if task is Task.rank else ()
    if memory is not None:
        if task is Task.rank or table.is_single:
            raise InputError("--memory is for classes and numbers of pairs: leave it out for rankings and single texts")
        fit, extra = model.fit_in_blocks, (memory, blocks)
    try:
        fit(table.items if memory is None else table.pairs, table.labels or [], *extra)
    except InputError as error:
        if error.names_file:  # such as that of a device
            raise
        raise InputError(f"{table.path}: {error}") from None


def _summarize_labels(table: Table, task: Task) -> dict[str, object]:
    """Return what the report says about the labels."""
    labels = table.labels or []
    if task is Task.classify:
        return {"classes": dict(sorted(Counter(labels).items()))}
    if task is Task.regress:
        return {"lowest": min(labels), "highest": max(labels)}
    return {"groups": len(set(table.list_groups()))}


def _format_labels(labels: dict[str, object]) -> str:
    classes = labels.get("classes")
    if isinstance(classes, dict):
        counts = [f"{show_value(label, str)} ({count:,})" for label, count in classes.items()]
        shown = counts if len(counts) <= 8 else [*counts[:7], f"{len(counts) - 7} more"]
        return f"{len(counts)} class{'es' * (len(counts) > 1)}, " + ", ".join(shown)
    if "groups" in labels:
        return f"{labels['groups']:,} groups of candidates"
    return f"numbers from {labels['lowest']:g} to {labels['highest']:g}"


def _format_measures(measures: dict[str, object]) -> str:
    if "accuracy" in measures:
        return f"accuracy {measures['accuracy']:.2%} (± {measures['deviation']:.2%} over the folds)"
    if "map" in measures:
        return f"MAP {measures['map']:.4f}, MRR {measures['mrr']:.4f}"
    names = {"pearson": "Pearson", "spearman": "Spearman", "mse": "MSE"}
    return ", ".join(f"{names[key]} {_format_number(measures[key])}" for key in names)


def _format_number(value: object) -> str:
    return "undefined" if value is None else f"{value:.4f}"
