"""Question classification: training on NF-CATS, and questions a second.

    python benchmarks/questions.py [--data DIR]

Prints the seconds of training MSS on all 7,669 training questions, how many questions a second it then classifies, and
the same for the matching of its strict patterns alone, by the index and by one compiled regular expression after the
other.
"""

import argparse
import re
import time

from rekern.questions import QuestionClassifier, embedded_model
from rekern.questions.question_units import cut
from rekern.questions.strict_patterns import StrictPatterns
from rekern.reproduce.question_data_sets import load_nf_cats


def rate(function, items, repeats=3):
    """Items a second, the best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        function(items)
        best = min(best, time.perf_counter() - started)
    return len(items) / best


def expression(pattern):
    """A strict pattern as a regular expression over words between blanks."""
    parts = [r"(?:\S+ )*" if part is None else re.escape(part) + " " for part in pattern]
    return re.compile("".join(parts))


def main():
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", default=None)
    data = options.parse_args().data
    questions, kinds = load_nf_cats("train", False, data)
    asked, true = load_nf_cats("test", False, data)
    for name in ("first (compiling)", "second"):
        started = time.perf_counter()
        model = QuestionClassifier().fit(questions, kinds)
        print(f"training on {len(questions):,} questions, {name} time: {time.perf_counter() - started:.1f} s")
    print(f"{model.formulas_:,} formulas, accuracy {100 * model.score(asked, true):.1f} %")
    print(f"classification: {rate(model.predict, asked):,.0f} questions/s")
    print(f"the embedded model: {rate(embedded_model().predict, asked):,.0f} questions/s")
    strict = next(part for part in model.evidence_.parts if isinstance(part, StrictPatterns))
    units = [cut(question) for question in asked]
    by_index = rate(strict.match, units)
    compiled = [expression(pattern) for pattern in strict.patterns]
    texts = ["".join(f"{word} " for word in question.words) for question in units[:100]]
    one_by_one = rate(lambda rows: [[bool(e.fullmatch(row)) for e in compiled] for row in rows], texts, 1)
    print(f"{len(compiled):,} strict patterns by the index: {by_index:,.0f} questions/s")
    print(f"one regular expression after the other: {one_by_one:,.0f} questions/s ({by_index / one_by_one:,.0f} times)")


if __name__ == "__main__":
    main()
