"""All commands in one application.

Each command imports what it needs when it runs, so that ``rekern --help`` stays fast.
"""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from rekern.cli.ask import ask
from rekern.cli.demo import demo
from rekern.cli.evaluate import evaluate
from rekern.cli.exit_codes import Application, Program
from rekern.cli.explain import explain
from rekern.cli.expressions import expressions
from rekern.cli.gram import gram
from rekern.cli.match import match
from rekern.cli.parse import parse
from rekern.cli.predict import predict
from rekern.cli.question import question
from rekern.cli.report import report
from rekern.cli.rules import rules
from rekern.cli.serve import serve
from rekern.cli.train import train

app = Application(
    name="rekern",
    cls=Program,
    help="Learn relations between texts from labelled pairs, and explain every decision.",
    epilog="\b\nExamples:\n  rekern demo\n  rekern train pairs.tsv -o model.rekern\n  rekern COMMAND --help",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from rekern import __version__

        print(f"rekern {__version__}")
        raise typer.Exit


@app.callback()
def _define_options(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="FILE", help="Options of the commands: a TOML file with a table such as [train]."
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    if config is not None:
        from rekern.cli.config_file import read_config

        assert isinstance(context.command, TyperGroup)
        context.default_map = dict(read_config(config, context.command))


for _command, _examples in (
    (demo, ("rekern demo", "rekern demo --out my.rekern --json > demo.json")),
    (
        train,
        (
            "rekern train pairs.tsv -o model.rekern",
            "rekern train pairs.tsv --auto --minutes 10 -o model.rekern",
            "rekern train asked.csv --source q1 --target q2 --label same --cv 5 -o m.rekern",
            "rekern train answers.jsonl --group question -o ranker.rekern",
            "rekern train pairs.tsv --auto --cluster dask://local:2 -o model.rekern",
        ),
    ),
    (
        predict,
        (
            "rekern predict model.rekern new.tsv > predictions.tsv",
            'rekern predict model.rekern --source-text "Ann met Bo" --target-text "Bo met Ann"',
            "rekern predict model.rekern pairs/ -o predictions/ --cluster dask://local:2",
        ),
    ),
    (
        evaluate,
        (
            "rekern evaluate model.rekern test.tsv",
            "rekern evaluate model.rekern test.tsv --errors mistakes.jsonl",
            "rekern evaluate model.rekern test.tsv --json",
        ),
    ),
    (
        explain,
        (
            'rekern explain model.rekern "Ann met Bob." "Bob was met by Ann."',
            "rekern explain model.rekern --row 7 test.tsv --top 20",
            'rekern explain model.rekern "Ann met Bob." "Bob was met by Ann." --html why.html',
            "rekern explain model.rekern --how-chosen",
        ),
    ),
    (rules, ("rekern rules model.rekern --top 10", "rekern rules model.rekern -o rules.tsv")),
    (
        report,
        (
            "rekern report model.rekern test.tsv -o report.html",
            "rekern report model.rekern test.tsv --learning-curve -o report.html",
            "rekern report model.rekern --folds 10 -o training.html",
            "rekern report model.rekern test.tsv --json > figures.json",
        ),
    ),
    (
        match,
        (
            "rekern match questions.tsv --model model.rekern -o duplicates.tsv",
            "rekern match faq.tsv queries.tsv --model model.rekern --top 5",
            "rekern match faq.tsv --model none --index faq.index --clusters",
            "rekern match faq.tsv --model model.rekern --index faq.index --cluster dask://local:2",
        ),
    ),
    (
        gram,
        (
            "rekern gram pairs.tsv -o gram.npy --k 1-4",
            "rekern gram train.tsv -o train.libsvm  &&  svm-train -t 4 train.libsvm",
            "rekern gram test.tsv train.tsv -o test.libsvm",
        ),
    ),
    (
        parse,
        (
            "rekern parse pairs.tsv -o parsed.tsv",
            "rekern parse asked.csv --columns q1,q2 --trees grct,lct -o parsed.jsonl",
            "rekern parse pairs.tsv --parser stanford -o parsed.tsv",
        ),
    ),
    (
        expressions,
        (
            "rekern expressions texts.txt",
            "rekern expressions pairs.tsv --column source --column target -o found.json",
        ),
    ),
    (
        question,
        (
            'rekern question "how do I get a visa for japan?"',
            "rekern question questions.txt --json",
            "rekern question --train labelled.tsv -o types.rekern",
        ),
    ),
    (
        ask,
        (
            'rekern ask "which rivers run through the countries that border austria?"',
            "rekern ask --evaluate",
            "rekern ask --train asked.tsv --grammar grammar.txt --db shop.db --model shop.rekern",
            'rekern ask --model shop.rekern --db shop.db "who wrote emma?"',
        ),
    ),
    (
        serve,
        (
            "rekern serve",
            "rekern serve model.rekern --port 8000",
            "REKERN_TOKEN=… rekern serve model.rekern --host 0.0.0.0",
            "rekern serve --database shop.db --grammar grammar.txt --train questions.tsv",
        ),
    ),
):
    # \b: keep the line breaks
    app.command(epilog="\b\nExamples:\n" + "\n".join(f"  {example}" for example in _examples))(_command)
