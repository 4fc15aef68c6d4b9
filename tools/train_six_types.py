"""Train the embedded classifier of the six types, when its questions change: ``python tools/train_six_types.py``."""

from importlib import resources

from rekern.questions import QuestionClassifier, load_questions
from rekern.questions.six_type_model import find_model_file, list_own_expressions


def train_embedded_model() -> QuestionClassifier:
    """Train the embedded classifier on the part ``train``, in a second or two."""
    model = QuestionClassifier("mss", penalty=0.5, expressions=list_own_expressions())
    return model.fit(*load_questions("train"))


if __name__ == "__main__":
    with resources.as_file(find_model_file()) as model_file:
        train_embedded_model().save(model_file)
