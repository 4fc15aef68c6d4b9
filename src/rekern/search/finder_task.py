"""A search for matches on a cluster: each worker opens the same index and model, and gets parts of the work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.parallel_jobs import allow_threads, run_at_workers
from rekern.errors import InputError
from rekern.learning import PairClassifier, load_model
from rekern.search.matches import ScoredPairs
from rekern.search.pair_finder import PairFinder
from rekern.similarity import WordVectors


@dataclass(frozen=True)
class FinderTask:
    """What a worker needs for a search: the files of the index and of the model, and how they are used.

    Files are named by paths that all workers see. The index is memory-mapped, so that workers of one machine share it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     PairFinder().fit(["a b", "b c"]).save(f"{folder}/texts.index")
    ...     FinderTask(f"{folder}/texts.index").call("list_candidates", 0, 1).targets.tolist()
    [1]
    """

    index: str
    model: str | None = None
    candidates: int = 20
    label: str | None = None
    wordnet: str | None = None
    thesaurus: str | None = None
    limits: ModelLimits = DEFAULT_LIMITS
    n_jobs: int | None = None
    vectors: str | None = None

    def open(self) -> PairFinder:
        """Open the index and the model, once in a process."""
        return _open_once(self, *map(_read_stamp, (self.index, self.model, self.vectors)))

    def call(self, method: str, *arguments: object) -> ScoredPairs:
        """Call a method of the finder on this machine."""
        with allow_threads(self.n_jobs):
            found: ScoredPairs = getattr(self.open(), method)(*arguments)
        return found


class ClusterWorkers:
    """The workers of a cluster that share a search; see `rekern.search.pair_finder.Workers`."""

    def __init__(self, task: FinderTask):
        self.task = task

    def run(self, method: str, calls: Iterable[tuple[object, ...]]) -> Iterator[ScoredPairs]:
        """Yield what a method of the finder returns for each call, in the order of the calls."""
        return run_at_workers(self.task.call, ((method, *call) for call in calls))


def _read_stamp(path: str | None) -> int:
    """Return when a file was written, 0 if there is none: the error comes from opening it."""
    try:
        return 0 if path is None else os.stat(path).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _open_once(task: FinderTask, *stamps: int) -> PairFinder:
    """Open the index and the model once in a process; ``stamps`` tell other files of the same names."""
    model = None
    if task.model is not None:
        model = load_model(task.model, limits=task.limits, wordnet=task.wordnet, thesaurus=task.thesaurus)
        if not isinstance(model, PairClassifier):
            raise InputError(f"{task.model} is no classifier of pairs")
        model.n_jobs = task.n_jobs
    vectors = None if task.vectors is None else WordVectors.from_file(task.vectors)
    return PairFinder.open(task.index, model, task.candidates, task.label, task.n_jobs, vectors)
