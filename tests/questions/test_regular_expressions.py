"""Hand-written expressions: Python's meaning, linear time, and errors that name the place."""

import copy
import re
import warnings

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.questions.regular_expressions import RegularExpressions, read_expressions

ATOMS = st.sampled_from(["a", "b", "C", ".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\.", "1", " ", r"\b", "^", "$"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.tuples(part, part).map("".join),
        st.tuples(part, part).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(part, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, st.lists(st.text("abc1 .", max_size=6), min_size=1, max_size=6))
@settings(max_examples=120, deadline=None)
def test_an_expression_means_what_it_means_in_python(expression, texts):
    compiled = RegularExpressions([expression])
    for text in texts:
        assert bool(compiled.find_matches(text)) == bool(re.fullmatch(expression, text, re.IGNORECASE | re.DOTALL))


@given(st.text(max_size=12))
@settings(max_examples=120, deadline=None)
def test_any_text_is_an_expression_or_an_error_with_a_place(text):
    try:
        re.compile(text)
        valid = True
    except (re.error, OverflowError):
        valid = False
    try:
        RegularExpressions([text])
    except InputError as error:
        assert str(error).startswith("expression 1, position ")
        assert "\n" not in text or len(str(error).splitlines()) <= 2
    else:
        assume(valid)


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|aa)+b", "(.*a){20}c", "(x+x+)+y", "(a*)*b", ".*.*.*.*.*=.*"])
def test_catastrophic_expressions_take_linear_time(expression):
    assert len(RegularExpressions([expression]).find_matches("a" * 20_000)) <= 1


@pytest.mark.parametrize(
    ("expression", "position", "reason"),
    [
        ("how (to", 5, "missing \\)"),
        ("*", 1, "nothing to repeat"),
        ("a[b", 2, "unterminated character set"),
        ("(?<=a)b", 1, "look-around"),
        (r"(a)\1", 4, "back references"),
        ("a{5000}", 2, "smaller count"),
        ("(a{100}){100}", 2, "too large"),
        ("(?:(?:(?:){900}){900}){900}", 7, "too large"),
        ("a*+", 3, "possessive"),
        ("a" * 2000, 1001, "more than 1,000 characters"),
    ],
)
def test_bad_expressions_name_line_and_position(tmp_path, expression, position, reason):
    path = tmp_path / "patterns.txt"
    path.write_text(f"# a comment\n\nwhy .*\n{expression}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"patterns\.txt, line 4, position {position}: .*{reason}"):
        read_expressions(path)


@pytest.mark.parametrize("expression", [r"\012", r"a\0", r"\01a", "[[]", "[a&&b]", "a{,}", "a{}", r"\x41", "[]a]"])
@pytest.mark.filterwarnings("error")
def test_rare_notation_means_what_it_means_in_python(expression):
    compiled = RegularExpressions([expression])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = re.compile(expression, re.IGNORECASE | re.DOTALL)
    for text in ("", "a", "aaa", "\n", "\0", "a\0", "\x01a", "\x0012", "012", "[", "]", "&", "a{}", "A"):
        assert bool(compiled.find_matches(text)) == bool(known.fullmatch(text))


def test_deep_groups_are_refused():
    with pytest.raises(InputError, match="groups inside one another"):
        RegularExpressions(["(" * 60 + "a" + ")" * 60])


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        read_expressions(tmp_path / "latin.txt")
    with pytest.raises(InputError, match="is a folder: give a file in it"):
        read_expressions(tmp_path)


def test_classes_have_the_letters_of_all_languages():
    expressions = [r"\w+", r"\W+", r"[^\W\d_]+", r"[\S]+", r"\d+", r"\s+", r"[\u4e00-\u9fff]+", r"\N{EM DASH}", "ÉTÉ"]
    texts = ["été", "Été", "怎么", "怎么 how", "٣", "½", "—", "\u3000\xa0", "a_1", "", "\ud800", "ß", "😀"]
    found = RegularExpressions(expressions)
    for text in texts:
        wanted = [n for n, e in enumerate(expressions) if re.fullmatch(e, text.replace("\ud800", "?"), re.IGNORECASE)]
        assert found.find_matches(text) == wanted, text


def test_expressions_are_sent_to_other_processes():
    found = copy.deepcopy(RegularExpressions(["why.*", ".*(怎么)?"]))  # as pickle does it
    assert found.match_texts(["why not", "how"]).toarray().tolist() == [[1, 1], [0, 1]]
