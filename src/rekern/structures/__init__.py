"""What a text becomes: tokens, trees and graphs as flat arrays with offsets, and pairs of token lists."""

from rekern.structures.graphs import Graphs
from rekern.structures.pairs import Pairs, as_pairs, as_texts
from rekern.structures.tokens import Tokenizer, Tokens
from rekern.structures.trees import Trees

__all__ = ["Graphs", "Pairs", "Tokenizer", "Tokens", "Trees", "as_pairs", "as_texts"]
