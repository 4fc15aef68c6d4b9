"""``rekern serve``: models as an HTTP API and as pages in the browser."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ResourceOptions, read_limits
from rekern.cli.option_groups import expand_options
from rekern.errors import InputError, missing_extra

if TYPE_CHECKING:
    from rekern.core.model_limits import ModelLimits
    from rekern.krisp.answering.asker import Asker
    from rekern.krisp.semantic_parser import SemanticParser

LOCAL = "127.0.0.1"


@expand_options()
def serve(
    *,
    models: Annotated[
        list[Path] | None,
        typer.Argument(metavar="MODEL", help="Model files; by default the model of the demonstration."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; others than yours need a token.")
    ] = LOCAL,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, metavar="N", help="Port; 0 is any free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option("--token", metavar="TOKEN", envvar="REKERN_TOKEN", help="What clients must send to be answered."),
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Let everybody in who reaches ADDRESS.")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A name by which clients reach the server; can be repeated."),
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", metavar="URL", help="Database for the page Ask; by default Europe.")
    ] = None,
    grammar: Annotated[
        Path | None, typer.Option("--grammar", metavar="FILE", help="With --train: the grammar of the meanings.")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option("--train", metavar="FILE", help="With --database: learn from this table of questions."),
    ] = None,
    resources: ResourceOptions,
    tagger: Annotated[
        str | None,
        typer.Option("--tagger", metavar="NAME", help="The tagger, if a model of questions needs one."),
    ] = None,
    max_body: Annotated[
        float, typer.Option("--max-body", min=0.001, metavar="MB", help="Largest request or file.")
    ] = 16.0,
    max_rows: Annotated[int, typer.Option("--max-rows", min=1, metavar="N", help="Most rows of a request.")] = 20_000,
    max_text: Annotated[
        int, typer.Option("--max-text", min=1, metavar="N", help="Most characters of a text.")
    ] = 20_000,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, metavar="S", help="Time limit of a request.")] = 30.0,
    workers: Annotated[int, typer.Option("--workers", min=1, metavar="N", help="Jobs that run at once.")] = 2,
    waiting: Annotated[
        int, typer.Option("--waiting", min=0, metavar="N", help="Jobs that wait; more are refused.")
    ] = 16,
    log_texts: Annotated[
        bool, typer.Option("--log-texts", help="Log addresses with the texts in them; by default none are logged.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log no requests.")] = False,
    json: common_options.Json = False,
) -> None:
    """Serve models to the browser and to other programs.

    The pages show decisions, rules, predictions of files, answers, question types and kernels. The API is under /api/,
    and /docs describes it. Without MODEL, the model of the demonstration is served. Ctrl-C or SIGTERM ends the server
    after the requests that run. With --json, the first line is one JSON document with the address (url) and the names
    of the models.
    """
    if token is not None and no_token:
        raise InputError("--token and --no-token contradict each other: leave one out")
    if token is not None and not token.strip():
        raise InputError("the token is empty: give one that nobody guesses")
    if token is None and not no_token and not _is_local(host):
        raise InputError(f"--host {host} can be reached by others: add --token TOKEN (or REKERN_TOKEN), or --no-token")
    if (grammar is None) != (train is None) or (train is not None and database is None):
        raise InputError("--train, --grammar and --database go together")
    _check_libraries()
    from rekern.web.access import Access
    from rekern.web.served_models import ServedModels
    from rekern.web.server import open_socket, run_server
    from rekern.web.serving_limits import ServingLimits

    model_limits = read_limits(resources.limit)
    limits = ServingLimits(
        megabytes=max_body, characters=max_text, rows=max_rows, seconds=seconds, workers=workers, waiting=waiting
    )

    def make_asker(parser: SemanticParser | None) -> Asker | None:
        if database is None:
            if parser is not None:
                raise InputError("a model of rekern ask needs --database, the database to ask")
            return None
        if train is None and parser is None:
            raise InputError("--database needs a model of rekern ask, or --train and --grammar")
        if train is None or grammar is None:
            assert parser is not None
            return _make_asker(database, parser, seconds)
        return _train_asker(database, train, grammar, model_limits, seconds)

    with open_socket(host, port) as listener:  # first, so that a port in use is found before the models are loaded
        imports = Thread(target=_import_libraries, daemon=True)  # beside the models, which are not Python for the most
        imports.start()
        with output.show_status("loading models"):
            served = ServedModels.load(models or [], make_asker, tagger, resources.list_resources(), model_limits)
        imports.join()
        from rekern.web.application import make_application
        from rekern.web.site import Site
        from rekern.web.warm_up import start_warm_up

        access = Access([host, *(allow_host or [])], token)
        site = Site(served, limits, access)
        application = make_application(site, None if quiet else output.say, log_texts)
        address = f"[{host}]" if ":" in host else host
        url = f"http://{address}:{listener.getsockname()[1]}/"
        names = [model.name for model in served.list_models()]
        if json:
            output.print_json_line({"url": url, "models": names})
        else:
            print(f"{url}  serves {', '.join(names)}; Ctrl-C ends it", flush=True)
        start_warm_up(site)
        run_server(application, listener, seconds, output.say)


def _make_asker(url: str, parser: SemanticParser, seconds: float) -> Asker:
    """Return what answers questions from a database with a trained parser."""
    from rekern.krisp.answering.asker import Asker
    from rekern.krisp.answering.isolated_database import open_database

    return Asker(parser, open_database(url, seconds))


def _train_asker(url: str, train: str, grammar: Path, limits: ModelLimits, seconds: float) -> Asker:
    """Return what answers questions from a database with a parser that is trained now."""
    from rekern.krisp.answering.asker_training import train_asker
    from rekern.krisp.answering.isolated_database import open_database
    from rekern.krisp.answering.question_table import read_questions
    from rekern.krisp.grammar_files import read_grammar

    return train_asker(
        read_questions(train, "utf-8"), read_grammar(grammar, limits=limits), open_database(url, seconds)
    )


def _is_local(host: str) -> bool:
    """Tell whether an address can only be reached from this computer.

    >>> _is_local("127.0.0.1"), _is_local("localhost"), _is_local("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_libraries() -> None:
    for name in ("fastapi", "jinja2", "uvicorn"):
        if find_spec(name) is None:
            raise missing_extra(name, "web")


def _import_libraries() -> None:
    """Import what takes long; what goes wrong is found out when it is needed."""
    with suppress(ImportError):
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401
