"""The default kernel of a semantic parser: the sum of all kernels on substrings that the training sentences allow.

The sums were chosen by the mistakes in folds of the training parts of GeoQuery and CLang together, see
``docs/concepts/krisp.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from rekern.kernels.kernel import Kernel
from rekern.krisp.parser_input import SentenceInput, TreeInput
from rekern.krisp.substring_kernels import make_substring_kernel
from rekern.structures.sentences import Sentence

DEFAULT = "default"
WITH_TREES = "dependency+word+syntactic"
WITH_HEADS = "dependency+word"  # a `Sentence` has heads, but no constituents
WORDS = "word"


def resolve_substring_kernel(
    kernel: str | Kernel,
    sentences: Sequence[SentenceInput],
    trees: Sequence[TreeInput | None] | None = None,
    has_parser: bool = False,
) -> Kernel:
    """Make the kernel of a parser; "default" stands for the best one for what the training sentences have.

    >>> sentences = ["which rivers run"]
    >>> resolve_substring_kernel("default", sentences)
    WordSubsequences()
    >>> sorted(resolve_substring_kernel("default", sentences, ["(S (W which) (N rivers) (V run))"]).reads())
    ['heads', 'tree', 'words']
    """
    if not isinstance(kernel, str) or kernel.strip() != DEFAULT:
        return make_substring_kernel(kernel)
    if any(isinstance(sentence, Sentence) for sentence in sentences):
        return make_substring_kernel(WITH_HEADS)
    has_trees = has_parser if trees is None else any(tree is not None for tree in trees)
    return make_substring_kernel(WITH_TREES if has_trees else WORDS)
