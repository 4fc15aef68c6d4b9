"""From a question to an answer: the readings of a parser, a second opinion, a confidence, and the database."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from rekern.errors import InputError
from rekern.krisp.answering.database import SECONDS, Database, Table, with_database
from rekern.krisp.answering.reading_scores import Judge, Reading
from rekern.krisp.answering.sql import Query, compile_sql
from rekern.krisp.grammar import Derivation, Grammar
from rekern.krisp.mentions import split

if TYPE_CHECKING:
    import numpy as np

    from rekern.krisp.semantic_parser import SemanticParser

WORDS = 100  # the longest question
FOLDS = 10  # of cross-validation, of which a large set gets fewer
QUESTIONS = 1500  # to be learned in all folds together; more would take longer than a user waits
FEWEST = 12  # questions for which cross-validation makes sense
WRONG = 15.0  # right answers that one wrong answer outweighs
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


def read_questions(path: str, encoding: str = "utf-8") -> Questions:
    """The questions of a table with the columns ``question`` and ``meaning`` (TSV, CSV, JSONL …).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/questions.tsv", "w") as file:
    ...         _ = file.write("question\\tmeaning\\nwho wrote emma?\\twriter('Emma')\\n")
    ...     read_questions(f"{folder}/questions.tsv").meanings
    ["writer('Emma')"]
    """
    from rekern.core.text_files import show_source
    from rekern.datasets.tables import read_rows, text_column

    rows = read_rows(path, encoding=encoding)
    questions, meanings = (text_column(rows, kind, path, "a header line") for kind in ("question", "meaning"))
    places = [f"{show_source(path)}, {rows.unit} {line}" for line in rows.lines]
    for place, *texts in zip(places, questions, meanings):
        for kind, text in zip(("question", "meaning"), texts):
            if not text.strip():
                raise InputError(f"{place}: the {kind} is empty; drop the row or fill it in")
    return Questions(questions, meanings, places)


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
                "answer": [row[0] if len(row) == 1 else row for row in map(_plain, self.table.rows)],
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


def _plain(row: Sequence[Any]) -> list[Any]:
    """A row of a database for JSON: bytes as hexadecimal digits.

    >>> _plain(("Emma", 8.5, b"\\x01\\xff"))
    ['Emma', 8.5, '01ff']
    """
    return [value.hex() if isinstance(value, bytes) else value for value in row]


class Asker:
    """A parser with a database: questions in, answers out.

    ``notes`` holds what cross-validation found when the parser was trained: the sigmoid that turns a reading's score
    into its confidence, and the confidence below which a reading is no answer.
    """

    def __init__(self, parser: SemanticParser, database: Database):
        self.parser, self.database = parser, database
        self.notes = _checked_notes(parser)
        _rename(parser, with_database(parser.grammar_, database))  # the database may have new names
        self._judge = Judge(parser, self.notes["questions"], self.notes["meanings"])

    @property
    def confidence(self) -> float:
        """The least confidence of a reading that is an answer."""
        return float(self.notes["confidence"])

    def readings(self, question: str) -> list[Reading]:
        """The readings of a question, the most confident first."""
        return self._judge.readings(question, self.notes["slope"], self.notes["shift"])[0]

    def ask(self, question: str) -> Answer:
        """The answer to a question."""
        question = " ".join(question.split())
        complaint = _complaint(question)
        if complaint:
            raise InputError(f"the question {complaint}")
        found, cut = self._judge.readings(question, self.notes["slope"], self.notes["shift"])
        if not found:
            return Answer(question, why="the search was given up: ask less" if cut else "nothing that was learned fits")
        best = found[0]
        if best.confidence < self.confidence:
            unknown, unused = self._judge.unknown(question), self._judge.unused(question, best.derivation)
            reasons = [
                f"{kind}: {', '.join(dict.fromkeys(words))}"
                for kind, words in (("unknown words", unknown), ("names left out", unused))
                if words
            ]
            reasons += ["the search was cut short"] * cut
            return Answer(question, nearest=tuple(found), why="; ".join(reasons))
        query = compile_sql(best.derivation)
        return Answer(question, best, query, self.database.run(query), tuple(found[1:]))


def _checked_notes(parser: Any) -> dict[str, Any]:
    """What training noted in a parser; a file may hold anything."""
    notes = getattr(parser, "notes", None)
    if not isinstance(notes, dict) or "questions" not in notes:
        raise InputError("this model was not made by rekern ask --train: it has no confidence to judge readings by")
    numbers = [notes.get(name) for name in ("slope", "shift", "confidence")]
    texts = [notes["questions"], notes.get("meanings")]
    fits = all(isinstance(number, int | float) and abs(number) < 1e100 for number in numbers)
    fits = fits and all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in texts)
    if not fits or len(texts[0]) != len(texts[1]):
        raise InputError("the notes in this model are damaged; train and save it again")
    return notes


def _complaint(question: str) -> str:
    """What keeps a text from being a question: "" if nothing does.

    >>> _complaint("who wrote emma?"), _complaint(" ?")
    ('', 'is empty: ask something')
    """
    words = len(split(question))
    if not words:
        return "is empty: ask something"
    if words > WORDS:
        return f"has {words} words: ask in at most {WORDS}"
    if not question.isascii() and any("\ud800" <= sign <= "\udfff" for sign in question):
        return "is not all text: it has bytes that are no UTF-8"
    return "has a NUL character: leave it out" if "\0" in question else ""


def _rename(parser: SemanticParser, grammar: Grammar) -> None:
    """Give a trained parser a grammar that has the same rules, and more names."""
    if len(grammar.productions) != len(parser.grammar_.productions):
        parser.grammar_ = grammar
        parser._learn(parser.learned_)


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

    >>> from rekern.krisp.answering.europe import europe_database
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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* has several derivations")  # as was said just now
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
    for row, (question, meaning) in enumerate(zip(questions.questions, questions.meanings)):
        complaint = _complaint(question)
        if complaint:
            raise InputError(f"{questions.place(row)}: the question {complaint}")
        try:
            found.append(grammar.parse(meaning))
        except InputError as error:
            raise InputError(f"{questions.place(row)}: {error}") from None
    return found


def _answers(database: Database, questions: Questions, derivations: Sequence[Derivation]) -> list[frozenset[Any]]:
    """The rows that the meanings of questions give."""
    found = []
    for row, derivation in enumerate(derivations):
        try:
            found.append(frozenset(database.run(compile_sql(derivation)).rows))
        except InputError as error:
            raise InputError(f"{questions.place(row)}: its meaning has no answer: {error}") from None
    return found


def _gives(database: Database, derivation: Derivation, answer: frozenset[Any]) -> bool:
    """Whether a reading gives this answer; one whose query fails, or takes too long, does not."""
    try:
        return frozenset(database.run(compile_sql(derivation)).rows) == answer
    except InputError:
        return False


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

    >>> from rekern.krisp.answering.europe import europe_database, europe_grammar
    >>> cross_validate(Questions([], []), europe_grammar(), europe_database())["asked"]
    0
    """
    notes: dict[str, Any] = {"slope": 1.0, "shift": 3.0, "confidence": 0.5, "asked": 0, "answered": 0, "right": 0}
    notes["best"] = 0  # questions whose best reading is right, confident or not
    if len(questions) < FEWEST:
        return notes
    answers = _answers(database, questions, _derivations(questions, grammar))
    order = list(range(len(questions)))
    random.Random(0).shuffle(order)
    outcomes = _Outcomes()
    folds = folds or max(2, min(FOLDS, QUESTIONS // len(questions)))
    for fold in range(folds):
        status(f"training: cross-validation, part {fold + 1} of {folds}")
        inside = [row for place, row in enumerate(order) if place % folds != fold]
        known = [questions.questions[row] for row in inside], [questions.meanings[row] for row in inside]
        parser = _parser(grammar, n_jobs).fit(*known)
        judge = Judge(parser, *known)
        for place, row in enumerate(order):
            if place % folds != fold:
                continue
            question = questions.questions[row]
            outcomes.asked += 1
            found, _ = judge.readings(question, 1.0, 0.0)
            if found:
                outcomes.scores.append(found[0].score)
                outcomes.right.append(_gives(database, found[0].derivation, answers[row]))
                notes["best"] += outcomes.right[-1]
            strange = _with_nonsense(judge, question, place)
            if strange is not None and place % 2 == 0:
                found, _ = judge.readings(strange, 1.0, 0.0)
                if found:
                    outcomes.scores.append(found[0].score)
                    outcomes.right.append(False)
    return notes | choose_confidence(outcomes.scores, outcomes.right) | {"asked": outcomes.asked}


def _with_nonsense(judge: Judge, question: str, place: int) -> str | None:
    """The question with an unknown name instead of the first one that it mentions."""
    words = judge.parser.words(question)
    spans = judge.spans(question)
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

    values, truth = np.array(scores, dtype=float), np.array(right, dtype=bool)
    if not len(values):
        return {"answered": 0, "right": 0}
    slope, shift = _sigmoid(values, truth)
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


def _sigmoid(values: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The slope and the shift of the sigmoid that tells best from a score how probable it is that a reading is right.

    A right example at the top and a wrong one at the bottom are added: there may be no wrong ones at all.

    >>> import numpy as np
    >>> slope, shift = _sigmoid(np.array([-1.0, -1.5, -2.0, -6.0, -7.0]), np.array([True, True, True, False, False]))
    >>> slope * -1.0 + shift > 0 > slope * -7.0 + shift
    True
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    values, truth = np.append(values, [values.max(), values.min() - 1]), np.append(truth, [True, False])
    centre, width = values.mean(), values.std()
    model = LogisticRegression(C=10.0).fit((values - centre)[:, None] / width, truth)
    slope = max(float(model.coef_[0, 0]), 1e-3) / width
    return float(slope), float(model.intercept_[0] - slope * centre)


def evaluate(asker: Asker, questions: Questions, status: Status = _quiet) -> dict[str, Any]:
    """Ask questions whose meanings are known; an answer is right if the query of the known meaning gives it, too."""
    derivations = _derivations(questions, asker.parser.grammar_)
    answers = _answers(asker.database, questions, derivations)
    rows: list[dict[str, Any]] = []
    best = 0
    for row, (question, answer) in enumerate(zip(questions.questions, answers)):
        status(f"asking question {row + 1} of {len(questions)}")
        found = asker.readings(question)
        fits = bool(found) and _gives(asker.database, found[0].derivation, answer)
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


def europe_asker(n_jobs: int | None = None, status: Status = _quiet, seconds: float = SECONDS) -> Asker:
    """What answers questions about Europe; trained at the first use, and kept in the cache folder.

    After a change of the facts, the questions or the code that learns from them, it is trained again.
    """
    from rekern import __version__
    from rekern.core.cache_folder import cache_folder
    from rekern.core.files import write_atomically
    from rekern.core.model_archive import load_model
    from rekern.errors import ModelFileError
    from rekern.krisp.answering.europe import (
        europe_database,
        europe_fingerprint,
        europe_grammar,
        europe_notes,
        europe_questions,
    )

    database = europe_database(seconds)
    path = cache_folder() / f"europe-{__version__}-{europe_fingerprint()}.rekern"
    if path.is_file():
        try:
            asker = Asker(load_model(path), database)
            asker.parser.n_jobs = n_jobs
            return asker
        except (ModelFileError, InputError, KeyError):
            pass  # it is damaged, or of another kind: train again
    questions = Questions(*europe_questions("train"))
    asker = train_asker(questions, europe_grammar(), database, n_jobs, status, europe_notes())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as temporary:
            asker.parser.save(temporary)
    except (OSError, InputError):
        pass  # a folder that cannot be written only means that the next use trains again
    return asker
