"""Answers to questions, and their form as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rekern.core.messages import shorten_text
from rekern.drawing import draw_answer, draw_answer_svg
from rekern.krisp.answering.database import QueryResult, Value
from rekern.krisp.answering.scored_reading import ScoredReading
from rekern.krisp.answering.sql_compiler import Query

SHOWN = 5  # rows of an answer, or nearest readings, in a repr


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to a question.

    Without a confident reading, there are only the nearest readings, and the reason why none of them is an answer.

    >>> Answer("why?", why="unknown words: why")
    <Answer>
    question    why?
    no answer   unknown words: why
    """

    question: str
    reading: ScoredReading | None = None
    query: Query | None = None
    result: QueryResult | None = None
    nearest: tuple[ScoredReading, ...] = ()
    why: str = ""
    not_understood: tuple[str, ...] = ()  # words and names of the question, as they are written in it

    def __repr__(self) -> str:
        """The question, and its answer or why there is none, in a few lines."""
        if self.reading is not None and self.result is not None:
            lines = [("answer", "  ".join(map(str, row))) for row in self.result.rows[:SHOWN]]
            more = len(self.result.rows) - len(lines)
            lines += [("", f"and {more:,} more rows")] if more else []
            lines.append(("query", f"{self.reading.meaning}, confidence {self.reading.confidence:.3f}"))
        else:
            lines = [("no answer", self.why)]
            lines += [("nearest", f"{near.meaning}, confidence {near.confidence:.3f}") for near in self.nearest[:SHOWN]]
        return "\n".join(
            ["<Answer>", *(f"{name:12}{shorten_text(text)}" for name, text in [("question", self.question), *lines])]
        )

    def to_dict(self) -> dict[str, object]:
        """The answer as plain data, for JSON.

        >>> Answer("why?", why="unknown words: why").to_dict()["why"]
        'unknown words: why'
        """
        found: dict[str, object] = {"question": self.question, "confident": self.reading is not None}
        found["not_understood"] = list(self.not_understood)
        if self.reading is not None and self.query is not None and self.result is not None:
            found |= {
                "answer": [row[0] if len(row) == 1 else row for row in map(_to_json, self.result.rows)],
                "columns": self.result.columns,
                "cut": self.result.cut,
                "query": self.reading.meaning,
                "sql": self.query.sql,
                "parameters": self.query.parameters,
                "confidence": self.reading.confidence,
                "words": list(self.reading.words),
                "derivation": self.reading.list_nodes(),
            }
        else:
            found["why"] = self.why
        found["nearest"] = [{"query": near.meaning, "confidence": near.confidence} for near in self.nearest]
        return found

    def to_html(self, style: bool = True) -> str:
        """The answer as a drawing: the rows, the reading over the words of the question, the SQL with its values.

        >>> "unknown words" in Answer("why?", why="unknown words: why").to_html()
        True
        """
        return draw_answer(self, style=style)

    def to_svg(self, width: float = 920) -> str:
        """The answer as a drawing, one SVG of a width in pixels.

        >>> Answer("why?", why="unknown words: why").to_svg().startswith("<svg")
        True
        """
        return draw_answer_svg(self, width=width)

    def _repr_html_(self) -> str:
        return self.to_html()


def _to_json(row: Sequence[Value]) -> list[Value]:
    """A row of a database for JSON, with bytes as hexadecimal digits.

    >>> _to_json(("Emma", 8.5, b"\\x01\\xff"))
    ['Emma', 8.5, '01ff']
    """
    return [value.hex() if isinstance(value, bytes) else value for value in row]
