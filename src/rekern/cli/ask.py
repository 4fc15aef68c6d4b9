"""``rekern ask``: answer a question from a database, and show the query."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output, table_options
from rekern.cli.model_argument import Limit, read_limits
from rekern.core.files import show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.krisp.answer_calibration import AnswerCalibration
    from rekern.krisp.answering.answer import Answer
    from rekern.krisp.answering.asker import Asker

UNANSWERED = 3  # the exit code if a question has no answer
SHOWN_ROWS = 20
SHOWN_READINGS = 3
SHOWN_CHARACTERS = 2000  # of one value


def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="If left out, questions are read from standard input.")
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
        typer.Option(
            "--model", "-m", metavar="MODEL", help="With --train: where to write the model. Else: the model to use."
        ),
    ] = None,
    limit: Limit = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Answer all questions of --test and compare with their meanings.")
    ] = False,
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="FILE", help="With --evaluate: table of questions; by default the built-in ones."
        ),
    ] = None,
    all_rows: Annotated[bool, typer.Option("--all", help=f"Print all rows, not only the first {SHOWN_ROWS}.")] = False,
    encoding: table_options.Encoding = "utf-8",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, metavar="S", help="Time limit of a database query.")
    ] = 10.0,
    memory: Annotated[
        int, typer.Option("--memory", min=16, metavar="MB", help="Memory limit of a database query, in megabytes.")
    ] = 1024,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Answer a question from a database.

    Without options, questions are about the countries, cities, rivers, mountains and lakes of Europe. With --train,
    --grammar and --db, they are about your own database. If no reading of a question is confident, the nearest readings
    are printed instead of an answer, and the exit code is 3. With --json, a question on the command line gives one JSON
    document, and questions from standard input one line each.
    """
    if evaluate and test is None and db is not None:
        raise InputError("--evaluate needs --test FILE for a database of your own")
    if question is not None and (evaluate or test is not None):
        raise InputError("--evaluate answers the questions of a table: leave QUESTION out")
    if limit is not None and model is None and grammar is None:
        raise InputError("--limit is for a file: give it with --model or --grammar, or leave it out")
    asker = _make_asker(question, train, grammar, db, model, limit, seconds, memory, jobs, json, encoding)
    if evaluate or test is not None:
        _evaluate(asker, test, json, encoding)
    elif question is not None:
        answer = asker.ask(question)
        _print_answer(answer, json, all_rows)
        if answer.reading is None:
            if not json and (model is not None or train is not None):
                output.say("to teach it, add this question and its meaning to the questions, and train again")
            raise typer.Exit(UNANSWERED)
    elif train is None or model is None:
        _ask_lines(asker, json, all_rows)


def _make_asker(
    question: str | None,
    train: str | None,
    grammar: Path | None,
    db: str | None,
    model: Path | None,
    limit: list[str] | None,
    seconds: float,
    memory: int,
    jobs: int | None,
    json: bool,
    encoding: str,
) -> Asker:
    """Return the built-in asker, one from a model file, or one trained now."""
    if train is None and grammar is not None:
        raise InputError("--grammar goes with --train: a model file contains its grammar")
    if train is not None and (grammar is None or db is None):
        raise InputError("--train also needs --grammar and --db")
    if model is not None and db is None:
        raise InputError("--model needs --db, the database to ask")
    if db is not None and train is None and model is None:
        raise InputError("--db needs --model, or --train and --grammar")
    if db is None:
        from rekern.krisp.answering.europe import europe_asker

        return europe_asker(jobs, seconds)
    from rekern.krisp.answering.asker import Asker
    from rekern.krisp.answering.asker_training import train_parser
    from rekern.krisp.answering.isolated_database import open_database

    database = open_database(db, seconds, memory << 20)
    if train is None:
        assert model is not None
        from rekern.core.model_archive import load_model

        trained = load_model(model, limits=read_limits(limit))
        if getattr(trained, "calibration_", None) is None:
            raise InputError(f"{show_path(model)}: this model was not made by rekern ask --train")
        trained.n_jobs = jobs
        return Asker(trained, database)
    from rekern.core.files import refuse_to_replace, write_atomically
    from rekern.krisp.answering.question_table import read_questions
    from rekern.krisp.grammar_files import read_grammar

    assert grammar is not None
    questions = read_questions(train, encoding)
    started = time.perf_counter()
    meant = read_grammar(grammar, limits=read_limits(limit))
    if model is None:
        with output.show_status("training") as status:
            return Asker(train_parser(questions, meant, database, jobs, status), database)
    refuse_to_replace(model, train, grammar, db)
    with write_atomically(model) as temporary, output.show_status("training") as status:
        parser = train_parser(questions, meant, database, jobs, status)
        parser.save(temporary)
    asker = Asker(parser, database)
    took = output.format_seconds(time.perf_counter() - started)
    output.say(f"{len(questions)} questions learned; the model is in {model}, after {took}")
    if json:
        return asker
    output.say(
        f"right in cross-validation: {_format_share(asker.calibration)}; "
        f"readings with a confidence below {asker.least_confidence:.3f} are not answered"
    )
    return asker


def _format_share(calibration: AnswerCalibration) -> str:
    """Describe the result of cross-validation."""
    if not calibration.asked:
        return "not measured, as there are too few questions"
    return f"{calibration.right} of {calibration.answered} answers"


def _ask_lines(asker: Asker, json: bool, all_rows: bool) -> None:
    """Answer questions from standard input, line by line; the exit code tells whether one of a file has no answer."""
    terminal = sys.stdin.isatty()
    unanswered = 0
    while True:
        if terminal:
            print("? ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        if not line.strip():
            continue
        try:
            answer = asker.ask(line)
            unanswered += answer.reading is None
            if json:
                output.print_json_line(answer.to_dict())
            else:
                _print_answer(answer, json, all_rows)
        except InputError as error:  # go on with the next question
            unanswered += 1
            output.say(str(error))
            if json:
                question = " ".join(line.split())
                output.print_json_line(
                    {"question": question, "confident": False, "not_understood": [], "why": str(error), "nearest": []}
                )
        if not json:
            print(flush=True)
    if unanswered and not terminal:
        raise typer.Exit(UNANSWERED)


def _evaluate(asker: Asker, test: str | None, json: bool, encoding: str) -> None:
    """Print how many questions get the same answer as their meaning."""
    from rekern.krisp.answering.asker_evaluation import evaluate_asker
    from rekern.krisp.answering.europe_facts import europe_questions
    from rekern.krisp.answering.question_table import Questions, read_questions

    questions = Questions(*europe_questions("heldout")) if test is None else read_questions(test, encoding)
    with output.show_status("asking") as status:
        report = evaluate_asker(asker, questions, status)
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


def _print_answer(answer: Answer, json: bool, all_rows: bool) -> None:
    if json:
        output.print_json(answer.to_dict())
        return
    marked = _mark_question(answer)
    if answer.reading is None:
        print(f"no confident reading{f' ({answer.why})' if answer.why else ''}{marked}")
        if answer.nearest:
            print("the nearest are:")
        for near in answer.nearest[:SHOWN_READINGS]:
            print(f"  {near.confidence:.3f}  {near.meaning}")
        return
    assert answer.result is not None and answer.query is not None
    shown = answer.result.rows if all_rows else answer.result.rows[:SHOWN_ROWS]
    for row in shown:
        print("  ".join(_format_value(value) for value in row))
    if len(answer.result.rows) > len(shown):
        print(f"… and {len(answer.result.rows) - len(shown)} more (--all)")
    elif answer.result.cut:
        print("… and more")
    elif not shown:
        print("nothing in the database fits")
    print(marked[1:], end="\n" if marked else "")
    values = ", ".join(f"{name} = {value!r}" for name, value in answer.query.parameters.items())
    print(f"\nquery       {answer.reading.meaning}")
    print(f"SQL         {answer.query.sql}")
    if values:
        print(f"            {values}")
    print(f"confidence  {answer.reading.confidence:.3f}")
    for place, line in enumerate(answer.reading.draw_tree()):
        print(f"{'' if place else 'reading':<12}{line}")


def _mark_question(answer: Answer) -> str:
    """Return the question on a new line, with a line below it that marks what was not understood; if all was, nothing.

    >>> from rekern.krisp.answering.answer import Answer
    >>> print("no answer" + _mark_question(Answer("which flurb is big?", not_understood=("flurb",))))
    no answer
      which flurb is big?
            ^^^^^ not understood
    """
    from rich.cells import cell_len

    from rekern.drawing.answer_drawing import split_question

    pieces = split_question(answer.question, answer.not_understood)
    marks = "".join(("^" if is_missed else " ") * cell_len(text) for text, is_missed in pieces).rstrip()
    return f"\n  {answer.question}\n  {marks} not understood" if marks else ""


def _format_value(value: object) -> str:
    """Format a value of the database for a terminal.

    >>> [_format_value(value) for value in (697000.0, 1.45, "Oslo", None, b"gif", "a\\x1b[2Jb")]
    ['697,000', '1.45', 'Oslo', '-', '(3 bytes)', 'a [2Jb']
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
    text = "".join(sign if sign.isprintable() else " " for sign in text[:SHOWN_CHARACTERS])  # no control characters
    return " ".join(text.split())
