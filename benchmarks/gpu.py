"""Grams by a GPU beside the same Grams by all cores of the processor, in one run.

    python benchmarks/gpu.py [--trees 10000] [--pairs 45773] [--jobs 16] [--data FOLDER] [--baseline FOLDER]
        [--only NAME]

The trees are those of MSRP where the corpora are at hand, else grown at random; the pairs are the training part of QQP.
A rate is the number of different cells of the Gram, n (n + 1) / 2, by the time of the whole call: folding of trees or
extraction of features, normalisation and the copy into an array of the processor included. Compilation is not counted.
In lines with "stays", the Gram stays on the GPU, in an array that is there before, and nothing is copied.
For the re-writing kernel the time from ready features is given, too. The last column is the largest difference of the
two Grams. A time is the least of two or three calls: in the first one, a virtual machine may still wait for memory.
With ``--only`` only the kernels whose names contain NAME are measured.
With ``--baseline`` another version of Rekern, whose source folder is given, computes some Grams on the same cores, too,
in a process of its own; its difference is that of every hundredth row.
The last line is about the re-writing kernel: how long the processor takes to extract the features, which the GPU does
itself, and to touch the memory of the result once, which a Gram that does not stay on the GPU needs as well.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from experiments.corpora import load_qqp
from rekern.core.device import DeviceArray, load_cuda, use_device
from rekern.kernels import BestPairing, DependencyPaths, PartialTree, Rewriting, SmoothedPartialTree, SubsetTree
from rekern.kernels.device_plan import store_gram
from rekern.kernels.gram_plan import compute_gram
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.similarity import WordVectors
from rekern.structures.trees import Trees
from trees import lexical, treebank

Gram = np.ndarray | DeviceArray

PAGE = 512  # numbers in a page of memory
SAMPLED = 100  # one row of so many is compared with another version

# What another version runs: it uses only names that all versions have.
OTHER_VERSION = """
import json, sys, time
import numpy as np
from rekern import kernels, structures

folder, name, options, kind, jobs, sampled = sys.argv[1:]
items = getattr(structures, kind).from_items([
    tuple(item) if isinstance(item, list) else item for item in json.load(open(folder + "/items.json"))
])
kernel = getattr(kernels, name)(**json.loads(options, object_hook=lambda given: {
    key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
}))
kernel.gram(items[:200], n_jobs=int(jobs))
least = float("inf")
for _ in range(2):
    gram = None
    started = time.perf_counter()
    gram = kernel.gram(items, n_jobs=int(jobs))
    least = min(least, time.perf_counter() - started)
np.save(folder + "/rows.npy", gram[:: int(sampled)])
print(least)
"""


def find_vectors(words: set[str], data: str | None) -> tuple[str, WordVectors]:
    """Vectors of 100 dimensions, and where they come from: GloVe where it is at hand, else random numbers."""
    path = Path(data or os.environ.get("REKERN_DATA") or ".") / "glove_6b_100d" / "vectors.bin.gz"
    if path.exists():
        return "GloVe", WordVectors.from_file(path)
    return "random", WordVectors(sorted(words), np.random.default_rng(0).normal(size=(len(words), 100)))


def measure(call: Callable[[], Gram], repeats: int) -> tuple[float, Gram]:
    """The least seconds of some calls, and the last result."""
    least = np.inf
    result: Gram = np.empty(0)
    for _ in range(repeats):
        del result
        started = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - started)
    return least, result


def compare(gram: Gram, other: np.ndarray) -> float:
    """The largest difference of two Grams."""
    largest = 0.0
    for at in range(0, len(other), 512):
        rows = gram[at : at + 512]
        rows = rows if isinstance(rows, np.ndarray) else rows.copy_to_host()
        largest = max(largest, float(np.abs(rows - other[at : at + 512]).max()))
    return largest


def show(
    name: str, size: int, slow: Callable[[], np.ndarray], fast: dict[str, Callable[[], Gram]], times: int
) -> float:
    """Print the rates of the cores and of calls by the GPU, their ratio and the largest difference.

    Returns the seconds of the cores.
    """
    cells = size * (size + 1) / 2
    theirs, other = measure(slow, 2)
    for ending, call in fast.items():
        seconds, gram = measure(call, times)
        rates = f"{cells / theirs / 1e6:>12.1f} {cells / seconds / 1e6:>10.1f} {theirs / seconds:>7.1f}"
        times_of_both = f"{theirs:>8.3f} {seconds:>8.3f}"
        print(f"{name + ending:<40} {size:>7,} {rates} {times_of_both}   {compare(gram, other):.1e}", flush=True)
        del gram
    return theirs


def show_baseline(
    name: str, kernel: Kernel, raw: list[object], kind: str, fast: Callable[[], np.ndarray], options: argparse.Namespace
) -> None:
    """Print the rate of another version on the cores beside that of the GPU now, and the difference of some rows."""
    if options.baseline is None:
        return
    seconds, gram = measure(fast, 2)
    rows = gram[::SAMPLED].copy()
    del gram
    given = {key: value for key, value in kernel.get_params(deep=False).items() if key == "k"}
    jobs = str(options.jobs or os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "items.json").write_text(json.dumps(raw), encoding="utf-8")
        command = [sys.executable, "-c", OTHER_VERSION, folder, type(kernel).__name__, json.dumps(given), kind, jobs]
        variables = {**os.environ, "PYTHONPATH": str(Path(options.baseline).resolve())}
        done = subprocess.run([*command, str(SAMPLED)], env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: the other version failed: {done.stderr.strip().splitlines()[-1]}", flush=True)
            return
        theirs = float(done.stdout.split()[-1])
        difference = float(np.abs(np.load(Path(folder, "rows.npy")) - rows).max())
    cells = len(raw) * (len(raw) + 1) / 2
    rates = f"{cells / theirs / 1e6:>12.1f} {cells / seconds / 1e6:>10.1f} {theirs / seconds:>7.1f}"
    times_of_both = f"{theirs:>8.3f} {seconds:>8.3f}"
    print(f"{name + ', other version':<40} {len(raw):>7,} {rates} {times_of_both}   {difference:.1e}", flush=True)


def touch_memory(size: int, threads: int) -> np.ndarray:
    """Return a new matrix of which threads have touched every page."""
    matrix = np.empty(size * size)
    parts = np.array_split(matrix, 16 * threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: part[::PAGE].fill(0.0), parts))
    return matrix


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=45_773)
    parser.add_argument("--jobs", type=int, default=None, help="threads of the processor, by default all cores")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    parser.add_argument("--only", default="", help="a part of the names of the kernels that are measured")
    parser.add_argument("--baseline", help="source folder of another version, to compare with on the same cores")
    options = parser.parse_args()
    free, _ = load_cuda().current_context().get_memory_info()
    print(f"GPU: {free / 1e9:.0f} GB")
    times = f"{'cores, s':>8} {'GPU, s':>8}"
    print(f"{'million cells/s':<40} {'items':>7} {'cores':>12} {'GPU':>10} {'ratio':>7} {times}   largest difference")
    show_trees(options)
    if options.only in "Rewriting":
        show_rewriting(options)


def compile_cores(kernel: Kernel, items: Items) -> None:
    """Compute small Grams, so that everything is compiled."""
    kernel.gram(items, device="cpu")
    gram = kernel.gram(items, device="cuda")
    kernel.gram(items, device="cuda", out=load_cuda().device_array(gram.shape))


def show_trees(options: argparse.Namespace) -> None:
    """Print the rates of the kernels on trees."""
    names = ["PartialTree", "SubsetTree", "SmoothedPartialTree", "DependencyPaths"]
    combined = ["PartialTree() + SubsetTree()", "BestPairing(PartialTree())"]
    if not any(options.only in name for name in names + combined):
        return
    source, texts = treebank(options.data, options.trees)
    trees = Trees.from_items(texts)
    words = lexical(trees)
    labels = {label.split("::")[0] for label in words.vocabulary if "::" in label}
    made, vectors = find_vectors(labels, options.data)
    some = len(trees) // 2
    pairs = [(trees[place], trees[place + some]) for place in range(some)]
    kernels: list[tuple[Kernel, object]] = [
        (PartialTree(), trees),
        (SubsetTree(), trees),
        (SmoothedPartialTree(similarity=vectors), words),
        (DependencyPaths(), trees),
        (PartialTree() + SubsetTree(), trees),
        (BestPairing(PartialTree()), pairs),
    ]
    for name, (kernel, items) in zip(names + combined, kernels):
        if options.only not in name:
            continue
        compile_cores(kernel, items[:200])
        gram = partial(kernel.gram, items, n_jobs=options.jobs)
        array = load_cuda().device_array((len(items), len(items)))
        calls = {"": partial(gram, device="cuda"), ", stays": partial(gram, device="cuda", out=array)}
        show(name, len(items), partial(gram, device="cpu"), calls, options.repeats)
        if name in ("PartialTree", "SubsetTree"):
            show_baseline(name, kernel, list(texts), "Trees", partial(gram, device="cuda"), options)
    size = f"{len(trees.labels) / len(trees):.0f} nodes"
    print(f"{len(trees):,} trees ({source}) of {size}; word vectors: {made}")


def show_rewriting(options: argparse.Namespace) -> None:
    """Print the rates of the re-writing kernel, for the whole call and from ready features."""
    kernel = Rewriting(k=(1, 4))
    table = load_qqp("train", options.data)
    pairs = kernel.read_items(table.pairs[: options.pairs])
    compile_cores(kernel, pairs[:200])
    gram = partial(kernel.gram, pairs, n_jobs=options.jobs)
    array = load_cuda().device_array((len(pairs), len(pairs)))
    calls = {"": partial(gram, device="cuda"), ", stays": partial(gram, device="cuda", out=array)}
    whole = show("Rewriting, the whole call", len(pairs), partial(gram, device="cpu"), calls, 3)
    raw = [list(pair) for pair in table.pairs[: options.pairs]]
    show_baseline("Rewriting", kernel, raw, "Pairs", partial(gram, device="cuda"), options)
    plans = {}  # that of a GPU extracts the features in its first call
    for device in ("cuda", "cpu"):
        with use_device(device):
            plans[device] = kernel.plan_gram(pairs, None, options.jobs)

    def stay() -> DeviceArray:
        store_gram(plans["cuda"], array, options.jobs)
        return array

    ready = {"": partial(compute_gram, plans["cuda"], options.jobs), ", stays": stay}
    cores = partial(compute_gram, plans["cpu"], options.jobs)
    show("Rewriting, from ready features", len(pairs), cores, ready, 3)
    extracting, _ = measure(lambda: kernel.features(pairs, options.jobs).data, 2)
    touching, _ = measure(lambda: touch_memory(len(pairs), options.jobs or os.cpu_count() or 1), 2)
    print(
        f"Rewriting: features {extracting:.2f} s, memory of the Gram touched {touching:.2f} s, both by the processor, "
        f"which needs {whole:.2f} s for the whole call"
    )


if __name__ == "__main__":
    main()
