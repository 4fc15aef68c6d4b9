"""Question classification: time of training on NF-CATS, and questions per second.

    python benchmarks/questions.py [--questions N] [--data DIR]

Prints the seconds of training strict and soft patterns (MSS) on the training questions (7,669, or the first N), the
questions classified per second, and the rate of matching strict patterns alone: by the index, and by one compiled
regular expression after the other, with the ratio of the two.
"""

import argparse
import re
import time

from experiments.question_experiments import load_nf_cats
from rekern.questions import QuestionClassifier, embedded_model
from rekern.questions.question_units import cut
from rekern.questions.strict_patterns import StrictPatterns


def measure_rate(function, items, repeats=3):
    """Return the items per second in the best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        function(items)
        best = min(best, time.perf_counter() - started)
    return len(items) / best


def compile_pattern(pattern):
    """Compile a strict pattern as a regular expression over words followed by spaces."""
    parts = [r"(?:\S+ )*" if part is None else re.escape(part) + " " for part in pattern]
    return re.compile("".join(parts))


def main():
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", default=None)
    options.add_argument("--questions", type=int, default=None)
    given = options.parse_args()
    data = given.data
    questions, kinds = (part[: given.questions] for part in load_nf_cats("train", False, data))
    asked, true = load_nf_cats("test", False, data)
    for name in ("first (compiling)", "second"):
        started = time.perf_counter()
        model = QuestionClassifier().fit(questions, kinds)
        print(f"training on {len(questions):,} questions, {name} time: {time.perf_counter() - started:.1f} s")
    print(f"{model.formulas_:,} formulas, accuracy {100 * model.score(asked, true):.1f} %")
    print(f"classification: {measure_rate(model.predict, asked):,.0f} questions/s")
    print(f"the embedded model: {measure_rate(embedded_model().predict, asked):,.0f} questions/s")
    strict = next(part for part in model.evidence_.parts if isinstance(part, StrictPatterns))
    units = [cut(question) for question in asked]
    by_index = measure_rate(strict.match, units)
    compiled = [compile_pattern(pattern) for pattern in strict.patterns]
    texts = ["".join(f"{word} " for word in question.words) for question in units[:100]]
    one_by_one = measure_rate(lambda rows: [[bool(e.fullmatch(row)) for e in compiled] for row in rows], texts, 1)
    print(f"{len(compiled):,} strict patterns by the index: {by_index:,.0f} questions/s")
    print(f"one regular expression after the other: {one_by_one:,.0f} questions/s ({by_index / one_by_one:,.0f} times)")


if __name__ == "__main__":
    main()
