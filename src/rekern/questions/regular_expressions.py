"""Regular expressions written by hand, as patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scipy.sparse import csr_array

from rekern.core.files import show_path
from rekern.core.messages import show_value
from rekern.core.text_files import read_text
from rekern.errors import InputError
from rekern.questions.expression_automaton import Automaton, ExpressionError
from rekern.questions.pattern_matrices import flatten_rows, mark_matches
from rekern.questions.question_units import HAN_SIGN


class RegularExpressions:
    """Regular expressions in Python's notation. Each must match a whole question; case does not matter.

    `rekern.questions` exports the class as ``Expressions``.

    >>> found = RegularExpressions([r"how (do|can) (i|you|we) .*", r".*\\bmean(s|ing)?\\b.*"])
    >>> found.match_texts(["How can I swim", "what does it mean?"]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> RegularExpressions(["a(b"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: expression 1, position 2: missing ), unterminated subpattern
    """

    def __init__(self, expressions: Iterable[str]):
        wrong = isinstance(expressions, str | bytes)
        try:
            self.expressions = list(expressions)
        except TypeError:  # some objects look like lists, such as arrays without a dimension
            wrong = True
        if wrong:
            raise InputError(f"expressions={show_value(expressions)}: give a list of regular expressions")
        self.automata: list[Automaton] = []
        for number, expression in enumerate(self.expressions, 1):
            if not isinstance(expression, str):
                raise InputError(f"expression {number} is {show_value(expression)}: give a str")
            try:
                self.automata.append(Automaton(expression))
            except ExpressionError as error:
                position = f"position {error.position}"
                raise InputError(str(error), row=number, column=position, unit="expression") from None

    def names(self) -> list[str]:
        """Return the expressions as they were written."""
        return self.expressions

    def select(self, columns: Sequence[int]) -> RegularExpressions:
        """Keep the expressions with these numbers."""
        chosen = RegularExpressions([])
        chosen.expressions = [self.expressions[number] for number in columns]
        chosen.automata = [self.automata[number] for number in columns]
        return chosen

    def match_texts(self, questions: Iterable[str]) -> csr_array:
        """Return a sparse matrix, questions × expressions, with 1 where an expression matches."""
        rows = []
        for question in questions:
            text = question.strip().lower()  # fewer different characters to cache; the expressions ignore case
            has_chinese = HAN_SIGN.search(text) is not None
            rows.append(
                [
                    number
                    for number, automaton in enumerate(self.automata)
                    if (has_chinese or not automaton.needs_chinese) and automaton.matches(text)
                ]
            )
        return mark_matches(*flatten_rows(rows), len(self.expressions))


Expressions = RegularExpressions  # the public name; `rekern.structures` has multiword expressions under the same name


def read_expressions(path: str | Path) -> RegularExpressions:
    """Read the expressions of a text file, one per line; empty lines and lines that begin with ``#`` are skipped.

    >>> read_expressions("no such file.txt")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no such file.txt: check the path
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1)]
    kept = [(number, line) for number, line in lines if line and not line.startswith("#")]
    try:
        return RegularExpressions([line for _, line in kept])
    except InputError as error:
        row = None if error.row is None else kept[error.row - 1][0]
        raise error.at(file=show_path(path), row=row, unit="line") from None
