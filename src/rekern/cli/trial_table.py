"""The table of what a search tried: live on a terminal, line by line elsewhere, and again from a model file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rekern.cli import output

if TYPE_CHECKING:
    from rich.table import Table

    from rekern.learning.kernel_choice import KernelChoice, Trial

PERCENT = ("accuracy", "f1")
LINES_OF_A_TRIAL = 3  # on a narrow terminal


@contextmanager
def show_trials(measure: str, quiet: bool) -> Iterator[Callable[[Trial], None]]:
    """Show trials as they come: a table that grows on a terminal, else a line for each; nothing if ``quiet``."""
    if quiet:
        yield lambda trial: None
        return
    if not sys.stdout.isatty():
        with _print_lines(measure) as show:
            yield show
        return
    from rich.live import Live

    trials: list[Trial] = []
    console = output.make_console()
    last = max(1, console.height // LINES_OF_A_TRIAL - 1)  # a longer table would not fit on the screen
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def add(trial: Trial) -> None:
            trials.append(trial)
            live.update(make_trial_table(trials[-last:], measure))

        yield add
    console.print(make_trial_table(trials, measure))


@contextmanager
def _print_lines(measure: str) -> Iterator[Callable[[Trial], None]]:
    """Print a line for each trial; those in a row that the time was too short for share one."""
    from rekern.learning.kernel_choice import NO_TIME

    late: list[Trial] = []

    def print_late() -> None:
        if len(late) > 1:
            print(f"skipped   {len(late)} kernels: {late[0].outcome}", flush=True)
        elif late:
            print(format_trial(late[0], measure), flush=True)
        late.clear()

    def show(trial: Trial) -> None:
        if late and trial.outcome != late[0].outcome:
            print_late()
        if trial.outcome.startswith(NO_TIME):
            late.append(trial)
        else:
            print(format_trial(trial, measure), flush=True)

    yield show
    print_late()


def make_trial_table(trials: Sequence[Trial], measure: str) -> Table:
    """Return the table of trials."""
    from rekern.learning.kernel_choice import CHOSEN, MEASURES

    table = output.make_table("kernel", ">C", f">{MEASURES[measure]}", ">±", ">folds", ">seconds", "outcome")
    for trial in trials:
        score, error = format_score(trial, measure)
        cells = (f"{trial.C:g}", score, error, str(trial.folds), f"{trial.seconds:.1f}", trial.outcome)
        table.add_row(trial.kernel, *cells, style="bold" if trial.outcome.startswith(CHOSEN) else None)
    return table


def format_trial(trial: Trial, measure: str) -> str:
    """Return a trial as a line of text.

    >>> from rekern.learning.kernel_choice import Trial
    >>> format_trial(Trial("rules 1-4", 1.0, 0.7372, 0.0071, 5, 10.54, "tried"), "accuracy")
    'tried     rules 1-4, C 1: 73.72 ± 0.71 in 5 folds, 10.5 s'
    >>> format_trial(Trial("rules 1-4", 1.0, 0.7372, 0.0071, 5, 10.54, "tried, on 6,000 of the pairs"), "accuracy")
    'tried     rules 1-4, C 1: 73.72 ± 0.71 in 5 folds, 10.5 s, on 6,000 of the pairs'
    >>> format_trial(Trial("rules 1-4", 1.0, None, None, 0, 0.0, "not tried: no time left"), "accuracy")
    'skipped   rules 1-4, C 1: not tried: no time left'
    """
    head = f"{trial.kernel}, C {trial.C:g}"
    if trial.score is None:
        return f"skipped   {head}: {trial.outcome}"
    score, error = format_score(trial, measure)
    verb = "dropped" if trial.outcome.startswith("dropped") else "tried"
    _, comma, part = trial.outcome.partition(", on ")
    return f"{verb:10}{head}: {score} ± {error} in {trial.folds} folds, {trial.seconds:.1f} s{comma}{part}"


def format_chosen(choice: KernelChoice) -> str:
    """Return the kernel that was chosen, with its score.

    >>> from rekern.learning.kernel_choice import KernelChoice, Trial
    >>> format_chosen(KernelChoice("map", 90, 5, [Trial("rules 1-4", 1.0, 0.75, 0.01, 5, 2.0, "chosen")]))
    'rules 1-4, C 1: MAP 0.7500 ± 0.0100'
    """
    from rekern.learning.kernel_choice import CHOSEN, MEASURES

    trial = next(trial for trial in choice.trials if trial.outcome.startswith(CHOSEN))
    score, error = format_score(trial, choice.measure)
    head = f"{trial.kernel}, C {trial.C:g}"
    return f"{head}: {MEASURES[choice.measure]} {score} ± {error}" if score else f"{head} ({trial.outcome})"


def format_score(trial: Trial, measure: str) -> tuple[str, str]:
    """Return the score and its standard error: in per cent if they are an accuracy or F1."""
    if trial.score is None or trial.error is None:
        return "", ""
    if measure in PERCENT:
        return f"{100 * trial.score:.2f}", f"{100 * trial.error:.2f}"
    return f"{trial.score:.4f}", f"{trial.error:.4f}"


def print_choice(choice: KernelChoice) -> None:
    """Print how a kernel was chosen."""
    from rekern.learning.kernel_choice import MEASURES

    print(f"The kernel was chosen by {MEASURES[choice.measure]} in {choice.folds} folds of {choice.pairs:,} pairs.\n")
    output.make_console().print(make_trial_table(choice.trials, choice.measure))
