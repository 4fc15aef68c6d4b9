"""Small models of every kind, for the fuzzer of model files: how each is made, and what it predicts for."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rekern import PairClassifier, PairRanker, PairRegressor, QuestionClassifier, SemanticParser, TextClassifier
from rekern.core.registry import list_classes
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    Curves,
    DependencyPaths,
    Gaussian,
    Landmarks,
    Neighborhoods,
    Normalized,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Symmetric,
    Wildcard,
)
from rekern.krisp import Constituents, OnSubstrings, SubstringPaths, WordSubsequences, read_grammar
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.learning.kernel_choice import KernelChoice, Trial
from rekern.questions import PatternSettings
from rekern.similarity import LatentSemantics, PrecisionRecall, Similarities, UnsharedWords, WordVectors
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.structures import Tokenizer, sentence, to_conllu

PAIRS = [
    ("Ann saw Ben", "Ben was seen by Ann"),
    ("Cid met Dora", "Cid was met by Dora"),
    ("Ed likes a red car", "Ed does not like it"),
    ("the dog barks", "a dog is barking"),
    ("it rains in May", "May is dry"),
    ("Flo wrote 12 books", "12 books were written by Flo"),
    ("", "a"),
    ("Gus sold the car", "the car was sold"),
]
CLASSES = [1, 0, 0, 1, 0, 1, 0, 1]
THREE = ["no", "yes", "no", "yes", "maybe", "yes", "no", "maybe"]
GROUPS = [1, 1, 1, 1, 2, 2, 2, 2]
NEW_PAIRS = [("Hal met Ida", "Ida was met by Hal"), ("it rains", "the dog barks loudly"), ("", "")]


def tree(text: str) -> str:
    return "(S " + " ".join(f"(X {word})" for word in text.split()) + ")" if text else "(S)"


def dependencies(text: str) -> str:
    """The words of a text below its second one, in CoNLL-U: the first is its subject."""
    words = text.split()
    root = min(1, len(words) - 1)
    relations = ["root" if place == root else "nsubj" if place == 0 else "dobj" for place in range(len(words))]
    heads = [-1 if place == root else root for place in range(len(words))]
    return to_conllu([sentence(words, heads, tags=["NN"] * len(words), relations=relations)]) if words else ""


def graph(source: str, target: str) -> tuple[list[str], list[tuple[int, int, str]]]:
    words = [*source.split(), "|", *target.split()]
    return words, [(word, word + 1, "next") for word in range(len(words) - 1)]


def table(pairs: list[tuple[str, str]]) -> dict[str, list[object]]:
    return {
        "source": [source for source, _ in pairs],
        "target": [target for _, target in pairs],
        "source.tree": [tree(source) for source, _ in pairs],
        "target.tree": [tree(target) for _, target in pairs],
        "source.parse": [dependencies(source) for source, _ in pairs],
        "target.parse": [dependencies(target) for _, target in pairs],
        "graph": [graph(source, target) for source, target in pairs],
    }


TEXTS = [" ".join(pair) for pair in PAIRS]
NEW_TEXTS = [" ".join(pair) for pair in NEW_PAIRS]
QUESTIONS = ["why is it so", "why not", "how to go", "how to swim", "why do cats purr", "how do I swim"]
TYPES = ["Reason", "Reason", "Way", "Way", "Reason", "Way"]
NEW_QUESTIONS = ["why me", "how to purr?", ""]
GRAMMAR = [
    "Query -> answer({Num})",
    "Num -> size({State})",
    "Num -> population({State})",
    "State -> state({Name})",
    "Name -> '{name}'",
    "names Name = utah | ohio | new york",
]
SENTENCES = ["how big is utah", "how many people live in ohio", "size of ohio", "population of new york"]
MEANINGS = [
    "answer(size(state('utah')))",
    "answer(population(state('ohio')))",
    "answer(size(state('ohio')))",
    "answer(population(state('new york')))",
]
NEW_SENTENCES = ["how big is new york", "population of utah", "nothing at all"]
VECTORS = WordVectors(["car", "dog", "may", "ann"], [[1, 0], [0, 1], [0.5, 0.5], [0, 0]])
WORD_PAIRS = [("car", "auto"), ("dog", "canine")]
TREES = [tree(text) for text in SENTENCES]


def classify(kernel: object, X: object = PAIRS, y: object = CLASSES, **options: object) -> PairClassifier:
    return PairClassifier(kernel, **{"calibration": 0, **options}).fit(X, y)


def choose() -> PairClassifier:
    """A model whose kernel was chosen by a search."""
    model = classify("rules+scores", calibration=2)
    trials = [Trial("rules 1-4", 1.0, 0.75, 0.01, 5, 2.0, "chosen"), Trial("x", 1.0, None, None, 0, 0.0, "no time")]
    model.how_chosen_ = KernelChoice("accuracy", 8, 5, trials)
    return model


def parse(kernel: object, **options: object) -> SemanticParser:
    return SemanticParser(read_grammar(GRAMMAR), kernel=kernel, rounds=1, **options)


def ask() -> SemanticParser:
    """A parser with a calibration, as `rekern ask --train` writes it."""
    parser = parse("word", stems=True).fit(SENTENCES, MEANINGS)
    parser.calibration_ = AnswerCalibration(
        asked=4, answered=2, right=1, best=1, questions=tuple(SENTENCES), meanings=tuple(MEANINGS)
    )
    return parser


SCORES = Similarities(only=("recall", "idf recall", "negation differs"))
RULES = Rewriting((1, 2))
WINDOWS = Rewriting([(1, 1), (2, 3)], decay=0.5, tokenizer=Tokenizer(expressions=["new york"]))
SPACES = Similarities(
    groups=("basic", "alignment", "esa", "thesaurus"),
    concepts=ExplicitSemantics([*TEXTS, *(f"document {number}" for number in range(9))]),
    thesaurus=WORD_PAIRS,
)
KERNEL_SCORES = Similarities(groups=("ngrams", "sequences", "kernels"), kernels=(Spectrum(1), Subsequence()))

# From the name of a model to how it is made, how it is saved, and what is predicted.
RECIPES: dict[str, tuple[Callable[[], object], dict[str, bool], object]] = {
    "rules": (lambda: classify(RULES + PrecisionRecall(), calibration=2), {}, NEW_PAIRS),
    "rules with pairs": (lambda: classify(WINDOWS, y=THREE), {"keep_pairs": True}, NEW_PAIRS),
    "default": (lambda: classify(None), {}, NEW_PAIRS),
    "compact": (lambda: classify(RULES + SCORES), {"compact": True}, NEW_PAIRS),
    "chosen": (choose, {}, NEW_PAIRS),
    "hashed rules": (lambda: PairClassifier("rules+scores").partial_fit(PAIRS, CLASSES), {}, NEW_PAIRS),
    "gaussian": (lambda: classify(Gaussian(SCORES) + 0.5 * RULES, y=THREE, calibration=2), {}, NEW_PAIRS),
    "curves": (lambda: classify(Curves(SCORES, knots=3) + Gaussian(Rewriting(1))), {}, NEW_PAIRS),
    "free": (lambda: classify(Rewriting((1, 2), "free") + Normalized(RULES)), {"keep_pairs": True}, NEW_PAIRS),
    "long wildcards": (lambda: classify(Rewriting(2, span=2)), {}, NEW_PAIRS),
    "product": (lambda: classify(RULES * PrecisionRecall()), {}, NEW_PAIRS),
    "spaces": (lambda: classify(SPACES), {}, NEW_PAIRS),
    "kernel scores": (lambda: classify(KERNEL_SCORES), {}, NEW_PAIRS),
    "pairings": (
        lambda: classify(
            PairSum(Spectrum(1)) + AllSum(Wildcard(2)) + PairProduct(Subsequence()) + AllProduct(Spectrum(1))
        ),
        {},
        NEW_PAIRS,
    ),
    "trees": (
        lambda: classify(
            SoftPairing(PartialTree(on="tree")) + BestPairing(SubsetTree(on="tree")) + UnsharedWords(on="tree"),
            table(PAIRS),
        ),
        {"keep_pairs": True},
        table(NEW_PAIRS),
    ),
    "graphs": (
        lambda: classify(Neighborhoods(on="graph") + PairSum(SubTree(on="tree")), table(PAIRS)),
        {},
        table(NEW_PAIRS),
    ),
    "smoothed": (
        lambda: classify(
            PairSum(SmoothedPartialTree(similarity=VECTORS, on="tree")) + PairSum(DependencyPaths(on="tree")),
            table(PAIRS),
        ),
        {},
        table(NEW_PAIRS),
    ),
    "landmarks": (
        lambda: classify(SoftPairing(PartialTree(on="tree")), table(PAIRS), landmarks=4),
        {},
        table(NEW_PAIRS),
    ),
    "both orders": (lambda: classify(Symmetric(RULES + Gaussian(SCORES))), {}, NEW_PAIRS),
    "landmarks of rules": (lambda: PairRegressor(Landmarks(RULES, 4)).fit(PAIRS, CLASSES), {}, NEW_PAIRS),
    "regressor": (lambda: PairRegressor(RULES + SCORES, response="ordinal").fit(PAIRS, CLASSES), {}, NEW_PAIRS),
    "ranker": (lambda: PairRanker(RULES).fit(PAIRS, CLASSES, GROUPS), {"keep_pairs": True}, NEW_PAIRS),
    "texts": (lambda: TextClassifier(calibration=2).fit(TEXTS, CLASSES), {}, NEW_TEXTS),
    "subsequences": (lambda: TextClassifier(Subsequence(), calibration=0).fit(TEXTS, THREE), {}, NEW_TEXTS),
    "tree texts": (
        lambda: TextClassifier(PartialTree(), calibration=0).fit([tree(text) for text in TEXTS], CLASSES),
        {},
        [tree(text) for text in NEW_TEXTS],
    ),
    "patterns": (
        lambda: QuestionClassifier(penalty=0.1, expressions=["why .*", "(how|what) +to .*"]).fit(QUESTIONS, TYPES),
        {},
        NEW_QUESTIONS,
    ),
    "n-grams": (
        lambda: QuestionClassifier("msb", patterns=PatternSettings(min_count=1)).fit(QUESTIONS, TYPES),
        {},
        NEW_QUESTIONS,
    ),
    "parser": (lambda: parse("word").fit(SENTENCES, MEANINGS), {}, NEW_SENTENCES),
    "asker": (ask, {}, NEW_SENTENCES),
    "ranking parser": (lambda: parse("word", ranking=2).fit(SENTENCES, MEANINGS), {}, NEW_SENTENCES),
    "tree parser": (
        lambda: parse(WordSubsequences() + Constituents() + OnSubstrings(Spectrum(1))).fit(SENTENCES, MEANINGS, TREES),
        {},
        NEW_SENTENCES,
    ),
    "path parser": (lambda: parse(SubstringPaths()).fit(SENTENCES, MEANINGS, TREES), {}, NEW_SENTENCES),
    "word vectors": (lambda: VECTORS, {}, ["car", "gnu"]),
    "latent semantics": (lambda: LatentSemantics(2).fit(TEXTS), {}, ["car", "gnu"]),
}


NAMES = sorted(RECIPES)


def write_models(folder: Path) -> None:
    """Train and save all models; the names of the files are `NAMES`."""
    for name, (make, options, _) in RECIPES.items():
        make().save(folder / name, **options)


def find_items(name: str) -> object:
    """What a model predicts for."""
    return RECIPES[name][2]


def use(name: str, model: object) -> None:
    """Predict with a model; raise AssertionError if a number is not finite."""
    items = find_items(name)
    if name in ("word vectors", "latent semantics"):
        assert np.isfinite(model.vectors(items)).all()
        assert np.isfinite(model.similarity(*items))
        return
    if isinstance(model, SemanticParser):
        trees = [tree(sentence) for sentence in items]
        for readings in model.parse_all(items, trees):
            assert all(np.isfinite(reading.log_probability) and reading.log_probability <= 0 for reading in readings)
        return
    if isinstance(model, QuestionClassifier):
        assert len(model.predict(items)) == len(items)
        assert np.isfinite(model.predict_proba(items)).all()
        return
    found = model.predict(items)
    assert found.dtype.kind not in "fc" or np.isfinite(found).all()
    if hasattr(model, "decide"):
        decisions = model.decide(items)
        assert np.isfinite(decisions.values).all()
        assert decisions.probabilities is None or np.isfinite(decisions.probabilities).all()
    first = {column: values[0] for column, values in items.items()} if isinstance(items, dict) else items[0]
    shown = model.explain(first)
    assert np.isfinite(shown.decision) and all(np.isfinite(part.contribution) for part in shown.parts)


def list_untried(folder: Path) -> list[str]:
    """The registered classes of which no object is in a model of this folder."""
    seen = {"WordVectors", "LatentSemantics"}  # in files of their own
    for name in RECIPES:
        with zipfile.ZipFile(folder / name) as archive:
            header = json.loads(archive.read("model.json")) if "model.json" in archive.namelist() else {}
        seen |= {str(header.get("model")), *_list_types(header)}
    return sorted(kind.__name__ for kind in list_classes(object) if kind.__name__ not in seen)


def _list_types(value: object) -> list[str]:
    if isinstance(value, list):
        return [name for part in value for name in _list_types(part)]
    if not isinstance(value, dict):
        return []
    own = [value["type"]] if isinstance(value.get("type"), str) else []
    return own + [name for part in value.values() for name in _list_types(part)]
