"""GeoQuery's queries on the database of its facts answer as the corpus says, or as the page explains."""

import json
import re

import pytest

from conftest import REPOSITORY
from experiments.geoquery.geobase import Geobase, add_templates, round_value
from experiments.geoquery.geobase_facts import read_facts, write_term
from rekern.errors import InputError
from rekern.krisp import read_grammar
from rekern.krisp.answering.database_grammar import connect_grammar

PAGE = REPOSITORY / "experiments" / "geoquery" / "answers.md"


@pytest.fixture(scope="module")
def geobase(corpora):
    folder = corpora / "geoquery"
    if not folder.is_dir():
        pytest.skip("the corpora here have no geoquery folder")
    return Geobase(folder)


@pytest.fixture(scope="module")
def examples(corpora):
    with open(corpora / "geoquery" / "geo880.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def gold_answer(text):
    """The values of a Prolog list of terms and numbers."""
    values = re.findall(r"\w+id\((?:'[^']*'|[^,()']*)(?:,(?:'[^']*'|[^)]*))?\)|-?\d[\d.]*(?:e[+-]?\d+)?", text)
    return frozenset(value if value[-1] == ")" else round_value(float(value)) for value in values)


def explained():
    rows = [line.split("|")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    ids = [int(number) for row in rows for number in re.findall(r"\d+", row)]
    assert len(ids) == len(set(ids))
    return set(ids)


def test_every_production_has_sql_that_fits_the_database(geobase):
    connect_grammar(geobase.grammar, geobase.database)


def test_answers_are_those_of_the_corpus_or_explained(geobase, examples):
    differing = {
        example["id"] for example in examples if geobase.answer(example["funql"]) != gold_answer(example["gold_answer"])
    }
    assert len(examples) == 880
    assert differing == explained()


def test_the_page_counts_them(examples):
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"For {len(examples) - len(explained())} of them" in text
    assert f"the other {len(explained())} are below" in text


def test_the_derivation_does_not_matter(geobase, examples):
    from rekern.krisp.answering.sql_compiler import compile_sql

    ambiguous = 0
    for example in examples:
        derivations = geobase.grammar.derivations(example["funql"])
        if len(derivations) > 1:
            ambiguous += 1
            answers = {tuple(geobase.database.run(compile_sql(one)).rows) for one in derivations}
            assert len(answers) == 1, example["funql"]
    assert ambiguous > 0


@pytest.mark.parametrize(
    ("meaning", "expected"),
    [
        ("answer(elevation_1(placeid('mckinley')))", {6194.0}),  # by its shorter name, too
        ("answer(count(lake(all)))", {22.0}),
        ("answer(largest(lake(all)))", {"placeid(superior)"}),
        ("answer(smallest(population_1(state(all))))", {401800.0}),
        ("answer(place(elevation_2(-85)))", {"placeid('death valley')"}),
        ("answer(each(state(next_to_1(stateid('maine')))))", {"stateid('new hampshire')"}),
        ("answer(lower_1(placeid('death valley')))", None),
        ("answer(state(loc_1(cityid('nowhere', _))))", InputError),
    ],
)
def test_single_queries(geobase, meaning, expected):
    if expected is InputError:
        with pytest.raises(InputError, match="cannot derive"):
            geobase.answer(meaning)
    elif expected is None:
        assert len(geobase.answer(meaning)) > 50
    else:
        assert geobase.answer(meaning) == expected


def test_things_are_written_as_in_prolog():
    assert write_term("placeid", "mount mckinley") == "placeid('mount mckinley')"
    assert gold_answer("[cityid('st. paul',mn),stateid(utah),3.50,-85]") == {
        "cityid('st. paul',mn)",
        "stateid(utah)",
        3.5,
        -85.0,
    }


def test_bad_facts(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_text('{"pred": "river", "args": []}\n{"pred": 1}\n')
    with pytest.raises(InputError, match=r"facts\.jsonl, line 2: this is no fact with pred and args"):
        read_facts(file)
    with pytest.raises(InputError, match="there is no such file of facts"):
        read_facts(tmp_path / "none.jsonl")


def test_an_unknown_form():
    with pytest.raises(InputError, match="is no form of GeoQuery's query language"):
        add_templates(read_grammar(["Query -> guess({State})", "State -> state(all)"]))
