"""The Stanford parser: a small program in its place that dies and sleeps, and the parser itself where it is present."""

import gzip
import os
import re
import shutil
import stat
import sys
from pathlib import Path

import pytest

from rekern.errors import InputError
from rekern.structures.parsers import Parser, parser, text_tree
from rekern.structures.parsers.stanford_parser import JAR, MODEL, split_sentences

FAKE = r"""#!{python}
import os, sys, time
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\n")
if "PTBTokenizer" in " ".join(sys.argv):
    if "broken" in {mode!r}:
        sys.exit("Exception: no tokens today")
    print(sys.stdin.read(), end="")
    sys.exit()
if "never" in {mode!r}:
    print("Loading", file=sys.stderr)
    sys.exit("java.io.InvalidClassException: not a model\n\tat Somewhere.java:7")
for line in sys.stdin:
    words = line.split()
    if "die" in words:
        sys.exit("java.lang.OutOfMemoryError: Java heap space")
    if "sleep" in words:
        time.sleep(600)
    print("(())" if "none" in words else "(ROOT " + " ".join("(W %s)" % word for word in words) + ")", flush=True)
"""


@pytest.fixture
def fake(tmp_path: Path):
    """A function that makes a parser whose Java is a script; its log tells what was started."""
    if os.name != "posix":
        pytest.skip("the program in Java's place is a script with a #! line")
    jar, model = tmp_path / "a.jar", tmp_path / "model.ser.gz"
    jar.write_bytes(b"PK")
    model.write_bytes(b"model")

    def make(mode: str = "", **options: object) -> Parser:
        java = tmp_path / f"java-{mode or 'plain'}"
        java.write_text(FAKE.format(python=sys.executable, log=str(tmp_path / "log"), mode=mode))
        java.chmod(java.stat().st_mode | stat.S_IXUSR)
        return parser("stanford", jar=jar, model=model, java=str(java), **options)

    return make


def starts(tmp_path: Path) -> int:
    return (tmp_path / "log").read_text().count("LexicalizedParser")


def test_one_process_parses_all_sentences(fake, tmp_path: Path) -> None:
    with fake() as found:
        parses = list(found.parse(["He left . She stayed .", "", "so"]))
        parses += found.parse(["more"])
    trees = ["(ROOT (W He) (W left) (W .))", "(ROOT (W She) (W stayed) (W .))"]
    assert [parse.constituents for parse in parses] == [tuple(trees), (), ("(ROOT (W so))",), ("(ROOT (W more))",)]
    assert starts(tmp_path) == 1


def test_a_sentence_that_kills_the_process_is_reported_and_the_rest_is_parsed(fake, tmp_path: Path) -> None:
    with fake() as found, pytest.warns(UserWarning, match="no tree for 'So . Now die .'"):
        before, killer, after = found.parse(["one", "So . Now die .", "two"])
    assert (before.constituents, after.constituents) == (("(ROOT (W one))",), ("(ROOT (W two))",))
    assert killer.constituents is None
    assert re.fullmatch(
        r"sentence 2, of 3 words: Java ended after .* s: java.lang.OutOfMemoryError: Java heap space", killer.fault
    )
    assert starts(tmp_path) == 2


def test_a_sentence_that_takes_too_long(fake, tmp_path: Path) -> None:
    with fake(seconds=0.3) as found, pytest.warns(UserWarning, match=r"not finished after 0.3 s"):
        slow, after = found.parse(["sleep well", "two"])
    assert slow.fault and after.constituents == ("(ROOT (W two))",)
    assert starts(tmp_path) == 2


def test_a_sentence_without_a_tree(fake, tmp_path: Path) -> None:
    with fake() as found, pytest.warns(UserWarning, match="is 1g of memory enough"):
        none, after = found.parse(["none here", "two"])
    assert none.fault and after.constituents == ("(ROOT (W two))",)
    assert starts(tmp_path) == 1


def test_a_parser_that_never_starts_says_why(fake) -> None:
    with pytest.raises(InputError, match=r"does not start \(Java ended after .*InvalidClassException: not a model\)"):
        list(fake("never").parse(["one"]))
    with pytest.raises(InputError, match=r"the Stanford tokeniser fails \(Exception: no tokens today\)"):
        list(fake("broken").parse(["one"]))


def test_given_tokens_are_not_tokenised_and_brackets_are_escaped(fake, tmp_path: Path) -> None:
    with fake(tokenized=True) as found:
        (parse,) = found.parse(["f(x) ( don't )"])
    assert parse.constituents == ("(ROOT (W f-LRB-x-RRB-) (W -LRB-) (W don't) (W -RRB-))",)
    assert "PTBTokenizer" not in (tmp_path / "log").read_text()


def test_the_identity_depends_on_contents_and_options(fake, tmp_path: Path) -> None:
    first = fake().identity
    assert fake().identity == first == fake(seconds=5, memory="2g").identity
    assert fake(tokenizer="ptb3Escaping=false").identity != first != fake(tokenized=True).identity
    (tmp_path / "model.ser.gz").write_bytes(b"another")
    assert fake().identity != first


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JAR, raising=False)
    monkeypatch.delenv(MODEL, raising=False)
    jar, model = tmp_path / "a.jar", tmp_path / "m.gz"
    with pytest.raises(InputError, match="needs its jar: give jar= or set REKERN_STANFORD_JAR"):
        parser("stanford")
    jar.write_bytes(b"no jar")
    with pytest.raises(InputError, match="needs its model: give model= or set REKERN_STANFORD_MODEL"):
        parser("stanford", jar=jar)
    with pytest.raises(InputError, match=r"a.jar is not a jar"):
        parser("stanford", jar=jar, model=model)
    model.write_bytes(b"")
    with pytest.raises(InputError, match="there is no Java"):
        parser("stanford", jar=jar, model=model, java="no-such-java")
    with pytest.raises(InputError, match="seconds=0: give a number above 0"):
        parser("stanford", jar=jar, model=model, seconds=0)
    with pytest.raises(InputError, match="memory='plenty': give what Java's -Xmx takes"):
        parser("stanford", jar=jar, model=model, memory="plenty")


def test_where_sentences_end() -> None:
    tokens = ["``", "Is", "it", "?", "''", "he", "said", ".", "-LRB-", "No", "!", "-RRB-", "So"]
    assert [" ".join(words) for words in split_sentences(tokens)] == [
        "`` Is it ? ''",
        "he said .",
        "-LRB- No ! -RRB-",
        "So",
    ]
    assert split_sentences([]) == [] and split_sentences(["."]) == [["."]]


@pytest.fixture(scope="module")
def stanford(request: pytest.FixtureRequest) -> Parser:
    """The parser itself: Java, the jar that REKERN_STANFORD_JAR names, and the model beside the corpora."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java on this machine")
    if not os.environ.get(JAR):
        pytest.skip(f"{JAR} names no jar of the Stanford parser")
    model = os.environ.get(MODEL)
    if not model:
        corpora = request.getfixturevalue("corpora")
        model = corpora / "stanford_pcfg" / "englishPCFG.ser.gz"
        if not model.is_file():
            pytest.skip(f"{MODEL} names no model, and the corpora have none")
    found = parser("stanford", model=model)
    request.addfinalizer(found.close)
    return found


def test_the_real_parser(stanford: Parser) -> None:
    texts = ["He left (maybe). She stayed.", "", "naïve café"]
    first, empty, last = stanford.parse(texts)
    assert text_tree(first.constituents or ()) == (
        "(ROOT (S (NP (PRP He)) (VP (VBD left) (PRN (-LRB- -LRB-) (ADVP (RB maybe)) (-RRB- -RRB-))) (. .)) "
        "(S (NP (PRP She)) (VP (VBD stayed)) (. .)))"
    )
    assert empty.constituents == () and "(JJ naïve)" in (last.constituents or ("",))[0]
    assert [found.words[found.root] for found in first.sentences] == ["left", "stayed"]


def test_the_real_parser_is_started_again(stanford: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stanford, "seconds", 0.01)
    with pytest.warns(UserWarning, match="not finished after 0.01 s"):
        (slow,) = stanford.parse(["word and " * 60])
    monkeypatch.setattr(stanford, "seconds", 60.0)
    assert slow.fault and next(stanford.parse(["It works."])).constituents


def test_trees_of_msrp(stanford: Parser, corpora: Path) -> None:
    """The trees that come with the corpus were made with this parser: the same sentences give the same trees.

    Their sentences were not always cut at the same places, and some words were respelled.
    """
    lines = gzip.decompress((corpora / "msrp" / "trees.tsv.gz").read_bytes()).decode().splitlines()[1:]
    rows = [line.split("\t") for line in lines[::600]]
    same = 0
    for (_, expected), parse in zip(rows, stanford.parse([text for text, _ in rows])):
        tree = text_tree(parse.constituents or ())
        if sentences(tree) == sentences(expected):
            same += 1
            assert tree == expected
    assert same >= 0.8 * len(rows)


def sentences(tree: str) -> list[list[str]]:
    """The words of each sentence of a text's tree."""
    found: list[list[str]] = []
    depth = 0
    for bracket, word in re.findall(r"([()])|([^()\s]+)(?=\))", tree):
        depth += {"(": 1, ")": -1, "": 0}[bracket]
        if bracket == "(" and depth == 2:
            found.append([])
        if word:
            found[-1].append(word)
    return found
