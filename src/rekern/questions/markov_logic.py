"""`MarkovLogic`: formulas with learned weights over fuzzy evidence.

Evidence has a confidence from 0 to 1, a query atom is true or false in a world, and a formula counts by fuzzy logic: ¬
is 1 − c, ∧ the minimum and ∨ the maximum of confidences. All worlds of an item are summed exactly: in closed form if
every formula is about exactly one query atom (see `rekern.questions.closed_form_likelihood`), otherwise by enumeration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from numbers import Real
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Floats, Ints
from rekern.core.messages import show_value
from rekern.core.parameter_tables import check_parameters, state_parameters
from rekern.core.state_schema import Choice, Flag
from rekern.errors import InputError
from rekern.questions.closed_form_likelihood import WORLDS, TypeFormulas, compute_probabilities, learn_weights
from rekern.questions.l1_minimizer import minimize_with_l1
from rekern.questions.pattern_settings import check_share


@dataclass(frozen=True)
class Atom:
    """A name: a piece of evidence, or a query atom."""

    name: str


@dataclass(frozen=True)
class Not:
    """The negation of a formula."""

    part: Formula


@dataclass(frozen=True)
class And:
    """The conjunction of formulas."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Or:
    """The disjunction of formulas."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Atom | Not | And | Or
Value: TypeAlias = float | Floats  # the confidence of one item, or of many


def parse_formula(text: str, queries: Sequence[str] = ()) -> Formula:
    """Parse a formula: names, ``!`` or ``¬``, ``&`` or ``∧``, ``|`` or ``∨``, parentheses.

    ``only(t)`` says that of all query atoms exactly t is true.

    >>> parse_formula("rain & !umbrella | wet")
    Or(parts=(And(parts=(Atom(name='rain'), Not(part=Atom(name='umbrella')))), Atom(name='wet')))
    >>> parse_formula("rain & (wet")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: formula 'rain & (wet': a ) is missing at position 12
    """
    parser = _FormulaParser(text, queries)
    try:
        return parser.parse()
    except RecursionError:
        raise InputError(f"a formula of {len(text)} characters is nested too deeply; simplify it") from None


class _FormulaParser:
    """A recursive descent over the tokens of a formula."""

    def __init__(self, text: str, queries: Sequence[str]):
        self.text = text
        self.queries = queries
        self.tokens = [(match.group(), match.start()) for match in re.finditer(r"[&|!()∧∨¬]|[^\s&|!()∧∨¬]+", text)]
        self.place = 0

    def parse(self) -> Formula:
        """Parse the whole text."""
        found = self._parse_or()
        if self.place < len(self.tokens):
            raise self._make_error(f"{self._find_token()!r} is too much")
        return found

    def _find_token(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def _make_error(self, reason: str) -> InputError:
        inside = self.place < len(self.tokens)
        position = self.tokens[self.place][1] + 1 if inside else len(self.text) + 1
        return InputError(f"formula {self.text!r}: {reason} at position {position}")

    def _parse_parts(self, signs: str, parse_part: Callable[[], Formula]) -> tuple[Formula, ...]:
        parts = [parse_part()]
        while self._find_token() and self._find_token() in signs:
            self.place += 1
            parts.append(parse_part())
        return tuple(parts)

    def _parse_or(self) -> Formula:
        parts = self._parse_parts("|∨", self._parse_and)
        return parts[0] if len(parts) == 1 else Or(parts)

    def _parse_and(self) -> Formula:
        parts = self._parse_parts("&∧", self._parse_literal)
        return parts[0] if len(parts) == 1 else And(parts)

    def _parse_literal(self) -> Formula:
        token = self._find_token()
        if token and token in "!¬":
            self.place += 1
            return Not(self._parse_literal())
        if token == "(":
            self.place += 1
            inside = self._parse_or()
            self._close_parenthesis()
            return inside
        if not token or token in "&|)∧∨":
            raise self._make_error("a name is missing")
        self.place += 1
        return self._parse_only() if token == "only" and self._find_token() == "(" else Atom(token)

    def _parse_only(self) -> Formula:
        self.place += 1
        name = self._find_token()
        if name not in self.queries:
            raise self._make_error(f"only(…) takes a query atom, one of {', '.join(self.queries)},")
        self.place += 1
        self._close_parenthesis()
        others = [Not(Atom(other)) for other in self.queries if other != name]
        return And((Atom(name), *others)) if others else Atom(name)

    def _close_parenthesis(self) -> None:
        if self._find_token() != ")":
            raise self._make_error("a ) is missing")
        self.place += 1


def compute_truth(formula: Formula, values: Mapping[str, Value]) -> Value:
    """Compute the fuzzy truth of a formula from the confidences of its names; a name without one is false.

    >>> compute_truth(parse_formula("a & !b | c"), {"a": 0.8, "b": 0.3})
    0.7
    """
    if isinstance(formula, Atom):
        return values.get(formula.name, 0.0)
    if isinstance(formula, Not):
        return 1.0 - compute_truth(formula.part, values)
    combine = np.minimum if isinstance(formula, And) else np.maximum
    parts = [compute_truth(part, values) for part in formula.parts]
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return float(result) if np.ndim(result) == 0 else result


def list_names(formula: Formula) -> set[str]:
    """List the names in a formula.

    >>> sorted(list_names(parse_formula("a & !b | a")))
    ['a', 'b']
    """
    if isinstance(formula, Atom):
        return {formula.name}
    if isinstance(formula, Not):
        return list_names(formula.part)
    return set().union(*map(list_names, formula.parts))


def iterate_conjuncts(formula: Formula) -> Iterator[Formula]:
    """Iterate over the parts of a conjunction, those of nested conjunctions included; another formula is one part.

    >>> list(iterate_conjuncts(parse_formula("a & (b & c)")))
    [Atom(name='a'), Atom(name='b'), Atom(name='c')]
    """
    if isinstance(formula, And):
        for part in formula.parts:
            yield from iterate_conjuncts(part)
    else:
        yield formula


MAX_ATOMS = 16  # query atoms whose worlds are enumerated
MAX_COUNTS = 200_000_000  # formulas × items × worlds that are enumerated

Evidence = Mapping[str, float]  # the confidences of one item, by name


class MarkovLogic(BaseEstimator):
    """Weighted formulas over fuzzy evidence and query atoms: P(world | evidence) ∝ exp Σ weight · count.

    ``formulas`` are texts (see `rekern.questions.markov_logic.parse_formula`), ``queries`` the names of the query
    atoms; every other name is evidence. An item of evidence is a dict from names to confidences; a name that is not in
    it is false. ``worlds="one"`` allows only worlds with exactly one true atom. ``penalty`` is the L1 penalty on the
    weights, which sets many of them to 0, and ``start`` the weight at which learning starts. ``enumerate_worlds=True``
    never uses the closed form.

    >>> logic = MarkovLogic(["hot & only(ice)", "cold & only(tea)", "ice", "tea"], ["ice", "tea"], penalty=0.1)
    >>> logic = logic.fit([{"hot": 1.0}, {"hot": 0.7, "cold": 0.2}, {"cold": 0.9}], [["ice"], ["ice"], ["tea"]])
    >>> logic.predict([{"hot": 0.9}, {"cold": 0.8}])
    [('ice',), ('tea',)]
    >>> logic.closed_form_
    True
    """

    parameter_table = state_parameters(
        formulas=None,
        queries=None,
        penalty=None,
        start=None,
        worlds=Choice(*WORLDS),
        enumerate_worlds=Flag(),
    )

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

    def fit(self, evidence: Sequence[Evidence], truths: Sequence[Iterable[str]]) -> MarkovLogic:
        """Learn the weights from items of evidence and, for each item, the query atoms that are true."""
        parsed = self._parse_formulas()
        evidence = list(evidence)
        rows = [self._check_world(row, true) for row, true in enumerate(truths)]
        values = self._check_evidence(evidence)
        if len(rows) != len(evidence) or not rows:
            raise InputError(f"there are {len(evidence)} items of evidence but {len(rows)} sets of true atoms")
        shapes = None if self.enumerate_worlds else find_closed_shapes(parsed, self.queries)
        self.closed_form_ = shapes is not None and all(len(true) == 1 for true in rows)
        if shapes is not None and self.closed_form_:
            problem = build_closed_form(shapes, values, len(rows), len(self.queries), self.worlds)
            observed = np.array([list(self.queries).index(true[0]) for true in rows])
            found = learn_weights(
                problem.formulas, problem.confidences, observed, self.penalty, self.start, 1e-7, max_iterations=2000
            )
            weights = np.empty(len(problem.order))
            weights[problem.order] = found.weights
        else:
            likelihood = EnumeratedLikelihood(self._count(parsed, values, len(rows)), self._number_worlds(rows))
            start = np.full(len(parsed), float(self.start))
            found = minimize_with_l1(likelihood, start, self.penalty, 1e-7, max_iterations=2000)
            weights = found.weights
        self.weights_ = weights
        self.objective_ = found.objective
        self.formulas_ = {text: float(w) for text, w in zip(self.formulas, weights) if w}
        return self

    def world_probabilities(self, evidence: Sequence[Evidence]) -> Floats:
        """Return the probability of every world of `all_worlds`, one row per item."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this MarkovLogic is not trained yet: call fit(evidence, truths) first")
        counts = self._count(self._parse_formulas(), self._check_evidence(evidence), len(evidence))
        return compute_probabilities(np.tensordot(self.weights_, counts, 1)) if len(evidence) else counts[0]

    def predict_proba(self, evidence: Sequence[Evidence]) -> Floats:
        """Return the probability that each query atom is true, one column per atom.

        >>> logic = MarkovLogic(["a & yes"], ["yes"]).fit([{"a": 1.0}, {}, {}], [["yes"], [], ["yes"]])
        >>> logic.predict_proba([{}]).tolist()
        [[0.5]]
        """
        probabilities: Floats = self.world_probabilities(evidence) @ np.array(self.all_worlds(), dtype=float)
        return probabilities

    def predict(self, evidence: Sequence[Evidence]) -> list[tuple[str, ...]]:
        """Return the true atoms of the most probable world of each item."""
        worlds = self.all_worlds()
        best = self.world_probabilities(evidence).argmax(axis=1)
        return [tuple(name for name, true in zip(self.queries, worlds[world]) if true) for world in best]

    def all_worlds(self) -> list[tuple[bool, ...]]:
        """List the worlds, each as a truth value for every query atom.

        >>> MarkovLogic([], ["a", "b"], worlds="one").all_worlds()
        [(False, True), (True, False)]
        """
        if self.worlds == "one":
            count = len(self.queries)
            return [tuple(place == true for place in range(count)) for true in reversed(range(count))]
        return list(product([False, True], repeat=len(self.queries)))

    def _parse_formulas(self) -> list[Formula]:
        check_parameters(self)
        for name in ("formulas", "queries"):
            texts = getattr(self, name)
            is_list = isinstance(texts, Sequence | Set) or (isinstance(texts, np.ndarray) and texts.ndim == 1)
            if isinstance(texts, str) or not is_list or not all(isinstance(text, str) for text in texts):
                raise InputError(f"{name} is a list of texts, not {show_value(texts)}")
        if not self.queries or len(set(self.queries)) != len(self.queries):
            raise InputError("queries are the names of the query atoms: give at least one, each once")
        check_share("penalty", self.penalty, np.inf)
        check_share("start", self.start, np.inf)
        if self.worlds == "all" and len(self.queries) > MAX_ATOMS:
            remedy = f"use at most {MAX_ATOMS}, or worlds='one'"
            raise InputError(f"{len(self.queries)} query atoms have too many worlds: {remedy}")
        return [parse_formula(text, self.queries) for text in self.formulas]

    def _check_evidence(self, evidence: Sequence[Evidence]) -> dict[str, Floats]:
        """Return the confidences by name, checked."""
        values: dict[str, Floats] = {}
        for row, item in enumerate(evidence):
            if not isinstance(item, Mapping):
                raise InputError(f"evidence is a dict from names to confidences, not {item!r:.40}", row=row)
            for name, confidence in item.items():
                if name in self.queries:
                    raise InputError(f"{name!r} is a query atom, not evidence", row=row)
                if not isinstance(confidence, Real) or not 0 <= float(confidence) <= 1:
                    raise InputError(f"the confidence of {name!r} is {confidence!r}; give one from 0 to 1", row=row)
                values.setdefault(name, np.zeros(len(evidence)))[row] = confidence
        return values

    def _check_world(self, row: int, true: Iterable[str]) -> tuple[str, ...]:
        if isinstance(true, str) or not isinstance(true, Iterable):
            raise InputError(f"give a list of the query atoms that are true, not {true!r:.40}", row=row)
        names = tuple(dict.fromkeys(true))
        for name in names:
            if name not in self.queries:
                raise InputError(f"{name!r} is not among the query atoms {', '.join(self.queries)}", row=row)
        if self.worlds == "one" and len(names) != 1:
            raise InputError(f"with worlds='one' exactly one query atom is true, not {len(names)}", row=row)
        return names

    def _number_worlds(self, rows: Sequence[tuple[str, ...]]) -> Ints:
        number = {world: place for place, world in enumerate(self.all_worlds())}
        return np.array([number[tuple(name in true for name in self.queries)] for true in rows])

    def _count(self, parsed: list[Formula], values: dict[str, Floats], rows: int) -> Floats:
        """Compute how much each formula counts for each item in each world."""
        worlds = self.all_worlds()
        if len(parsed) * rows * len(worlds) > MAX_COUNTS:
            raise InputError("the formulas, items and worlds are too many to enumerate: use formulas with only(…)")
        counts = np.zeros((len(parsed), rows, len(worlds)))
        for place, world in enumerate(worlds):
            known: dict[str, Value] = {**values, **dict(zip(self.queries, map(float, world)))}
            for number, formula in enumerate(parsed):
                counts[number, :, place] = compute_truth(formula, known)
        return counts


class ClosedShape(NamedTuple):
    """A formula as the closed form has it: its evidence (None for a unit formula) and the number of its query atom."""

    evidence: Formula | None
    query: int


class ClosedForm(NamedTuple):
    """Formulas for the closed form, the confidences of the items in them, and the place of each among all formulas."""

    formulas: TypeFormulas
    confidences: csr_array
    order: Ints


def build_closed_form(
    shapes: Sequence[ClosedShape], values: Mapping[str, Floats], n_items: int, n_queries: int, worlds: str
) -> ClosedForm:
    """Bring formulas into the order of the closed form: those with evidence first, then the unit formulas.

    >>> shapes = find_closed_shapes([parse_formula("b"), parse_formula("x & only(b)", ["b"])], ["b"])
    >>> build_closed_form(shapes, {"x": np.ones(2)}, 2, 1, "all").order
    array([1, 0])
    """
    joint = [(number, shape.evidence, shape.query) for number, shape in enumerate(shapes) if shape.evidence is not None]
    units = sorted((shape.query, number) for number, shape in enumerate(shapes) if shape.evidence is None)
    columns = [np.broadcast_to(compute_truth(evidence, values), n_items) for _, evidence, _ in joint]
    confidences = csr_array(np.array(columns).T if columns else np.zeros((n_items, 0)))
    queries = np.array([query for _, _, query in joint], dtype=int)
    formulas = TypeFormulas(np.arange(len(joint)), queries, len(joint), n_queries, worlds, bool(units))
    order = [number for number, _, _ in joint] + [number for _, number in units]
    return ClosedForm(formulas, confidences, np.array(order, dtype=int))


def find_closed_shapes(parsed: Sequence[Formula], queries: Sequence[str]) -> list[ClosedShape] | None:
    """Find the evidence and the query atom of every formula; None if a formula has another form.

    Unit formulas must be there for all query atoms, once each, or for none.

    >>> find_closed_shapes([parse_formula("x & only(b)", ["a", "b"])], ["a", "b"])
    [ClosedShape(evidence=Atom(name='x'), query=1)]
    """
    names = list(queries)
    found: list[ClosedShape] = []
    for formula in parsed:
        conjuncts = list(iterate_conjuncts(formula))
        about = [part for part in conjuncts if list_names(part) & set(names)]
        true = [part.name for part in about if isinstance(part, Atom)]
        false = [part.part.name for part in about if isinstance(part, Not) and isinstance(part.part, Atom)]
        rest = [part for part in conjuncts if part not in about]
        if len(true) + len(false) != len(about) or len(true) != 1:
            return None
        query = names.index(true[0])
        if rest and sorted(false) == sorted(set(names) - set(true)):
            found.append(ClosedShape(rest[0] if len(rest) == 1 else And(tuple(rest)), query))
        elif not rest and not false:
            found.append(ClosedShape(None, query))
        else:
            return None
    units = sorted(shape.query for shape in found if shape.evidence is None)
    return found if units in ([], list(range(len(names)))) else None


class EnumeratedLikelihood:
    """Minus the conditional log-likelihood over enumerated worlds, and its gradient, as a function of the weights.

    ``counts`` are formulas × items × worlds, ``observed`` the number of each item's world.

    >>> value, gradient = EnumeratedLikelihood(np.array([[[0.0, 1.0]]]), np.array([1]))(np.zeros(1))
    >>> round(value, 4), gradient.tolist()
    (0.6931, [-0.5])
    """

    def __init__(self, counts: Floats, observed: Ints):
        self.counts = counts
        self.rows = np.arange(len(observed))
        self.observed = observed
        self.observed_counts = counts[:, self.rows, observed].sum(axis=1)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient: the expected counts minus the observed counts."""
        scores = np.tensordot(weights, self.counts, 1)
        top = scores.max(axis=1)
        sums = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
        value = float(np.sum(sums - scores[self.rows, self.observed]))
        expected = np.tensordot(self.counts, np.exp(scores - sums[:, None]), 2)
        return value, expected - self.observed_counts
