"""From a question to an answer: the readings of a parser, a second opinion, a confidence, and the database."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from rekern.errors import InputError
from rekern.krisp.database import Database, Table, with_database
from rekern.krisp.grammar import Derivation, Grammar
from rekern.krisp.opinion import SecondOpinion
from rekern.krisp.sql import Query, compile_sql

if TYPE_CHECKING:
    from rekern.krisp.parser import SemanticParser

WORDS = 100  # the longest question
READINGS = 10
FOLDS = 10  # of cross-validation, of which a large set gets fewer
QUESTIONS = 1500  # to be learned in all folds together; more would take longer than a user waits
FEWEST = 12  # questions for which cross-validation makes sense
WRONG = 8.0  # right answers that one wrong answer outweighs
UNKNOWN = 5.0  # what an unknown word, or a negation that was never learned, takes from a reading's score
OVERLOOKED = 2.0  # and a telling word that the reading overlooks
AGREEMENT = 0.5  # the weight of the second opinion
NONSENSE = ("zanzibar", "foobar", "gobi", "quux", "mars")  # names that no database here has

Status = Callable[[str], None]


def _quiet(text: str) -> None:
    """Say nothing."""


class Questions(NamedTuple):
    """Questions, their meanings, and where each stands, for messages.

    >>> Questions(["who wrote emma?"], ["writer('Emma')"]).place(0)
    'question 1'
    """

    questions: Sequence[str]
    meanings: Sequence[str]
    places: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.questions)

    def place(self, row: int) -> str:
        """Where a question stands."""
        return self.places[row] if self.places else f"question {row + 1}"


def read_questions(path: str) -> Questions:
    """The questions of a table with the columns ``question`` and ``meaning`` (TSV, CSV, JSONL …).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/questions.tsv", "w") as file:
    ...         _ = file.write("question\\tmeaning\\nwho wrote emma?\\twriter('Emma')\\n")
    ...     read_questions(f"{folder}/questions.tsv").meanings
    ["writer('Emma')"]
    """
    from rekern.datasets.tables import read_table

    table = read_table(path, "question", "meaning", None)
    places = [table.place(row) for row in range(len(table))]
    for place, (question, meaning) in zip(places, table.pairs):
        for kind, text in (("question", question), ("meaning", meaning)):
            if not text.strip():
                raise InputError(f"{place}: the {kind} is empty; drop the row or fill it in")
    return Questions([pair[0] for pair in table.pairs], [pair[1] for pair in table.pairs], places)


@dataclass(frozen=True)
class Reading:
    """A meaning that a question may have, with a confidence between 0 and 1.

    >>> from rekern.krisp.grammar import read_grammar
    >>> derivation = read_grammar(["Query -> all"]).parse("all")
    >>> print(*Reading("all", derivation, 0.9, -0.1, (("all", 0, 2, 0),), ("list", "all")).tree())
    all  list all
    """

    meaning: str
    derivation: Derivation
    confidence: float
    score: float
    nodes: tuple[tuple[str, int, int, int], ...]  # label, first word, end, depth; the top one first
    words: tuple[str, ...]

    def tree(self) -> list[str]:
        """The derivation as lines: what stands below what, and the words that each part covers."""
        marks = _branches([depth for *_, depth in self.nodes])
        left = [mark + label for mark, (label, *_) in zip(marks, self.nodes)]
        width = max(map(len, left), default=0)
        covered = [" ".join(self.words[start:end]) for _, start, end, _ in self.nodes]
        return [f"{line:<{width}}  {words}" for line, words in zip(left, covered)]


def _visible(nodes: Sequence[tuple[str, int, int, int]]) -> tuple[tuple[str, int, int, int], ...]:
    """The nodes without those that only lead on (Query -> {Book}), each called by its right side.

    >>> _visible([("Query -> {Book}", 0, 3, 0), ("Book -> by({Name})", 0, 3, 1), ("by", 0, 2, 2), ("'Emma'", 2, 3, 2)])
    (('by({Name})', 0, 3, 0), ('by', 0, 2, 1), ("'Emma'", 2, 3, 1))
    """
    found = []
    hidden: list[int] = []  # the depths of the hidden nodes above
    for label, start, end, depth in nodes:
        hidden = [above for above in hidden if above < depth]
        name = label.partition(" -> ")[2] or label
        if re.fullmatch(r"\{\w+\}", name):
            hidden.append(depth)
        else:
            found.append((name, start, end, depth - len(hidden)))
    return tuple(found)


def _branches(depths: Sequence[int]) -> list[str]:
    """What stands before each node of a tree that is given by the depths of its nodes in pre-order.

    >>> _branches([0, 1, 2, 1])
    ['', '├─ ', '│  └─ ', '└─ ']
    """
    found = []
    for place, depth in enumerate(depths):
        marks = []
        for level in range(1, depth + 1):
            later = next((other for other in depths[place + 1 :] if other <= level), -1)
            more = later == level
            marks.append(("├─ " if more else "└─ ") if level == depth else ("│  " if more else "   "))
        found.append("".join(marks))
    return found


@dataclass(frozen=True)
class Answer:
    """The answer to a question; without a confident reading only the nearest ones and why none of them was taken.

    >>> Answer("why?", why="unknown words: why").to_dict()["confident"]
    False
    """

    question: str
    reading: Reading | None = None
    query: Query | None = None
    table: Table | None = None
    nearest: tuple[Reading, ...] = ()
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        found: dict[str, Any] = {"question": self.question, "confident": self.reading is not None}
        if self.reading is not None and self.query is not None and self.table is not None:
            found |= {
                "answer": [row[0] if len(row) == 1 else list(row) for row in self.table.rows],
                "columns": self.table.columns,
                "cut": self.table.cut,
                "query": self.reading.meaning,
                "sql": self.query.sql,
                "parameters": self.query.parameters,
                "confidence": self.reading.confidence,
                "derivation": [
                    {
                        "label": label,
                        "words": " ".join(self.reading.words[start:end]),
                        "start": start,
                        "end": end,
                        "depth": depth,
                    }
                    for label, start, end, depth in self.reading.nodes
                ],
            }
        else:
            found["why"] = self.why
        found["nearest"] = [{"query": near.meaning, "confidence": near.confidence} for near in self.nearest]
        return found


class Asker:
    """A parser with a database: questions in, answers out.

    ``notes`` holds what cross-validation found when the parser was trained: the sigmoid that turns a reading's score
    into its confidence, and the confidence below which a reading is no answer.
    """

    def __init__(self, parser: SemanticParser, database: Database):
        self.parser, self.database = parser, database
        self.notes: dict[str, Any] = getattr(parser, "notes", {})
        if "questions" not in self.notes:
            raise InputError("this model was not made by rekern ask --train: it has no confidence to judge readings by")
        _rename(parser, with_database(parser.grammar, database))  # the database may have new names
        self._opinion = _opinion(parser, self.notes["questions"], self.notes["meanings"])

    @property
    def confidence(self) -> float:
        """The least confidence of a reading that is an answer."""
        return float(self.notes["confidence"])

    def readings(self, question: str) -> list[Reading]:
        """The readings of a question, the most confident first."""
        slope, shift = self.notes["slope"], self.notes["shift"]
        return _readings(self.parser, self._opinion, question, slope, shift)

    def ask(self, question: str) -> Answer:
        """The answer to a question."""
        question = " ".join(question.split())
        words = self.parser.words(question)
        if not words:
            raise InputError("the question is empty: ask something")
        if len(words) > WORDS:
            raise InputError(f"the question has {len(words)} words: ask in at most {WORDS}")
        found = self.readings(question)
        if not found:
            cut = self.parser.parse(question, 1).cut
            return Answer(question, why="the search was given up: ask less" if cut else "nothing that was learned fits")
        best = found[0]
        if best.confidence < self.confidence:
            strange = _strange(self.parser, self._opinion, question)
            why = f"unknown words: {', '.join(dict.fromkeys(strange))}" if strange else ""
            return Answer(question, nearest=tuple(found), why=why)
        query = compile_sql(best.derivation)
        return Answer(question, best, query, self.database.run(query), tuple(found[1:]))


def _rename(parser: SemanticParser, grammar: Grammar) -> None:
    """Give a trained parser a grammar that has the same rules, and more names."""
    if len(grammar.productions) != len(parser.grammar.productions):
        parser.grammar = grammar
        parser._learn(parser.learned_)


def _opinion(parser: SemanticParser, questions: Sequence[str], meanings: Sequence[str]) -> SecondOpinion:
    return SecondOpinion([parser.seen(question) for question in questions], [parser.grammar.parse(m) for m in meanings])


def _strange(parser: SemanticParser, opinion: SecondOpinion, question: str) -> list[str]:
    """The words of a question that are neither known nor part of a name or a number that a meaning may take."""
    words, seen = list(parser.words(question)), list(parser.seen(question))
    for start, end in reversed(parser.mentioned(question)):
        del words[start:end], seen[start:end]
    return opinion.strange(words, seen)


def _readings(
    parser: SemanticParser, opinion: SecondOpinion, question: str, slope: float, shift: float
) -> list[Reading]:
    """The readings of a question: first those that use all names that it mentions, then by their scores.

    A score is the log probability of the parser, divided by the root of the number of the nodes, as every node more
    makes a reading less probable; to it comes what the second opinion says, and what words take that are unknown
    or that the reading overlooks.
    """
    seen = parser.seen(question)
    expected = opinion.expected(seen)
    words = tuple(parser.words(question))
    unknown = len(_strange(parser, opinion, question))
    found: list[tuple[int, float, int, Reading]] = []
    for candidate in parser.parse(question, READINGS):
        size = math.sqrt(max(1, candidate.scored))
        score = candidate.log_probability / size + AGREEMENT * opinion.agreement(expected, candidate.derivation)
        score -= OVERLOOKED * opinion.overlooked(seen, candidate.derivation)
        score -= UNKNOWN * (unknown + opinion.denied(seen, candidate.derivation))
        names = sum(production.kind != "rule" for production in candidate.derivation.productions())
        confidence = 1 / (1 + math.exp(-max(-50.0, min(50.0, slope * score + shift))))
        reading = Reading(candidate.meaning, candidate.derivation, confidence, score, _visible(candidate.nodes), words)
        found.append((-names, -score, len(found), reading))
    return [reading for *_, reading in sorted(found)]


@dataclass
class _Outcomes:
    """Scores of best readings, and whether they were right."""

    scores: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    asked: int = 0


def train_asker(
    questions: Questions,
    grammar: Grammar,
    database: Database,
    n_jobs: int | None = None,
    status: Status = _quiet,
    notes: dict[str, Any] | None = None,
) -> Asker:
    """Learn from questions and meanings; ``notes`` are what `cross_validate` found, if that is known already.

    >>> from rekern.krisp.embedded import europe_database
    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar([
    ...     "Query -> capital({Land})    := SELECT capital FROM country WHERE name IN ({1})",
    ...     "Query -> currency({Land})   := SELECT currency FROM country WHERE name IN ({1})",
    ...     "Land -> {Name}              := SELECT name FROM country WHERE name = {1}",
    ...     "Name -> '{name}'",
    ...     "names Name := SELECT name FROM country",
    ... ])
    >>> asked = ["capital of spain", "the capital of italy", "currency of norway", "the currency of malta"]
    >>> meant = ["capital('Spain')", "capital('Italy')", "currency('Norway')", "currency('Malta')"]
    >>> asker = train_asker(Questions(asked, meant), grammar, europe_database())
    >>> asker.ask("The capital of Estonia?").table.rows
    [('Tallinn',)]
    >>> evaluate(asker, Questions(asked, meant))["accuracy"]
    1.0
    """
    named = with_database(grammar, database)
    _derivations(questions, named)
    if notes is None:
        notes = cross_validate(questions, named, database, n_jobs, status)
    status("training")
    parser = _parser(named, n_jobs).fit(list(questions.questions), list(questions.meanings))
    parser.notes = notes | {"questions": list(questions.questions), "meanings": list(questions.meanings)}
    return Asker(parser, database)


def _parser(grammar: Grammar, n_jobs: int | None) -> SemanticParser:
    from rekern.krisp import SemanticParser

    return SemanticParser(grammar, kernel="word", threshold=0.01, C=3.0, stems=True, n_jobs=n_jobs)


def _derivations(questions: Questions, grammar: Grammar) -> list[Derivation]:
    if not len(questions):
        raise InputError("there are no questions to learn from")
    found = []
    for row, meaning in enumerate(questions.meanings):
        try:
            found.append(grammar.parse(meaning))
        except InputError as error:
            raise InputError(f"{questions.place(row)}: {error}") from None
    return found


def _rows(database: Database, derivation: Derivation) -> frozenset[tuple[Any, ...]]:
    return frozenset(database.run(compile_sql(derivation)).rows)


def cross_validate(
    questions: Questions,
    grammar: Grammar,
    database: Database,
    n_jobs: int | None = None,
    status: Status = _quiet,
    folds: int | None = None,
) -> dict[str, Any]:
    """Choose the least confidence of an answer, and the sigmoid of confidences, by cross-validation.

    Each question is asked of a parser that was trained without it, and every second one that mentions a name once more
    with an unknown name, for which no reading is right. There is nothing to learn from fewer than `FEWEST` questions.

    >>> from rekern.krisp.embedded import europe_database, europe_grammar
    >>> cross_validate(Questions([], []), europe_grammar(), europe_database())["asked"]
    0
    """
    notes: dict[str, Any] = {"slope": 1.0, "shift": 3.0, "confidence": 0.5, "asked": 0, "answered": 0, "right": 0}
    notes["best"] = 0  # questions whose best reading is right, confident or not
    if len(questions) < FEWEST:
        return notes
    answers = [_rows(database, derivation) for derivation in _derivations(questions, grammar)]
    order = list(range(len(questions)))
    random.Random(0).shuffle(order)
    outcomes = _Outcomes()
    folds = folds or max(2, min(FOLDS, QUESTIONS // len(questions)))
    for fold in range(folds):
        status(f"training: cross-validation, part {fold + 1} of {folds}")
        inside = [row for place, row in enumerate(order) if place % folds != fold]
        known = [questions.questions[row] for row in inside], [questions.meanings[row] for row in inside]
        parser = _parser(grammar, n_jobs).fit(*known)
        opinion = _opinion(parser, *known)
        for place, row in enumerate(order):
            if place % folds != fold:
                continue
            question = questions.questions[row]
            outcomes.asked += 1
            found = _readings(parser, opinion, question, 1.0, 0.0)
            if found:
                outcomes.scores.append(found[0].score)
                outcomes.right.append(_rows(database, found[0].derivation) == answers[row])
                notes["best"] += outcomes.right[-1]
            strange = _with_nonsense(parser, question, place)
            if strange is not None and place % 2 == 0:
                found = _readings(parser, opinion, strange, 1.0, 0.0)
                if found:
                    outcomes.scores.append(found[0].score)
                    outcomes.right.append(False)
    return notes | choose_confidence(outcomes.scores, outcomes.right) | {"asked": outcomes.asked}


def _with_nonsense(parser: SemanticParser, question: str, place: int) -> str | None:
    """The question with an unknown name instead of the first one that it mentions."""
    words = parser.words(question)
    spans = parser.mentioned(question)
    if not spans:
        return None
    start, end = spans[0]
    return " ".join([*words[:start], NONSENSE[place % len(NONSENSE)], *words[end:]])


def choose_confidence(scores: Sequence[float], right: Sequence[bool]) -> dict[str, Any]:
    """The sigmoid that turns scores into confidences, and the confidence from which on it pays to answer.

    A wrong answer costs as much as `WRONG` right ones bring.

    >>> chosen = choose_confidence([-1.0, -1.5, -2.0, -6.0, -7.0], [True, True, True, False, False])
    >>> chosen["answered"], chosen["right"], 0 < chosen["confidence"] < 1
    (3, 3, True)
    """
    import numpy as np

    from rekern.krisp.machines import sigmoid

    values, truth = np.array(scores, dtype=float), np.array(right, dtype=bool)
    if not len(values):
        return {"answered": 0, "right": 0}
    slope, shift = sigmoid(values, np.where(truth, 1, -1), np.ones(len(values)))
    order = np.argsort(-values, kind="stable")
    gain = np.cumsum(np.where(truth[order], 1.0, -WRONG))
    best = int(np.argmax(gain)) if gain.max() > 0 else -1
    inside = values[order[best]] if best >= 0 else values.max() + 1
    outside = values[order[best + 1]] if best + 1 < len(order) else inside - 1
    least = (inside + outside) / 2 if best >= 0 else inside
    return {
        "slope": slope,
        "shift": shift,
        "confidence": float(1 / (1 + np.exp(-np.clip(slope * least + shift, -50, 50)))),
        "answered": best + 1,
        "right": int(truth[order[: best + 1]].sum()),
    }


def evaluate(asker: Asker, questions: Questions, status: Status = _quiet) -> dict[str, Any]:
    """Ask questions whose meanings are known; an answer is right if the query of the known meaning gives it, too."""
    derivations = _derivations(questions, asker.parser.grammar)
    rows: list[dict[str, Any]] = []
    best = 0
    for row, (question, derivation) in enumerate(zip(questions.questions, derivations)):
        status(f"asking question {row + 1} of {len(questions)}")
        found = asker.readings(question)
        fits = bool(found) and _rows(asker.database, found[0].derivation) == _rows(asker.database, derivation)
        best += fits
        confident = bool(found) and found[0].confidence >= asker.confidence
        rows.append(
            {
                "question": question,
                "meant": questions.meanings[row],
                "meaning": found[0].meaning if found else None,
                "confidence": found[0].confidence if found else None,
                "outcome": ("right" if fits else "wrong") if confident else "unanswered",
            }
        )
    counts = {kind: sum(row["outcome"] == kind for row in rows) for kind in ("right", "wrong", "unanswered")}
    answered = counts["right"] + counts["wrong"]
    return {
        "questions": len(rows),
        **counts,
        "precision": counts["right"] / answered if answered else 0.0,
        "recall": counts["right"] / len(rows),
        "accuracy": best / len(rows),
        "rows": rows,
    }


def europe_asker(n_jobs: int | None = None, status: Status = _quiet) -> Asker:
    """What answers questions about Europe; trained at the first use, and kept in the cache folder."""
    from rekern import __version__
    from rekern.errors import ModelFileError
    from rekern.files import atomic_path
    from rekern.krisp.embedded import (
        europe_database,
        europe_fingerprint,
        europe_grammar,
        europe_notes,
        europe_questions,
    )
    from rekern.learning.files import load_model
    from rekern.structures.parsers.cache import cache_folder

    database = europe_database()
    path = cache_folder() / f"europe-{__version__}-{europe_fingerprint()}.rekern"
    if path.is_file():
        try:
            return Asker(load_model(path), database)
        except (ModelFileError, InputError, KeyError):
            pass  # it is damaged, or of another kind: train again
    questions = Questions(*europe_questions("train"))
    asker = train_asker(questions, europe_grammar(), database, n_jobs, status, europe_notes())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            asker.parser.save(temporary)
    except (OSError, InputError):
        pass  # a folder that cannot be written only means that the next use trains again
    return asker
