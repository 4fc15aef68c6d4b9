"""The embedded corpus: the files that its generator makes, balanced, in clean sentences, blind to bags of words."""

import bz2
import doctest
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
import snowballstemmer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import make_rewrites
import rewrite_words
from make_rewrites import FOLDER, SIZES, draw_pairs, make_file
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rewrite_templates import REWRITINGS
from rewrite_words import TEST, TRAIN, Words

PARTS = ("train", "test")
# Prepositions, particles and the like, which both stocks need.
SHARED = {
    *("ago", "as", "at", "away", "back", "down", "dure", "during", "in", "it"),
    *("last", "next", "of", "on", "out", "over", "outsid", "outside", "that", "the", "to", "up"),
}
FIRST_PAIRS = [
    ("In fact, the shortage led to the power cut.", "In fact, the power cut resulted from the shortage."),
    ("In fact, the shortage led to the power cut.", "In fact, the shortage resulted from the power cut."),
    ("Greta was too angry to find Nadia.", "Greta was so angry that she could not find Nadia."),
    ("Greta was too angry to find Nadia.", "Nadia was so angry that she could not find Greta."),
]
FIRST_LABELS = [1, 0, 1, 0]
DIGEST = """
import hashlib
from make_rewrites import draw_pairs
text = repr([draw_pairs(part, seed) for part in ("train", "test") for seed in (0, 1)])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def words_of(sentence: str) -> list[str]:
    return re.findall(r"[\w']+", sentence.lower())


def sided(pairs: list[tuple[str, str]]) -> list[str]:
    """The words of each pair, marked with their side."""
    return [" ".join([f"s_{w}" for w in words_of(a)] + [f"t_{w}" for w in words_of(b)]) for a, b in pairs]


def stock(words: Words) -> set[str]:
    """The stems of everything in the pools."""
    stem = snowballstemmer.stemmer("english").stemWord
    stems: set[str] = set()
    for pool in vars(words).values():
        for item in pool:
            texts = [item] if isinstance(item, str) else strings_in(item)
            stems.update(stem(word) for text in texts for word in words_of(text))
    return stems


def strings_in(item: object) -> list[str]:
    if isinstance(item, str):
        return [item]
    values = item if isinstance(item, tuple) else vars(item).values()
    return [text for value in values for text in strings_in(value)]


def test_same_in_every_process():
    outputs = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(FOLDER.parents[3] / "tools")}
        run = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout.strip())
    assert len(outputs) == 1


@pytest.mark.parametrize("part", PARTS)
def test_the_files_are_what_the_generator_makes(part: str):
    """After a change of the generator: python tools/make_rewrites.py."""
    made = make_file(part)
    assert made == make_file(part)
    # Not the compressed bytes: another zlib may choose others.
    assert bz2.decompress((FOLDER / f"rewrites-{part}.tsv.bz2").read_bytes()) == bz2.decompress(made)


def test_examples_of_the_generator():
    assert [doctest.testmod(module).failed for module in (make_rewrites, rewrite_words)] == [0, 0]


def test_seed_changes_the_pairs():
    first, second = ({row[:2] for _, row in draw_pairs("train", seed)} for seed in (1, 2))
    assert len(first & second) < len(first) / 10


def test_a_stored_pair_stays():
    # A reader of an older page finds the same pairs: change this only with the corpus itself.
    pairs, labels = load_rewrites("train", size=4)
    assert sorted(zip(pairs, labels)) == sorted(zip(FIRST_PAIRS, FIRST_LABELS))


@pytest.mark.parametrize("part", PARTS)
def test_counts_balance_and_no_duplicates(part: str):
    pairs, labels, details = load_rewrites(part, details=True)
    assert len(pairs) == len(labels) == len(details) == SIZES[part]
    assert len(set(pairs)) == len(pairs)
    assert all(source != target for source, target in pairs)
    per_kind: dict[str, Counter] = defaultdict(Counter)
    for label, detail in zip(labels, details):
        per_kind[detail.rewriting][label] += 1
    assert len(per_kind) == len(REWRITINGS) >= 20
    assert all(counts[0] == counts[1] for counts in per_kind.values())
    sizes = [sum(counts.values()) for counts in per_kind.values()]
    assert max(sizes) - min(sizes) <= 2
    # Shuffled: no long run of one label, and the first rows are of many kinds.
    assert "1" * 30 not in "".join(map(str, labels))
    assert len({detail.rewriting for detail in details[:60]}) > 15


@pytest.mark.parametrize("size", [1, 2, 3, 77, 699, 3000])
def test_any_size(size: int):
    rows = [row for _, row in draw_pairs("test", size=size)]
    pairs, labels = [row[:2] for row in rows], [row[2] for row in rows]
    if size <= SIZES["test"]:
        assert sorted(zip(*load_rewrites("test", size=size))) == sorted(zip(pairs, labels))
    assert len(set(pairs)) == len(labels) == size
    assert abs(2 * sum(labels) - size) <= 1


def test_each_rewriting_has_several_templates():
    for kind, templates in REWRITINGS.items():
        assert sum(not template.unseen for template in templates) >= 3, kind
        assert any(template.unseen for template in templates), kind


def test_unseen_templates_only_in_the_held_out_part():
    train = load_rewrites("train", details=True)[2]
    test = load_rewrites("test", details=True)[2]
    seen = {detail.template for detail in train}
    assert not any(detail.unseen for detail in train)
    assert all((detail.template in seen) != detail.unseen for detail in test)
    share = np.mean([detail.unseen for detail in test])
    assert 0.12 < share < 0.18


def test_vocabularies_are_disjoint():
    assert stock(TRAIN) & stock(TEST) <= SHARED
    # In the texts as well: no name, noun or verb of one part, the fixed words of the templates aside.
    fixed = {
        word
        for templates in REWRITINGS.values()
        for template in templates
        for word in words_of(re.sub(r"\{[^}]*\}", " ", template.source + " " + template.target))
    }
    vocabularies = []
    for part in PARTS:
        found = {word.removesuffix("'s") for pair in load_rewrites(part)[0] for text in pair for word in words_of(text)}
        vocabularies.append(found - fixed - {"a", "an", "he", "she", "i"})
    assert vocabularies[0] & vocabularies[1] <= SHARED | {"two"}
    assert min(map(len, vocabularies)) > 150


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_sentences_are_clean(part: str, seed: int):
    for sentence in {text for _, row in draw_pairs(part, seed) for text in row[:2]}:
        assert re.fullmatch(r'"?[A-Z].*(\.|\.")', sentence), sentence
        assert not re.search(r"\s\s|\s[.,]|,,|[{}\[\]|]|^\s|\s$|\.\.", sentence), sentence
        assert not re.search(r"\b[Aa] [aeiouAEIOU]|\b[Aa]n [^aeiouAEIOU]", sentence), sentence
        assert not re.search(r"\b(\w+) \1\b", sentence.lower()), sentence
        assert sentence.count('"') in (0, 2), sentence
        assert 3 <= len(sentence.split()) <= 20, sentence
        # No capital inside but a name's or "I": the fixed words of a template never keep one.
        assert not re.search(r" (The|A|An|It|There|Because|If|Unless|After|Only|Everyone|Nobody)\b", sentence), sentence


def test_twins_share_their_words():
    # Of the two pairs made from one filling, one holds and one does not; most have the very same words.
    pairs, labels = load_rewrites("train")
    by_words: dict[tuple[str, str], list[int]] = defaultdict(list)
    for (source, target), label in zip(pairs, labels):
        by_words[" ".join(sorted(words_of(source))), " ".join(sorted(words_of(target)))].append(label)
    twinned = [row for row in by_words.values() if 0 in row and 1 in row]
    assert sum(map(len, twinned)) > 0.8 * len(pairs)


@pytest.fixture(scope="module")
def corpus():
    return *load_rewrites("train"), *load_rewrites("test")


def test_bags_of_words_are_near_chance(corpus):
    train, labels, test, truth = corpus
    counter = CountVectorizer(token_pattern=r"\S+")
    model = LinearSVC(C=1.0).fit(counter.fit_transform(sided(train)), labels)
    assert abs(model.score(counter.transform(sided(test)), truth) - 0.5) < 0.06

    tfidf = TfidfVectorizer().fit([text for pair in train for text in pair])

    def cosines(pairs: list[tuple[str, str]]) -> np.ndarray:
        sides = [tfidf.transform([pair[side] for pair in pairs]) for side in (0, 1)]
        return np.asarray(sides[0].multiply(sides[1]).sum(axis=1))

    assert abs(LogisticRegression().fit(cosines(train), labels).score(cosines(test), truth) - 0.5) < 0.06


def test_precision_and_recall_are_near_chance(corpus):
    def scores(pairs: list[tuple[str, str]]) -> np.ndarray:
        rows = []
        for source, target in pairs:
            a, b = Counter(words_of(source)), Counter(words_of(target))
            common = (a & b).total()
            rows.append((common / a.total(), common / b.total()))
        return np.array(rows)

    train, labels, test, truth = corpus
    model = SVC(kernel="linear", C=1.0).fit(scores(train), labels)
    assert abs(model.score(scores(test), truth) - 0.5) < 0.06


def test_aligned_rules_tell_them_apart(corpus):
    train, labels, test, truth = corpus

    def accuracy(wildcards: str) -> float:
        kernel = Rewriting(k=(1, 4), wildcards=wildcards)
        model = SVC(kernel="precomputed", C=1.0).fit(kernel.gram(train), labels)
        return model.score(kernel.gram(test, train), truth)

    assert accuracy("aligned") > 0.9
    assert accuracy("none") < 0.65
    assert accuracy("free") < 0.65


@pytest.mark.parametrize(
    ("part", "size", "says"),
    [("dev", None, "part is 'dev'"), ("train", 0, "size is 0"), ("test", 701, "ask for 1 to 700 pairs")],
)
def test_bad_arguments(part: str, size: int | None, says: str):
    with pytest.raises(InputError, match=says):
        load_rewrites(part, size=size)


def test_too_many():
    with pytest.raises(InputError, match="ask for fewer"):
        draw_pairs("test", size=200_000)
