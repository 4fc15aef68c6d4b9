"""Explanations of any model or kernel: short to look at, and they add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.core.explanations import LINES, WIDTH, Explanation, Part

names = st.text(max_size=300)
numbers = st.floats(-1e6, 1e6)
parts = st.builds(Part, st.sampled_from(["rule", "score"]), names, numbers, numbers, names, names)


@given(st.lists(parts, max_size=40), numbers, st.booleans())
def test_the_repr_is_short_whatever_the_parts(listed, intercept, complete):
    why = Explanation(decision=1.0, parts=listed, intercept=intercept, complete=complete)
    lines = repr(why).splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= WIDTH
    assert lines[0] == "<Explanation>"


@given(st.lists(parts, max_size=20), st.integers(0, 30))
def test_what_is_left_out_is_summed_up(listed, n):
    found = Explanation(decision=0.0, parts=listed).to_dict(n)
    assert len(found["parts"]) + found["other_parts"]["count"] == len(listed)
    total = sum(part["contribution"] for part in found["parts"]) + found["other_parts"]["contribution"]
    assert total == pytest.approx(sum(part.contribution for part in listed), abs=1e-3)


def test_a_frame_has_a_row_for_each_part_and_the_intercept():
    why = Explanation(decision=1.0, parts=[Part("rule", "a → b", 0.5, 1.0, "a", "b")], intercept=0.5)
    frame = why.to_frame()
    assert frame["name"].tolist() == ["a → b", "intercept"]
    assert frame["contribution"].sum() == why.decision


def test_parts_that_are_not_listed_are_counted():
    text = Explanation(decision=2.0, parts=[Part("fragment", "(A b)", 0.5)], complete=False).to_text()
    assert "+1.5000  parts that are not listed" in text
