"""Limits on what a model file or a grammar may ask for; they are checked before anything is read or made."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from rekern.errors import InputError, ModelFileError

LARGEST_NUMBER = 1e100  # sums and products of such numbers are finite


@dataclass(frozen=True)
class ModelLimits:
    """What a model file or a grammar may ask for. Give larger limits to `rekern.load_model` for a large file that you
    trust, or to `rekern.krisp.read_grammar`. On the command line, ``--limit NAME=NUMBER`` does the same.

    The time and the memory that loading takes are at most proportional to the size of the file, with a factor that
    follows from these limits.

    Parameters
    ----------
    members : int
        The number of parts in the zip file.
    member_bytes : int
        The size of one of them, unpacked.
    unpacked_bytes, unpacked_times : int
        All of them may unpack to this many bytes, or to this many times the size of the file if that is more.
    depth : int
        How deep kernels may be nested in kernels.
    objects : int
        The number of kernels, tokenizers and word spaces together.
    window_patterns : int
        The number of ways to put wildcards into the windows of a kernel, 2 to the power of k for a window of k tokens.
    item_size : int
        The number of words of a training text, or of nodes of a tree or graph, that the file keeps for comparison.
    sentence_words : int
        The number of words of a training sentence of a semantic parser.
    productions : int
        The number of productions of a grammar, one for each name.
    production_size : int
        The number of characters of a production, of its SQL, or of a phrase for a name.

    Examples
    --------
    >>> ModelLimits().check("depth", 10, "nested")
    >>> ModelLimits(depth=5).check("depth", 10, "it is 10 deep")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: it is 10 deep; the limit is 5: load_model(path, limits=ModelLimits(depth=10)), \
or --limit depth=10
    """

    members: int = 10_000
    member_bytes: int = 1 << 31
    unpacked_bytes: int = 1 << 26
    unpacked_times: int = 200  # zeros shrink to a thousandth, texts and trees to a tenth
    depth: int = 100
    objects: int = 200
    window_patterns: int = 1 << 14
    item_size: int = 20_000
    sentence_words: int = 200
    productions: int = 200_000
    production_size: int = 100_000

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{field.name}={value!r}: give a whole number of at least 1")

    def check(self, name: str, found: int, message: str) -> None:
        """Raise ModelFileError if a number exceeds the limit of this name; ``message`` says what has the number."""
        if reason := self.find_excess(name, found, message, "load_model"):
            raise ModelFileError(reason)

    def find_excess(self, name: str, found: int, message: str, function: str) -> str:
        """Return what is wrong if a number exceeds the limit of this name, with the function that can raise it; or "".

        >>> ModelLimits(productions=5).find_excess("productions", 7, "it has 7 productions", "read_grammar")
        'it has 7 productions; the limit is 5: read_grammar(path, limits=ModelLimits(productions=7)), \
or --limit productions=7'
        """
        limit = getattr(self, name)
        if found <= limit:
            return ""
        remedy = f"{function}(path, limits=ModelLimits({name}={found})), or --limit {name}={found}"
        return f"{message}; the limit is {limit:,}: {remedy}"


DEFAULT_LIMITS = ModelLimits()
