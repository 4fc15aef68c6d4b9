"""Treebank tokens: equal to NLTK's on the public corpora but for the listed exceptions, linear in time, stable."""

import csv
import gzip
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from helpers import SOME_OR_ALL
from rekern.structures.treebank_tokenizer import tokenize

nltk_tokens = TreebankWordTokenizer().tokenize

COLUMNS = {
    "msrp": ["s1", "s2"],
    "rte": ["text", "hypothesis"],
    "qqp_partial": ["question1", "question2"],
    "sick": ["sentence_A", "sentence_B"],
    "sts_benchmark": ["s1", "s2"],
    "wikiqa": ["Question", "Sentence", "DocumentTitle"],
    "paws_wiki": ["s1", "s2"],
    "snli": ["premise", "hypothesis"],
}

# The listed exceptions, each as something done to NLTK's input or output (the numbers are those of the module's text).
TYPOGRAPHIC = str.maketrans("“”„‘’", '"""\'\'')  # 2
RENAMED = {"``": '"', "''": '"', "`": "'"}  # 1
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}  # 3
RENAMED |= BRACKETS | {code.lower(): bracket for code, bracket in BRACKETS.items()}
SHORT_FOR = "s m d t n ll re ve ye em til till cause cuz coz bout round neath tis twas twere twill"
OPENING = re.compile(rf"'(?=\w)(?!\d|(?:{SHORT_FOR.replace(' ', '|')})\b)", re.IGNORECASE)  # 4
RUN = re.compile(r"[,:](?=[,:])")  # 5
FORMS = "'(?:[sSmMdD]|ll|LL|re|RE|ve|VE)"
END = r"(?:\s|$|''|[^\w\s'./-]|\.\.\.|--|(?<!\.)\.[])}>\"']*\s*$)"
CLITIC = re.compile(rf"(?<=[^\s'])({FORMS}|n't|N'T)(?=(?:{FORMS}?){{1,2}}{END})")  # 6


def expected(text: str) -> list[str]:
    """NLTK's tokens with the listed exceptions; of white space (7) the corpora have single blanks only."""
    text = text.translate(TYPOGRAPHIC)
    text = RUN.sub(r"\g<0> ", text)
    text = CLITIC.sub(r"\g<0> ", text)
    tokens = []
    for token in nltk_tokens(text):
        tokens += ["'", token[1:]] if OPENING.match(token) else [RENAMED.get(token, token)]
    return tokens


def texts_of(folder: Path) -> Iterator[str]:
    columns = COLUMNS[folder.name]
    for path in sorted(folder.glob("*.tsv*")):
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8", newline="\n") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield from (row[column] for column in columns if column in row)


@pytest.fixture(scope="module", params=COLUMNS)
def texts(request: pytest.FixtureRequest, corpora: Path) -> list[str]:
    """All distinct texts of one corpus."""
    folder = corpora / request.param
    if not folder.is_dir():
        pytest.skip(f"no folder {request.param} among the public corpora")
    found = list(dict.fromkeys(texts_of(folder)))
    assert len(found) > 4000
    return found


def differing(texts: list[str]) -> list[tuple[str, list[str], list[str]]]:
    return [(text, tokenize(text), expected(text)) for text in texts if tokenize(text) != expected(text)]


def test_equals_nltk_on_a_sample_of_each_corpus(texts):
    assert differing(texts[::12]) == []


@pytest.mark.slow
def test_equals_nltk_on_every_text_of_each_corpus(texts):
    assert differing(texts) == []


@SOME_OR_ALL
def test_tokenised_text_stays_as_it_is_on_each_corpus(texts, step):
    changed = [text for text in texts[::step] if tokenize(" ".join(tokenize(text))) != tokenize(text)]
    assert changed == []


WORDS = """
    a dog Don cannot Gonna wanna more'n U.S. 3,000 5:30 3 _x é o'clock well-known e.g and/or cannot/dog a-gotta
    Paris,2003 x.. -LRB- c++ 'em d'ye Gimme 'tis henna Cannot lemme 'hello '90s
"""
words = st.sampled_from(WORDS.split())
clitics = st.sampled_from(["", "", "'s", "'ll", "'VE", "'d", "'", "'m"])
before = st.sampled_from(["", "", "", "(", '"', "``", "[", "$", "--", "...", "“", "-", ".", "<"])
after = st.sampled_from(
    [
        "",
        "",
        ",",
        ".",
        "...",
        "..",
        '"',
        "''",
        ")",
        "?",
        "!!",
        ":",
        ";",
        "--",
        "'",
        "%",
        "’",
        "/",
        "-",
        ".)",
        '."',
        ".'",
    ]
)
sentences = st.lists(st.tuples(before, words, clitics, after, after).map("".join), max_size=8).map(" ".join)


@settings(deadline=None)
@given(sentences)
def test_equals_nltk_on_made_up_sentences(text):
    assert tokenize(text) == expected(text)


@settings(deadline=None)
@given(sentences)
def test_tokenised_text_stays_as_it_is(text):
    once = tokenize(text)
    assert tokenize(" ".join(once)) == once


@settings(deadline=None)
@given(st.text() | st.text(alphabet="an'tNT.,:-`\"(3 \nsl"))
def test_no_character_is_lost_or_made_up(text):
    def bare(s: str) -> str:
        return re.sub(r"\s|''|[\"'`“”„‘’]|-[LRlr][RSCrsc][Bb]-|[][(){}]", "", s)

    tokens = tokenize(text)
    assert bare("".join(tokens)) == bare(text)
    assert all(tokens) and not any(re.search(r"\s", token) for token in tokens)


@settings(deadline=None)
@given(st.lists(st.text(alphabet="an'tNT.,:-`\"(3sl", min_size=1, max_size=8), max_size=5))
def test_only_the_last_full_stop_looks_beyond_a_blank(words):
    apart = [token for word in words for token in tokenize(word + " x")[:-1]]
    assert tokenize(" \t".join([*words, "x"])) == [*apart, "x"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n", []),
        ("\u00a0a\u2003b\x1fc", ["a", "b", "c"]),
        ("Isn't it?", ["Is", "n't", "it", "?"]),
        ("I'd've gone", ["I", "'d", "'ve", "gone"]),
        ("he couldn't've", ["he", "could", "n't", "'ve"]),
        ("('it's')", ["(", "'", "it", "'s", "'", ")"]),
        ("the boys'\tcats'\ndogs'", ["the", "boys", "'", "cats", "'", "dogs", "'"]),
        ("std::vector, a,, b", ["std", ":", ":", "vector", ",", "a", ",", ",", "b"]),
        ("He said: “Don’t!”", ["He", "said", ":", '"', "Do", "n't", "!", '"']),
        ("-LRB- x -rrb-", ["(", "x", ")"]),
        ("Fish 'n' chips", ["Fish", "'n", "'", "chips"]),
        ("'Tis the '90s", ["'T", "is", "the", "'90s"]),
        ("Mr. Smith left. He ran....", ["Mr.", "Smith", "left.", "He", "ran", "...", "."]),
        ("etc.)", ["etc", ".", ")"]),
        ("a\x00b \ud800 \U0001f600! e\u0301a שלום.", ["a\x00b", "\ud800", "\U0001f600", "!", "e\u0301a", "שלום", "."]),
    ],
)
def test_by_hand(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize("text", ['He said "I can\'t (really)."', "a 'b' c", "x [3] {y}"])
def test_raw_and_treebank_spelling_are_alike(text):
    spelt = " ".join(TreebankWordTokenizer().tokenize(text, convert_parentheses=True))
    assert tokenize(spelt) == tokenize(text)


REPEATED = """
    . ' a n n't 's 'd've ... .) .' ` - , : ,1 " ( cannot can 't gonna- a. a' '. 😀 é n' ''. ."] x-
"""


@pytest.mark.parametrize("piece", [*REPEATED.split(), "word ", ". ", "' ", " ", "\n"])
def test_time_is_linear(piece):
    text = piece * (100_000 // len(piece))
    for suffix in ("", "'", "n't", ".", " x", "." + ")" * 100_000 + "x"):
        start = time.perf_counter()
        tokenize(text + suffix)
        assert time.perf_counter() - start < 2.0  # a hundredth of this is usual; quadratic time would take minutes
