"""What a text becomes: tokens, trees and graphs as flat arrays with offsets, and pairs of token lists."""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.structures.dependency_trees import from_grct, grct, lct, lemma_leaves, loct, word_trees
    from rekern.structures.formats.conllu import from_conllu, read_conllu, to_conllu, write_conllu
    from rekern.structures.formats.format_detection import looks_like
    from rekern.structures.formats.kelp import KelpExample, from_klp, read_klp, trees_named
    from rekern.structures.formats.penn_treebank import (
        from_brackets,
        read_brackets,
        unescaped,
        without_empty_nodes,
        without_function_tags,
        write_brackets,
    )
    from rekern.structures.formats.svm_light_tk import TKExample, from_svmlighttk, read_svmlighttk
    from rekern.structures.graphs import Graphs
    from rekern.structures.head_rules import head_child, to_dependencies
    from rekern.structures.multiword_expressions import Expression, Expressions
    from rekern.structures.pairs import Pairs, as_pairs, as_texts
    from rekern.structures.rel_links import linked_graphs, mark_related
    from rekern.structures.representations import Representations
    from rekern.structures.sentences import Sentence, sentence
    from rekern.structures.stemmer import stem
    from rekern.structures.tokenizer import Tokenizer
    from rekern.structures.tokens import Tokens
    from rekern.structures.trees import Trees

__all__ = [
    "Expression",
    "Expressions",
    "Graphs",
    "KelpExample",
    "Pairs",
    "Representations",
    "Sentence",
    "TKExample",
    "Tokenizer",
    "Tokens",
    "Trees",
    "as_pairs",
    "as_texts",
    "from_brackets",
    "from_conllu",
    "from_grct",
    "from_klp",
    "from_svmlighttk",
    "grct",
    "head_child",
    "lct",
    "lemma_leaves",
    "linked_graphs",
    "loct",
    "looks_like",
    "mark_related",
    "read_brackets",
    "read_conllu",
    "read_klp",
    "read_svmlighttk",
    "sentence",
    "stem",
    "to_conllu",
    "to_dependencies",
    "trees_named",
    "unescaped",
    "without_empty_nodes",
    "without_function_tags",
    "word_trees",
    "write_brackets",
    "write_conllu",
]

# A module is imported when one of its names is first used: readers of tables need neither NumPy nor Numba.
_NAMES = {
    "dependency_trees": ("from_grct", "grct", "lct", "lemma_leaves", "loct", "word_trees"),
    "formats.conllu": ("from_conllu", "read_conllu", "to_conllu", "write_conllu"),
    "formats.format_detection": ("looks_like",),
    "formats.kelp": ("KelpExample", "from_klp", "read_klp", "trees_named"),
    "formats.penn_treebank": (
        "from_brackets",
        "read_brackets",
        "unescaped",
        "without_empty_nodes",
        "without_function_tags",
        "write_brackets",
    ),
    "formats.svm_light_tk": ("TKExample", "from_svmlighttk", "read_svmlighttk"),
    "graphs": ("Graphs",),
    "head_rules": ("head_child", "to_dependencies"),
    "multiword_expressions": ("Expression", "Expressions"),
    "pairs": ("Pairs", "as_pairs", "as_texts"),
    "rel_links": ("linked_graphs", "mark_related"),
    "representations": ("Representations",),
    "sentences": ("Sentence", "sentence"),
    "stemmer": ("stem",),
    "tokenizer": ("Tokenizer",),
    "tokens": ("Tokens",),
    "trees": ("Trees",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
