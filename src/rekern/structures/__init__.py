"""What a text becomes: tokens as flat arrays with offsets, and pairs of them."""

from rekern.structures.pairs import Pairs, as_pairs, as_texts
from rekern.structures.tokens import Tokenizer, Tokens

__all__ = ["Pairs", "Tokenizer", "Tokens", "as_pairs", "as_texts"]
