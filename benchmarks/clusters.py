"""One worker of a cluster against two, and what a block costs by itself.

    python benchmarks/clusters.py [dask ray spark] [--pairs 4000] [--files 16] [--folder-pairs 20000]

For each library: seconds to score a folder of tables, to extract features and to compute a Gram, with one worker and
with two on this machine, and the ratio (the target is 1.7). All workers have loaded their compiled code before. The
overhead is the time of a block that does nothing, with one worker. Results are compared with those of this process.
Use a machine on which nothing else runs; a library that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np

from rekern import PairClassifier, RewriteVectorizer
from rekern.core.cluster_calls import Cluster
from rekern.core.clusters import use_cluster
from rekern.core.parallel_jobs import run
from rekern.datasets import load_rewrites, write_table
from rekern.errors import MissingExtraError
from rekern.kernels import Rewriting, gram_plan
from rekern.learning.folder_prediction import FolderTask

LIBRARIES = ("dask", "ray", "spark")
WORKERS = (1, 2)
BLOCKS = 100  # that do nothing
TARGET = 1.7


class Work:
    """What is measured: a folder with a model and tables, and pairs."""

    def __init__(self, folder: Path, pairs: int, files: int, folder_pairs: int):
        self.folder = folder
        texts, labels = load_rewrites("train", size=1000)
        PairClassifier(Rewriting((1, 3))).fit(texts, labels).save(folder / "m.rekern")
        # Every pair gets a number of its own: equal pairs would be compared only once.
        made = [(f"{a} {n}", f"{b} {n + 1}") for n, (a, b) in enumerate(texts * (max(pairs, folder_pairs) // 1000 + 1))]
        self.pairs = made[:pairs]
        (folder / "pairs").mkdir()
        size = -(-folder_pairs // files)
        for number in range(files):
            part = made[number * size : min((number + 1) * size, folder_pairs)]
            columns = {"source": [a for a, _ in part], "target": [b for _, b in part]}
            write_table(folder / "pairs" / f"{number}.tsv", columns)

    def score_folder(self, cluster: Cluster | None) -> bytes:
        """Predict all tables, and return the bytes of the predictions."""
        out = tempfile.mkdtemp(dir=self.folder)
        task = FolderTask(str(self.folder / "m.rekern"), str(self.folder / "pairs"), out, n_jobs=1)
        calls = [(name,) for name in task.list_missing()]
        for _ in (task.predict(*call) for call in calls) if cluster is None else cluster.run(task.predict, calls):
            pass
        return b"".join(path.read_bytes() for path in sorted(Path(out).glob("*.tsv")))

    def extract_features(self, cluster: Cluster | None) -> np.ndarray:
        """Return the values of the features."""
        return RewriteVectorizer(k=(1, 4)).fit_transform(self.pairs).data

    def compute_gram(self, cluster: Cluster | None) -> np.ndarray:
        """Return the Gram."""
        return Rewriting((1, 4)).gram(self.pairs)


def measure(call: Callable[[], object], repeats: int = 2) -> tuple[float, object]:
    """Return the least seconds of some calls, and the last result."""
    least, result = np.inf, None
    for _ in range(repeats):
        started = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - started)
    return float(least), result


def is_same(one: object, other: object) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


def measure_library(library: str, work: Work, expected: dict[str, object]) -> None:
    """Print the figures of one library."""
    seconds: dict[str, list[float]] = {name: [] for name in expected}
    same = dict.fromkeys(expected, True)
    for workers in WORKERS:
        with use_cluster(f"{library}://local:{workers}") as cluster:
            for _ in range(2):  # until every worker has loaded what it runs
                list(cluster.run(_load_code, [(number,) for number in range(4 * workers)]))
            for name in expected:
                least, result = measure(lambda: getattr(work, name)(cluster))  # noqa: B023
                seconds[name].append(least)
                same[name] &= is_same(result, expected[name])
            if workers == 1:
                calls, blocks = measure_overhead(cluster)
    for name, (one, two) in seconds.items():
        bits = "same bits" if same[name] else "OTHER BITS"
        print(
            f"{library:<6} {name.replace('_', ' '):<18} {one:>8.3f} {two:>8.3f} {one / two:>6.2f}   {bits}", flush=True
        )
    print(f"{library:<6} overhead per call {1000 * calls / BLOCKS:.1f} ms, per block of joblib ", end="")
    print(f"{1000 * blocks / BLOCKS:.1f} ms (short blocks are sent together)", flush=True)


def measure_overhead(cluster: Cluster) -> tuple[float, float]:
    """Return the seconds of calls and of joblib's blocks that do nothing."""
    numbers = [(number,) for number in range(BLOCKS)]
    return measure(lambda: list(cluster.run(abs, numbers)))[0], measure(lambda: list(run(abs, numbers)))[0]


def _load_code(number: int) -> int:
    """Make a worker load the compiled functions; it takes so long that others get their share."""
    pairs, labels = load_rewrites("train", size=20)
    with joblib.parallel_config(backend="sequential"):
        PairClassifier(Rewriting((1, 4))).fit(pairs, labels).predict_proba(pairs)
        RewriteVectorizer(k=(1, 4)).fit_transform(pairs)
        Rewriting((1, 4)).gram(pairs)
    time.sleep(0.3)
    return os.getpid()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", default=LIBRARIES, metavar="LIBRARY")
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--folder-pairs", type=int, default=20_000)
    options = parser.parse_args()
    gram_plan.BLOCK_BYTES = 1 << 22  # several blocks for each worker
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder), options.pairs, options.files, options.folder_pairs)
        names = ("score_folder", "extract_features", "compute_gram")
        expected = {name: getattr(work, name)(None) for name in names}
        print(f"seconds with 1 and 2 workers, and their ratio (target {TARGET})")
        for library in options.libraries:
            try:
                measure_library(library, work, expected)
            except MissingExtraError as error:
                print(f"{library:<6} left out: {error}")


if __name__ == "__main__":
    main()
