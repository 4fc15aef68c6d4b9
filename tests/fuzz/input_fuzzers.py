"""Fuzzers of everything that reads input: each takes a source of random numbers and returns how many inputs it tried.

An input is used, or refused with an InputError of one line. What is used has properties: those of Grams are in
kernel_fuzzers; a reader after a writer gives back what was written; fast matching equals slow matching.
"""

import contextlib
import io
import random
import re
import tempfile
from pathlib import Path

import numpy as np
from grammar_fuzzers import fuzz_grammar_files, fuzz_grammars_in_models  # noqa: F401 - they join FUZZERS
from kernel_fuzzers import (  # noqa: F401 - they join FUZZERS
    LETTERS,
    ODD,
    draw_size,
    draw_text,
    draw_tree,
    fuzz_graph_kernel,
    fuzz_pair_kernels,
    fuzz_rewriting,
    fuzz_scores,
    fuzz_string_kernels,
    fuzz_tree_kernels,
)
from typer.testing import CliRunner

from rekern.cli.commands import app
from rekern.datasets import read_table, write_table
from rekern.errors import InputError
from rekern.kernels import Neighborhoods, Spectrum
from rekern.krisp import read_grammar
from rekern.questions import Expressions
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
)

MUTANTS = 4  # of one table, and meanings of one grammar


def fuzz_texts(rng):
    """Texts of any characters: tokens, or one line."""
    drawn = [draw_text(rng) for _ in range(draw_size(rng))]
    texts = []
    for text in drawn:
        try:
            found = list(Tokens.from_texts([text]))
        except InputError as error:
            assert "\n" not in str(error)
        else:
            texts.append(text)
            assert len(found) == 1 and all(isinstance(token, str) for token in found[0])
    assert len(Tokens.from_texts(texts)) == len(texts)
    assert np.isfinite(Spectrum(1).gram(texts)).all()
    return len(drawn)


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
        (from_klp, None),
        (from_svmlighttk, None),
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
        if write is None:
            continue
        again = write(found)
        assert write(read(again)) == again, "the reader after the writer is not the identity"
    return 4


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
    return 2


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
        for _ in range(MUTANTS):
            path.write_bytes(_change_bytes(data, rng))
            try:
                read_table(path)
            except InputError as error:
                assert "\n" not in str(error)
    return 1 + MUTANTS


def _change_bytes(data, rng):
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.randbytes(rng.randrange(3)) + data[place + 1 :]
    return data


def fuzz_grammars(rng):
    """Grammars and meanings: a meaning that is derived prints back; anything else is one line."""
    lines = ["start S", "S -> f({S})", "S -> g({S}, {N})", "S -> 'a'", "N -> b", "N -> {N} {N}"]
    if rng.random() < 0.5:
        lines = [_mutate(line, rng).replace("\n", " ") for line in lines]
    try:
        grammar = read_grammar(lines)
    except InputError as error:
        assert "\n" not in str(error)
        return 1
    for _ in range(MUTANTS):
        meaning = "'a'"
        for _ in range(rng.randrange(4)):
            meaning = rng.choice([f"f({meaning})", f"g({meaning}, b)", f"g({meaning}, b b b)"])
        meaning = meaning if rng.random() < 0.5 else _mutate(meaning, rng)
        try:
            derivation = grammar.parse(meaning)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert grammar.parse(derivation.meaning()).meaning() == derivation.meaning()
    return 1 + MUTANTS


def fuzz_patterns(rng):
    """Regular expressions of patterns match exactly what Python's match."""
    pieces = ["a", "b", ".", "a*", "(a|b)", "b?", "[ab]", "(ab)+", "\\w", " ", "c{1,2}", "[^a]", "(", ")", "*", "\\b"]
    expression = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 6)))
    questions = ["".join(rng.choice("abcA ") for _ in range(rng.randrange(7))) for _ in range(4)]
    try:
        found = Expressions([expression]).match_texts(questions).toarray()[:, 0]
    except InputError as error:
        assert "\n" not in str(error)
        return 1
    plain = re.compile(expression, re.IGNORECASE | re.DOTALL)
    shown = [" ".join(question.split()) for question in questions]
    expected = [plain.fullmatch(question) is not None for question in shown]
    if all(question == text for question, text in zip(questions, shown)):
        assert found.astype(bool).tolist() == expected, expression
    return 1


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
    return 1


FUZZERS = {name.removeprefix("fuzz_"): value for name, value in list(globals().items()) if name.startswith("fuzz_")}


def run_quietly(name, seed):
    """Run a fuzzer once without what it prints, and return how many inputs it tried."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return FUZZERS[name](random.Random(f"{name} {seed}"))
