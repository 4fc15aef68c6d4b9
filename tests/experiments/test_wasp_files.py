"""WASP's files: what they say, and errors that name the line."""

import pytest

from experiments.geoquery.wasp_files import read_phrases, read_wasp_grammar, rewrite_production
from rekern.errors import InputError
from rekern.krisp import Derivation


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["*n:A -> ({ a })", "*n:B -> ({ b })"], "give the start symbol; A, B could be it"),
        (["*n:A -> a"], "line 1: this is not a production of the form"),
        (["*n:A -> ({  })"], "line 1: this is not a production of the form"),
        (["*n:S -> ({ " + "a " * 10_000], "line 1: this is not a production"),
        (["*n:S -> ({ " + " " * 10_000 + "x" + " })x" * 5_000], "line 1: this is not a production"),
    ],
)
def test_what_is_not_a_grammar(lines, message):
    with pytest.raises(InputError, match=message):
        read_wasp_grammar(lines)


def test_phrases_of_another_list():
    grammar = read_wasp_grammar(["*n:Q -> ({ f ( *n:S ) })", "*n:S -> ({ ' tx ' })"])
    found = read_phrases(grammar, ["*n:S -> ({ tx })", "*n:S -> ({ texas })", "other"], {"S": {"texas": "tx"}})
    assert found.productions[1].phrases == ("tx", "texas")
    assert isinstance(found.parse("f('tx')"), Derivation)


def test_the_grammar_of_wasp_has_pronouns():
    lines = [
        "*n:R -> ({ ( *n:P *n:P ) })",
        "*n:P -> ({ ( player *n:Num ) })",
        "*n:P -> ({ *^:P })",
        "*n:Num -> ({ *t:Num })",
    ]
    grammar = read_wasp_grammar(lines)
    wanted = [
        "*n:R -> ({ ( *n:P *n:P ) })",
        "*n:P -> ({ ( player *n:Num ) })",
        "*n:Num -> ({ 5 })",
        "*n:P -> ({ *^:P })",
    ]
    derivation = grammar.parse("((player 5) (player 5))", list(map(rewrite_production, wanted)))
    assert derivation.children[1].production.kind == "again"
    assert derivation.meaning() == "((player 5) (player 5))"
    assert grammar.parse("((player 5) (player 5))").children[1].production.kind == "rule"
    with pytest.raises(InputError, match="are not a derivation"):
        grammar.parse("((player 5) (player 5))", [*map(rewrite_production, wanted), "Num -> 5"])
