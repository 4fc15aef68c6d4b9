"""Regular expressions written by hand, as patterns.

They are matched by RE2, whose automata never backtrack: however an expression is written, matching takes no longer than
the length of the text times that of the expression. Back references and look-around would need backtracking; they are
refused. Expressions are in Python's notation, and mean what they mean in Python, but that ``\\b`` only knows the words
of ASCII: beside other letters it sees a boundary where Python sees none.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import re2
from scipy.sparse import csr_array

from rekern.core.files import show_path
from rekern.core.messages import show_value
from rekern.core.text_files import read_text
from rekern.errors import InputError
from rekern.questions.pattern_index import flatten_rows, mark_matches

MAX_CHARACTERS = 1_000  # of an expression
MAX_REPETITIONS = 1_000  # of a part of an expression, in repetitions inside repetitions: the most that RE2 allows
MAX_DEPTH = 50  # of groups inside groups

# What Python's classes are in RE2, whose own ones are of ASCII.
CLASSES = {"w": r"\pL\pN_", "d": r"\p{Nd}", "s": r"\t-\r\x1c-\x20\x85\pZ"}
TOKEN = re.compile(
    r"""\\(?:N\{[^}]*\}|x..|u.{4}|U.{8}|0[0-7]{0,2}|.)
    |\[\^?\]?(?:\\.|[^\]\\])*\]
    |\((?:\?:)?
    |(?:[*+?]|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)(?<!\{)\})(?:\?|(?P<possessive>\+))?
    |.""",
    re.DOTALL | re.VERBOSE,
)
ESCAPE = re.compile(r"\\(?:N\{[^}]*\}|x..|u.{4}|U.{8}|[0-7]{1,3}|.)|.", re.DOTALL)  # in brackets


class ExpressionError(ValueError):
    """An expression that cannot be used; ``position`` is the character at which it fails, counted from 1."""

    def __init__(self, reason: str, position: int):
        super().__init__(reason)
        self.position = position


class Repetitions(NamedTuple):
    """How often a part of an expression is repeated at most, by all quantifiers around it; ``start`` is its place."""

    times: int
    start: int


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
        options = re2.Options()
        options.case_sensitive, options.dot_nl, options.never_capture, options.log_errors = False, True, True, False
        self._filter = re2.Filter()  # finds the expressions that match a text in one pass
        for number, expression in enumerate(self.expressions, 1):
            if not isinstance(expression, str):
                raise InputError(f"expression {number} is {show_value(expression)}: give a str")
            try:
                self._filter.Add(rf"\A(?:{translate_expression(expression)})\z", options)
            except re2.error:
                message = "the expression is too large; split it"
                raise InputError(message, row=number, column="position 1", unit="expression") from None
            except ExpressionError as error:
                position = f"position {error.position}"
                raise InputError(str(error), row=number, column=position, unit="expression") from None
        if self.expressions:
            self._filter.Compile()

    def __reduce__(self) -> tuple[type[Self], tuple[list[str]]]:
        return type(self), (self.expressions,)

    def names(self) -> list[str]:
        """Return the expressions as they were written."""
        return self.expressions

    def select(self, columns: Sequence[int]) -> RegularExpressions:
        """Keep the expressions with these numbers."""
        return RegularExpressions([self.expressions[number] for number in columns])

    def match_texts(self, questions: Iterable[str]) -> csr_array:
        """Return a sparse matrix, questions × expressions, with 1 where an expression matches."""
        rows = [self.find_matches(question.strip()) for question in questions]
        return mark_matches(*flatten_rows(rows), len(self.expressions))

    def find_matches(self, text: str) -> list[int]:
        """Return the numbers of the expressions that match a whole text, from 0."""
        if not self.expressions:
            return []
        # The filter looks for words of the expressions in small letters. Half of a character has no UTF-8.
        return sorted(self._filter.Match(text.lower().encode("utf-8", "replace")) or ())


Expressions = RegularExpressions  # the public name; `rekern.structures` has multiword expressions under the same name


def translate_expression(expression: str) -> str:
    r"""Write an expression of Python in RE2's notation; refuse what RE2 does not know.

    >>> translate_expression(r"\d{,2}( .*\b)?so\Z")
    '[\\p{Nd}]{0,2}(?: .*\\b)?so\\z'
    """
    if len(expression) > MAX_CHARACTERS:
        raise ExpressionError(
            f"the expression has more than {MAX_CHARACTERS:,} characters; split it", MAX_CHARACTERS + 1
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set" announces a change of a later Python
            re.compile(expression)
    except re.error as error:
        raise ExpressionError(error.msg, (error.pos or 0) + 1) from None
    except (RecursionError, OverflowError, MemoryError):
        raise ExpressionError("the expression is too large; split it", 1) from None
    parts: list[str] = []
    groups = [[Repetitions(1, 0)]]  # for each open group, what is in it so far
    for token in TOKEN.finditer(expression):
        text, place = token.group(), token.start()
        if token.group("possessive"):
            raise ExpressionError("possessive repetition is not supported; leave out the second +", token.end())
        if text[0] in "*+?" or (text[0] == "{" and len(text) > 1):
            parts.append(_repeat(token, groups[-1]))
            continue
        if text == "(" and expression.startswith("?", place + 1):
            raise ExpressionError("look-around, flags and named groups are not supported; use (…) or (?:…)", place + 1)
        if text[0] == "(":
            if len(groups) > MAX_DEPTH:
                raise ExpressionError(f"more than {MAX_DEPTH} groups inside one another; simplify it", place + 1)
            groups.append([Repetitions(1, place)])
            parts.append("(?:")
        elif text == ")":
            inside = groups.pop()
            groups[-1].append(max(inside, key=lambda part: part.times))
            parts.append(text)
        else:
            groups[-1].append(Repetitions(1, place))
            parts.append(_translate_atom(text, place))
    return "".join(parts)


def _repeat(token: re.Match[str], parts: list[Repetitions]) -> str:
    """Write a quantifier, after the counts of the part before it; ``parts`` are those of its group so far."""
    text, place = token.group(), token.start()
    if text[0] != "{":
        return text
    least = int(token.group("least") or 0)
    most = token.group("most") if token.group("comma") else token.group("least")
    times = max(least, int(most or 0), 1)
    if times > MAX_REPETITIONS:
        raise ExpressionError(f"a repetition of more than {MAX_REPETITIONS:,} times; use a smaller count", place + 1)
    repeated = parts[-1]._replace(times=parts[-1].times * times)
    if repeated.times > MAX_REPETITIONS:
        remedy = f"a part is repeated more than {MAX_REPETITIONS:,} times; use smaller repetition counts"
        raise ExpressionError(f"the expression is too large: {remedy}", repeated.start + 1)
    parts[-1] = repeated
    lazy = "?" * text.endswith("?")
    return f"{{{least},{most}}}{lazy}" if most else f"{{{least},}}{lazy}"


def _translate_atom(text: str, place: int) -> str:
    """Write a character, an escape, or characters in brackets."""
    if text[0] == "[":
        return f"[{'^' * text.startswith('[^')}{_translate_brackets(text[1:-1].removeprefix('^'), place)}]"
    if text == r"\Z":
        return r"\z"
    if text[0] == "\\" and text[1] in "123456789":
        raise ExpressionError("back references are not supported; write the text out", place + 1)
    if text in (".", "^", "$", "|", r"\A", r"\b", r"\B"):
        return text
    if text[0] == "\\" and text[1].lower() in CLASSES:
        return f"[{'^' * text[1].isupper()}{CLASSES[text[1].lower()]}]"
    return _write_character(text, place)


def _translate_brackets(inside: str, place: int) -> str:
    parts = []
    for found in ESCAPE.finditer(inside):
        text = found.group()
        if text == "-":  # of a range, or itself, as in Python
            parts.append(text)
        elif text[0] == "\\" and text[1].lower() in CLASSES:
            parts.append(_list_others(text[1]) if text[1].isupper() else CLASSES[text[1]])
        else:
            parts.append(_write_character(text, place))
    return "".join(parts)


def _write_character(text: str, place: int) -> str:
    """Write a character, which may be an escape, by its number if RE2 would take it for something else."""
    if len(text) == 1:
        character = text
    elif text[1] == "N":
        character = unicodedata.lookup(text[3:-1])
    elif text[1] in "xuU":
        character = chr(int(text[2:], 16))
    elif text[1] in "01234567":
        character = chr(int(text[1:], 8))
    else:
        character = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}.get(text[1], text[1])
    if "\ud800" <= character <= "\udfff":
        raise ExpressionError("half a character: no text has it", place + 1)
    return character if character.isalnum() or character == " " else rf"\x{{{ord(character):x}}}"


@cache
def _list_others(name: str) -> str:
    r"""List the ranges of characters that are not in a class, such as ``\W``: RE2 has no such class in brackets."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    runs = [found.group() for found in re.finditer(rf"\{name}+", everything)]
    return "".join(rf"\x{{{ord(run[0]):x}}}-\x{{{ord(run[-1]):x}}}" for run in runs)


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
