"""``rekern ask``: a question in English, an answer from a database, and the query that gave it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli import options, output
from rekern.cli.exit_codes import say
from rekern.core.files import show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.krisp.answering.asker import Answer, Asker

SHOWN = 20  # rows of an answer, unless all are asked for
NEAREST = 3
LONGEST = 2000  # characters of a value that are printed


def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="Left out, questions are read line by line.")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option("--train", metavar="FILE", help="Learn from this table with the columns question and meaning."),
    ] = None,
    grammar: Annotated[
        Path | None,
        typer.Option("--grammar", metavar="FILE", help="With --train: the grammar of the meanings, with SQL."),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="URL", help="The database: an SQLite file, or a URL of SQLAlchemy (extra sql)."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="MODEL", help="With --train: write the model here. Else: use this one."),
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Ask all questions of --test and compare with their meanings.")
    ] = False,
    test: Annotated[
        str | None,
        typer.Option("--test", metavar="FILE", help="With --evaluate: the table; by default the built-in questions."),
    ] = None,
    all_rows: Annotated[bool, typer.Option("--all", help=f"Print all rows, not only the first {SHOWN}.")] = False,
    encoding: options.Encoding = "utf-8",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, metavar="S", help="What a query of the database may take.")
    ] = 10.0,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Answer a question from a database.

    Without options, about the countries, cities, rivers, mountains and lakes of Europe; the model is trained at the
    first use and kept. With --train, --grammar and --db, about your own database. A question that no reading fits well
    gets "no confident reading" and the nearest ones, not an answer.
    """
    if evaluate and test is None and db is not None:
        raise InputError("--evaluate needs --test FILE for a database of your own")
    if question is not None and (evaluate or test is not None):
        raise InputError("--evaluate asks the questions of a table: leave out the other one")
    asker = _asker(train, grammar, db, model, seconds, jobs, json, encoding)
    if evaluate or test is not None:
        _evaluate(asker, test, json, encoding)
    elif question is not None:
        _print(asker.ask(question), json, all_rows)
    elif train is None or model is None:
        _ask_lines(asker, json, all_rows)


def _asker(
    train: str | None,
    grammar: Path | None,
    db: str | None,
    model: Path | None,
    seconds: float,
    jobs: int | None,
    json: bool,
    encoding: str,
) -> Asker:
    """What answers: the built-in domain, a model of the user's, or one trained now."""
    from rekern.krisp.answering.asker import Asker, europe_asker, train_asker

    if train is None and grammar is not None:
        raise InputError("--grammar goes with --train: a model has its grammar inside")
    if train is not None and (grammar is None or db is None):
        raise InputError("--train needs --grammar and --db, too")
    if model is not None and db is None:
        raise InputError("--model needs --db, the database to ask")
    if db is not None and train is None and model is None:
        raise InputError("--db needs --model, or --train and --grammar")
    if db is None:
        with output.status("training on the built-in questions, once") as status:
            return europe_asker(jobs, status, seconds)
    import logging

    from rekern.krisp.answering.database import open_database

    logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())  # what it logs of lost connections is said anyway
    database = open_database(db, seconds)
    if train is None:
        assert model is not None
        from rekern.core.model_archive import load_model

        parser = load_model(model)
        if "questions" not in getattr(parser, "notes", {}):
            raise InputError(f"{show_path(model)}: this model was not made by rekern ask --train")
        parser.n_jobs = jobs
        return Asker(parser, database)
    from rekern.core.files import write_atomically
    from rekern.krisp.answering.asker import read_questions
    from rekern.krisp.grammar import read_grammar

    assert grammar is not None
    questions = read_questions(train, encoding)
    started = time.perf_counter()
    meant = read_grammar(grammar)
    if model is None:
        with output.status("training") as status:
            return train_asker(questions, meant, database, jobs, status)
    with write_atomically(model) as temporary, output.status("training") as status:
        asker = train_asker(questions, meant, database, jobs, status)
        asker.parser.save(temporary)
    took = output.seconds(time.perf_counter() - started)
    say(f"{len(questions)} questions are learned and the model is in {model}, after {took}")
    if json:
        return asker
    say(f"right in cross-validation: {_share(asker.notes)}; a reading of less than {asker.confidence:.3f} is no answer")
    return asker


def _share(notes: dict[str, Any]) -> str:
    """What cross-validation found, in words."""
    if not notes.get("asked"):
        return "not measured, as there are too few questions"
    return f"{notes['right']} of {notes['answered']} answers"


def _ask_lines(asker: Asker, json: bool, all_rows: bool) -> None:
    """Answer what is typed, or what comes from a pipe, line by line."""
    terminal = sys.stdin.isatty()
    while True:
        if terminal:
            print("? ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if not line.strip():
            continue
        try:
            _print(asker.ask(line), json, all_rows)
        except InputError as error:  # the next question may be a better one
            say(str(error))
        if not json:
            print(flush=True)


def _evaluate(asker: Asker, test: str | None, json: bool, encoding: str) -> None:
    """Print how many of the questions get the answer that their meaning gives."""
    from rekern.krisp.answering.asker import Questions, evaluate, read_questions
    from rekern.krisp.answering.europe import europe_questions

    questions = Questions(*europe_questions("heldout")) if test is None else read_questions(test, encoding)
    with output.status("asking") as status:
        report = evaluate(asker, questions, status)
    if json:
        output.print_json(report)
        return
    for row in report["rows"]:
        if row["outcome"] != "right":
            read = row["meaning"] if row["outcome"] == "wrong" else f"nearest: {row['meaning'] or 'nothing'}"
            print(f"{row['outcome']}: {row['question']}\n    {read}\n    meant: {row['meant']}")
    print(
        f"{report['questions']} questions: {report['right']} right, {report['wrong']} wrong, "
        f"{report['unanswered']} without a confident reading"
    )
    print(
        f"right among those answered {report['precision']:.1%}, among all {report['recall']:.1%}; "
        f"best reading right, confident or not {report['accuracy']:.1%}"
    )


def _print(answer: Answer, json: bool, all_rows: bool) -> None:
    if json:
        output.print_json(answer.to_dict())
        return
    if answer.reading is None:
        print(f"no confident reading{f' ({answer.why})' if answer.why else ''}")
        if answer.nearest:
            print("the nearest are:")
        for near in answer.nearest[:NEAREST]:
            print(f"  {near.confidence:.3f}  {near.meaning}")
        return
    assert answer.table is not None and answer.query is not None
    shown = answer.table.rows if all_rows else answer.table.rows[:SHOWN]
    for row in shown:
        print("  ".join(_value(value) for value in row))
    if len(answer.table.rows) > len(shown):
        print(f"… and {len(answer.table.rows) - len(shown)} more (--all)")
    elif answer.table.cut:
        print("… and more")
    elif not shown:
        print("nothing in the database fits")
    values = ", ".join(f"{name} = {value!r}" for name, value in answer.query.parameters.items())
    print(f"\nquery       {answer.reading.meaning}")
    print(f"SQL         {answer.query.sql}")
    if values:
        print(f"            {values}")
    print(f"confidence  {answer.reading.confidence:.3f}")
    for place, line in enumerate(answer.reading.tree()):
        print(f"{'' if place else 'reading':<12}{line}")


def _value(value: Any) -> str:
    """A value of the database for people.

    >>> _value(697000.0), _value(1.45), _value("Oslo"), _value(None), _value(b"gif"), _value("a\\x1b[2Jb")
    ('697,000', '1.45', 'Oslo', '-', '(3 bytes)', 'a [2Jb')
    """
    if value is None:
        return "-"
    if isinstance(value, bytes):
        return f"({len(value):,} bytes)"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool | str):
        text = str(value)
    elif isinstance(value, int):
        text = f"{value:,}" if abs(value) >= 10_000 else str(value)
    else:
        text = f"{value:,}" if isinstance(value, float) else str(value)
    text = "".join(sign if sign.isprintable() else " " for sign in text[:LONGEST])  # nothing that commands a terminal
    return " ".join(text.split())
