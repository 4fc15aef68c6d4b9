"""Pairs in a corpus: recall of candidates, precision and recall, time and memory.

Run it with ``REKERN_DATA=DIR python benchmarks/matching.py PART …`` (DIR holds QQP), where PART is one of

    quality   candidates and decisions on the labelled pairs of QQP (``--part dev`` or ``test``), TF-IDF beside them,
              with ``--vectors FILE`` related words by word vectors, and with ``--embeddings DIR`` the sentence
              embeddings of a model folder of sentence-transformers
    corpus    all duplicates among the distinct questions of QQP, end to end
    million   the index of 1,000,000 resampled sentences with made-up words, and queries against it

``--model FILE`` is a model trained on QQP's training part; without it, one is trained and saved there. Each part prints
wall-clock time, processor time and the largest memory of the process so far.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from experiments.corpora import load_qqp
from experiments.embedding_baseline import load_encoder
from rekern import PairClassifier, PairFinder, load_model
from rekern.search.matches import group_rows
from rekern.similarity import WordVectors

CANDIDATES = 20
MILLION = 1_000_000
QUERIES = 2_000
FEWER_PAIRS = 10_000  # of the training part, for the border of embeddings, which take long
MADE_UP = 0.15  # share of words that are replaced


@contextmanager
def measure(what: str) -> Iterator[None]:
    """Print how long the block takes, and the largest memory so far."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{what:50} {wall:8.2f} s wall, {processor:8.2f} s processor, {memory:5.2f} GB", flush=True)


def find_model(path: str | None) -> PairClassifier:
    """Load the model, or train it on the training part."""
    if path is not None and Path(path).exists():
        model: PairClassifier = load_model(path)
        return model
    train = load_qqp("train")
    with measure(f"training on {len(train)} pairs"):
        model = PairClassifier().fit(train.pairs, train.labels)
    if path is not None:
        model.save(path)
    return model


def print_quality(name: str, found: np.ndarray, labels: np.ndarray) -> None:
    """Print precision, recall and F1 of the labelled pairs that were found."""
    hits = int((found & (labels == 1)).sum())
    precision, recall = hits / max(int(found.sum()), 1), hits / int((labels == 1).sum())
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    print(f"{name:50} precision {100 * precision:.1f}, recall {100 * recall:.1f}, F1 {100 * f1:.1f}", flush=True)


class Cosines:
    """Cosines of texts, from a function that gives each text a row of length 1."""

    def __init__(self, encode: Callable[[list[str]], sp.csr_array | np.ndarray]):
        self.encode = encode

    def compare(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Return the cosine of each pair."""
        left, right = (sp.csr_array(self.encode([pair[side] for pair in pairs])) for side in (0, 1))
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()

    def find_candidates(self, texts: list[str]) -> list[set[int]]:
        """Return the best candidates of each text."""
        matrix = self.encode(texts)
        best: list[set[int]] = []
        for first in range(0, len(texts), 500):
            block = matrix[first : first + 500] @ matrix.T
            block = block.toarray() if sp.issparse(block) else block
            block[np.arange(len(block)), first + np.arange(len(block))] = -1
            best += map(set, np.argpartition(-block, CANDIDATES, axis=1)[:, :CANDIDATES].tolist())
        return best

    def choose_border(self, pairs: Sequence[tuple[str, str]], labels: np.ndarray) -> float:
        """Return the cosine with the best F1 on labelled pairs."""
        cosines = self.compare(pairs)
        order = np.argsort(-cosines)
        hits = np.cumsum(labels[order])
        f1 = 2 * hits / (np.arange(1, len(labels) + 1) + labels.sum())
        return float(cosines[order[np.argmax(f1)]])


def weigh_words(texts: list[str]) -> Callable[[list[str]], sp.csr_array]:
    """Return the TF-IDF vectors of scikit-learn, with the document frequencies of these texts."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b").fit(texts)
    return lambda asked: sp.csr_array(vectorizer.transform(asked))


def measure_quality(model: PairClassifier, part: str, embeddings: str | None, vectors: str | None) -> None:
    """Print the recall of candidates, and precision and recall of what is found, on the labelled pairs of a part."""
    table = load_qqp(part)
    pairs = table.pairs
    labels = np.array(table.labels)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    rows = {text: row for row, text in enumerate(texts)}
    keys = [tuple(sorted((rows[a], rows[b]))) for a, b in pairs]
    print(
        f"QQP, {part}: {len(texts):,} questions, {len(pairs):,} labelled pairs, {int((labels == 1).sum()):,} duplicates"
    )
    finder = PairFinder(model, candidates=CANDIDATES, vectors=vectors and WordVectors.from_file(vectors))
    with measure("index"):
        finder.fit(texts)
    with measure("candidates and decisions"):
        found = finder.find_duplicates(min_probability=0.0)
    chances = dict(zip(zip(found.source_rows.tolist(), found.target_rows.tolist()), found.probabilities.tolist()))
    print(f"{len(found):,} candidate pairs")
    print_quality("among the candidates", np.array([key in chances for key in keys]), labels)
    least = finder.find_threshold()
    print_quality(
        f"found, probability of at least {least:g}", np.array([chances.get(k, -1) >= least for k in keys]), labels
    )
    train = load_qqp("train")
    known = np.array(train.labels) == 1
    border = Cosines(weigh_words([text for pair in train.pairs for text in pair])).choose_border(train.pairs, known)
    print_cosines("TF-IDF", Cosines(weigh_words(texts)), border, texts, keys, labels)
    if embeddings is not None:
        cosines = Cosines(load_encoder(Path(embeddings)))
        border = cosines.choose_border(train.pairs[:FEWER_PAIRS], known[:FEWER_PAIRS])
        print_cosines("embeddings", cosines, border, texts, keys, labels)


def print_cosines(
    name: str, cosines: Cosines, border: float, texts: list[str], keys: list[tuple[int, ...]], labels: np.ndarray
) -> None:
    """Print precision and recall of the best cosines of each text, and of those that are not below a border."""
    with measure(f"{name}, candidates by all cosines"):
        best = cosines.find_candidates(texts)
    is_candidate = np.array([b in best[a] or a in best[b] for a, b in keys])
    print_quality(f"{name}, among the candidates", is_candidate, labels)
    is_found = is_candidate & (cosines.compare([(texts[a], texts[b]) for a, b in keys]) >= border)
    print_quality(f"{name}, cosine of at least {border:.3f}", is_found, labels)


def list_questions() -> list[str]:
    """Return the distinct questions of all parts."""
    parts = (load_qqp(part) for part in ("train", "dev", "test"))
    return list(dict.fromkeys(text for part in parts for pair in part.pairs for text in pair))


def measure_corpus(model: PairClassifier) -> None:
    """Print the time to find all duplicates among all questions."""
    texts = list_questions()
    with measure(f"duplicates among {len(texts):,} questions, in all"):
        finder = PairFinder(model, candidates=CANDIDATES)
        with measure("index"):
            finder.fit(texts)
        found = finder.find_duplicates()
    for least in (finder.find_threshold() or 0.5, 0.8, 0.9, 0.95):
        chosen = found.probabilities >= least
        groups = group_rows(found.source_rows[chosen], found.target_rows[chosen])
        largest = len(groups[0]) if groups else 0
        print(
            f"from {least:g} on: {chosen.sum():,} pairs, {len(groups):,} clusters, the largest of {largest:,} questions"
        )


def make_sentences(n: int) -> Iterator[str]:
    """Yield questions drawn again and again, in which some words are replaced by made-up ones."""
    texts = list_questions()
    random = np.random.default_rng(0)
    for first in range(0, n, 10_000):
        for row in random.integers(len(texts), size=min(10_000, n - first)).tolist():
            words = texts[row].split()
            replaced = np.flatnonzero(random.random(len(words)) < MADE_UP).tolist()
            for place, number in zip(replaced, random.zipf(1.3, len(replaced)).tolist()):
                words[place] = f"made{number % 1_000_000}"
            yield " ".join(words)


def measure_million(model: PairClassifier, n: int) -> None:
    """Print time and memory of a large index, and the queries that it answers in a second."""
    sentences = list(make_sentences(n))
    queries = list(make_sentences(QUERIES))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "million.index")
        with measure(f"index of {n:,} sentences"):
            finder = PairFinder().fit(sentences)
        words = len(finder.index_.lists.keys)
        with measure(f"saving it, {words:,} distinct words"):
            finder.save(path)
        print(f"{path.stat().st_size / 1e6:.0f} MB on disk")
        del finder, sentences
        with measure("opening it"):
            opened = PairFinder.open(path, model, candidates=50)
        opened.find(queries[:1])
        started = time.perf_counter(), time.process_time()
        with measure(f"{QUERIES:,} queries, 50 candidates scored for each"):
            opened.find(queries)
        wall, processor = time.perf_counter() - started[0], time.process_time() - started[1]
        print(f"{QUERIES / wall:,.0f} queries/s, {QUERIES / processor:,.0f} for each second of a processor")
        with measure(f"{QUERIES:,} queries, candidates alone"):
            opened.set_params(model=None).find(queries)


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=("quality", "corpus", "million"))
    parser.add_argument("--model", metavar="FILE")
    parser.add_argument("--embeddings", metavar="DIR", help="a model folder of sentence-transformers, for quality")
    parser.add_argument("--vectors", metavar="FILE", help="word vectors, for quality")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    parser.add_argument("--sentences", type=int, default=MILLION)
    options = parser.parse_args()
    model = find_model(options.model)
    print(f"{os.cpu_count()} cores")
    if "quality" in options.parts:
        measure_quality(model, options.part, options.embeddings, options.vectors)
    if "corpus" in options.parts:
        measure_corpus(model)
    if "million" in options.parts:
        measure_million(model, options.sentences)


if __name__ == "__main__":
    main()
