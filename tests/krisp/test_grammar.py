"""Meaning grammars: reading, checking, deriving, printing back."""

import json
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.clang import unwrap_meaning
from experiments.geoquery.wasp_files import read_wasp_grammar, rewrite_production
from rekern.core.model_limits import ModelLimits
from rekern.errors import InputError, ModelFileError
from rekern.krisp import meaning_reader, read_grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.parser_archive import read_grammar_content, write_grammar
from rekern.krisp.productions import Production, split_meaning


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_all_meanings_of_geoquery_print_back(corpora):
    folder = corpora / "geoquery"
    grammar = read_wasp_grammar(folder / "mrl-grammar.txt")
    assert (grammar.start, len(grammar.productions)) == ("Query", 807)
    found = [
        (row["funql"], grammar.parse(row["funql"], map(rewrite_production, row["mr_parse"])))
        for row in rows(folder / "geo880.jsonl")
    ]
    assert sum(derivation.meaning() == meaning for meaning, derivation in found) == 880
    assert sum(len(grammar.derivations(meaning)) > 1 for meaning, _ in found) == 68


def test_all_meanings_of_clang_print_back(corpora):
    folder = corpora / "robocup_clang"
    grammar = read_wasp_grammar(folder / "mrl-grammar.txt")
    found = [
        (unwrap_meaning(row["clang"]), map(rewrite_production, row["mr_parse"]))
        for row in rows(folder / "clang300.jsonl")
    ]
    assert sum(grammar.parse(meaning, productions).meaning() == meaning for meaning, productions in found) == 300


def test_the_first_of_several_derivations_is_used_with_one_warning():
    grammar = read_grammar(["Query -> {A}", "Query -> {B}", "A -> x", "B -> x"])
    with pytest.warns(UserWarning, match="x has several derivations") as caught:
        derivation = grammar.parse("x")
    assert len(caught) == 1
    assert [str(production) for production in derivation.productions()] == ["Query -> {A}", "A -> x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = grammar.parse("x", ["Query -> {B}", "B -> x"])
    assert str(given.productions()[1]) == "B -> x"
    with pytest.raises(InputError, match="are not a derivation of it"):
        grammar.parse("x", ["Query -> {B}", "A -> x"])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "line 1: there are no productions"),
        (["Query -> f({X})"], r"line 1: no production defines X, which Query -> f\(\{X\}\) uses"),
        (["Query -> a", "X -> b"], "line 2: X -> b can never be used"),
        (["Query -> {A}", "A -> {B}", "B -> {A}", "B -> b"], "closes a cycle: A would derive itself"),
        (["Query -> f({Query})"], r"line 1: Query -> f\(\{Query\}\) never ends"),
        (["Query -> a", "Query -> a"], "line 2: Query -> a stands in line 1 already"),
        (["query -> a"], "line 1: 'query' is no non-terminal"),
        (["Query -> {A", "A -> a"], "line 1: a single '{'"),
        (["Query ->"], "line 1: the right side of Query is empty"),
        (["Query -> a :="], "line 1: after := there must be SQL"),
        (["hello"], "line 1: this is neither a production"),
        (["Query -> '{name}'"], "line 1: Query has no names"),
        (["Query -> '{name}{Query}'"], r"line 1: \{name\} must be the only slot"),
        (["Query -> a", "names Query = b"], r"line 2: Query has no production with \{name\}"),
        (["Query -> a", "names Query"], "line 2: names needs"),
        (["Query -> a", "also Query = b"], "line 2: write 'also"),
        (["start Other", "Query -> a"], "no production defines the start symbol Other"),
        (["Query -> a", "X -> '{name}'", "names X := SELECT 1"], r"line 2: X -> '\{name\}' can never be used"),
        (["Query -> {Query}"], "line 1: Query -> {Query} closes a cycle: Query would derive itself"),
        (["Query -> a\0b"], "line 1: a NUL character"),
        (["start A", "start B", "A -> a"], "line 2: the start symbol stands in line 1 already"),
        (["Query -> a", "start B"], "line 2: no production defines the start symbol B"),
        (["Q -> {A}", "A -> '{name}'", 'A -> "{name}"', "names A = b"], r"line 3: A has a production with \{name\}"),
        (["Q -> '{name}'", "names Q = b", "also Q c = d"], "line 3: 'c' is no name of Q"),
        ([f"Query -> f({'{A}' * 9})", "A -> a"], "line 1: a production of Query has more than 8 slots"),
        ([f"A{n} -> {{A{n + 1}}}" for n in range(5000)] + ["A5000 -> a"], "line 102: A101 -> {A102} can never be used"),
    ],
)
def test_bad_grammars_are_refused_in_one_line(lines, message):
    with pytest.raises(InputError, match=message) as caught:
        read_grammar(lines)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "production", [Production(0, "Q", ("f(", ")"), ("A" * 5000,)), Production(0, "A" * 5000, ("a",))]
)
def test_long_names_in_a_model_file_are_shortened(production):
    with pytest.raises(InputError, match="no production defines") as caught:
        check_productions([PlacedProduction(1, production)], "Q")
    assert len(str(caught.value)) < 500


def test_files_are_named_in_messages(tmp_path):
    path = tmp_path / "g.txt"
    with pytest.raises(InputError, match=r"there is no file .*g\.txt: check the path"):
        read_grammar(path)
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match=r"g\.txt, line 1: byte 0xff at offset 0 is not UTF-8"):
        read_grammar(path)
    path.write_text("Query -> f({X})", encoding="utf-8")
    with pytest.raises(InputError, match=r"g\.txt, line 1: no production defines X"):
        read_grammar(path)


def test_the_whole_format(tmp_path):
    text = (
        "# states\nstart Query\nQuery -> answer({State})   := SELECT name\n    FROM ({1})\n"
        "State -> {{{State}, {State}}}\nState -> '{name}'\nnames State = new york | utah\n"
        "names State := SELECT name FROM state\nalso State new york = ny | the empire state\nState -> n{number}\n"
    )
    path = tmp_path / "g.txt"
    path.write_text(text, encoding="utf-8")
    grammar = read_grammar(path)
    assert grammar.productions[0].sql == "SELECT name FROM ({1})"
    assert grammar.name_queries == {"State": "SELECT name FROM state"}
    meaning = "answer({'new york', {'utah', n 4}})"
    assert grammar.parse(meaning).meaning() == meaning.replace("n 4", "n4")
    named = {p.value: p.phrases for p in grammar.productions if p.kind == "name"}
    assert named == {"new york": ("new york", "ny", "the empire state"), "utah": ("utah",)}
    more = grammar.with_names({"State": ["ohio", "utah", " "]})
    assert [p.value for p in more.productions if p.kind == "name"] == ["new york", "utah", "ohio"]
    with pytest.raises(InputError, match="Query has no production with"):
        grammar.with_names({"Query": ["x"]})


def test_what_cannot_be_derived_is_said_with_the_place(grammar):
    with pytest.raises(InputError, match="no production goes on at 'sice'"):
        grammar.parse("answer(sice(stateid('utah')))")
    with pytest.raises(InputError, match=r"no production goes on at 'river' \(character 14\)"):
        grammar.parse("answer(river(river(stateid('utah'))))")
    with pytest.raises(InputError, match=r"no production goes on at 'utha' \(character 22\)"):
        grammar.parse("answer(size(stateid('utha')))")
    with pytest.raises(InputError, match="it ends too early"):
        grammar.parse("answer(size(stateid('utah'")
    with pytest.raises(InputError, match=r"goes on at '\)' \(character 30\)"):
        grammar.parse("answer(size(stateid('utah')))) ")
    with pytest.raises(InputError, match="it is empty"):
        grammar.parse(" ")


@pytest.mark.parametrize("levels", [1, 50, 97, 98, 99, 5000])
def test_deep_meanings(levels):
    grammar = read_grammar(["Query -> {A}", "A -> f({A})", "A -> x"])
    meaning = "f(" * levels + "x" + ")" * levels
    if levels < 99:
        assert grammar.parse(meaning).meaning() == meaning
    else:
        with pytest.raises(InputError, match="is nested too deeply: beyond 100 levels"):
            grammar.parse(meaning)


def test_ambiguous_meanings_do_not_explode():
    grammar = read_grammar(["Query -> {A}", "A -> {A} {A}", "A -> x"])
    assert len(grammar.derivations("x " * 12, limit=50)) == 50


def slow_derivations(grammar, left, found):
    """All derivations of some tokens, by trying everything, as (number of the production, children)."""

    def ways(symbols, rest):
        if not symbols:
            return [] if rest else [()]
        (symbol, slot), *others = symbols
        if not slot:
            return ways(others, rest[1:]) if rest[:1] == [symbol] else []
        return [
            (child, *more)
            for end in range(1, len(rest) - len(others) + 1)
            for child in slow_derivations(grammar, symbol, rest[:end])
            for more in ways(others, rest[end:])
        ]

    return [(p.number, children) for p in grammar.by_left[left] for children in ways(p.symbols, found)]


@given(st.lists(st.sampled_from("x(+"), max_size=9), st.sets(st.integers(0, 6)))
def test_all_derivations_are_found_in_grammar_order(found, left_out):
    lines = ["A -> ( {A}", "A -> {A} + {A}", "A -> {B}", "B -> x x", "B -> {C} + {C}", "C -> x", "C -> ( {B} {C}"]
    rules = [line for number, line in enumerate(lines) if number not in left_out or number in (2, 4, 5)]
    grammar = read_grammar(["Q -> {A}", *rules])

    def plain(derivation):
        return (derivation.production.number, tuple(map(plain, derivation.children)))

    derived = [plain(derivation) for derivation in grammar.derivations(" ".join(found))]
    assert derived == slow_derivations(grammar, "Q", found)


def test_blanks_do_not_matter_and_quotes_are_tokens():
    assert split_meaning("f ( 'new  york' )") == ["f", "(", "'", "new", "york", "'", ")"]


@pytest.mark.parametrize("size", [10_000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_meanings_that_fit_nothing_take_linear_time(size):
    grammar = read_grammar(["start S", "S -> f({S})", "S -> 'a name'", "S -> f(a)"])
    started = time.process_time()
    with pytest.raises(InputError, match="it ends too early"):
        grammar.parse("f(" * size)
    assert time.process_time() - started < size / 10_000


def test_long_grammars_take_linear_time():
    started = time.process_time()
    assert len(read_grammar(["Q -> a", *[" b"] * 60_000], limits=ModelLimits(production_size=10**6)).productions) == 1
    assert read_grammar(["Q -> " + "{{" * 30_000]).productions[0].parts == ("{" * 30_000,)
    names = [f"n{number}" for number in range(2_000)]
    lines = ["Q -> {X}", "X -> '{name}'", f"names X = {'|'.join(names)}", *(f"also X {name} = same" for name in names)]
    phrases = read_grammar(lines).phrases
    assert [p.value for p in phrases.folded["same",]] == [p.value for p in phrases.productions["same",]] == names
    assert time.process_time() - started < 6


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Q -> {X}", "X -> '{name}'", "names X = a|b|c|d"], "there are 5 productions; the limit is 4: read_grammar"),
        (["Q -> a", "Q -> " + "b" * 20], "line 2: a production has 21 characters; the limit is 20: read_grammar"),
        (["Q -> a := " + "SELECT 1" * 3], "line 1: the SQL of a production has 24 characters; the limit is 20"),
        (["Q -> {X}", "X -> '{name}'", "names X = a", "also X a = " + "b" * 21], "line 2: a phrase for a name has 21"),
    ],
)
def test_limits_of_grammar_files_and_of_grammars_in_models(lines, message):
    limits = ModelLimits(productions=4, production_size=20)
    with pytest.raises(InputError) as caught:
        read_grammar(lines, limits=limits)
    assert str(caught.value).startswith(message)
    content = json.loads(json.dumps(write_grammar(read_grammar(lines))))
    with pytest.raises(ModelFileError, match=r"its grammar cannot be used \(.*the limit is \d+: load_model\(path, lim"):
        read_grammar_content(content, limits)


@pytest.mark.parametrize("line", ["N -> {N}{N}", "N -> b{N}", "N -> {N}b"])
def test_words_of_neighbours_stay_apart(line):
    grammar = read_grammar(["start S", "S -> f({N})", "N -> b", line])
    assert grammar.parse("f(b  b)").meaning() == "f(b b)"
    assert grammar.parse(grammar.parse("f(b b b)").meaning()).meaning() == "f(b b b)"


def test_a_meaning_that_can_be_read_in_too_many_ways_is_refused(monkeypatch):
    monkeypatch.setattr(meaning_reader, "MOST_STEPS", 50_000)
    grammar = read_grammar(["start S", "S -> {S} {S}", "S -> {S} {S} {S}", "S -> a"])
    with pytest.raises(InputError, match=r"takes over 50,000 steps; shorten it, or raise meaning_reader.MOST_STEPS"):
        grammar.parse("a " * 100)
