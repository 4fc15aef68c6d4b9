"""Grams by a GPU beside the same Grams by all cores of the processor, in one run.

    python benchmarks/gpu.py [--trees 10000] [--pairs 45773] [--jobs 16] [--data FOLDER] [--baseline FOLDER]

The trees are those of MSRP where the corpora are at hand, else grown at random; the pairs are the training part of QQP.
A rate is the number of different cells of the Gram, n (n + 1) / 2, by the time of the whole call: folding of trees or
extraction of features, normalisation and the copy into an array of the processor included. Compilation is not counted.
For the re-writing kernel the time from ready features is given, too. The last column is the largest difference of the
two Grams. A time is the least of two or three calls: in the first one, a virtual machine may still wait for memory.
With ``--baseline`` another version of Rekern, whose source folder is given, computes some Grams on the same cores, too,
in a process of its own; its difference is that of every hundredth row.
The last line is a bound for the re-writing kernel: how long the processor takes to extract the features and to touch
the memory of the result once, which a Gram by the GPU needs as well.
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

from rekern.core.device import load_cuda, use_device
from rekern.datasets.public_corpora import load_qqp
from rekern.kernels import BestPairing, DependencyPaths, PartialTree, Rewriting, SmoothedPartialTree, SubsetTree
from rekern.kernels.gram_plan import compute_gram
from rekern.kernels.kernel import Kernel
from rekern.similarity import WordVectors
from rekern.structures.trees import Trees
from trees import lexical, treebank

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


def measure(call: Callable[[], np.ndarray], repeats: int) -> tuple[float, np.ndarray]:
    """The least seconds of some calls, and the last result."""
    least = np.inf
    result = np.empty(0)
    for _ in range(repeats):
        del result
        started = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - started)
    return least, result


def show(name: str, size: int, slow: Callable[[], np.ndarray], fast: Callable[[], np.ndarray], repeats: int) -> float:
    """Print the rates of both, their ratio and the largest difference; return the seconds of the processor."""
    cells = size * (size + 1) / 2
    seconds, gram = measure(fast, repeats)
    theirs, other = measure(slow, 2)
    difference = max(float(np.abs(gram[at : at + 512] - other[at : at + 512]).max()) for at in range(0, size, 512))
    rates = f"{cells / theirs / 1e6:>12.1f} {cells / seconds / 1e6:>10.1f} {theirs / seconds:>7.1f}"
    print(f"{name:<34} {size:>7,} {rates}   {difference:.1e}", flush=True)
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
    print(f"{name + ', other version':<34} {len(raw):>7,} {rates}   {difference:.1e}", flush=True)


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
    parser.add_argument("--baseline", help="source folder of another version, to compare with on the same cores")
    options = parser.parse_args()
    source, texts = treebank(options.data, options.trees)
    trees = Trees.from_items(texts)
    words = lexical(trees)
    names = {label.split("::")[0] for label in words.vocabulary if "::" in label}
    made, vectors = find_vectors(names, options.data)
    free, _ = load_cuda().current_context().get_memory_info()
    size = f"{len(trees.labels) / len(trees):.0f} nodes"
    print(f"{len(trees):,} trees ({source}) of {size}; word vectors: {made}; GPU: {free / 1e9:.0f} GB")
    print(f"{'million cells/s':<34} {'items':>7} {'cores':>12} {'GPU':>10} {'ratio':>7}   largest difference")
    some = len(trees) // 2
    pairs = [(trees[place], trees[place + some]) for place in range(some)]
    kernels: list[tuple[str, Kernel, object]] = [
        ("PartialTree", PartialTree(), trees),
        ("SubsetTree", SubsetTree(), trees),
        ("SmoothedPartialTree", SmoothedPartialTree(similarity=vectors), words),
        ("DependencyPaths", DependencyPaths(), trees),
        ("PartialTree() + SubsetTree()", PartialTree() + SubsetTree(), trees),
        ("BestPairing(PartialTree())", BestPairing(PartialTree()), pairs),
    ]
    for name, kernel, items in kernels:
        kernel.gram(items[:200], device="cuda")  # compiles
        kernel.gram(items[:200], n_jobs=options.jobs, device="cpu")
        show(
            name,
            len(items),
            lambda k=kernel, x=items: k.gram(x, n_jobs=options.jobs, device="cpu"),
            lambda k=kernel, x=items: k.gram(x, n_jobs=options.jobs, device="cuda"),
            options.repeats,
        )
    for kernel in (PartialTree(), SubsetTree()):
        fast = partial(kernel.gram, trees, n_jobs=options.jobs, device="cuda")
        show_baseline(type(kernel).__name__, kernel, list(texts), "Trees", fast, options)
    show_rewriting(options)


def show_rewriting(options: argparse.Namespace) -> None:
    """Print the rates of the re-writing kernel, for the whole call and from ready features."""
    kernel = Rewriting(k=(1, 4))
    table = load_qqp("train", options.data)
    pairs = kernel.read_items(table.pairs[: options.pairs])
    for device in ("cuda", "cpu"):
        kernel.gram(kernel.read_items(table.pairs[:200]), device=device)

    def compute(device: str) -> np.ndarray:
        return kernel.gram(pairs, n_jobs=options.jobs, device=device)

    whole = show("Rewriting, the whole call", len(pairs), lambda: compute("cpu"), lambda: compute("cuda"), 2)
    raw = [list(pair) for pair in table.pairs[: options.pairs]]
    show_baseline("Rewriting", kernel, raw, "Pairs", lambda: compute("cuda"), options)
    plans = {}  # that of a GPU extracts the features in its first call
    for device in ("cuda", "cpu"):
        with use_device(device):
            plans[device] = kernel.plan_gram(pairs, None, options.jobs)
    show(
        "Rewriting, from ready features",
        len(pairs),
        lambda: compute_gram(plans["cpu"], options.jobs),
        lambda: compute_gram(plans["cuda"], options.jobs),
        2,
    )
    extracting, _ = measure(lambda: kernel.features(pairs, options.jobs).data, 2)
    touching, _ = measure(lambda: touch_memory(len(pairs), options.jobs or os.cpu_count() or 1), 2)
    print(
        f"Rewriting: features {extracting:.2f} s, memory of the Gram touched {touching:.2f} s, both by the processor; "
        f"with these alone, the whole call would be {whole / (extracting + touching):.1f} times as fast as by the cores"
    )


if __name__ == "__main__":
    main()
