"""Schemas: what they accept and refuse, and that every class that may stand in a model file has one."""

import sys

import numpy as np
import pytest

from rekern import ModelFileError
from rekern.core.registry import list_classes
from rekern.core.state_schema import (
    Array,
    Choice,
    Either,
    Flag,
    Labels,
    ListOf,
    MapOf,
    Number,
    Optional,
    Record,
    Texts,
    Weights,
    Whole,
    find_schema,
)

NAN, INF = float("nan"), float("inf")


def is_in_its_module(kind):
    return getattr(sys.modules[kind.__module__], kind.__name__, None) is kind


def test_every_registered_class_has_a_schema():
    # Examples of docstrings, which may have run before in this process, define classes that no module has.
    ours = [kind for kind in list_classes(object) if kind.__module__.startswith("rekern.") and is_in_its_module(kind)]
    assert len(ours) > 35
    assert [kind.__name__ for kind in ours if find_schema(kind) is None] == []


def test_the_schema_of_a_class_names_its_parameters():
    for kind in list_classes(object):
        schema = find_schema(kind)
        if schema is None or not hasattr(kind, "_get_param_names") or schema.header is not None:
            continue
        assert set(schema.parts.parts) == set(kind._get_param_names()), kind


ACCEPTED = [
    (Whole(1, 3), [1, 3]),
    (Number(0.0, 1.0, above=True), [1, 0.5, 1e-300]),
    (Flag(), [True, False, 0, 1]),
    (Choice("a", None), ["a", None]),
    (Either(None, Whole()), [None, 4]),
    (Texts(), [[], ["a"]]),
    (ListOf(Whole(), 2, tuple), [(1, 2)]),
    (MapOf(Whole()), [{}, {"a": 1}]),
    (Weights(), [{}, {"a": 0.5}]),
    (Labels(), [["a", "b"], [1, 2.5], [True]]),
    (Array("i4 i8", "n", least=0), [np.zeros(2, np.int32), np.zeros(0, np.int64)]),
    (Array("f8", 2, "*"), [np.zeros((2, 0)), np.zeros((2, 5))]),
    (Array("i8", "n+1", offsets="m"), [np.array([0, 0, 3]), np.array([0])]),
    (Record(a=Whole(), b=Optional(Whole())), [{"a": 1}, {"a": 1, "b": 2}]),
]
REFUSED = [
    (Whole(1, 3), [0, 4, 1.0, True, None, "1", 10**400]),
    (Number(0.0, 1.0, above=True), [0, 0.0, 1.1, NAN, INF, -INF, True, "1", 10**400]),
    (Number(), [NAN, INF, 1e200]),
    (Flag(), [2, None, "yes", 0.5]),
    (Choice("a", None), ["b", 0, False]),
    (Choice(1), [True, 1.0]),
    (Texts(), [("a",), ["a", 1], "a", None]),
    (ListOf(Whole(), 2, tuple), [(1,), [1, 2], (1, 2, 3), (1, "a")]),
    (MapOf(Whole()), [{"a": -1}, {1: 1}, []]),
    (Weights(), [{"a": -0.5}, {"a": NAN}, {"a": INF}, {1: 1.0}, {"a": 1}]),
    (Labels(), [["a", 1], [None], [[1]], {}, [10**30], [INF], ["a" * 2_000_000] + ["b"] * 400]),
    (Array("f8", "n"), [np.zeros(2, np.float32), np.zeros((2, 1)), [0.0]]),
    (Array("i8", "n", least=0), [np.array([-1])]),
    (Array("i8", "n", most=5), [np.array([6])]),
    (Array("f8", "n", least=0.0), [np.array([-1.0]), np.array([NAN])]),
    (Array("i8", "n+1", offsets="m"), [np.array([1, 2]), np.array([0, 3, 2]), np.zeros(0, np.int64)]),
    (Record(a=Whole()), [{}, {"a": 1, "b": 2}, [], None]),
]


@pytest.mark.parametrize(("constraint", "values"), ACCEPTED)
def test_accepted(constraint, values):
    for value in values:
        constraint.check(value, "part")


@pytest.mark.parametrize(("constraint", "values"), REFUSED)
def test_refused(constraint, values):
    for value in values:
        with pytest.raises(ModelFileError, match=r"its part|its a ") as caught:
            constraint.check(value, "part")
        assert "\n" not in str(caught.value)


def test_sizes_must_agree():
    lists = Record(
        words=Texts("words"),
        ids=Array("i8", "ids", least=0, below="words"),
        lengths=Array("i8", "texts", lengths="ids"),
    )
    good = {"words": ["a", "b"], "ids": np.array([0, 1, 1]), "lengths": np.array([1, 2])}
    lists.check(good, "corpus")
    bad = [{"ids": np.array([0, 2, 1])}, {"lengths": np.array([1, 1])}, {"lengths": np.array([2**62, 2**62, 2**62])}]
    for change in [*bad, {"lengths": np.array([-1, 4])}]:
        with pytest.raises(ModelFileError, match="is damaged"):
            lists.check({**good, **change}, "corpus")
