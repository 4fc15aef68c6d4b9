"""One worker of a cluster against two or more.

    python benchmarks/clusters.py [dask ray spark] [--workers 1,2] [--work score_folder,…] [--pairs 16000]
                                  [--trees 5000] [--feature-pairs 200000] [--texts 40000] [--files 32]
                                  [--folder-pairs 320000]

For each library and each kind of work: seconds with each number of workers on this machine, and the ratio of the first
number to each of the others. All workers have loaded their compiled code before. On a machine with two cores, two
workers, this process and the cluster's own processes share these: measure on one with more.

Results are compared with those of this process, by digests. A library that is not installed is named and left out.
Grams are written to the folder of temporary files (``TMPDIR``).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
from sklearn.model_selection import GridSearchCV

from rekern import PairClassifier, RewriteVectorizer
from rekern.core.clusters import use_cluster
from rekern.core.parallel_jobs import run_at_workers
from rekern.datasets import load_rewrites, write_table
from rekern.errors import MissingExtraError
from rekern.kernels import PartialTree, Rewriting
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.learning.folder_prediction import FolderTask
from rekern.learning.named_kernels import make_named_kernel
from rekern.search import PairFinder
from rekern.search.finder_task import ClusterWorkers, FinderTask

LIBRARIES = ("dask", "ray", "spark")
WORK = ("score_folder", "match_texts", "search_costs", "compare_trees", "compare_pairs", "compare_rules", "list_rules")
LEAST_PROBABILITY = 0.5


class Work:
    """What is measured: a folder with a model and maybe an index and tables; pairs and trees."""

    def __init__(
        self,
        folder: Path,
        names: list[str],
        pairs: int,
        feature_pairs: int,
        trees: int,
        texts: int,
        files: int,
        folder_pairs: int,
    ):
        self.folder = folder
        self.known, self.labels = load_rewrites("train")
        PairClassifier(Rewriting((1, 3))).fit(self.known[:1000], self.labels[:1000]).save(folder / "m.rekern")
        self.kernel = make_named_kernel("rules+curves").fit(self.known)
        # Every pair gets a number of its own: equal pairs would be compared only once.
        rounds = max(pairs, feature_pairs, trees, texts // 2, folder_pairs) // 1000 + 1
        made = [(f"{a} {n}", f"{b} {n + 1}") for n, (a, b) in enumerate(self.known[:1000] * rounds)]
        self.pairs, self.many_pairs = made[:pairs], made[:feature_pairs]
        self.trees = [make_tree(f"{a} {b}".split(), number) for number, (a, b) in enumerate(made[:trees])]
        if "score_folder" in names:
            self._write_tables(made[:folder_pairs], files)
        if "match_texts" in names:
            PairFinder().fit([text for pair in made[: texts // 2] for text in pair]).save(folder / "texts.index")

    def _write_tables(self, pairs: list[tuple[str, str]], files: int) -> None:
        (self.folder / "pairs").mkdir()
        size = -(-len(pairs) // files)
        for number in range(files):
            part = pairs[number * size : (number + 1) * size]
            columns = {"source": [a for a, _ in part], "target": [b for _, b in part]}
            write_table(self.folder / "pairs" / f"{number}.parquet", columns)

    def score_folder(self, is_there: bool) -> bytes:
        """Predict all tables, and return the bytes of the predictions."""
        out = tempfile.mkdtemp(dir=self.folder)
        task = FolderTask(str(self.folder / "m.rekern"), str(self.folder / "pairs"), out, n_jobs=1)
        calls = [(name,) for name in task.list_missing()]
        for _ in run_at_workers(task.predict, calls) if is_there else (task.predict(*call) for call in calls):
            pass
        return b"".join(path.read_bytes() for path in sorted(Path(out).glob("*.parquet")))

    def match_texts(self, is_there: bool) -> np.ndarray:
        """Find the duplicates among texts, and return their probabilities."""
        task = FinderTask(str(self.folder / "texts.index"), str(self.folder / "m.rekern"), n_jobs=1)
        workers = ClusterWorkers(task) if is_there else None
        blocks = task.open().score_duplicates(LEAST_PROBABILITY, workers=workers)
        return np.concatenate([block.probabilities for block in blocks])

    def search_costs(self, is_there: bool) -> np.ndarray:
        """Compare costs of errors in folds by scikit-learn, and return the accuracies."""
        model = PairClassifier(Rewriting((1, 4)), calibration=0)
        search = GridSearchCV(model, {"C": [0.1, 0.3, 1.0, 3.0]}, cv=8, refit=False).fit(self.known, self.labels)
        return search.cv_results_["mean_test_score"]

    def compare_trees(self, is_there: bool) -> np.ndarray:
        """Compute the Gram of trees into a memory-mapped file."""
        return self._write_gram(PartialTree(), self.trees)

    def compare_pairs(self, is_there: bool) -> np.ndarray:
        """Compute the Gram of pairs with the default kernel into a memory-mapped file."""
        return self._write_gram(self.kernel, self.pairs)

    def compare_rules(self, is_there: bool) -> np.ndarray:
        """Compute the Gram of the rules of pairs alone, which takes about as long as to write it."""
        return self._write_gram(Rewriting((1, 4)), self.pairs)

    def _write_gram(self, kernel: Kernel, items: Items) -> np.ndarray:
        path = self.folder / "gram.npy"
        gram = kernel.gram(items, out=path)
        path.unlink()  # it stays mapped, and its room is free when the array is gone
        return gram

    def list_rules(self, is_there: bool) -> np.ndarray:
        """Return the values of the hashed features of many pairs."""
        return RewriteVectorizer(k=(1, 4), hashing=2**20).transform(self.many_pairs).data


def make_tree(words: list[str], number: int) -> str:
    """Return a binary tree over words; the number says where it branches."""
    if len(words) == 1:
        return f"(T {words[0]})"
    middle = 1 + number % (len(words) - 1)
    left, right = make_tree(words[:middle], number // 2), make_tree(words[middle:], number // 3)
    return f"({'ABC'[number % 3]} {left} {right})"


def measure(call: Callable[[], object], repeats: int = 3) -> tuple[float, object]:
    """Return the seconds of the fastest of some calls, and the last result."""
    seconds, result = [], None
    for _ in range(repeats):
        result = None  # to free gigabytes takes time, too
        started = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - started)
    return min(seconds), result


def digest(result: np.ndarray | bytes) -> str:
    return hashlib.sha256(result).hexdigest()


def measure_library(library: str, work: Work, expected: dict[str, str], numbers: list[int]) -> None:
    """Print the figures of one library with each number of workers."""
    seconds: dict[str, list[float]] = {name: [] for name in expected}
    same = dict.fromkeys(expected, True)
    for workers in numbers:
        with use_cluster(f"{library}://local:{workers}"):
            for _ in range(2):  # until every worker has loaded what it runs
                list(run_at_workers(_load_code, [(number,) for number in range(4 * workers)]))
            for name in expected:
                least, result = measure(lambda: getattr(work, name)(True))  # noqa: B023
                seconds[name].append(least)
                same[name] &= digest(result) == expected[name]
                del result
    for name, found in seconds.items():
        ratios = [f"{found[0] / second:.2f}" for second in found[1:]]
        bits = "same" if same[name] else "OTHER"
        print_row(library, name.replace("_", " "), *(f"{second:.3f}" for second in found), *ratios, bits)


def print_row(*cells: str) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def _load_code(number: int) -> int:
    """Make a worker load the compiled functions; it takes so long that others get their share."""
    pairs, labels = load_rewrites("train", size=20)
    with joblib.parallel_config(backend="sequential"):
        PairClassifier(Rewriting((1, 4))).fit(pairs, labels).predict_proba(pairs)
        RewriteVectorizer(k=(1, 4), hashing=2**20).transform(pairs)
        Rewriting((1, 4)).gram(pairs)
        make_named_kernel("rules+curves").fit(pairs).gram(pairs)
        PartialTree().gram([make_tree(a.split(), 0) for a, _ in pairs])
    time.sleep(0.3)
    return os.getpid()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", default=LIBRARIES, metavar="LIBRARY")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, such as 1,2,4")
    parser.add_argument("--pairs", type=int, default=16_000)
    parser.add_argument("--feature-pairs", type=int, default=200_000)
    parser.add_argument("--trees", type=int, default=5_000)
    parser.add_argument("--texts", type=int, default=40_000)
    parser.add_argument("--files", type=int, default=32)
    parser.add_argument("--folder-pairs", type=int, default=320_000)
    parser.add_argument("--work", default=",".join(WORK), help="what to measure")
    options = parser.parse_args()
    names, numbers = options.work.split(","), [int(number) for number in options.workers.split(",")]
    unknown = set(names) - set(WORK)
    if unknown:
        parser.error(f"--work: no {', '.join(sorted(unknown))}; there are {', '.join(WORK)}")
    with tempfile.TemporaryDirectory() as folder:
        sizes = (options.pairs, options.feature_pairs, options.trees, options.texts, options.files)
        work = Work(Path(folder), names, *sizes, options.folder_pairs)
        expected = {name: digest(getattr(work, name)(False)) for name in names}
        ratios = [f"ratio, {number}" for number in numbers[1:]]
        headings = [
            "library",
            "work",
            *(f"{number} worker{'s' * (number > 1)}, s" for number in numbers),
            *ratios,
            "bits",
        ]
        print_row(*headings)
        print_row(*["---"] * len(headings))
        for library in options.libraries:
            try:
                measure_library(library, work, expected, numbers)
            except MissingExtraError as error:
                print(f"{library:<6} left out: {error}")


if __name__ == "__main__":
    main()
