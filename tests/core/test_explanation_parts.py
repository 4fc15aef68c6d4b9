"""Lists of parts that are written down when they are looked at: the same as lists of parts."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core.explanation_parts import Part, PartBlock, PartList, join_parts, order_parts, sum_contributions

NUMBERS = st.sampled_from([-2.0, -0.5, 0.1, 0.2, 0.5, 2.0])
PARTS = st.lists(st.builds(Part, st.just("rule"), st.sampled_from("abcdef"), NUMBERS, NUMBERS), max_size=12)


def make_lazy(parts, written):
    def write(numbers):
        written.extend(numbers.tolist())
        return [parts[number] for number in numbers.tolist()]

    return PartList.from_blocks([PartBlock(np.array([part.contribution for part in parts]), write)])


@settings(max_examples=50, deadline=None)
@given(PARTS, PARTS, st.sampled_from([1, -1]), st.slices(24))
def test_lazy_lists_are_the_lists_that_they_stand_for(one, other, sign, part):
    whole = join_parts([make_lazy(one, []), other])
    lazy = order_parts(whole, sign)
    assert whole == [*one, *other] and sum_contributions(lazy[part]) == math.fsum(
        part.contribution for part in order_parts([*one, *other], sign)[part]
    )
    expected = order_parts([*one, *other], sign)
    assert expected == sorted(expected, key=lambda part: (-abs(part.contribution), part.name))
    assert isinstance(lazy, PartList) and len(lazy) == len(expected)
    assert list(lazy[part]) == expected[part] and lazy[part] == expected[part]
    assert sum_contributions(order_parts(lazy)[part]) == math.fsum(part.contribution for part in expected[part])
    assert [lazy[place] for place in range(-len(lazy), len(lazy))] == 2 * expected
    assert lazy == expected and lazy.contributions.tolist() == [part.contribution for part in expected]


def test_only_what_is_looked_at_is_written():
    parts = [Part("rule", f"rule {number}", 1.0, 1.0 + number // 2) for number in range(10)]
    written = []
    lazy = order_parts(make_lazy(parts, written))
    assert len(lazy) == 10 and sum_contributions(lazy[2:]) == 20.0 and not written
    assert lazy[0].name == "rule 8" and sorted(written) == [8, 9]  # with equal contributions, the name decides
    assert [part.name for part in lazy[:3]] == ["rule 8", "rule 9", "rule 6"] and sorted(written) == [6, 7, 8, 9]
    assert [*lazy[:1], *lazy] == lazy[:1] + lazy and len(written) == 10


def test_lazy_lists_behave_like_lists():
    parts = [Part("rule", name, 1.0) for name in "ab"]
    lazy = make_lazy(parts, [])
    again = pickle.loads(pickle.dumps(lazy))  # noqa: S301
    assert again == copy.deepcopy(lazy) == parts and repr(lazy) == repr(parts)
    assert [*parts, *parts] == lazy + parts == parts + lazy and lazy != parts[:1] and lazy != "ab"
    with pytest.raises(IndexError):
        lazy[2]
    with pytest.raises(TypeError):
        hash(lazy)
