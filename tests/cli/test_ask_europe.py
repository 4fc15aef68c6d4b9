"""``rekern ask`` out of the box."""

import pytest

from cli.running import invoke, json_of


def test_rivers_of_the_neighbours_of_austria():
    question = "which rivers run through the countries that border austria?"
    found = json_of("ask", question)
    assert found["query"] == "rivers(neighbours('Austria'))"
    assert {"Danube", "Rhine", "Po"} <= set(found["answer"])
    shown = invoke("ask", question).stdout
    assert "└─ neighbours({Land})" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "what is the capital of kenya?",
        "who is the president of france?",
        "what is the weather in vienna?",
        "when was mozart born?",
        "how many people live on mars?",
        "how do I bake bread?",
        "which rivers do not run through germany?",
        "'; DROP TABLE country; --",
    ],
)
def test_what_cannot_be_answered_is_not(question):
    assert json_of("ask", question, code=3)["confident"] is False


@pytest.mark.slow
def test_the_held_out_questions():
    report = json_of("ask", "--evaluate")
    assert report["questions"] == 161
    assert report["precision"] >= 0.95
    assert report["accuracy"] >= 0.9
