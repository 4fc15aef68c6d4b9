"""What a question asks for: the question word, the word in focus, its kinds; and the kernel made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.question_kernels import QuestionFocus, describe_ending, describe_form, find_focus, list_kinds
from rekern.errors import InputError
from rekern.kernels import Spectrum
from rekern.learning import TextClassifier
from rekern.similarity.lexicons.wordnet import WordNet

NOUNS = {
    "place": (),
    "city": ("place",),
    "country": ("place",),
    "person": (),
    "composer": ("person",),
    "director": ("person",),
    "animal": (),
    "bird": ("animal",),
    "name": (),
    "kind": (),
    "capital": ("city",),
    "work": (),
    "play": ("work",),
    "saw": (),
}
VERBS = ["write", "begin", "play", "call", "mean", "make", "work", "manage", "boast"]
WORDNET = WordNet.from_synsets(
    [(f"n-{noun}", "n", [noun], [f"n-{other}" for other in above], "") for noun, above in NOUNS.items()]
    + [(f"v-{verb}", "v", [verb], [], "") for verb in VERBS]
    + [(f"v-see-{sense}", "v", ["see"], [], "") for sense in range(4)]
    + [("a-quick", "a", ["quick"], [], ""), ("a-managing", "a", ["managing"], [], "")]
)


@pytest.mark.parametrize(
    ("question", "asks", "word"),
    [
        ("What city is this ?", "what", "city"),
        ("What is the capital of France ?", "what is", "capital"),
        ("In which countries do they play ?", "which", "countries"),
        ("What countries begin with A ?", "what", "countries"),
        ("What composer wrote this play ?", "what", "composer"),
        ("What is the name of the managing director of it ?", "what is", "director"),
        ("What kind of bird is it ?", "what", "bird"),
        ("What is the composer 's name ?", "what is", "name"),
        ("Name a bird .", "name", "bird"),
        ("What composer plays a work ?", "what", "composer"),
        ("What bird plays are there ?", "what", "plays"),
        ("What is called a bird ?", "what is", "bird"),
        ("What is called by it ?", "what is called", None),
        ("What are the two most managing cities of it ?", "what is", "cities"),
        ("What vice-director wrote it ?", "what", "director"),
        ("When you write , what city is this ?", "what", "city"),
        ("What country 's capital is it ?", "what", "country"),
        ("What country boasts the director 's plays ?", "what", "country"),
        ("What is the country 's capital ?", "what is", "capital"),
        ("What is the quickest and quick bird ?", "what is", "bird"),
        ("What five cities make it ?", "what", "cities"),
        ("Which one of the birds is it ?", "which", "birds"),
        ("Name of the composer 's bird ?", "name", "bird"),
        ("What managing director wrote it ?", "what", "director"),
        ("What bird saw the play ?", "what", "bird"),  # more senses as a verb than as a noun
        ("Who wrote the play ?", "who", None),
        ("How many birds are there ?", "how many", None),
        ("What does CPR mean ?", "what do mean", None),
        ("What makes birds work ?", "what makes", None),
        ("What ?", "what", None),
        ("The capital is it ?", "none", "capital"),
        ("What is ?", "what is", None),
        ("", "none", None),
    ],
)
def test_focus(question, asks, word):
    assert find_focus(question.split(), WORDNET) == (asks, word)


@given(st.lists(st.sampled_from(["What", "is", "the", "of", "'s", "kind", "name", "bird", "plays", "?", "\ud800", ""])))
def test_any_words_have_a_focus_among_them(words):
    focus = find_focus(words, WORDNET)
    assert focus.word is None or focus.word in [word.casefold() for word in words]


def test_kinds_are_all_that_is_above():
    assert list_kinds("capitals", WORDNET) == ["capital", "city", "place"]
    assert list_kinds("nothing", WORDNET) == []


def test_the_gram_is_the_product_of_the_features():
    kernel = QuestionFocus(("question", "focus", "kinds", "context"), WORDNET, normalize=False)
    questions = ["What city is this?", "Which capital is it?", "Name a bird.", ""]
    features = kernel.features(questions)
    assert np.array_equal((features @ features.T).toarray(), kernel.gram(questions))
    assert kernel.gram(questions)[0, 1] == 2  # both are a city, and a place
    tokens = [question.replace("?", " ?").replace(".", " .").split() for question in questions]
    assert np.array_equal(kernel.gram(tokens), kernel.gram(questions))


def test_parts_are_chosen():
    names = {
        part: set(QuestionFocus((part,), WORDNET).fit(["What city writes birds?"]).get_feature_names_out())
        for part in ("question", "focus", "ending", "kinds", "context", "actions")
    }
    assert names == {
        "question": {"asks what"},
        "focus": {"focus city", "asks what: city"},
        "ending": {"ends birds", "ends writes birds"},
        "kinds": {"kind of focus: city", "kind of focus: place"},
        "context": {"kind of word: bird", "kind of word: animal"},
        "actions": {"kind of action: write"},
    }
    for wrong in ((), "kinds", ("kinds", "nonsense")):
        with pytest.raises(InputError, match="parts="):
            QuestionFocus(wrong, WORDNET).gram(["a"])


def test_a_model_is_explained():
    questions = ["What city is it?", "What country is it?", "What bird is it?", "What animal is it?"]
    kernel = Spectrum(1) + QuestionFocus(wordnet=WORDNET)
    model = TextClassifier(kernel, calibration=0).fit(questions, ["place", "place", "animal", "animal"])
    assert model.predict(["Which capital is it?"]).tolist() == ["place"]  # never seen, but a place
    shown = {part.name for part in model.explain("Which capital is it?").parts}
    assert "kind of focus: place" in shown


def test_the_form_of_a_question_with_an_empty_word():
    assert describe_form(["Who", "", "is"]) == ["who ", "who  is"]


@given(st.lists(st.sampled_from(["What", "is", "called", "?", "''", "", "\ud800"])))
def test_the_ending_is_what_stands_before_the_last_marks(words):
    last = max((place for place, word in enumerate(words) if word.isalnum()), default=-1)
    rest = [word.casefold() for word in words[: last + 1]]
    expected = ([rest[-1]] if len(rest) > 1 else []) + ([" ".join(rest[-2:])] if len(rest) > 2 else [])
    assert describe_ending(words) == expected
