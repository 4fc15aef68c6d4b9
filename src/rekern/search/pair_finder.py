"""Finding pairs in a corpus: candidates that share words, then the probability of a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator

from rekern.core.arrays import Booleans, Floats
from rekern.core.explanations import Explanation
from rekern.core.messages import list_names
from rekern.core.parallel_jobs import split_range
from rekern.core.parameter_tables import Jobs, check_parameters, state_parameters
from rekern.core.progress import track
from rekern.core.state_schema import Either, Text, Whole
from rekern.errors import InputError
from rekern.learning import PairClassifier, TextClassifier
from rekern.search.index_file import open_index, save_index
from rekern.search.matches import Matches, ScoredPairs, join_pairs, order_within, rank_within
from rekern.search.related_words import RelatedWords
from rekern.search.text_index import BLOCK, TextIndex, cut_blocks
from rekern.similarity.lexicons.word_vectors import VectorTable

PAIRS = 20_000  # that the model compares at a time
TOP = 5  # matches of a query, unless another number is asked for


class Workers(Protocol):
    """Those who share a search: each has the same corpus and model."""

    def run(self, method: str, calls: Iterable[tuple[object, ...]]) -> Iterator[ScoredPairs]:
        """Yield what a method of a `PairFinder` returns for each call, in the order of the calls."""


class PairFinder(BaseEstimator):
    """Finds the pairs of a relation in a corpus: duplicates within it, or the best texts for queries.

    Texts that share words are candidates: the ``candidates`` best by their BM25 score. With word vectors, so are texts
    with words that mean nearly the same. The model then gives the probability of each candidate. Without a model,
    matches are ranked by the score.

    Parameters
    ----------
    model : PairClassifier, optional
        A trained classifier of pairs with probabilities.
    candidates : int
        The most candidates of a text that the model compares it with.
    label : optional
        The class whose probability counts: by default the second of two classes.
    language : str or None
        The language of the stemmer, by which forms of a word are one word; None for no stemming.
    n_jobs : int, optional
        Threads of the search for candidates; all cores by default. The result does not depend on it.
    vectors : WordVectors or LatentSemantics, optional
        Word vectors: a word of a query also finds the texts with the words most similar to it, with less weight.

    Attributes
    ----------
    index_ : TextIndex
        The texts and the lists of their words.

    Examples
    --------
    >>> finder = PairFinder().fit(["Who wrote Hamlet?", "How high is K2?", "Who was the writer of Hamlet?"])
    >>> for match in finder.find(["who has written hamlet"], top=1):
    ...     print(match.target_row, match.target)
    0 Who wrote Hamlet?
    >>> [(match.source_row, match.target_row) for match in finder.find_duplicates(top=1)]
    [(0, 2)]
    """

    index_: TextIndex
    parameter_table = state_parameters(
        model=None,
        candidates=Whole(1, 10**6),
        label=None,
        language=Either(None, Text(100)),
        n_jobs=Jobs(),
        vectors=None,
    )

    def __init__(
        self,
        model: PairClassifier | None = None,
        candidates: int = 20,
        label: object = None,
        language: str | None = "english",
        n_jobs: int | None = None,
        vectors: VectorTable | None = None,
    ):
        self.model = model
        self.candidates = candidates
        self.label = label
        self.language = language
        self.n_jobs = n_jobs
        self.vectors = vectors

    def fit(self, texts: Iterable[str], y: object = None) -> Self:
        """Make the index of a corpus; the texts are read in blocks. ``y`` is not used."""
        self._check()
        self.index_ = TextIndex.from_texts(texts, self.language)
        return self

    def add(self, texts: Iterable[str]) -> Self:
        """Add texts to the corpus, with the rows after its last one; many at once cost little more than one.

        >>> len(PairFinder().fit(["one"]).add(["two", "three"]).index_)
        3
        """
        self.index_ = self._find_index().extend(texts)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, without the model. `open` memory-maps it."""
        save_index(self._find_index(), path)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        model: PairClassifier | None = None,
        candidates: int = 20,
        label: object = None,
        n_jobs: int | None = None,
        vectors: VectorTable | None = None,
    ) -> Self:
        """Open an index that `save` wrote; a file that is damaged raises ``ModelFileError``.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     PairFinder().fit(["a b", "c d"]).save(f"{folder}/texts.index")
        ...     PairFinder.open(f"{folder}/texts.index").find(["d"])[0].target
        'c d'
        """
        index = open_index(path)
        finder = cls(model, candidates, label, index.language, n_jobs, vectors)
        finder._check()
        finder.index_ = index
        return finder

    def find(self, queries: Sequence[str], top: int | None = TOP, min_probability: float | None = None) -> Matches:
        """Return the best texts of the corpus for each query.

        Parameters
        ----------
        queries : texts
            A list of str. A query is the source of its pairs.
        top : int, optional
            The most matches of a query; None for all candidates.
        min_probability : float, optional
            The least probability of a match. By default, there is none.

        Returns
        -------
        Matches
            In the order of the queries, the best match of each first.
        """
        texts = [text for block in cut_blocks(queries, BLOCK) for text in block]
        return self.score_queries(texts, top, min_probability).read(texts.__getitem__, self.index_.read_text)

    def score_queries(self, queries: list[str], top: int | None, min_probability: float | None) -> ScoredPairs:
        """Return what `find` returns, without the texts."""
        pairs = self._find_candidates(queries)
        spans = split_range(len(pairs.sources), PAIRS)
        matches = join_pairs(
            [self._compare(pairs.take(slice(*span)), queries.__getitem__) for span in spans], self.model
        )
        ranking = _list_rankings(matches)
        chosen = _has_probability(matches, min_probability)
        if top is not None:
            chosen &= rank_within(matches.sources, ranking, matches.targets, top)
        order = order_within(matches.sources, ranking, matches.targets)
        return matches.take(order[chosen[order]])

    def find_duplicates(self, top: int | None = None, min_probability: float | None = None) -> Matches:
        """Return the pairs of texts of the corpus that are candidates of each other, in the order of their rows.

        Parameters
        ----------
        top : int, optional
            Keep a pair only if it is among the ``top`` best of one of its texts. Without a model, 5 by default.
        min_probability : float, optional
            The least probability of a match. By default the threshold of the model: 0.5, or what it was trained with.

        Returns
        -------
        Matches
            Each pair once, with the lower row as the source.
        """
        found = self.choose_duplicates(self.score_duplicates(min_probability), top)
        return self.read_duplicates(found)

    def score_duplicates(
        self, min_probability: float | None = None, first: int = 0, workers: Workers | None = None
    ) -> Iterator[ScoredPairs]:
        """Yield the duplicates of the corpus in blocks, without those of the first blocks; see `find_duplicates`.

        A block belongs to a fixed number of candidates, so that an interrupted search can go on. ``workers`` with the
        same corpus and model share the work: first parts of the corpus, then parts of the candidates.

        >>> finder = PairFinder().fit(["a b", "b c", "a b"])
        >>> [block.sources.tolist() for block in finder.score_duplicates()]
        [[0, 0, 1]]
        """
        index = self._find_index()
        least = self.find_threshold() if min_probability is None else min_probability
        run = LoneWorker(self).run if workers is None else workers.run
        parts = split_range(len(index), BLOCK)
        found = track(run("list_candidates", parts), len(parts), "candidates")
        pairs = _merge_directions(join_pairs(list(found)), len(index))
        spans = split_range(len(pairs.sources), PAIRS)[first:]
        calls = ((pairs.take(slice(*span)), least) for span in spans)
        yield from track(run("compare_rows", calls), len(spans), "comparing" if self.model is not None else "")

    def list_candidates(self, first: int, last: int) -> ScoredPairs:
        """Return the candidates of the rows ``first`` to ``last - 1`` of the corpus, without probabilities.

        >>> PairFinder().fit(["a b", "b c", "a b"]).list_candidates(1, 2).targets.tolist()
        [0, 2]
        """
        return self._find_candidates(self._find_index().read_texts(first, last), first)

    def compare_rows(self, pairs: ScoredPairs, least: float | None) -> ScoredPairs:
        """Return which pairs of rows of the corpus have at least this probability, with it.

        >>> finder = PairFinder().fit(["a b", "b c"])
        >>> finder.compare_rows(finder.list_candidates(0, 1), None).targets.tolist()
        [1]
        """
        found = self._compare(pairs, self._find_index().read_text)
        return found.take(np.flatnonzero(_has_probability(found, least)))

    def choose_duplicates(self, blocks: Iterable[ScoredPairs], top: int | None = None) -> ScoredPairs:
        """Return the pairs of all blocks that are among the ``top`` best of one of their texts."""
        found = join_pairs(list(blocks), self.model)
        top = TOP if top is None and self.model is None else top
        if top is None:
            return found
        ranking = _list_rankings(found)
        chosen = rank_within(found.sources, ranking, found.targets, top)
        chosen |= rank_within(found.targets, ranking, found.sources, top)
        return found.take(np.flatnonzero(chosen))

    def read_duplicates(self, pairs: ScoredPairs) -> Matches:
        """Return pairs of rows of the corpus with their texts."""
        index = self._find_index()
        return pairs.read(index.read_text, index.read_text)

    def find_threshold(self) -> float | None:
        """Return the probability from which on pairs of one corpus are duplicates; None without a model.

        >>> PairFinder().find_threshold() is None
        True
        """
        if self.model is None:
            return None
        is_second = self._find_column() == 1 and len(self.model.classes_) == 2
        threshold = self.model.threshold_ if is_second else None
        return 0.5 if threshold is None else threshold

    def explain(self, source: str, target_row: int) -> Explanation:
        """Explain a match: the decision of the model about it or, without a model, the words that add to its score.

        A duplicate may have been found with its second text as the query: the score is then another one.

        >>> PairFinder().fit(["Who wrote Hamlet?"]).explain("who has written hamlet", 0).parts[0].name
        'who'
        """
        if self.model is None:
            related = self.find_related()
            return (self._find_index() if related is None else related.index).explain(source, target_row, related)
        index = self._find_index()
        return self.model.explain((source, index.read_text(target_row)), label=self.label, neighbors=0)

    def find_related(self) -> RelatedWords | None:
        """Return what finds related words in the present index by the present vectors; None without vectors.

        >>> PairFinder().fit(["a"]).find_related() is None
        True
        """
        index = self._find_index()
        if self.vectors is None:
            return None
        known: RelatedWords | None = vars(self).get("_related")
        if known is None or known.index is not index or known.vectors is not self.vectors:
            known = self._related = RelatedWords(self.vectors, index, known)
        return known

    def _check(self) -> None:
        """Refuse parameters that cannot be used."""
        check_parameters(self)
        if self.vectors is not None and not isinstance(self.vectors, VectorTable):
            raise InputError(f"vectors: give WordVectors or LatentSemantics, not a {type(self.vectors).__name__}")
        if self.model is not None:
            self._find_column()

    def _find_column(self) -> int:
        """Return which column of the model's probabilities counts."""
        model = self.model
        if not isinstance(model, PairClassifier) or isinstance(model, TextClassifier):
            kind = type(model).__name__
            raise InputError(f"model: a {kind} does not say whether a pair matches; give a PairClassifier")
        if not hasattr(model, "predict_proba"):
            raise InputError("the model has no probabilities: train it with calibration")
        classes: list[object] = model.classes_.tolist()
        if self.label is not None:
            return classes.index(model.find_label(self.label))
        if len(classes) > 2:
            names = list_names(classes)
            raise InputError(
                f"the model has {len(classes)} classes ({names}): say with label (--label) which one matches"
            )
        return 1

    def _find_index(self) -> TextIndex:
        self._check()
        if not hasattr(self, "index_"):
            raise InputError("this PairFinder has no texts: call fit first, or PairFinder.open")
        return self.index_

    def _find_candidates(self, texts: list[str], own: int | None = None) -> ScoredPairs:
        """Return the candidates of texts; if these are texts of the index, ``own`` is the row of the first."""
        related = self.find_related()
        index = self._find_index() if related is None else related.index  # another thread may have added texts since
        pairs = []
        for begin, end in split_range(len(texts), BLOCK):
            words = index.count_texts(texts[begin:end])
            row = None if own is None else own + begin
            found = index.find_candidates(words, self.candidates, row, self.n_jobs, related)
            places = np.nonzero(found.rows >= 0)
            targets = found.rows[places].astype(np.int64)
            pairs.append(ScoredPairs(places[0] + (begin if row is None else row), targets, found.scores[places]))
        return join_pairs(pairs)

    def _compare(self, pairs: ScoredPairs, read_source: Callable[[int], str]) -> ScoredPairs:
        """Return pairs with the probabilities of the model, if there is one."""
        if self.model is None:
            return pairs
        read_target = self.index_.read_text
        texts = [(read_source(a), read_target(b)) for a, b in zip(pairs.sources.tolist(), pairs.targets.tolist())]
        probabilities = self.model.predict_proba(texts)[:, self._find_column()]
        return pairs._replace(probabilities=np.ascontiguousarray(probabilities))


class LoneWorker:
    """Does all the work in this process.

    >>> finder = PairFinder().fit(["a b", "b c"])
    >>> [found.targets.tolist() for found in LoneWorker(finder).run("list_candidates", [(0, 1), (1, 2)])]
    [[1], [0]]
    """

    def __init__(self, finder: PairFinder):
        self.finder = finder

    def run(self, method: str, calls: Iterable[tuple[object, ...]]) -> Iterator[ScoredPairs]:
        """Yield what a method of the finder returns for each call."""
        function: Callable[..., ScoredPairs] = getattr(self.finder, method)
        return (function(*call) for call in calls)


def _list_rankings(pairs: ScoredPairs) -> list[Floats]:
    """Return by what pairs are ranked: by their probabilities, if there are any, then by their scores."""
    return [pairs.scores] if pairs.probabilities is None else [pairs.probabilities, pairs.scores]


def _has_probability(pairs: ScoredPairs, least: float | None) -> Booleans:
    """Return which pairs have at least this probability; all of them if there is no such limit."""
    if pairs.probabilities is None or least is None:
        return np.ones(len(pairs.sources), bool)
    return pairs.probabilities >= least


def _merge_directions(pairs: ScoredPairs, size: int) -> ScoredPairs:
    """Return each pair of rows once, with the lower row first and the higher score, in ascending order."""
    size = max(size, 1)
    codes = np.minimum(pairs.sources, pairs.targets)  # in place: the candidates of a large corpus fill the memory
    codes *= size
    codes += np.maximum(pairs.sources, pairs.targets)
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    scores = pairs.scores[order]
    del order
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else np.zeros(0, np.int64)
    scores = np.maximum.reduceat(scores, starts) if len(starts) else np.zeros(0)
    codes = codes[starts]
    return ScoredPairs(codes // size, codes % size, scores)
