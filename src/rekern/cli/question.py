"""``rekern question``: which kind of answer a question asks for."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import Limit, read_limits
from rekern.core.files import show_path
from rekern.core.json_values import JsonObject
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.questions.pattern_model import PatternModel

SHOWN_PATTERNS = 8
EXTENSIONS = (".txt", ".tsv", ".csv", ".json", ".jsonl", ".gz", ".md")


def question(
    asked: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION", help="A question, or a file: one question per line, or a table (- for input)."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Model written by --train; by default the built-in one."),
    ] = None,
    tagger: Annotated[
        str | None,
        typer.Option("--tagger", metavar="NAME", help="The tagger, if MODEL says that it needs one: spacy or jieba."),
    ] = None,
    limit: Limit = None,
    train: Annotated[
        Path | None,
        typer.Option("--train", metavar="FILE", help="Learn from a table with a question and a type in each row."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="MODEL", help="Where --train writes the model.")
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Test the model on the table QUESTION; by default on held-out questions.")
    ] = False,
    question_column: Annotated[
        str, typer.Option("--question", metavar="COLUMN", help="Column of the questions.")
    ] = "question",
    type_column: Annotated[str, typer.Option("--type", metavar="COLUMN", help="Column of the types.")] = "type",
    method: Annotated[
        str | None, typer.Option("--method", metavar="NAME", help="For --train: mss (the default), msb or mb.")
    ] = None,
    penalty: Annotated[
        float | None,
        typer.Option("--penalty", min=0.0, metavar="X", help="For --train: penalty on weights, 1 by default."),
    ] = None,
    patterns: Annotated[
        Path | None,
        typer.Option("--patterns", metavar="FILE", help="For --train: your own regular expressions, one per line."),
    ] = None,
    json: common_options.Json = False,
) -> None:
    """Predict which kind of answer a question asks for.

    The built-in model knows six types, in English and Chinese: Fact, List, Reason, Solution, Definition and Navigation.
    For one question, its type, the probabilities and the matching patterns are printed; for a file, one row each.
    """
    if limit is not None and model is None:
        raise InputError("--limit is for a file: give it with --model, or leave it out")
    if train is not None:
        if asked is not None or evaluate:
            raise InputError("--train takes its questions from its own file: leave QUESTION and --evaluate out")
        if tagger is not None:
            raise InputError("--tagger is for a model that needs one: leave it out")
        if model is not None:
            raise InputError("--train learns a new model: leave --model out, -o says where to write it")
        columns = (question_column, type_column)
        _train(train, out, columns, method or "mss", 1.0 if penalty is None else penalty, patterns, json)
        return
    train_options = {"--out": out, "--patterns": patterns, "--method": method, "--penalty": penalty}
    for name, value in train_options.items():
        if value is not None:
            raise InputError(f"{name} belongs to --train FILE: add it, or leave {name} out")
    if evaluate:
        _evaluate(_load_model(model, tagger, limit), asked, (question_column, type_column), json)
        return
    if asked is None or not asked.strip():
        raise InputError("there is no question: give one, or a file with one per line")
    if _is_file(asked):
        _answer_all(_load_model(model, tagger, limit), _read_questions(asked, question_column), json)
    else:
        _answer_one(_load_model(model, tagger, limit), asked, json)


def _load_model(path: Path | None, tagger: str | None, limit: list[str] | None) -> PatternModel:
    if path is None:
        from rekern.questions.six_type_model import load_embedded_model

        return load_embedded_model()
    from rekern.questions.question_archive import load_question_model

    return load_question_model(path, tagger, read_limits(limit))


def _is_file(asked: str) -> bool:
    """Tell whether the argument names a file; a missing file is an error, not a question."""
    if asked == "-":
        return True
    if "\0" in asked:
        return False
    if os.path.isdir(asked):
        name = show_path(asked)
        raise InputError(
            f"{name} is a folder: give a question, or a file with one per line", file=name, names_file=True
        )
    if os.path.exists(asked):
        return True
    if " " not in asked and asked.lower().endswith(EXTENSIONS):
        name = show_path(asked)
        raise InputError(f"there is no file {name}: check the path", file=name, names_file=True)
    return False


def _read_questions(path: str, column: str) -> list[str]:
    """Return the questions of a file, one per line, without empty lines; or a column of a table."""
    from rekern.core.text_files import decode_text, read_bytes, show_source

    name = show_source(path)
    data = read_bytes(path)
    if _is_table(path, data, column):
        from rekern.datasets.table_formats import read_columns

        found = read_columns(path).texts(column, "--question")
    else:
        found = decode_text(data, name).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    questions = [text.strip() for text in found if text.strip()]
    if not questions:
        raise InputError(f"{name} contains no question: write one per line")
    return questions


def _is_table(path: str, data: bytes, column: str) -> bool:
    """Tell whether a file with the extension of a table starts like one: a header with the column, a tab, or JSON."""
    extension = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    first = data.lstrip().split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip()
    if extension in (".json", ".jsonl"):
        return first[:1] in ("{", "[")
    separator = {".tsv": "\t", ".csv": ","}.get(extension)
    names = [name.strip(' "') for name in first.split(separator)]
    return separator is not None and (column in names or (separator == "\t" and len(names) > 1))


def _answer_one(model: PatternModel, asked: str, json: bool) -> None:
    from rekern.questions.pattern_model import describe_explanation

    found = model.explain(asked)
    if json:
        output.print_json({"rows": [describe_explanation(asked, found)]})
        return
    console = output.make_console()
    console.print(f"{found.type}\n")
    grid = output.make_table("type", ">probability", "")
    for kind, chance in sorted(found.probabilities.items(), key=lambda item: -item[1]):
        grid.add_row(str(kind), f"{100 * chance:.1f} %", output.draw_bar(chance))
    console.print(grid)
    console.print()
    if not found.patterns:
        console.print("No pattern of the model matches; the answer is the most frequent type.")
        return
    grid = output.make_table("pattern", "kind", ">confidence", "weights")
    for matched in found.patterns[:SHOWN_PATTERNS]:
        weights = ", ".join(f"{kind} {weight:+.2f}" for kind, weight in matched.weights.items())
        grid.add_row(matched.name, matched.kind, f"{matched.value:.2f}", weights)
    console.print(grid)


def _answer_all(model: PatternModel, questions: list[str], json: bool) -> None:
    from rekern.questions.pattern_model import describe_types

    rows = describe_types(model, questions)
    if json:
        output.print_json({"rows": rows})
        return
    from rekern.datasets.tables import write_table

    columns: dict[str, list[object]] = {"type": [row["type"] for row in rows]}
    columns["probability"] = [round(max(row["probabilities"].values()), 4) for row in rows]
    write_table("-", {**columns, "question": list(questions)})


def _read_labelled(path: Path, columns: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Return the questions of a table and their types."""
    from rekern.datasets.table_formats import read_columns

    rows = read_columns(path)
    questions = rows.texts(columns[0], "--question")
    kinds = rows.texts(columns[1], "--type")
    for line, kind in zip(rows.lines, kinds):
        if not kind.strip():
            raise InputError(
                f"{show_path(path)}, {rows.unit} {line}: the type is missing; drop the row or give it a type"
            )
    return questions, [kind.strip() for kind in kinds]


def _train(
    path: Path,
    out: Path | None,
    columns: tuple[str, str],
    method: str,
    penalty: float,
    patterns: Path | None,
    json: bool,
) -> None:
    if out is None:
        raise InputError("--train needs a place for the model: add -o MODEL")
    from rekern.core.files import refuse_to_replace, write_atomically
    from rekern.questions.question_classifier import QuestionClassifier

    if method not in ("mss", "msb", "mb"):
        raise InputError(f"--method {method!r} is unknown: choose mss, msb or mb")
    refuse_to_replace(out, path, patterns)
    with write_atomically(out) as temporary:  # opened first, so that an unwritable place is found before the work
        questions, kinds = _read_labelled(path, columns)
        started = time.perf_counter()
        expressions = None if patterns is None else str(patterns)
        with output.show_status(f"learning from {len(questions):,} questions"):
            model = QuestionClassifier(method, penalty=penalty, expressions=expressions).fit(questions, kinds)
        model.save(temporary)
        took = time.perf_counter() - started
    counts = {str(kind): kinds.count(str(kind)) for kind in model.classes_}
    for kind, count in counts.items():
        if count == 1:
            output.say(f"warning: the type {kind} has a single example; give it more")
    if json:
        result = {
            "questions": len(questions),
            "types": counts,
            "formulas": model.formulas_,
            "model": str(out),
            "seconds": took,
        }
        output.print_json(result)
        return
    listed = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    print(f"{len(questions):,} questions: {listed}")
    print(f"{model.formulas_:,} formulas, in {out}, after {output.format_seconds(took)}")


def _evaluate(model: PatternModel, path: str | None, columns: tuple[str, str], json: bool) -> None:
    from rekern.questions.question_corpus import LANGUAGES, TYPES, load_questions

    if path is not None:
        parts = {show_path(path): _read_labelled(Path(path), columns)}
    elif not set(model.classes_.tolist()) & set(TYPES):
        raise InputError("the model has other types than the held-out questions: give a table to test it on")
    else:
        parts = {f"held-out {language}": load_questions("heldout", language) for language in LANGUAGES}
    results = {name: _measure(kinds, model.predict(questions).tolist()) for name, (questions, kinds) in parts.items()}
    if json:
        output.print_json(results)
        return
    console = output.make_console()
    for name, result in results.items():
        console.print(f"{name}: {result['accuracy']:.1f} % of {result['questions']:,} questions are right\n")
        grid = output.make_table("type", ">questions", ">precision", ">recall", ">F")
        for kind, row in result["types"].items():
            grid.add_row(
                str(kind), str(row["questions"]), *(f"{100 * row[n]:.1f} %" for n in ("precision", "recall", "f"))
            )
        console.print(grid)
        console.print()


def _measure(true: list[str], found: list[object]) -> JsonObject:
    """Return the accuracy in per cent, and precision, recall and F of each type from 0 to 1."""
    from rekern.learning.measures import class_measures

    predicted = list(map(str, found))
    measures = class_measures(predicted, true, sorted({*true, *predicted}))
    types = {
        kind: {"questions": row["pairs"], "precision": row["precision"], "recall": row["recall"], "f": row["f1"]}
        for kind, row in measures["classes"].items()
    }
    return {"questions": len(true), "accuracy": 100 * measures["accuracy"], "types": types}
