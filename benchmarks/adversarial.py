"""How time and memory grow with the length of input that is built to be slow: python benchmarks/adversarial.py

Each case runs in a process of its own. Its size is doubled until a call takes a quarter of a second of the processor
(``--seconds``; eight times as long for explanations, whose limits show then), until the size is refused, or a million
is reached. The last column is the exponent of the growth of time, from the last three
sizes: 1 is linear, 2 quadratic. ``--case NAME`` runs one case, ``--plot FILE`` draws the curves, ``--markdown`` prints
a table for the documentation. All of it takes some minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = 0.25  # of the last call of a case
MOST = 1 << 20
LONGEST = 120.0  # seconds of a whole case, with the time to load everything

Call = Callable[[], object]
Case = Callable[[int], Call]


def _kernel(name: str, make_item: Callable[[int], object], **parameters: object) -> Case:
    def prepare(n: int) -> Call:
        import rekern.kernels

        kernel, item = getattr(rekern.kernels, name)(**parameters), make_item(n)
        return lambda: kernel.gram([item], [item], n_jobs=1)

    return prepare


def _explain(name: str, make_item: Callable[[int], object]) -> Case:
    def prepare(n: int) -> Call:
        import rekern.kernels

        kernel, item = getattr(rekern.kernels, name)(), make_item(n)
        return lambda: kernel.explain(item, item)

    return prepare


def _scores(group: str, make_text: Callable[[int], str]) -> Case:
    def prepare(n: int) -> Call:
        from rekern.similarity import Similarities

        kernel, text = Similarities(groups=(group,)).fit([("a b", "a c")]), make_text(n)
        return lambda: kernel.scores([(text, text)])

    return prepare


def _equal_tokens(n: int) -> list[str]:
    return ["a"] * n


def _two_tokens(n: int) -> list[str]:
    return ["ab"[number * number % 7 % 2] for number in range(n)]


def _pair(make: Callable[[int], list[str]]) -> Callable[[int], object]:
    return lambda n: (make(n), make(n))


def _deep_tree(n: int) -> str:
    return "(A " * n + "b" + ")" * n


def _wide_tree(n: int) -> str:
    return "(S" + " (A b)" * n + ")"


def _different_children(n: int) -> str:
    return "(S" + "".join(f" (A w{number})" for number in range(n)) + ")"


def _star(n: int) -> object:
    return ["hub", *["leaf"] * n], [(0, leaf) for leaf in range(1, n + 1)]


def _chain(n: int) -> object:
    return ["node"] * (n + 1), [(node, node + 1) for node in range(n)]


def _tokenize(text: Callable[[int], str]) -> Case:
    def prepare(n: int) -> Call:
        from rekern.structures import Tokens

        long = text(n)
        return lambda: Tokens.from_texts([long])

    return prepare


def _read_trees(text: Callable[[int], str]) -> Case:
    def prepare(n: int) -> Call:
        from rekern.structures import Trees

        tree = text(n)
        return lambda: Trees.from_items([tree])

    return prepare


def _read_table(name: str, line: Callable[[int], str]) -> Case:
    def prepare(n: int) -> Call:
        import gzip

        from rekern.datasets import read_table

        path = Path(tempfile.mkdtemp()) / name
        data = ("source\ttarget\tlabel\n" + line(n)).replace("\t", "," if ".csv" in name else "\t").encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return lambda: read_table(path)

    return prepare


def _grammar(lines: list[str], meaning: Callable[[int], str]) -> Case:
    def prepare(n: int) -> Call:
        from rekern.errors import InputError
        from rekern.krisp import read_grammar

        grammar, text = read_grammar(lines), meaning(n)

        def parse() -> None:
            with contextlib.suppress(InputError, RecursionError):
                grammar.parse(text)

        return parse

    return prepare


def _read_grammar(lines: Callable[[int], list[str]]) -> Case:
    def prepare(n: int) -> Call:
        from rekern import ModelLimits
        from rekern.krisp import read_grammar

        given, limits = lines(n), ModelLimits(productions=10**9, production_size=10**9)
        return lambda: read_grammar(given, limits=limits).phrases

    return prepare


def _list_names(n: int) -> list[str]:
    names = [f"n{number}" for number in range(n)]
    return ["Q -> {X}", "X -> '{name}'", f"names X = {'|'.join(names)}", *(f"also X {name} = same" for name in names)]


def _wasp_lines(n: int) -> Call:
    from experiments.geoquery.wasp_files import read_wasp_productions
    from rekern.errors import InputError

    line = "*n:S -> ({ " + "a })x " * n

    def read() -> None:
        with contextlib.suppress(InputError):
            read_wasp_productions([line])

    return read


def _pattern(n: int) -> Call:
    from rekern.questions import Expressions

    expressions, question = Expressions([r"(a|a)*b", r".*a.*a.*a.*c"]), "a" * n
    return lambda: expressions.match_texts([question])


def _question(n: int) -> Call:
    from rekern.questions.six_type_model import load_embedded_model

    model, question = load_embedded_model(), "what is the " * n + "?"
    return lambda: model.explain(question)


CASES: dict[str, Case] = {
    "Spectrum, equal tokens": _kernel("Spectrum", _equal_tokens, k=3),
    "Wildcard, two tokens": _kernel("Wildcard", _two_tokens, k=5, m=2),
    "Subsequence, equal tokens": _kernel("Subsequence", _equal_tokens),
    "Subsequence up to 10, equal tokens": _kernel("Subsequence", _equal_tokens, max_length=10, decay=0.01),
    "Rewriting, equal tokens": _kernel("Rewriting", _pair(_equal_tokens), k=(1, 4)),
    "Rewriting, two tokens": _kernel("Rewriting", _pair(_two_tokens), k=(1, 4)),
    "SubTree, deep": _kernel("SubTree", _deep_tree, decay=1.0, normalize=False),
    "SubsetTree, deep": _kernel("SubsetTree", _deep_tree, decay=0.4, normalize=False),
    "PartialTree, deep": _kernel("PartialTree", _deep_tree, decay=0.1, mu=0.1, normalize=False),
    "PartialTree, different children": _kernel("PartialTree", _different_children, decay=0.01, normalize=False),
    "DependencyPaths, wide": _kernel("DependencyPaths", _wide_tree, decay=0.001, normalize=False),
    "Neighborhoods, star": _kernel("Neighborhoods", _star),
    "Neighborhoods, chain": _kernel("Neighborhoods", _chain),
    "PartialTree.explain, wide": _explain("PartialTree", _wide_tree),
    "DependencyPaths.explain, wide": _explain("DependencyPaths", _wide_tree),
    "DependencyPaths.explain, different children": _explain("DependencyPaths", _different_children),
    "SubsetTree.explain, deep": _explain("SubsetTree", _deep_tree),
    "PartialTree.explain, deep": _explain("PartialTree", _deep_tree),
    "scores of sequences, equal tokens": _scores("sequences", lambda n: "a " * n),
    "scores of sequences, two tokens": _scores("sequences", lambda n: " ".join(_two_tokens(n))),
    "basic scores, equal tokens": _scores("basic", lambda n: "a " * n),
    "tokenizer, one long word": _tokenize(lambda n: "a" * n),
    "tokenizer, punctuation": _tokenize(lambda n: "'.,-" * n),
    "trees in brackets, deep": _read_trees(_deep_tree),
    "table, long field": _read_table("a.csv", lambda n: f'"{"a, " * n}"\tb\t1\n'),
    "table, doubled quotes": _read_table("a.csv", lambda n: '"' + '""' * n + '"\tb\t1\n'),
    "table, compressed": _read_table("a.tsv.gz", lambda n: "a b\tc\t1\n" * n),
    "grammar, ambiguous meaning": _grammar(["start S", "S -> {S} {S}", "S -> a"], lambda n: "a " * n),
    "grammar, meaning that fits nothing": _grammar(["start S", "S -> f({S})", "S -> f(a)"], lambda n: "f(" * n),
    "grammar, line of WASP that fits nothing": _wasp_lines,
    "grammar, continued lines": _read_grammar(lambda n: ["Q -> a", *[" b"] * n]),
    "grammar, doubled braces": _read_grammar(lambda n: ["Q -> " + "{{" * n]),
    "grammar, names with one phrase": _read_grammar(_list_names),
    "regular expressions, long question": _pattern,
    "question, repeated words": _question,
}


def run_case(name: str, most_seconds: float) -> None:
    """Double the size of a case until it takes some time or is refused; print a line of JSON for each size."""
    from rekern.errors import InputError

    prepare = CASES[name]
    most_seconds *= 8 if ".explain" in name else 1
    prepare(8)()  # loads compiled code
    n = 16
    while n <= MOST:
        call = prepare(n)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()  # not of the clock, so that other processes do not disturb
        try:
            call()
        except InputError:
            break
        seconds = time.process_time() - started
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(json.dumps({"n": n, "seconds": seconds, "megabytes": grown}), flush=True)
        if seconds > most_seconds:
            break
        n *= 2


def fit_exponent(points: list[tuple[float, float]]) -> float:
    """Return the slope of the last points on logarithmic scales, those large enough to be measured; NaN if too few."""
    last = [(math.log(x), math.log(y)) for x, y in points if y > 0][-3:]
    if len(last) < 2:
        return math.nan
    x, y = ([point[axis] for point in last] for axis in (0, 1))
    middle, height = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - height) for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x)


def main() -> None:
    """Run all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=list(CASES), help="run one case, in this process")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long the last call of a case takes")
    parser.add_argument("--plot", type=Path, help="draw the curves into this file")
    parser.add_argument("--markdown", action="store_true", help="print a table for the documentation")
    options = parser.parse_args()
    if options.case:
        run_case(options.case, options.seconds)
        return
    curves: dict[str, list[dict[str, float]]] = {}
    start, end, bar = ("| ", " |", " | ") if options.markdown else ("", "", "  ")
    print(start + bar.join([f"{'case':40}", f"{'n':>9}", f"{'seconds':>8}", f"{'MB':>7}", "time ~ n^"]) + end)
    if options.markdown:
        print("|---|--:|--:|--:|--:|")
    for name in CASES:
        command = [sys.executable, __file__, "--case", name, "--seconds", str(options.seconds)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST + 20 * options.seconds)
        except subprocess.TimeoutExpired:
            print(f"{start}{name:40}{bar}took too long{end}", flush=True)
            continue
        points = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode or not points:
            print(f"{start}{name:40}{bar}{(done.stderr.splitlines() or ['?'])[-1][:70]}{end}", flush=True)
            continue
        curves[name] = points
        last = points[-1]
        power = fit_exponent([(point["n"], point["seconds"]) for point in points if point["seconds"] > 0.002])
        row = [f"{name:40}", f"{last['n']:9,}", f"{last['seconds']:8.2f}", f"{last['megabytes']:7.0f}", f"{power:9.1f}"]
        print(start + bar.join(row) + end, flush=True)
    if options.plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 7))
        axes = figure.subplots()
        for name, points in curves.items():
            axes.loglog([point["n"] for point in points], [point["seconds"] for point in points], label=name)
        axes.set_xlabel("n")
        axes.set_ylabel("seconds")
        axes.legend(fontsize=6)
        figure.savefig(options.plot)


if __name__ == "__main__":
    main()
