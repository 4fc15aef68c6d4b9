"""Texts to columns of trees: once each, kept on disk, whatever happens in between."""

import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.formats.conllu import from_conllu
from rekern.structures.parsers import Parse, ParseCache, Parser, cache_folder, parse_trees, text_tree
from rekern.structures.parsers.parse_cache import _pack, _unpack
from rekern.structures.sentences import sentence
from rekern.structures.trees import Trees


class Chain(Parser):
    """Each word depends on the one before it; a full stop ends a sentence. Counts what it is asked."""

    name = "chain"
    gives = ("dependencies",)

    def __init__(self, version: int = 1):
        self.version = version
        self.asked: list[str] = []

    @property
    def identity(self):
        return {"parser": self.name, "version": self.version}

    def _parses(self, texts):
        for text in texts:
            self.asked.append(text)
            if "stop" in text:
                raise KeyboardInterrupt
            if "fault" in text:
                yield Parse(fault="it cannot be parsed")
                continue
            parts = [part.split() for part in text.split(".") if part.strip()]
            yield Parse(dependencies=tuple(sentence(words, range(-1, len(words) - 1)) for words in parts))


def test_every_text_is_parsed_once(tmp_path: Path) -> None:
    chain = Chain()
    texts = ["He left", "", "He  left ", "a b. c", "He left"]
    first = parse_trees(texts, chain, ["dependencies"], tmp_path)
    he = "(He left)"
    assert first.trees == {"dependencies": [he, "()", he, "(ROOT (a b) (c))", he]}
    assert (first.distinct, first.cached, chain.asked) == (3, 0, ["He left", "a b. c"])
    again = parse_trees([*texts, "new"], chain, ["dependencies", "loct"], tmp_path)
    assert again.trees["dependencies"][:5] == first.trees["dependencies"] and len(again.trees["loct"]) == 6
    assert (again.cached, chain.asked[2:]) == (3, ["new"])


def test_dependencies_in_conllu(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="no tree for 'fault'"):
        found = parse_trees(["a b. c", "", "fault"], Chain(), ["conllu"], tmp_path)
    column = found.trees["conllu"]
    assert [one.words for one in from_conllu(column[0])] == [("a", "b"), ("c",)]
    assert column[1:] == ["", ""] and list(found.faults) == ["fault"]


def test_another_identity_is_another_parse(tmp_path: Path) -> None:
    parse_trees(["a"], Chain(1), ["loct"], tmp_path)
    assert parse_trees(["a"], Chain(2), ["loct"], tmp_path).cached == 0
    assert parse_trees(["a"], Chain(1), ["loct"], tmp_path).cached == 1


def test_an_interrupted_run_continues(tmp_path: Path) -> None:
    chain = Chain()
    with pytest.raises(KeyboardInterrupt):
        parse_trees(["a", "b", "stop", "c"], chain, ["loct"], tmp_path)
    assert parse_trees(["a", "b", "c"], chain, ["loct"], tmp_path).cached == 2


def test_what_could_not_be_parsed_is_told_and_tried_again(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.warns(UserWarning, match="no tree for 'fault': it cannot be parsed"):
            found = parse_trees(["a", "fault"], Chain(), ["loct"], tmp_path)
        assert found.trees["loct"][1] == "()" and found.faults == {"fault": "it cannot be parsed"}


def test_unknown_trees(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown trees 'gcrt': choose grct, lct, loct, dependencies, constituents"):
        parse_trees(["a"], Chain(), ["gcrt"], tmp_path)
    with pytest.raises(InputError, match="the parser chain gives no constituents"):
        parse_trees(["a"], Chain(), ["constituents"], tmp_path)


def test_the_trees_of_a_text_are_one_tree() -> None:
    both = text_tree(["(ROOT (S a))", "(ROOT (S b))"])
    assert list(Trees.from_items([both])) == ["(ROOT (S a) (S b))"]
    assert text_tree(["(ROOT a)", "(ROOT (S b))"]) == "(ROOT (ROOT a) (S b))"  # a bare word is no phrase to move


def test_no_text_at_all(tmp_path: Path) -> None:
    assert parse_trees([], Chain(), ["grct"], tmp_path).trees == {"grct": []}


def test_a_damaged_cache(tmp_path: Path) -> None:
    (tmp_path / "parses.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match=r"the cache .*parses.sqlite is damaged .*: delete it"):
        parse_trees(["a"], Chain(), ["loct"], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the cache folder"):
        parse_trees(["a"], Chain(), ["loct"], tmp_path / "file" / "below")


def test_damaged_entries_are_parsed_again(tmp_path: Path) -> None:
    parse_trees(["a"], Chain(), ["loct"], tmp_path)
    for bad in (b"", b"nonsense", _pack(Parse(constituents=("(A b)",)))[:-3], "text", None, 7):
        with sqlite3.connect(tmp_path / "parses.sqlite") as base:
            base.execute("UPDATE parses SET value = ?", (bad,))
        base.close()
        assert parse_trees(["a"], Chain(), ["loct"], tmp_path).cached == 0


def test_two_runs_share_a_cache(tmp_path: Path) -> None:
    with ParseCache(tmp_path, {"parser": "x"}) as one, ParseCache(tmp_path, {"parser": "x"}) as two:
        one.put("a", Parse(dependencies=()))
        one.save()
        two.put("b", Parse(dependencies=()))
        two.save()
        assert set(one.get(["a", "b", "c"])) == set(two.get(["a", "b", "c"])) == {"a", "b"}
        assert len(one.get([str(n) for n in range(3000)])) == 0


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("REKERN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder() == Path.home() / ".cache" / "rekern"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, as the standard says
    assert cache_folder() == Path.home() / ".cache" / "rekern"
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path))
    assert cache_folder() == tmp_path / "rekern"
    monkeypatch.setenv("REKERN_CACHE", os.fspath(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    assert cache_folder("other") == Path("other")


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(st.lists(words, max_size=5), st.lists(words, max_size=3), st.booleans())
def test_what_is_kept_comes_back(one: list[str], trees: list[str], both: bool) -> None:
    found = sentence(one, range(-1, len(one) - 1))
    parse = Parse((found,), tuple(trees) if both else None)
    assert _unpack(_pack(parse)) == parse
