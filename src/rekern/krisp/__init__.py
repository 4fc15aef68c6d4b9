"""Questions become queries: meaning grammars, their learner, answering from a database.

>>> from rekern.krisp import SemanticParser, read_grammar
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rekern.krisp.grammar import Grammar
    from rekern.krisp.grammar_files import read_grammar
    from rekern.krisp.productions import Derivation, Production
    from rekern.krisp.reading import Reading, Readings
    from rekern.krisp.semantic_parser import SemanticParser
    from rekern.krisp.substring_kernels import Constituents, OnSubstrings, SubstringPaths, WordSubsequences

_PLACES = {
    "Constituents": "substring_kernels",
    "Derivation": "productions",
    "Grammar": "grammar",
    "OnSubstrings": "substring_kernels",
    "Production": "productions",
    "Reading": "reading",
    "Readings": "reading",
    "SemanticParser": "semantic_parser",
    "SubstringPaths": "substring_kernels",
    "WordSubsequences": "substring_kernels",
    "read_grammar": "grammar_files",
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


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'rekern.krisp' has no attribute {name!r}")
    return getattr(import_module(f"rekern.krisp.{_PLACES[name]}"), name)
