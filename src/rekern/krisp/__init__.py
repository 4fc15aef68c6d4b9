"""Questions become queries: meaning grammars, their learner, answering from a database.

>>> from rekern.krisp import SemanticParser, read_grammar
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rekern.krisp.grammar import Derivation, Grammar, Production, read_grammar
    from rekern.krisp.semantic_parser import Reading, Readings, SemanticParser
    from rekern.krisp.substring_kernels import Constituents, OnSubstrings, SubstringPaths, WordSubsequences

_PLACES = {
    "Constituents": "substring_kernels",
    "Derivation": "grammar",
    "Grammar": "grammar",
    "OnSubstrings": "substring_kernels",
    "Production": "grammar",
    "Reading": "semantic_parser",
    "Readings": "semantic_parser",
    "SemanticParser": "semantic_parser",
    "SubstringPaths": "substring_kernels",
    "WordSubsequences": "substring_kernels",
    "read_grammar": "grammar",
}

__all__ = [
    "Constituents",
    "Derivation",
    "Grammar",
    "OnSubstrings",
    "Production",
    "Reading",
    "Readings",
    "SemanticParser",
    "SubstringPaths",
    "WordSubsequences",
    "read_grammar",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'rekern.krisp' has no attribute {name!r}")
    return getattr(import_module(f"rekern.krisp.{_PLACES[name]}"), name)
