"""Parsers: from raw text to dependencies and constituent trees.

>>> parser("no such parser")
Traceback (most recent call last):
...
rekern.errors.InputError: unknown parser 'no such parser': choose corenlp, spacy, stanford, stanza

Another package can add a parser by an entry point in the group ``rekern.parsers``. It names a class or a function that
makes a `Parser`.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, signature
from typing import Any, cast

from rekern.core.cache_folder import cache_folder
from rekern.errors import InputError
from rekern.structures.parsers.interface import Parse, Parser
from rekern.structures.parsers.parse_cache import ParseCache
from rekern.structures.parsers.parse_trees import KINDS, Parsed, parse_trees, text_tree

__all__ = [
    "KINDS",
    "Parse",
    "ParseCache",
    "Parsed",
    "Parser",
    "cache_folder",
    "parse_trees",
    "parser",
    "parser_names",
    "text_tree",
]

GROUP = "rekern.parsers"
_OWN = {
    "corenlp": ("corenlp_parser", "CoreNlpParser"),
    "spacy": ("spacy_parser", "SpacyParser"),
    "stanford": ("stanford_parser", "StanfordParser"),
    "stanza": ("stanza_parser", "StanzaParser"),
}


def parser(name: str = "spacy", **options: Any) -> Parser:
    """Make the parser with this name and these options, which the class of each parser documents.

    >>> parser("spacy", modle="en_core_web_lg")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the parser spacy has no option 'modle': it has batch_size, model, tokenized
    """
    make = _find_maker(name)
    known = _list_options(make)
    unknown = sorted(set(options) - set(known)) if known is not None else []
    if unknown:
        has = ", ".join(sorted(known or ())) or "none"
        raise InputError(f"the parser {name} has no option {unknown[0]!r}: it has {has}")
    made = make(**options)
    if not isinstance(made, Parser):
        raise InputError(f"{name} makes a {type(made).__name__}: it must make a rekern.structures.parsers.Parser")
    return made


def parser_names() -> list[str]:
    """Return the names of all parsers, including those of other packages.

    >>> {"corenlp", "spacy", "stanford", "stanza"} <= set(parser_names())
    True
    """
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def _find_maker(name: str) -> Callable[..., Parser]:
    if name in _OWN:
        module, attribute = _OWN[name]
        return cast(Callable[..., Parser], getattr(import_module(f"{__name__}.{module}"), attribute))
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                return cast(Callable[..., Parser], point.load())
            except (ImportError, AttributeError) as error:
                raise InputError(f"the parser {name} cannot be loaded ({error}): install {point.value} again") from None
    raise InputError(f"unknown parser {name!r}: choose {', '.join(parser_names())}")


def _list_options(make: Callable[..., Parser]) -> list[str] | None:
    """Return the names of the options, or None if any name is allowed."""
    try:
        parameters = signature(make).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]
