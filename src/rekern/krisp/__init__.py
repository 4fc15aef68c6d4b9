"""Questions become queries: meaning grammars, their learner, answering from a database.

>>> from rekern.krisp import SemanticParser, read_grammar
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.krisp.grammar import Grammar
    from rekern.krisp.grammar_files import read_grammar
    from rekern.krisp.productions import Derivation, Production
    from rekern.krisp.reading import Reading, Readings
    from rekern.krisp.semantic_parser import SemanticParser
    from rekern.krisp.substring_kernels import Constituents, OnSubstrings, SubstringPaths, WordSubsequences

_MODULES = {
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

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
