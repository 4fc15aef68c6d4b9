"""Fuzzers of grammars from strangers: as files, and as the part of a model file.

A grammar is refused in one line, or it is used: the meanings that it derives print back, their SQL is one statement
with bound values, and the grammar is the same after it was written into a model file and read again.
"""

import copy
import json
import re
import warnings
from functools import cache

from mutators import VALUES, list_edges, list_places, look_up, replace

from rekern.errors import InputError, ModelFileError
from rekern.krisp import read_grammar
from rekern.krisp.answering.sql_compiler import check_templates, compile_sql, list_examples
from rekern.krisp.parser_archive import GRAMMAR, read_grammar_content, write_grammar

OWN = [
    "start Query",
    "Query -> answer({State}) := SELECT DISTINCT name FROM ({1})",
    "Query -> count({State}, {Number}) := SELECT count(*) FROM ({1}) WHERE {2}",
    "State -> next_to({State}) := SELECT b AS name FROM border WHERE a IN ({1})",
    "State -> both({State}, {State}) := {1} INTERSECT {2}",
    "State -> {{all}} := SELECT name FROM state",
    "State -> stateid({StateName})",
    "    := SELECT name FROM state WHERE name = {1}",
    "Number -> {number}",
    "Number -> minus({Number}) := -{1}",
    "StateName -> '{name}'",
    "names StateName = texas | new york | utah",
    "names StateName := SELECT name FROM state",
    "also StateName texas = the lone star state | tx",
    "# a comment",
]
PIECES = [
    *"{}|'\"=:;>-# \t\\()\x00é1",
    "{{",
    "}}",
    ":=",
    "->",
    "{1}",
    "{9}",
    "{State}",
    "{name}",
    "{word}",
    "names ",
    "also ",
]
PIECES += ["start ", "*n:", "({ ", " })", "--", "/*", ":v1", "Query", "State -> {State}", "x" * 300, "\u2028", "\ud800"]


def _change(lines, rng):
    """Change some lines: pieces in or out, lines repeated, lost, joined or in another order."""
    lines = list(lines)
    for _ in range(rng.randrange(4)):
        row = rng.randrange(len(lines))
        line, place = lines[row], rng.randrange(len(lines[row]) + 1)
        lines[row : row + 1] = rng.choice(
            [
                [line[:place] + rng.choice(PIECES) + line[place:]],
                [line[:place] + line[place + rng.randrange(1, 9) :]],
                [line] * rng.randrange(4),
                [line[:place], line[place:]],
                [rng.choice(lines)],
            ]
        )
        lines = lines or [""]
    return lines


def _use(grammar):
    """Use all of a grammar that was not refused."""
    content = json.loads(json.dumps(write_grammar(grammar)))
    again = read_grammar_content(content)
    assert again == grammar, "the reader of model files reads another grammar"
    assert grammar.phrases.longest >= 0 and grammar.entities >= set(grammar.name_templates)
    check_templates(grammar)
    for _, derivation in list_examples(grammar):
        meaning = derivation.meaning()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about several derivations
            assert grammar.parse(meaning).meaning() == meaning
        query = compile_sql(derivation)
        outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", query.sql)
        assert not re.search(r";|--|/\*", outside)
        assert set(re.findall(r"(?<![:\w]):([a-zA-Z_]\w*)", outside)) <= set(query.parameters)


def fuzz_grammar_files(rng):
    """Grammar files."""
    try:
        _use(read_grammar(_change(OWN, rng)))
    except InputError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000
    return 1


def fuzz_grammars_in_models(rng):
    """Grammars in model files: values of the JSON are changed, most of them at the borders of the schema."""
    content = json.loads(rng.choice(_write_grammars()))
    for _ in range(rng.randrange(1, 4)):
        path, constraint = rng.choice(list(list_places(content, (), GRAMMAR)))
        edges = VALUES if constraint is None or rng.random() < 0.3 else list_edges(constraint)
        other = look_up(content, rng.choice(list(list_places(content)))[0])
        new = copy.deepcopy(rng.choice([rng.choice(edges), other]))  # or the next change would change the edges, too
        content = replace(content, path, new, rng.choice(["replace", "replace", "delete", "repeat"]), rng)
        if not isinstance(content, dict):
            break
    try:
        grammar = read_grammar_content(content)
    except ModelFileError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000
        return 1
    try:
        _use(grammar)
    except InputError as error:  # its SQL
        assert "\n" not in str(error) and len(str(error)) < 1000
    return 1


@cache
def _write_grammars():
    """The grammars as they stand in model files."""
    return [json.dumps(write_grammar(read_grammar(lines))) for lines in (OWN,)]
