"""The kernel values between the distinct substrings of the training sentences, computed when they are needed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.parallel_jobs import run, split_range
from rekern.kernels.combinations import Scaled, Sum
from rekern.kernels.kernel import Kernel
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substring_core import add_scaled
from rekern.krisp.substring_kernels import SubstringKernel, list_substring_kernels
from rekern.krisp.substrings import Substrings

ROWS = 128  # of the Gram that are computed together
BLOCK = 2048  # rows that are stored together
KEPT_BYTES = 3 << 30  # of rows that are kept while they are not needed

SingleFloats = npt.NDArray[np.float32]


class WeightedKernel(NamedTuple):
    """One kernel of a sum, with its weight."""

    kernel: Kernel
    weight: float


def split_sum(kernel: Kernel) -> list[WeightedKernel]:
    """The kernels of a weighted sum; a kernel alone has the weight 1.

    >>> from rekern.krisp import SubstringPaths, WordSubsequences
    >>> [part.weight for part in split_sum(0.5 * WordSubsequences() + SubstringPaths())]
    [0.5, 1.0]
    """
    if isinstance(kernel, Sum):
        return split_sum(kernel.left) + split_sum(kernel.right)
    if isinstance(kernel, Scaled):
        return [WeightedKernel(part, kernel.weight * weight) for part, weight in split_sum(kernel.kernel)]
    return [WeightedKernel(kernel, 1.0)]


def compute_norms(kernel: Kernel, substrings: Substrings) -> Floats:
    """The factors that normalise the values of each kernel of a sum, (kernels, substrings)."""
    norms = [
        part.compute_norms(substrings) if isinstance(part, SubstringKernel) else np.ones(len(substrings))
        for part, _ in split_sum(kernel)
    ]
    return np.array(norms).reshape(-1, len(substrings))


def compute_gram(
    kernel: Kernel, left: Substrings, right: Substrings, left_norms: Floats, right_norms: Floats
) -> Floats:
    """The values of a kernel whose norms (`compute_norms`) are known."""
    total = np.zeros((len(left), len(right)))
    for place, (part, weight) in enumerate(split_sum(kernel)):
        if isinstance(part, SubstringKernel):
            values = part.compute_values(left, right)
        else:
            values = part.gram(left, right, n_jobs=1)
        add_scaled(values, left_norms[place], weight * right_norms[place], total)
    return total


class SubstringGram:
    """The kernel values between the distinct substrings of a corpus, computed row by row when they are needed.

    Substrings that the kernel cannot tell apart have the same number. ``numbers[sentence][start, end - 1]`` is the
    number of a substring.

    >>> from rekern.krisp import WordSubsequences
    >>> sentences = [AnnotatedSentence(("a", "b")), AnnotatedSentence(("b", "b"))]
    >>> gram = SubstringGram(WordSubsequences(), SentenceCorpus(sentences))
    >>> gram.numbers[1].tolist(), len(gram)  # "b" occurs three times
    ([[2, 3], [-1, 2]], 4)
    >>> gram.square(np.array([1, 2])).astype(float).round(2).tolist()
    [[1.0, 0.58], [0.58, 1.0]]
    """

    def __init__(self, kernel: Kernel, corpus: SentenceCorpus, n_jobs: int | None = None):
        self.kernel, self.n_jobs = kernel, n_jobs
        self.numbers: list[SmallInts] = []
        self.substrings = Substrings(corpus, self._number_substrings(corpus))
        self.norms = compute_norms(kernel, self.substrings)
        self._blocks: list[SingleFloats] = []  # of rows
        self._block = np.full(len(self.substrings), -1, np.int32)  # the block of each row, -1 for none …
        self._place = np.full(len(self.substrings), -1, np.int32)  # … and its place there

    def _number_substrings(self, corpus: SentenceCorpus) -> list[tuple[int, int, int]]:
        """Number the substrings of all sentences; returns the first substring of every number."""
        parts = list_substring_kernels(self.kernel)
        known: dict[Hashable, int] = {}
        first: list[tuple[int, int, int]] = []
        for sentence, item in enumerate(corpus.sentences):
            n_words = len(item.words)
            found = np.full((n_words, n_words), -1, np.int32)
            for start in range(n_words):
                for end in range(start + 1, n_words + 1):
                    number = known.setdefault(_identify(parts, item, start, end), len(known))
                    if number == len(first):
                        first.append((sentence, start, end))
                    found[start, end - 1] = number
            self.numbers.append(found)
        return first

    def __len__(self) -> int:
        return len(self.substrings)

    def compute(self, numbers: Iterable[int] | Ints) -> None:
        """Compute the rows of these substrings, in threads, if they are not there yet.

        Rows that are not among these are forgotten if there are too many.
        """
        wanted = np.unique(np.fromiter(numbers, np.int64))
        missing = wanted[self._block[wanted] < 0]
        kept = sum(len(block) for block in self._blocks)
        if len(missing) and 4 * (kept + len(missing)) * len(self) > KEPT_BYTES:
            self._forget_others(wanted)
        for first in range(0, len(missing), BLOCK):
            part = missing[first : first + BLOCK]
            self._store(part, self._compute_rows(part))

    def _compute_rows(self, numbers: Ints) -> SingleFloats:
        rows = np.empty((len(numbers), len(self)), np.float32)

        def fill(first: int, last: int) -> None:
            part = numbers[first:last]
            rows[first:last] = compute_gram(
                self.kernel, self.substrings[part], self.substrings, self.norms[:, part], self.norms
            )

        for _ in run(fill, split_range(len(numbers), ROWS), self.n_jobs, "kernel values"):
            pass
        return rows

    def _store(self, numbers: Ints, rows: SingleFloats) -> None:
        self._block[numbers], self._place[numbers] = len(self._blocks), np.arange(len(numbers))
        self._blocks.append(rows)

    def _forget_others(self, wanted: Ints) -> None:
        """Keep only the rows of these substrings."""
        blocks, known = self._blocks, self._block[wanted]
        places = [self._place[wanted[known == block]] for block in range(len(blocks))]
        numbers = [wanted[known == block] for block in range(len(blocks))]
        self._blocks = []
        self._block[:] = -1
        for block in range(len(blocks)):  # one after the other, because a copy of all would need too much memory
            rows, blocks[block] = blocks[block], blocks[block][:0]
            if len(numbers[block]):
                self._store(numbers[block], rows[places[block]])

    def square(self, numbers: Ints) -> SingleFloats:
        """The values between these substrings, without a copy of their rows."""
        self.compute(numbers)
        found = np.empty((len(numbers), len(numbers)), np.float32)
        owners = self._block[numbers]
        for block in np.unique(owners):
            here = np.flatnonzero(owners == block)
            found[here] = self._blocks[block][np.ix_(self._place[numbers[here]], numbers)]
        return found

    def combine_rows(self, coefficients: SingleFloats, numbers: Ints) -> SingleFloats:
        """Combinations of the rows of these substrings, with few copies of rows: coefficients @ rows."""
        self.compute(numbers)
        found = np.zeros((len(coefficients), len(self)), np.float32)
        owners = self._block[numbers]
        for block in np.unique(owners):
            here = np.flatnonzero(owners == block)
            found += coefficients[:, here] @ self._blocks[block][self._place[numbers[here]]]
        return found


class GramPart:
    """The kernel values of some of the sentences of a `SubstringGram`, which computes and keeps them.

    >>> from rekern.krisp import WordSubsequences
    >>> sentences = [AnnotatedSentence(("a", "b")), AnnotatedSentence(("b", "b"))]
    >>> part = GramPart(SubstringGram(WordSubsequences(), SentenceCorpus(sentences)), [1])
    >>> [numbers.tolist() for numbers in part.numbers]
    [[[2, 3], [-1, 2]]]
    """

    def __init__(self, gram: SubstringGram, places: Iterable[int]):
        self.numbers = [gram.numbers[place] for place in places]
        self.substrings, self.norms = gram.substrings, gram.norms
        self.compute, self.square, self.combine_rows = gram.compute, gram.square, gram.combine_rows


def _identify(parts: Sequence[SubstringKernel], sentence: AnnotatedSentence, start: int, end: int) -> Hashable:
    if len(parts) == 1:
        return parts[0].identify(sentence, start, end)
    return tuple(part.identify(sentence, start, end) for part in parts)
