"""Fuzzers of everything that reads input: each takes a source of random numbers and checks one property of one input.

An input is used, or refused with an InputError of one line. What is used has properties: a Gram is symmetric, positive
semi-definite where that is promised, normalised to 1, the same for any order of items and any number of threads, and
equal to the slow reference; a reader after a writer gives back what was written; fast matching equals slow matching.
"""

import contextlib
import io
import re
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from grammar_fuzzers import fuzz_grammar_files, fuzz_grammars_in_models  # noqa: F401 - they join FUZZERS
from typer.testing import CliRunner

from reference import graphs as graph_reference
from reference import pairings as pair_reference
from reference import rewriting as string_reference
from reference import similarity_groups as score_reference
from reference import trees as tree_reference
from rekern.cli.commands import app
from rekern.datasets import read_table, write_table
from rekern.errors import InputError
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    DependencyPaths,
    Neighborhoods,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Wildcard,
)
from rekern.krisp import read_grammar
from rekern.questions import Expressions
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures import (
    Graphs,
    Tokens,
    Trees,
    from_brackets,
    from_conllu,
    from_klp,
    from_svmlighttk,
    sentence,
    to_conllu,
    to_klp,
    to_svmlighttk,
)

LETTERS = ["a", "b", "c", "A", "é", "\u4e2d", "\U0001f600", "\u200d", "0", "-", "'"]
ODD = ["\ud800", "\x00", "\x1b", "\t", "\n", "\r", "\u2028", "\\", "\ufeff", *'", ()|{}#']


def check_gram(kernel, items, rng, positive=True):
    """Check what holds for every Gram, and return it."""
    gram = kernel.gram(items, n_jobs=1)
    assert np.isfinite(gram).all()
    assert np.array_equal(gram, gram.T), "not symmetric"
    np.testing.assert_allclose(kernel.diag(items), np.diag(gram), rtol=1e-9, atol=1e-12)
    if getattr(kernel, "normalize", False):
        assert set(np.diag(gram).round(9).tolist()) <= {0.0, 1.0}, "not normalised"
    if positive and len(gram):
        scale = max(1.0, float(np.abs(gram).max()))
        assert np.linalg.eigvalsh(gram).min() > -1e-8 * scale * len(gram), "not positive semi-definite"
    order = rng.sample(range(len(items)), len(items))
    mixed = kernel.gram([items[row] for row in order], n_jobs=1)
    np.testing.assert_allclose(mixed, gram[np.ix_(order, order)], rtol=1e-9, atol=1e-12)
    if rng.random() < 0.1:
        assert np.array_equal(kernel.gram(items, n_jobs=2), gram), "threads matter"
    np.testing.assert_allclose(kernel.gram(items, items[:1], n_jobs=1), gram[:, :1], rtol=1e-9, atol=1e-12)
    return gram


def draw_tokens(rng, most=7):
    return [rng.choice(LETTERS) for _ in range(rng.randrange(most))]


def draw_text(rng, most=30):
    return "".join(rng.choice(LETTERS + ODD + [" "] * 8) for _ in range(rng.randrange(most)))


def draw_tree(rng, depth=3):
    label = rng.choice("AB")
    if depth == 0 or rng.random() < 0.3:
        return f"({label} {rng.choice('xyz')})"
    return f"({label} {' '.join(draw_tree(rng, depth - 1) for _ in range(rng.randrange(1, 4)))})"


def draw_graph(rng):
    size = rng.randrange(5)
    edges = {tuple(sorted(rng.sample(range(size), 2))) for _ in range(rng.randrange(size + 1))} if size > 1 else set()
    return [rng.choice("ab") for _ in range(size)], [(*edge, rng.choice("st")) for edge in sorted(edges)]


def fuzz_string_kernels(rng):
    """Kernels on texts, against their definitions."""
    items = [draw_tokens(rng) for _ in range(rng.randrange(1, 5))]
    kind, decay = rng.randrange(3), rng.choice([0.3, 0.5, 1.0])
    if kind == 0:
        k = rng.randrange(1, 4)
        kernel, slow = Spectrum(k, normalize=False), lambda s, t: string_reference.spectrum_kernel(s, t, k)
    elif kind == 1:
        k = rng.randrange(1, 4)
        m = rng.randrange(k + 1)
        kernel = Wildcard(k, m, decay, normalize=False)
        slow = lambda s, t: string_reference.wildcard_kernel(s, t, k, m, Fraction(decay))  # noqa: E731
    else:
        longest, weight = rng.randrange(1, 5), rng.choice(["gaps", "span"])
        kernel = Subsequence(longest, decay, weight, normalize=False)
        slow = lambda s, t: string_reference.subsequence_kernel(s, t, longest, Fraction(decay), weight)  # noqa: E731
    gram = check_gram(kernel, items, rng)
    row, column = rng.randrange(len(items)), rng.randrange(len(items))
    np.testing.assert_allclose(gram[row, column], float(slow(items[row], items[column])), rtol=1e-9)
    check_gram(kernel.set_params(normalize=True), items, rng)


def fuzz_rewriting(rng):
    """The re-writing kernel and the scores of pairs."""
    items = [(draw_tokens(rng, 6), draw_tokens(rng, 6)) for _ in range(rng.randrange(1, 4))]
    window = rng.randrange(1, 4)
    wildcards, decay = rng.choice(["aligned", "free", "none"]), rng.choice([0.5, 1.0])
    kernel = Rewriting(window, wildcards, decay, normalize=False)
    gram = check_gram(kernel, items, rng)
    row, column = rng.randrange(len(items)), rng.randrange(len(items))
    features = [
        string_reference.rewriting_features(*items[place], (window, window), wildcards, Fraction(decay), 1)
        for place in (row, column)
    ]
    np.testing.assert_allclose(gram[row, column], float(string_reference.dot(*features)), rtol=1e-9)
    check_gram(Rewriting((1, 3)) + PrecisionRecall(), items, rng)


def fuzz_tree_kernels(rng):
    """Kernels on trees, against their definitions."""
    items = [draw_tree(rng) for _ in range(rng.randrange(1, 4))]
    decay, mu = rng.choice([0.3, 0.4, 1.0]), rng.choice([0.4, 1.0])
    exact, weight = Fraction(decay), Fraction(mu)
    kernel, slow = rng.choice(
        [
            (SubTree(decay, normalize=False), lambda a, b: tree_reference.subtree(a, b, exact)),
            (SubsetTree(decay, normalize=False), lambda a, b: tree_reference.subset_tree(a, b, exact)),
            (PartialTree(decay, mu, normalize=False), lambda a, b: tree_reference.partial_tree(a, b, exact, weight)),
            (DependencyPaths(decay, normalize=False), lambda a, b: tree_reference.dependency_paths(a, b, exact)),
        ]
    )
    gram = check_gram(kernel, items, rng)
    one, other = rng.choice(items), items[0]
    expected = float(slow(tree_reference.read(one), tree_reference.read(other)))
    np.testing.assert_allclose(gram[items.index(one), 0], expected, rtol=1e-9)
    check_gram(kernel.set_params(normalize=True), items, rng)
    why = kernel.explain(one, other, n=5)
    assert all(np.isfinite(part.value) and part.value > 0 for part in why.parts)


def fuzz_graph_kernel(rng):
    """The kernel on graphs, against its definition."""
    items = [draw_graph(rng) for _ in range(rng.randrange(1, 4))]
    radius, distance = rng.randrange(1, 3), rng.randrange(3)
    kernel = Neighborhoods(radius, distance, 0, normalize=False)
    gram = check_gram(kernel, items, rng)
    expected = graph_reference.neighborhoods(items[0], items[-1], radius, distance, 0, normalize=False)
    np.testing.assert_allclose(gram[0, -1], float(expected), rtol=1e-9)
    check_gram(Neighborhoods(radius, distance), items, rng)


def fuzz_pair_kernels(rng):
    """Kernels on pairs from a kernel on texts, against their definitions."""
    items = [(draw_tokens(rng, 5), draw_tokens(rng, 5)) for _ in range(rng.randrange(1, 5))]
    kind = rng.choice([PairSum, PairProduct, AllSum, AllProduct, BestPairing, SoftPairing])
    gram = check_gram(kind(Spectrum(1)), items, rng, positive=kind not in (BestPairing, SoftPairing))
    value = pair_reference.pair_value(kind.__name__, Spectrum(1), items[0], items[-1])
    np.testing.assert_allclose(gram[0, -1], float(value), rtol=1e-9)


def fuzz_scores(rng):
    """Scores inside pairs: finite, and string tiling as it is defined."""
    items = [(draw_text(rng).replace("\ud800", ""), draw_text(rng).replace("\ud800", "")) for _ in range(3)]
    found = Similarities(groups=("basic", "sequences", "ngrams", "differences")).fit(items).scores(items)
    assert np.isfinite(found).all()
    tokens = draw_tokens(rng, 12), draw_tokens(rng, 12)
    kernel = Similarities(only=("string tiling",), standardize=False, min_match=2).fit([tokens])
    covered = sum(size for *_, size in score_reference.tiles(*tokens, 2))
    total = len(tokens[0]) + len(tokens[1])
    np.testing.assert_allclose(kernel.scores([tokens])[0, 0], 2 * covered / total if total else 1.0)


def fuzz_texts(rng):
    """Texts of any characters: tokens, or one line."""
    texts = [draw_text(rng) for _ in range(3)]
    with contextlib.suppress(InputError):
        tokens = Tokens.from_texts(texts)
        assert len(tokens) == 3 and all(isinstance(token, str) for text in tokens for token in text)
        gram = Spectrum(1).gram(texts)
        assert np.isfinite(gram).all()


def _mutate(text, rng):
    letters = list(text)
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(letters) + 1)
        action = rng.randrange(3)
        if action == 0:
            letters.insert(place, rng.choice(LETTERS + ODD))
        elif letters:
            place = min(place, len(letters) - 1)
            letters[place : place + 1] = [] if action == 1 else [letters[place], *letters[:5]]
    return "".join(letters)


def fuzz_tree_readers(rng):
    """Readers of trees: what is read is written and read again; anything else is refused in one line."""
    text = "\n".join(draw_tree(rng) for _ in range(rng.randrange(1, 3)))
    for read, write in (
        (from_brackets, lambda trees: "\n".join(trees)),
        (from_klp, to_klp),
        (from_svmlighttk, to_svmlighttk),
        (from_conllu, to_conllu),
    ):
        given = text
        if read is from_klp:
            given = f"label |BT:tree| {draw_tree(rng)} |ET|\n"
        elif read is from_svmlighttk:
            given = f"1 |BT| {draw_tree(rng)} |ET| 1:0.5 |EV|\n"
        elif read is from_conllu:
            words = [rng.choice("abc") for _ in range(rng.randrange(1, 5))]
            heads = [-1, *[rng.randrange(place) for place in range(1, len(words))]]
            given = to_conllu([sentence(words, heads)])
            assert to_conllu(from_conllu(given)) == given
        if rng.random() < 0.7:
            given = _mutate(given, rng)
        try:
            found = read(given)
        except InputError as error:
            assert "\n" not in str(error) and len(str(error)) < 1000
            continue
        again = write(found)
        assert write(read(again)) == again, "the reader after the writer is not the identity"


def fuzz_graph_reader(rng):
    """Graphs of any lists."""
    nodes = [rng.choice([*LETTERS, None, 3, float("nan")]) for _ in range(rng.randrange(5))]
    edges = [tuple(rng.choice([0, 1, 2, -1, 10**30, "a"]) for _ in range(rng.randrange(2, 4))) for _ in range(3)]
    try:
        graphs = Graphs.from_items([(nodes, edges)])
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(Neighborhoods(1, 1).gram(graphs)).all()
    with contextlib.suppress(InputError):
        Trees.from_items([rng.choice([draw_text(rng), None, 3, b"(a b)", [draw_tree(rng)]])])


def fuzz_tables(rng):
    """Tables: what is written is read again; any bytes are a table or refused in one line."""
    with tempfile.TemporaryDirectory() as folder:
        ending = rng.choice([".tsv", ".csv", ".jsonl", ".json", ".csv.gz"])
        path = Path(folder, "table" + ending)
        clean = [letter for letter in LETTERS + ODD if letter not in "\ud800\x00\ufeff"]
        if ending == ".tsv":
            clean = [letter for letter in clean if letter not in "\t\r\n"]
        texts = [["".join(rng.choice(clean) for _ in range(rng.randrange(1, 8))) for _ in range(3)] for _ in range(2)]
        texts = [[f"x{text}x" for text in column] for column in texts]
        labels = ["yes", "no", "yes"]
        if ending != ".json":
            write_table(path, {"source": texts[0], "target": texts[1], "label": labels})
            table = read_table(path)
            assert table.pairs == list(zip(*texts)) and table.labels == labels
            data = path.read_bytes()
        else:
            data = b'[{"source": "a", "target": "b", "label": 1}]'
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(data) + 1)
            data = data[:place] + bytes(rng.randrange(256) for _ in range(rng.randrange(3))) + data[place + 1 :]
        path.write_bytes(data)
        try:
            read_table(path)
        except InputError as error:
            assert "\n" not in str(error)


def fuzz_grammars(rng):
    """Grammars and meanings: a meaning that is derived prints back; anything else is one line."""
    lines = ["start S", "S -> f({S})", "S -> g({S}, {N})", "S -> 'a'", "N -> b", "N -> {N} {N}"]
    if rng.random() < 0.5:
        lines = [_mutate(line, rng).replace("\n", " ") for line in lines]
    try:
        grammar = read_grammar(lines)
    except InputError as error:
        assert "\n" not in str(error)
        return
    meaning = "'a'"
    for _ in range(rng.randrange(4)):
        meaning = rng.choice([f"f({meaning})", f"g({meaning}, b)", f"g({meaning}, b b b)"])
    meaning = meaning if rng.random() < 0.5 else _mutate(meaning, rng)
    try:
        derivation = grammar.parse(meaning)
    except InputError as error:
        assert "\n" not in str(error)
        return
    assert grammar.parse(derivation.meaning()).meaning() == derivation.meaning()


def fuzz_patterns(rng):
    """Regular expressions of patterns match exactly what Python's match."""
    pieces = ["a", "b", ".", "a*", "(a|b)", "b?", "[ab]", "(ab)+", "\\w", " ", "c{1,2}", "[^a]", "(", ")", "*", "\\b"]
    expression = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 6)))
    questions = ["".join(rng.choice("abcA ") for _ in range(rng.randrange(7))) for _ in range(4)]
    try:
        found = Expressions([expression]).match_texts(questions).toarray()[:, 0]
    except InputError as error:
        assert "\n" not in str(error)
        return
    plain = re.compile(expression, re.IGNORECASE | re.DOTALL)
    shown = [" ".join(question.split()) for question in questions]
    expected = [plain.fullmatch(question) is not None for question in shown]
    if all(question == text for question, text in zip(questions, shown)):
        assert found.astype(bool).tolist() == expected, expression


def fuzz_command_lines(rng):
    """Command lines: an exit code of the documented ones, never a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "pairs.tsv")
        table.write_text("source\ttarget\tlabel\n" + "".join(f"a {n}\tb {n % 3}\t{n % 2}\n" for n in range(8)))
        words = ["gram", "parse", "train", "predict", "rules", "explain", "question", "evaluate", "--help"]
        options = ["--json", "--k", "1-2", "-o", f"{folder}/out.npy", "--kernel", '{"type": "Spectrum"}', "--jobs", "1"]
        options += [str(table), "nowhere.tsv", "-1", "\x1b[2J", "", "--unknown", "1e400", "nan", "--decay", "0.5"]
        arguments = [rng.choice(words), *(rng.choice(options) for _ in range(rng.randrange(5)))]
        result = CliRunner().invoke(app, arguments, input=rng.choice(["", "a\tb\n", "\x00"]))
        assert result.exit_code in (0, 2, 3), (arguments, result.output, result.exception)
        assert "Traceback" not in result.output and "bug in Rekern" not in result.output, (arguments, result.output)
        assert {path.name for path in Path(folder).iterdir()} <= {"pairs.tsv", "out.npy"}, arguments


FUZZERS = {name.removeprefix("fuzz_"): value for name, value in list(globals().items()) if name.startswith("fuzz_")}
SLOWER = {
    "command_lines": 40,
    "tables": 4,
    "rewriting": 2,
    "scores": 2,
    "tree_kernels": 2,
    "grammar_files": 2,
}  # than the others, times


def run_quietly(fuzzer, rng):
    """Run a fuzzer once without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        fuzzer(rng)
