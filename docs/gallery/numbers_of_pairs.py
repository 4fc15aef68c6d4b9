"""A number for each pair: predicted and true similarity of sentences that share more or fewer words."""

import random

from picture import BLUE, GREY, Axes, Picture, save

from rekern import PairRegressor
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall

WHO = ["the teacher", "the pilot", "a neighbour", "the young painter", "my sister", "the old doctor", "a tourist"]
DID = ["repairs", "buys", "paints", "sells", "washes", "finds"]
WHAT = ["the red car", "a small boat", "the old house", "a wooden chair", "the green door", "a bicycle"]
WHERE = ["in the city", "near the river", "behind the school", "at the station", "on the hill"]


def make_pairs(count: int, seed: int) -> tuple[list[tuple[str, str]], list[float]]:
    """Make pairs of sentences of four parts; the label is how many parts are the same, with a little noise."""
    chance = random.Random(seed)
    pairs, labels = [], []
    for row in range(count):
        one = [chance.choice(part) for part in (WHO, DID, WHAT, WHERE)]
        kept = chance.sample(range(4), row % 5)
        other = [
            one[n] if n in kept else chance.choice([word for word in part if word != one[n]])
            for n, part in enumerate((WHO, DID, WHAT, WHERE))
        ]
        pairs.append((" ".join(one), " ".join(other)))
        labels.append(len(kept) + chance.uniform(-0.2, 0.2))
    return pairs, labels


def draw() -> Picture:
    """Train on 300 pairs, and draw a dot for each of 120 others."""
    model = PairRegressor(Rewriting(k=(1, 4)) + PrecisionRecall(), C=3).fit(*make_pairs(300, seed=1))
    test, truth = make_pairs(120, seed=2)
    predicted = model.predict(test)
    picture = Picture(520, 440, "Predicted and true similarity")
    axes = Axes(picture, (70, 50, 480, 380), (-0.5, 4.5), (-0.5, 4.5))
    ticks = {float(n): str(n) for n in range(5)}
    axes.draw(ticks, ticks, "true similarity", "predicted similarity")
    picture.line([axes.place(-0.5, -0.5), axes.place(4.5, 4.5)], GREY, 1, "4 4")
    for x, y in zip(truth, predicted):
        picture.dot(*axes.place(x, float(y)), 4, BLUE)
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
