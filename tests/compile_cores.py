"""Compile the cores once, on tiny input, so that tests in several processes find them in Numba's cache.

``make test`` runs this after the installation, in one process: Numba numbers the files of a function, and two processes
that compile it for two types in the same moment could take the same number.
"""

import warnings
from tempfile import TemporaryDirectory

from rekern import PairClassifier, PairRanker, PairRegressor, RewriteVectorizer, SemanticParser, load_model
from rekern.kernels import (
    Curves,
    DependencyPaths,
    Neighborhoods,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Wildcard,
)
from rekern.krisp import read_grammar
from rekern.questions import QuestionClassifier
from rekern.search import PairFinder
from rekern.similarity import LatentSemantics, PrecisionRecall, Similarities
from rekern.structures import Expressions
from state_questions import GRAMMAR, QUESTIONS

PAIRS = [("Anna met Ben .", "Ben was met by Anna ."), ("Anna met Ben .", "Anna was met by Ben ."), ("a b", "b a")] * 4
LABELS = [1, 0, 1] * 4
TREES = ["(S (NP (N Anna)) (VP (V met) (NP (N Ben))))", "(S (NP (N Ben)) (VP (V ran)))"]
GRAPHS = [(["a", "b", "c"], [(0, 1, "x"), (1, 2, "y")]), (["a", "b"], [(0, 1, "x")])]


def compile_rules() -> None:
    for kernel in (
        *(Rewriting(k=(1, 4), wildcards=wildcards) for wildcards in ("aligned", "free", "none")),
        Rewriting(k=[(3, 5), 7]),
        Rewriting(k=2, span=2),
        PrecisionRecall(),
        Similarities(),
        Similarities(groups=("ngrams", "sequences", "differences", "order", "contexts", "answers", "vectors")),
        Curves(Similarities()),
    ):
        kernel.fit(PAIRS).gram(PAIRS)
        kernel.gram(PAIRS, PAIRS[:2])
        kernel.diag(PAIRS)
    for limit in (1000, 0):
        PairClassifier(gram_limit=limit, calibration=2).fit(PAIRS, LABELS).explain(PAIRS[0])
        PairRegressor(gram_limit=limit).fit(PAIRS, LABELS).predict(PAIRS)
        PairRanker(gram_limit=limit).fit(PAIRS, LABELS, groups=[i // 3 for i in range(12)]).predict(PAIRS)
    many = [(f"{source} {number % 7}", target) for number, (source, target) in enumerate(PAIRS * 30)]
    model = PairClassifier(calibration=0).fit(many, LABELS * 30)
    model.rules()
    with TemporaryDirectory() as folder:
        model.save(f"{folder}/m.rekern", keep_pairs=True)
        load_model(f"{folder}/m.rekern").explain(PAIRS[0])
    RewriteVectorizer().fit_transform(PAIRS)


def compile_structures() -> None:
    words = LatentSemantics(2).fit([text for pair in PAIRS for text in pair])
    for kernel in (SubTree(), SubsetTree(), PartialTree(), SmoothedPartialTree(similarity=words), DependencyPaths()):
        kernel.gram(TREES)
        kernel.gram(TREES, TREES[:1])
        kernel.explain(*TREES)
    Neighborhoods().gram(GRAPHS)
    Neighborhoods().explain(*GRAPHS)
    SoftPairing(PartialTree()).gram([(TREES[0], TREES[1])])


def compile_questions() -> None:
    for kernel in (Spectrum(2), Wildcard(2), Subsequence(2)):
        kernel.gram(["a b c", "b c a"])
        kernel.gram(["a b c"], ["b c a"])
    PairFinder().fit(["a b c", "b c a"]).find(["a b"])
    Expressions(min_documents=1).fit([pair[0] for pair in PAIRS])
    QuestionClassifier().fit(["why is it so", "how to go"] * 6, ["R", "S"] * 6).predict(["why"])
    meanings = [f"answer({meaning})" for meaning in QUESTIONS.values()]
    for kernel in ("word", "dependency", "syntactic"):
        trees = None if kernel == "word" else ["(S " + " ".join(f"(X {w})" for w in q.split()) + ")" for q in QUESTIONS]
        parser = SemanticParser(read_grammar(GRAMMAR), kernel=kernel)
        parser.fit(list(QUESTIONS), meanings, **({} if trees is None else {"trees": trees}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for group in (compile_rules, compile_structures, compile_questions):
        group()
