"""A small domain of its own: states, their rivers, their size."""

import pytest

from rekern.krisp import read_grammar

GRAMMAR = """
start Query
Query -> answer({Num})
Query -> answer({State})
Query -> answer({River})
Num -> size({State})
Num -> population({State})
State -> next_to({State})
State -> largest({State})
State -> state(all)
State -> stateid({Name})
River -> river({State})
Name -> '{name}'
names Name = texas | utah | new york | ohio
also Name new york = the empire state
""".strip().splitlines()

QUESTIONS = {
    "how big is texas": "size(stateid('texas'))",
    "what is the size of new york": "size(stateid('new york'))",
    "how large is the area of ohio": "size(stateid('ohio'))",
    "how many people live in utah": "population(stateid('utah'))",
    "what is the population of new york": "population(stateid('new york'))",
    "which states border ohio": "next_to(stateid('ohio'))",
    "what states are next to texas": "next_to(stateid('texas'))",
    "which states border states that border utah": "next_to(next_to(stateid('utah')))",
    "what is the largest state": "largest(state(all))",
    "which is the largest state that borders texas": "largest(next_to(stateid('texas')))",
    "how big is the largest state": "size(largest(state(all)))",
    "what rivers run through texas": "river(stateid('texas'))",
    "which rivers flow through ohio": "river(stateid('ohio'))",
    "which rivers run through the states that border utah": "river(next_to(stateid('utah')))",
    "what is the population of the largest state": "population(largest(state(all)))",
}


@pytest.fixture(scope="session")
def grammar():
    return read_grammar(GRAMMAR)


@pytest.fixture(scope="session")
def questions():
    return list(QUESTIONS), [f"answer({meaning})" for meaning in QUESTIONS.values()]
