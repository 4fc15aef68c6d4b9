"""Parsers: raw text in, dependencies and constituent trees out, by one small interface.

>>> parser("no such parser")
Traceback (most recent call last):
...
rekern.errors.InputError: unknown parser 'no such parser': choose corenlp, spacy, stanford, stanza

Another package may bring a parser of its own: an entry point in the group ``rekern.parsers`` that names a subclass of
``Parser``, or a function that makes one.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

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
_HERE = {
    "corenlp": ("corenlp_parser", "CoreNlpParser"),
    "spacy": ("spacy_parser", "SpacyParser"),
    "stanford": ("stanford_parser", "StanfordParser"),
    "stanza": ("stanza_parser", "StanzaParser"),
}


def parser(name: str = "spacy", **options: Any) -> Parser:
    """The parser of this name, with its options; each adapter says which it takes.

    >>> parser("spacy", modle="en_core_web_lg")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the parser spacy has no option 'modle': it has batch_size, model, tokenized
    """
    make = _maker(name)
    known = _options(make)
    unknown = sorted(set(options) - set(known)) if known is not None else []
    if unknown:
        has = ", ".join(sorted(known or ())) or "none"
        raise InputError(f"the parser {name} has no option {unknown[0]!r}: it has {has}")
    return make(**options)


def parser_names() -> list[str]:
    """The names of all parsers, those of other packages included.

    >>> {"corenlp", "spacy", "stanford", "stanza"} <= set(parser_names())
    True
    """
    return sorted({*_HERE, *(point.name for point in entry_points(group=GROUP))})


def _maker(name: str) -> Callable[..., Parser]:
    if name in _HERE:
        module, attribute = _HERE[name]
        return getattr(import_module(f"{__name__}.{module}"), attribute)
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                return point.load()
            except (ImportError, AttributeError) as error:
                raise InputError(f"the parser {name} cannot be loaded ({error}): install {point.value} again") from None
    raise InputError(f"unknown parser {name!r}: choose {', '.join(parser_names())}")


def _options(make: Callable[..., Parser]) -> list[str] | None:
    """The names of the options, or None where any name may do."""
    from inspect import Parameter, signature

    try:
        parameters = signature(make).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]
