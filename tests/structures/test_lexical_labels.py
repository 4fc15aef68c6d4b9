"""Labels that hold a word, beside a regular expression that says what they are."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from rekern.structures.lexical_labels import split_lexical_label

LEXICAL = re.compile(r"(LEX##|(?!.*##))(.+)::([^:]+)", re.DOTALL)
LABELS = st.lists(st.sampled_from(["LEX##", "##", "#", "::", ":", "a", "b", "\n", "LEX"]), max_size=8).map("".join)


@example("LEX##::n")
@example("LEX##a##b::n")
@example("a::b:c")
@example("a:::n")
@example("a::n##")
@given(LABELS)
def test_parts_of_a_label(label):
    match = LEXICAL.fullmatch(label)
    assert split_lexical_label(label) == (None if match is None else match.groups())
