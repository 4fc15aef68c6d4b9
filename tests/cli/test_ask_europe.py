"""``rekern ask`` out of the box."""

import pytest

from cli.running import invoke, json_of

pytestmark = pytest.mark.slow  # the model is trained


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("REKERN_CACHE", str(folder))
        yield folder


def test_rivers_of_the_neighbours_of_austria(cache):
    question = "which rivers run through the countries that border austria?"
    found = json_of("ask", question)
    assert found["query"] == "rivers(neighbours('Austria'))"
    assert {"Danube", "Rhine", "Po"} <= set(found["answer"])
    models = list(cache.iterdir())
    assert len(models) == 1
    assert json_of("ask", question) == found  # by the model that was kept
    models[0].write_bytes(b"damaged")
    assert json_of("ask", question) == found
    shown = invoke("ask", question).stdout
    assert "└─ neighbours({Land})" in shown


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


def test_the_held_out_questions():
    report = json_of("ask", "--evaluate")
    assert report["questions"] == 161
    assert report["precision"] >= 0.95
    assert report["accuracy"] >= 0.9
