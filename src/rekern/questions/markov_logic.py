"""Markov logic with fuzzy evidence, small and general: write down formulas, learn their weights, ask for probabilities.

Evidence atoms have a confidence from 0 to 1, query atoms are true or false in a world, and a formula counts by fuzzy
logic: ¬ is 1 − c, ∧ the minimum, ∨ the maximum. All worlds of an item are summed exactly: in closed form where every
formula singles out one query atom (see `rekern.questions.type_weights`), else by enumeration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.errors import InputError
from rekern.questions import owlqn
from rekern.questions import type_weights as markov

MOST_ATOMS = 16  # query atoms whose worlds are enumerated
MOST_COUNTS = 200_000_000  # formulas × items × worlds that are enumerated

Formula = tuple[Any, ...]  # ("atom", name), ("not", formula), ("and", formula, …), ("or", formula, …)


def parse(text: str, queries: Sequence[str] = ()) -> Formula:
    """A formula from its text: names, ``!`` or ``¬``, ``&`` or ``∧``, ``|`` or ``∨``, parentheses.

    ``only(t)`` says that of all query atoms exactly t is true.

    >>> parse("rain & !umbrella | wet")
    ('or', ('and', ('atom', 'rain'), ('not', ('atom', 'umbrella'))), ('atom', 'wet'))
    >>> parse("rain & (wet")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: formula 'rain & (wet': a ) is missing at position 12
    """
    tokens = [(match.group(), match.start()) for match in re.finditer(r"[&|!()∧∨¬]|[^\s&|!()∧∨¬]+", text)]
    place = 0

    def here() -> str:
        return tokens[place][0] if place < len(tokens) else ""

    def fail(reason: str) -> InputError:
        position = tokens[place][1] + 1 if place < len(tokens) else len(text) + 1
        return InputError(f"formula {text!r}: {reason} at position {position}")

    def joined(kind: str, signs: str, part: Any) -> Formula:
        nonlocal place
        found = [part()]
        while here() and here() in signs:
            place += 1
            found.append(part())
        return found[0] if len(found) == 1 else (kind, *found)

    def either() -> Formula:
        return joined("or", "|∨", both)

    def both() -> Formula:
        return joined("and", "&∧", literal)

    def literal() -> Formula:
        nonlocal place
        token = here()
        if token and token in "!¬":
            place += 1
            return ("not", literal())
        if token == "(":
            place += 1
            inside = either()
            if here() != ")":
                raise fail("a ) is missing")
            place += 1
            return inside
        if not token or token in "&|)∧∨":
            raise fail("a name is missing")
        place += 1
        if token == "only" and here() == "(":
            place += 1
            name = here()
            if name not in queries:
                raise fail(f"only(…) takes a query atom, one of {', '.join(queries)},")
            place += 1
            if here() != ")":
                raise fail("a ) is missing")
            place += 1
            others = [("not", ("atom", other)) for other in queries if other != name]
            return ("and", ("atom", name), *others) if others else ("atom", name)
        return ("atom", token)

    try:
        found = either()
    except RecursionError:
        raise InputError(f"a formula of {len(text)} characters is nested too deeply; simplify it") from None
    if place < len(tokens):
        raise fail(f"{here()!r} is too much")
    return found


def truth(formula: Formula, values: Mapping[str, Any]) -> Any:
    """The fuzzy truth of a formula; a value is a number or an array, and an atom without one is false.

    >>> truth(parse("a & !b | c"), {"a": 0.8, "b": 0.3})
    0.7
    """
    kind = formula[0]
    if kind == "atom":
        return values.get(formula[1], 0.0)
    if kind == "not":
        return 1.0 - truth(formula[1], values)
    parts = [truth(part, values) for part in formula[1:]]
    result = parts[0]
    for part in parts[1:]:
        result = np.minimum(result, part) if kind == "and" else np.maximum(result, part)
    return float(result) if np.ndim(result) == 0 else result


def atoms(formula: Formula) -> set[str]:
    """The names in a formula.

    >>> sorted(atoms(parse("a & !b | a")))
    ['a', 'b']
    """
    if formula[0] == "atom":
        return {formula[1]}
    return set().union(*(atoms(part) for part in formula[1:]))


class MarkovLogic(BaseEstimator):
    """Weighted formulas over fuzzy evidence and query atoms: P(world | evidence) ∝ exp Σ weight · count.

    ``formulas`` are texts (see `parse`), ``queries`` the names of the query atoms; every other name is evidence. An
    item of evidence is a dict from names to confidences; what is not in it is false. ``worlds="one"`` allows only
    worlds with exactly one true atom. ``penalty`` is the price of a weight; formulas that end at weight 0 are dropped.

    >>> logic = MarkovLogic(["hot & only(ice)", "cold & only(tea)", "ice", "tea"], ["ice", "tea"], penalty=0.1)
    >>> logic = logic.fit([{"hot": 1.0}, {"hot": 0.7, "cold": 0.2}, {"cold": 0.9}], [["ice"], ["ice"], ["tea"]])
    >>> logic.predict([{"hot": 0.9}, {"cold": 0.8}])
    [('ice',), ('tea',)]
    >>> logic.closed_form_
    True
    """

    def __init__(
        self,
        formulas: Sequence[str],
        queries: Sequence[str],
        penalty: float = 0.01,
        start: float = 0.3,
        worlds: str = "all",
        enumerate_worlds: bool = False,
    ):
        self.formulas = formulas
        self.queries = queries
        self.penalty = penalty
        self.start = start
        self.worlds = worlds
        self.enumerate_worlds = enumerate_worlds

    def fit(self, evidence: Sequence[Mapping[str, float]], truths: Sequence[Iterable[str]]) -> MarkovLogic:
        """Learn the weights from items of evidence and, for each, the query atoms that are true."""
        parsed = self._parsed()
        evidence = list(evidence)
        rows = [self._world(row, true) for row, true in enumerate(truths)]
        values = self._evidence(evidence)
        if len(rows) != len(evidence) or not rows:
            raise InputError(f"there are {len(evidence)} items of evidence but {len(rows)} sets of true atoms")
        self.closed_form_ = not self.enumerate_worlds and _closed(parsed, self.queries) is not None
        if self.closed_form_ and all(len(true) == 1 for true in rows):
            formulas, confidences, order = self._closed_form(parsed, values, len(rows))
            observed = np.array([list(self.queries).index(true[0]) for true in rows])
            found = markov.learn(formulas, confidences, observed, self.penalty, self.start, 1e-7, 2000)
            weights = np.empty(len(order))
            weights[order] = found.weights
        else:
            self.closed_form_ = False
            likelihood = Enumeration(self._counts(parsed, values, len(rows)), self._observed(rows))
            found = owlqn.minimize(likelihood, np.full(len(parsed), float(self.start)), self.penalty, 1e-7, 2000)
            weights = found.weights
        self.weights_ = weights
        self.objective_ = found.objective
        self.formulas_ = {text: float(w) for text, w in zip(self.formulas, weights) if w}
        return self

    def world_probabilities(self, evidence: Sequence[Mapping[str, float]]) -> np.ndarray:
        """The probability of every world in `all_worlds`, a row for each item."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this MarkovLogic is not trained yet: call fit(evidence, truths) first")
        counts = self._counts(self._parsed(), self._evidence(evidence), len(evidence))
        return markov.probabilities(np.tensordot(self.weights_, counts, 1)) if len(evidence) else counts[0]

    def predict_proba(self, evidence: Sequence[Mapping[str, float]]) -> np.ndarray:
        """The probability that each query atom is true, a column for each.

        >>> logic = MarkovLogic(["a & yes"], ["yes"]).fit([{"a": 1.0}, {}, {}], [["yes"], [], ["yes"]])
        >>> logic.predict_proba([{}]).tolist()
        [[0.5]]
        """
        return self.world_probabilities(evidence) @ np.array(self.all_worlds(), dtype=float)

    def predict(self, evidence: Sequence[Mapping[str, float]]) -> list[tuple[str, ...]]:
        """The true atoms of each item's most probable world."""
        worlds = self.all_worlds()
        best = self.world_probabilities(evidence).argmax(axis=1)
        return [tuple(name for name, true in zip(self.queries, worlds[world]) if true) for world in best]

    def all_worlds(self) -> list[tuple[bool, ...]]:
        """The worlds, each a truth value for every query atom.

        >>> MarkovLogic([], ["a", "b"], worlds="one").all_worlds()
        [(False, True), (True, False)]
        """
        if self.worlds == "one":
            count = len(self.queries)
            return [tuple(place == true for place in range(count)) for true in reversed(range(count))]
        return list(product([False, True], repeat=len(self.queries)))

    def _parsed(self) -> list[Formula]:
        if self.worlds not in markov.WORLDS:
            raise InputError(f"worlds={self.worlds!r}: give 'all' or 'one'")
        for name in ("formulas", "queries"):
            if isinstance(getattr(self, name), str) or not all(isinstance(text, str) for text in getattr(self, name)):
                raise InputError(f"{name} is a list of texts, not {getattr(self, name)!r:.40}")
        if not self.queries or len(set(self.queries)) != len(self.queries):
            raise InputError("queries are the names of the query atoms: give at least one, each once")
        if self.worlds == "all" and len(self.queries) > MOST_ATOMS:
            remedy = f"use at most {MOST_ATOMS}, or worlds='one'"
            raise InputError(f"{len(self.queries)} query atoms have too many worlds: {remedy}")
        for name in ("penalty", "start"):
            value = getattr(self, name)
            if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < np.inf:
                raise InputError(f"{name}={value!r}: give a number from 0")
        return [parse(text, self.queries) for text in self.formulas]

    def _evidence(self, evidence: Sequence[Mapping[str, float]]) -> dict[str, np.ndarray]:
        """The confidences by name, checked."""
        values: dict[str, np.ndarray] = {}
        for row, item in enumerate(evidence):
            if not isinstance(item, Mapping):
                raise InputError(f"row {row}: evidence is a dict from names to confidences, not {item!r:.40}")
            for name, confidence in item.items():
                if name in self.queries:
                    raise InputError(f"row {row}: {name!r} is a query atom, not evidence")
                if not isinstance(confidence, Real) or not 0 <= float(confidence) <= 1:
                    raise InputError(f"row {row}: the confidence of {name!r} is {confidence!r}; give one from 0 to 1")
                values.setdefault(name, np.zeros(len(evidence)))[row] = confidence
        return values

    def _world(self, row: int, true: Iterable[str]) -> tuple[str, ...]:
        if isinstance(true, str) or not isinstance(true, Iterable):
            raise InputError(f"row {row}: give a list of the query atoms that are true, not {true!r:.40}")
        names = tuple(dict.fromkeys(true))
        for name in names:
            if name not in self.queries:
                raise InputError(f"row {row}: {name!r} is not among the query atoms {', '.join(self.queries)}")
        if self.worlds == "one" and len(names) != 1:
            raise InputError(f"row {row}: with worlds='one' exactly one query atom is true, not {len(names)}")
        return names

    def _observed(self, rows: Sequence[tuple[str, ...]]) -> np.ndarray:
        number = {world: place for place, world in enumerate(self.all_worlds())}
        return np.array([number[tuple(name in true for name in self.queries)] for true in rows])

    def _counts(self, parsed: list[Formula], values: dict[str, np.ndarray], rows: int) -> np.ndarray:
        """How much each formula counts for each item in each world."""
        worlds = self.all_worlds()
        if len(parsed) * rows * len(worlds) > MOST_COUNTS:
            raise InputError("the formulas, items and worlds are too many to enumerate: use formulas with only(…)")
        counts = np.zeros((len(parsed), rows, len(worlds)))
        for place, world in enumerate(worlds):
            known = {**values, **dict(zip(self.queries, map(float, world)))}
            for number, formula in enumerate(parsed):
                counts[number, :, place] = truth(formula, known)
        return counts

    def _closed_form(
        self, parsed: list[Formula], values: dict[str, np.ndarray], rows: int
    ) -> tuple[markov.Formulas, Any, np.ndarray]:
        """The formulas in the order of the closed form: those with evidence first, the unit formulas behind."""
        from scipy.sparse import csr_array

        shapes = _closed(parsed, self.queries)
        assert shapes is not None
        joint = [number for number, (evidence, _) in enumerate(shapes) if evidence is not None]
        units = sorted((kind, number) for number, (evidence, kind) in enumerate(shapes) if evidence is None)
        columns = [np.broadcast_to(truth(shapes[number][0] or (), values), rows) for number in joint]
        confidences = csr_array(np.array(columns).T if columns else np.zeros((rows, 0)))
        kinds = np.array([shapes[number][1] for number in joint], dtype=int)
        formulas = markov.Formulas(
            np.arange(len(joint)), kinds, len(joint), len(self.queries), self.worlds, bool(units)
        )
        return formulas, confidences, np.array(joint + [number for _, number in units], dtype=int)


class Enumeration:
    """Minus the conditional log-likelihood over enumerated worlds, and its gradient, by the weights.

    ``counts`` are formulas × items × worlds, ``observed`` the number of each item's world.

    >>> value, gradient = Enumeration(np.array([[[0.0, 1.0]]]), np.array([1]))(np.zeros(1))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [-0.5])
    """

    def __init__(self, counts: np.ndarray, observed: np.ndarray):
        self.counts = counts
        self.rows = np.arange(len(observed))
        self.observed = observed
        self.seen = counts[:, self.rows, observed].sum(axis=1)

    def __call__(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The value and the gradient: ñ(x, y) less its expectation, with the sign turned."""
        scores = np.tensordot(weights, self.counts, 1)
        top = scores.max(axis=1)
        sums = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
        value = float(np.sum(sums - scores[self.rows, self.observed]))
        expected = np.tensordot(self.counts, np.exp(scores - sums[:, None]), 2)
        return value, expected - self.seen


def _closed(parsed: list[Formula], queries: Sequence[str]) -> list[tuple[Formula | None, int]] | None:
    """Of every formula its evidence (None for a unit formula) and its one query atom; None where one has another form.

    Unit formulas must be there for all query atoms, once each, or for none.
    """
    names = list(queries)
    found: list[tuple[Formula | None, int]] = []
    for formula in parsed:
        conjuncts = list(_conjuncts(formula))
        about = [part for part in conjuncts if atoms(part) & set(names)]
        true = [part[1] for part in about if part[0] == "atom"]
        false = [part[1][1] for part in about if part[0] == "not" and part[1][0] == "atom"]
        rest = [part for part in conjuncts if part not in about]
        if len(true) + len(false) != len(about) or len(true) != 1:
            return None
        kind = names.index(true[0])
        if rest and sorted(false) == sorted(set(names) - set(true)):
            found.append((rest[0] if len(rest) == 1 else ("and", *rest), kind))
        elif not rest and not false:
            found.append((None, kind))
        else:
            return None
    units = sorted(kind for evidence, kind in found if evidence is None)
    return found if units in ([], list(range(len(names)))) else None


def _conjuncts(formula: Formula) -> Iterable[Formula]:
    if formula[0] == "and":
        for part in formula[1:]:
            yield from _conjuncts(part)
    else:
        yield formula
