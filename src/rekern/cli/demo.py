"""``rekern demo``: train on the embedded corpus, compare methods, show rules, explain one decision."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypedDict

import typer

from rekern.cli import common_options, output
from rekern.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rekern.core.arrays import AnyArray, Booleans, Ints
    from rekern.datasets.rewrite_corpus import PairDetail
    from rekern.kernels.rewriting.strong_rules import WeightedRule
    from rekern.learning import PairClassifier
    from rekern.learning.pair_explanation import PairExplanation

N_RULES = 6
N_PARTS = 8
SHOWN_REWRITING = "more/less"  # a kind of re-writing whose rules are easy to read
METHODS = {
    "bag-of-words": "words, each marked with its side",
    "pr": "precision and recall of words",
    "ps-srk": "rules without wildcards",
    "pw-srk": "rules with wildcards for any word",
    "kb-srk": "rules with aligned wildcards",
    "kb-srk+pr": "the same, with precision and recall",
}


class DemoCorpus(NamedTuple):
    """The embedded corpus: training pairs with labels, held-out pairs with labels and details."""

    train: list[tuple[str, str]]
    labels: list[int]
    test: list[tuple[str, str]]
    truth: Ints
    details: list[PairDetail]


class MethodRow(TypedDict):
    """The accuracy of one method on the held-out pairs, in per cent."""

    method: str
    kmax: int | None
    accuracy: float
    seconds: float


class RewritingRow(TypedDict):
    """The accuracy on one kind of re-writing, in per cent."""

    rewriting: str
    pairs: int
    accuracy: float


class Comparison(NamedTuple):
    """What the comparison of methods gives: accuracies, the last model, and the predictions of every method."""

    rows: list[MethodRow]
    model: PairClassifier
    predictions: dict[str, AnyArray]


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Where to write the model.")] = Path(
        "demo.rekern"
    ),
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", metavar="DIR", help="Also write the pairs to DIR/train.tsv and DIR/test.tsv."),
    ] = None,
    only_pairs: Annotated[bool, typer.Option("--only-pairs", help="Write the pairs and stop.")] = False,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Train on the built-in pairs and show what is learned.

    The question is whether the second sentence follows from the first. Positive and negative pairs contain the same
    words, so only the way of re-writing tells them apart. The held-out pairs are about other people, things and
    actions.
    """
    from rekern.core.files import make_folder, write_atomically

    started = time.perf_counter()
    if only_pairs and pairs is None:
        raise InputError("--only-pairs needs a folder for the pairs: add --pairs DIR")
    corpus = _load_corpus()
    if pairs is not None:
        make_folder(pairs, "the pairs")
        _write_pairs(corpus, pairs)
        if only_pairs:
            _report_pairs(pairs, json)
            return
    with write_atomically(out) as temporary:  # opened first, so that an unwritable place is found before the work
        if not json:
            _print_corpus(corpus)
        rows, model, predictions = _compare(corpus, jobs)
        model.save(temporary, keep_pairs=True)
    right = predictions["kb-srk+pr"] == corpus.truth
    explanation = model.explain(corpus.test[_choose_pair(corpus, predictions, model)], neighbors=2)
    positive, negative = model.rules(N_RULES)
    kinds = _measure_rewritings(corpus, right)
    unseen = _measure_accuracy(right[[detail.unseen for detail in corpus.details]])
    took = time.perf_counter() - started
    if json:
        report = {
            "train_pairs": len(corpus.train),
            "test_pairs": len(corpus.test),
            "rows": rows,
            "rewritings": kinds,
            "unseen_templates": unseen,
            "rules": {
                "for": [rule._asdict() for rule in positive],
                "against": [rule._asdict() for rule in negative],
            },
            "explained": explanation.to_dict(),
            "model": os.fspath(out),
            "seconds": took,
        }
        output.print_json(report)
        return
    _print_accuracies(rows, kinds, unseen)
    _print_rules(positive, negative)
    _print_explanation(explanation)
    _print_next_steps(out, pairs, took)


def _report_pairs(folder: Path, json: bool) -> None:
    files = [os.fspath(folder / name) for name in ("train.tsv", "test.tsv")]
    if json:
        output.print_json({"files": files})
    else:
        print(f"The pairs are in {files[0]} and {files[1]}.")


def _load_corpus() -> DemoCorpus:
    import numpy as np

    from rekern.datasets import load_rewrites

    train, labels = load_rewrites("train")
    test, truth, details = load_rewrites("test", details=True)
    return DemoCorpus(train, labels, test, np.array(truth), details)


def _compare(corpus: DemoCorpus, jobs: int | None) -> Comparison:
    """Train every method and test it on the held-out pairs."""
    from rekern.kernels import Rewriting
    from rekern.learning import PairClassifier
    from rekern.learning.demonstration_model import make_demonstration_kernel
    from rekern.similarity import PrecisionRecall

    kernels = {
        "pr": PrecisionRecall(),
        "ps-srk": Rewriting((1, 4), wildcards="none"),
        "pw-srk": Rewriting((1, 4), wildcards="free"),
        "kb-srk": Rewriting((1, 4)),
        "kb-srk+pr": make_demonstration_kernel(),
    }
    predictions: dict[str, AnyArray] = {}
    rows: list[MethodRow] = []
    with output.show_status("training") as status:
        for method, name in METHODS.items():
            status(f"training: {name}")
            started = time.perf_counter()
            if method == "bag-of-words":
                predictions[method] = _classify_words(corpus)
            else:
                last = method == "kb-srk+pr"
                model = PairClassifier(kernels[method], calibration=5 if last else 0, n_jobs=jobs)
                predictions[method] = model.fit(corpus.train, corpus.labels).predict(corpus.test)
            accuracy = _measure_accuracy(predictions[method] == corpus.truth)
            kmax = 4 if "srk" in method else None
            took = time.perf_counter() - started
            rows.append({"method": method, "kmax": kmax, "accuracy": accuracy, "seconds": took})
    return Comparison(rows, model, predictions)


def _classify_words(corpus: DemoCorpus) -> AnyArray:
    """Predict by a linear support vector machine on the word counts of the two sides."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from rekern.structures.tokenizer import Tokenizer

    tokenize = Tokenizer()

    def list_words(pair: tuple[str, str]) -> list[str]:
        return [f"{side} {word}" for side, text in zip(("source", "target"), pair) for word in tokenize(text)]

    model = make_pipeline(CountVectorizer(analyzer=list_words), LinearSVC(random_state=0))
    predictions: AnyArray = model.fit(corpus.train, corpus.labels).predict(corpus.test)
    return predictions


def _measure_accuracy(right: Booleans) -> float:
    """Return the share of right predictions in per cent."""
    return round(100 * float(right.mean()), 2)


def _choose_pair(corpus: DemoCorpus, predictions: dict[str, AnyArray], model: PairClassifier) -> int:
    """Choose the positive held-out pair with the largest decision value that only the rules classify correctly."""
    import numpy as np

    values = model.decision_function(corpus.test)
    right = (corpus.truth == 1) & (predictions["kb-srk+pr"] == 1)
    wrong = predictions["bag-of-words"] != corpus.truth
    kind = np.array([detail.rewriting == SHOWN_REWRITING for detail in corpus.details])
    short = np.array(["," not in source for source, _ in corpus.test])
    for chosen in (right & wrong & kind & short, right & wrong, right, np.ones(len(values), dtype=bool)):
        if chosen.any():
            return int(np.argmax(np.where(chosen, values, -np.inf)))
    return 0


def _measure_rewritings(corpus: DemoCorpus, right: Booleans) -> list[RewritingRow]:
    """Return the accuracy on every kind of re-writing, the highest first."""
    rows: dict[str, list[int]] = {}
    for row, detail in enumerate(corpus.details):
        rows.setdefault(detail.rewriting, []).append(row)
    found: list[RewritingRow] = [
        {"rewriting": name, "pairs": len(at), "accuracy": _measure_accuracy(right[at])} for name, at in rows.items()
    ]
    return sorted(found, key=lambda kind: (-kind["accuracy"], kind["rewriting"]))


def _write_pairs(corpus: DemoCorpus, folder: Path) -> None:
    from rekern.datasets.tables import write_table

    for name, pairs, labels in (("train", corpus.train, corpus.labels), ("test", corpus.test, corpus.truth.tolist())):
        sources, targets = zip(*pairs)
        write_table(folder / f"{name}.tsv", {"source": sources, "target": targets, "label": labels})


def _print_corpus(corpus: DemoCorpus) -> None:
    console = output.make_console()
    console.rule("Does the second sentence follow from the first?", style="dim")
    print(
        f"\n{len(corpus.train):,} pairs to learn from, and {len(corpus.test):,} held-out pairs about other people,"
        " things\nand actions. Two of the pairs, made of the same words:\n"
    )
    table = output.make_table("source", "target", "follows")
    by_words: dict[tuple[str, ...], list[int]] = {}
    for row, pair in enumerate(corpus.train):
        key = tuple(sorted(" ".join(pair).lower().replace(".", "").replace(",", "").split()))
        by_words.setdefault(key, []).append(row)
    for rows in by_words.values():
        if len({corpus.labels[row] for row in rows}) == 2 and len(" ".join(corpus.train[rows[0]])) < 60:
            for row in sorted(rows, key=lambda row: -corpus.labels[row])[:2]:
                table.add_row(*corpus.train[row], "yes" if corpus.labels[row] else "no")
            break
    console.print(table)
    print()


def _print_accuracies(rows: Sequence[MethodRow], kinds: Sequence[RewritingRow], unseen: float) -> None:
    console = output.make_console()
    console.rule("Accuracy on the held-out pairs", style="dim")
    print()
    table = output.make_table("method", "what it sees", ">%", "")
    for row in rows:
        best = row["accuracy"] >= max(other["accuracy"] for other in rows) - 5
        share = row["accuracy"] / 100
        name = METHODS[row["method"]]
        table.add_row(
            row["method"],
            name,
            f"{row['accuracy']:.1f}",
            output.draw_bar(share, 20),
            style="bold green" if best else "",
        )
    console.print(table)
    print(f"\nGuessing gives 50 %. In sentences of forms never seen in training: {unseen:.1f} %.")
    print("\nkb-srk+pr by kind of re-writing:\n")
    half = (len(kinds) + 1) // 2
    table = output.make_table("", ">%", "", "", ">%")
    table.show_header = False
    for left, right in zip(kinds[:half], [*kinds[half:], None]):
        cells = [left["rewriting"], f"{left['accuracy']:.0f}", "  "]
        cells += [right["rewriting"], f"{right['accuracy']:.0f}"] if right else ["", ""]
        table.add_row(*cells)
    console.print(table)
    print()


def _print_rules(positive: Sequence[WeightedRule], negative: Sequence[WeightedRule]) -> None:
    from rekern.cli.rules import print_rules

    output.make_console().rule("The strongest rules", style="dim")
    print("\nThe same number in ⟨…⟩ stands for the same word on both sides.\n")
    print_rules(positive, "It follows:")
    print_rules(negative, "It does not follow:")


def _print_explanation(explanation: PairExplanation) -> None:
    from rekern.cli.explain import print_explanation

    output.make_console().rule("One decision, explained: a pair that the bag of words gets wrong", style="dim")
    print()
    print_explanation(explanation, N_PARTS)
    print()


def _print_next_steps(out: Path, pairs: Path | None, took: float) -> None:
    output.make_console().rule("Next steps", style="dim")
    model = shlex.quote(os.fspath(out))
    folder = shlex.quote(os.fspath(pairs or Path("demo-pairs")))
    print(f"\nThe model is in {out} (all of this took {output.format_seconds(took)}). Try:\n")
    print(f'  rekern explain {model} "The judge thanked the pilot." "The pilot was thanked by the judge."')
    print(f'  rekern explain {model} "The judge thanked the pilot." "The judge was thanked by the pilot."')
    print(f"  rekern rules {model} --top 10")
    if pairs is None:
        print(f"  rekern demo --pairs {folder}")
    print(f"  rekern evaluate {model} {folder}/test.tsv")
    print(f"  rekern train {folder}/train.tsv --k 1-3 -o mine.rekern")
    print(f"  rekern serve {model}")
