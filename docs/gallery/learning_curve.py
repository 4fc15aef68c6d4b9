"""How many labelled pairs are needed: accuracy on held-out pairs over the number of training pairs."""

from picture import BLUE, GREEN, INK, ORANGE, Axes, Picture, save
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rekern import PairClassifier
from rekern.datasets import load_rewrites
from rekern.kernels import Rewriting

SIZES = (100, 200, 400, 800, 1600)
WORDS, PLAIN, ALIGNED = "bag of words", "rules without wildcards", "rules with aligned wildcards"


def measure(size: int) -> dict[str, float]:
    """Train three models on the first pairs of the embedded corpus and test them, in per cent."""
    pairs, labels = load_rewrites("train", size=size)
    test, truth = load_rewrites("test")
    found = {}
    for name, wildcards in ((PLAIN, "none"), (ALIGNED, "aligned")):
        model = PairClassifier(Rewriting(k=(1, 4), wildcards=wildcards), calibration=0).fit(pairs, labels)
        found[name] = 100 * model.score(test, truth)
    words = make_pipeline(CountVectorizer(), LogisticRegression(max_iter=1000))
    words.fit([" ".join(pair) for pair in pairs], labels)
    found[WORDS] = 100 * words.score([" ".join(pair) for pair in test], truth)
    return found


def draw() -> Picture:
    """Draw a line for each model."""
    picture = Picture(640, 380, "Accuracy over the number of training pairs")
    axes = Axes(picture, (60, 50, 400, 320), (0, 1650), (40, 100))
    axes.draw(
        {size: f"{size:,}" for size in (100, 400, 800, 1600)},
        {y: f"{y} %" for y in range(40, 101, 10)},
        "training pairs",
        "accuracy on 700 held-out pairs",
    )
    found = {size: measure(size) for size in SIZES}
    for name, color in ((ALIGNED, BLUE), (PLAIN, ORANGE), (WORDS, GREEN)):
        points = [axes.place(size, found[size][name]) for size in SIZES]
        picture.line(points, color, 2.5)
        for x, y in points:
            picture.dot(x, y, 4, color)
        x, y = points[-1]
        shift = {PLAIN: -4, WORDS: 14}.get(name, 4)
        picture.text(x + 14, y + shift, f"{name}", 13, color=INK)
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
