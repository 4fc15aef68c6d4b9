"""``rekern demo``: train on the embedded corpus, compare, show the rules, explain one decision."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rekern.cli import options, output

if TYPE_CHECKING:
    import numpy as np

RULES = 6
PARTS = 8
TELLING = "more/less"  # of all re-writings, one whose rules speak for themselves
NAMES = {
    "bag-of-words": "words, each marked with its side",
    "pr": "precision and recall of words",
    "ps-srk": "rules without wildcards",
    "pw-srk": "rules with wildcards for any word",
    "kb-srk": "rules with aligned wildcards",
    "kb-srk+pr": "the same, with precision and recall",
}


class Corpus(NamedTuple):
    """The embedded corpus."""

    train: list[tuple[str, str]]
    labels: list[int]
    test: list[tuple[str, str]]
    truth: np.ndarray
    details: list[Any]


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Where to write the model.")] = Path(
        "demo.rekern"
    ),
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", metavar="DIR", help="Write the pairs, too: DIR/train.tsv and DIR/test.tsv."),
    ] = None,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Train on the built-in pairs and show what is learned.

    Does the second sentence follow from the first? Pairs that hold and pairs that do not have the same words, so only
    the way of re-writing tells. The held-out pairs speak of other people, things and deeds.
    """
    from rekern.core.files import make_folder, write_atomically

    started = time.perf_counter()
    if pairs is not None:
        make_folder(pairs, "the pairs")
    with write_atomically(out) as temporary:  # now, so that a place that cannot be written is known before the work
        corpus = _corpus()
        if not json:
            _print_corpus(corpus)
        rows, model, answers = _compare(corpus, jobs)
        model.save(temporary)
    right = answers["kb-srk+pr"] == corpus.truth
    explained = model.explain(corpus.test[_telling_pair(corpus, answers, model)], neighbors=2)
    strongest = model.rules(RULES)
    kinds = _by_rewriting(corpus, right)
    if pairs is not None:
        _write_pairs(corpus, pairs)
    report: dict[str, Any] = {
        "train_pairs": len(corpus.train),
        "test_pairs": len(corpus.test),
        "rows": rows,
        "rewritings": kinds,
        "unseen_templates": _accuracy(right[[detail.unseen for detail in corpus.details]]),
        "rules": {"for": [rule._asdict() for rule in strongest[0]], "against": [r._asdict() for r in strongest[1]]},
        "explained": explained.to_dict(),
        "model": os.fspath(out),
        "seconds": time.perf_counter() - started,
    }
    if json:
        output.print_json(report)
        return
    _print_accuracies(report)
    _print_rules(strongest)
    _print_explained(explained)
    _print_next(out, pairs, report["seconds"])


def _corpus() -> Corpus:
    import numpy as np

    from rekern.datasets import load_rewrites

    train, labels = load_rewrites("train")
    test, truth, details = load_rewrites("test", details=True)
    return Corpus(train, labels, test, np.array(truth), details)


def _compare(corpus: Corpus, jobs: int | None) -> tuple[list[dict[str, Any]], Any, dict[str, np.ndarray]]:
    """The accuracy of every method on the held-out pairs, the last model, and all the answers."""
    from rekern.kernels import Rewriting
    from rekern.learning import PairClassifier
    from rekern.similarity import PrecisionRecall

    kernels = {
        "pr": PrecisionRecall(),
        "ps-srk": Rewriting((1, 4), wildcards="none"),
        "pw-srk": Rewriting((1, 4), wildcards="free"),
        "kb-srk": Rewriting((1, 4)),
        "kb-srk+pr": Rewriting((1, 4)) + PrecisionRecall(),
    }
    answers = {}
    rows = []
    with output.status("training") as status:
        for method, name in NAMES.items():
            status(f"training: {name}")
            started = time.perf_counter()
            if method == "bag-of-words":
                answers[method] = _bag_of_words(corpus)
            else:
                last = method == "kb-srk+pr"
                model = PairClassifier(kernels[method], calibration=5 if last else 0, n_jobs=jobs)
                answers[method] = model.fit(corpus.train, corpus.labels).predict(corpus.test)
            accuracy = _accuracy(answers[method] == corpus.truth)
            kmax = 4 if "srk" in method else None
            took = time.perf_counter() - started
            rows.append({"method": method, "kmax": kmax, "accuracy": accuracy, "seconds": took})
    return rows, model, answers


def _bag_of_words(corpus: Corpus) -> np.ndarray:
    """The answers of a linear support vector machine on the counts of the words of the two sides."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from rekern.structures.tokens import Tokenizer

    tokens = Tokenizer()

    def words(pair: tuple[str, str]) -> list[str]:
        return [f"{side} {word}" for side, text in zip(("source", "target"), pair) for word in tokens(text)]

    model = make_pipeline(CountVectorizer(analyzer=words), LinearSVC(random_state=0))
    return model.fit(corpus.train, corpus.labels).predict(corpus.test)


def _accuracy(right: np.ndarray) -> float:
    """In per cent."""
    return round(100 * float(right.mean()), 2)


def _telling_pair(corpus: Corpus, answers: dict[str, np.ndarray], model: Any) -> int:
    """The surest of the held-out pairs that hold, which rules get right and words alone get wrong."""
    import numpy as np

    values = model.decision_function(corpus.test)
    right = (corpus.truth == 1) & (answers["kb-srk+pr"] == 1)
    wrong = answers["bag-of-words"] != corpus.truth
    kind = np.array([detail.rewriting == TELLING for detail in corpus.details])
    bare = np.array(["," not in source for source, _ in corpus.test])
    for chosen in (right & wrong & kind & bare, right & wrong, right, np.ones(len(values), dtype=bool)):
        if chosen.any():
            return int(np.argmax(np.where(chosen, values, -np.inf)))
    return 0


def _by_rewriting(corpus: Corpus, right: np.ndarray) -> list[dict[str, Any]]:
    rows: dict[str, list[int]] = {}
    for row, detail in enumerate(corpus.details):
        rows.setdefault(detail.rewriting, []).append(row)
    found = [{"rewriting": name, "pairs": len(at), "accuracy": _accuracy(right[at])} for name, at in rows.items()]
    return sorted(found, key=lambda kind: (-kind["accuracy"], kind["rewriting"]))


def _write_pairs(corpus: Corpus, folder: Path) -> None:
    from rekern.datasets.tables import write_table

    for name, pairs, labels in (("train", corpus.train, corpus.labels), ("test", corpus.test, corpus.truth.tolist())):
        sources, targets = zip(*pairs)
        write_table(folder / f"{name}.tsv", {"source": sources, "target": targets, "label": labels})


def _print_corpus(corpus: Corpus) -> None:
    console = output.console()
    console.rule("Does the second sentence follow from the first?", style="dim")
    print(
        f"\n{len(corpus.train):,} pairs to learn from, and {len(corpus.test):,} held-out pairs about other people,"
        " things\nand deeds. Two of the pairs, made of the same words:\n"
    )
    table = output.table("source", "target", "follows")
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


def _print_accuracies(report: dict[str, Any]) -> None:
    console = output.console()
    console.rule("Accuracy on the held-out pairs", style="dim")
    print()
    table = output.table("method", "what it sees", ">%", "")
    for row in report["rows"]:
        best = row["accuracy"] >= max(other["accuracy"] for other in report["rows"]) - 5
        share = row["accuracy"] / 100
        name = NAMES[row["method"]]
        table.add_row(
            row["method"], name, f"{row['accuracy']:.1f}", output.bar(share, 20), style="bold green" if best else ""
        )
    console.print(table)
    print(f"\nGuessing has 50 %. In sentences of shapes never seen in training: {report['unseen_templates']:.1f} %.")
    print("\nkb-srk+pr by kind of re-writing:\n")
    kinds = report["rewritings"]
    half = (len(kinds) + 1) // 2
    table = output.table("", ">%", "", "", ">%")
    table.show_header = False
    for left, right in zip(kinds[:half], [*kinds[half:], None]):
        cells = [left["rewriting"], f"{left['accuracy']:.0f}", "  "]
        cells += [right["rewriting"], f"{right['accuracy']:.0f}"] if right else ["", ""]
        table.add_row(*cells)
    console.print(table)
    print()


def _print_rules(strongest: tuple[list[Any], list[Any]]) -> None:
    from rekern.cli.rules import print_rules

    output.console().rule("The strongest rules", style="dim")
    print("\nThe same number in ⟨…⟩ stands for the same word on both sides.\n")
    print_rules(strongest[0], "That it follows:")
    print_rules(strongest[1], "That it does not:")


def _print_explained(explained: Any) -> None:
    from rekern.cli.explain import print_explanation

    output.console().rule("One decision, explained: a pair that the bag of words gets wrong", style="dim")
    print()
    print_explanation(explained, PARTS)
    print()


def _print_next(out: Path, pairs: Path | None, took: float) -> None:
    output.console().rule("What next", style="dim")
    model = shlex.quote(os.fspath(out))
    folder = shlex.quote(os.fspath(pairs or Path("demo-pairs")))
    print(f"\nThe model is in {out} (all of this took {output.seconds(took)}). Try:\n")
    print(f'  rekern explain {model} "The judge thanked the pilot." "The pilot was thanked by the judge."')
    print(f'  rekern explain {model} "The judge thanked the pilot." "The judge was thanked by the pilot."')
    print(f"  rekern rules {model} --top 10")
    if pairs is None:
        print(f"  rekern demo --pairs {folder}")
    print(f"  rekern evaluate {model} {folder}/test.tsv")
    print(f"  rekern train {folder}/train.tsv --k 1-3 -o mine.rekern")
