"""Model files written by earlier releases still load, and say what they said."""

import json
from pathlib import Path

import numpy as np
import pytest

from rekern import load_model

FOLDER = Path(__file__).resolve().parents[1] / "data" / "models-0.1.0"
SAID = json.loads((FOLDER / "said.json").read_text())
PAIRS = [
    ("Hal met Ida.", "Ida was met by Hal."),
    ("Hal met Ida.", "Hal was met by Ida."),
    ("", "a"),
    ("Anna saw Ben.", "It rains."),
]
QUESTIONS = ["why is the sky blue?", "how do I get a visa?", "", "where can I download python"]
SENTENCES = ["how big is new york", "which river flows through Texas"]


def tree(text):
    return "(S " + " ".join(f"(X {word.strip('.')})" for word in text.split()) + ")" if text else "(S)"


def graph(source, target):
    words = [*source.split(), "|", *target.split()]
    return words, [(word, word + 1, "next") for word in range(len(words) - 1)]


ROWS = {
    "source": [source for source, _ in PAIRS],
    "target": [target for _, target in PAIRS],
    "source.tree": [tree(source) for source, _ in PAIRS],
    "target.tree": [tree(target) for _, target in PAIRS],
    "graph": [graph(source, target) for source, target in PAIRS],
}


def items_for(name):
    if name.startswith("question"):
        return QUESTIONS
    if name.startswith("parser"):
        return SENTENCES
    return ROWS if name in ("classifier-structures", "classifier-spaces") else PAIRS


def test_every_file_is_compared():
    assert {path.stem for path in FOLDER.glob("*.rekern")} == set(SAID)


@pytest.mark.parametrize("name", sorted(SAID))
def test_models_of_0_1_0_say_what_they_said(name):
    model = load_model(FOLDER / f"{name}.rekern")
    items = items_for(name)
    for method, expected in SAID[name].items():
        if method == "log_probability":
            found = [model.parse(sentence)[0].log_probability for sentence in items]
        else:
            found = getattr(model, method)(items)
        if method == "predict" and isinstance(expected[0], str):
            assert list(found) == expected
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
