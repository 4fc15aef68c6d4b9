"""Curves: what each score of a pair adds to the decision, not only more or less of it but bent where the data say so."""

import random

from drawing import BLUE, GREY, LIGHT, Axes, Picture, save

from rekern import PairClassifier
from rekern.kernels import Curves
from rekern.similarity import Similarities

WORDS = "anna ben carla david emil fatima greta hans irene jonas karl lena".split()
SCORES = ("precision", "length difference")


def make_pairs(count: int, seed: int) -> tuple[list[tuple[str, str]], list[int]]:
    """Make lists of names that are a revision of each other (1) or not (0).

    A revision keeps about half of the names: equal lists are copies, and lists without a common name are strangers.
    """
    chance = random.Random(seed)
    pairs, labels = [], []
    for _ in range(count):
        one = chance.sample(WORDS, 8)
        n_kept = chance.randint(0, 8)
        others = [word for word in WORDS if word not in one]
        other = one[:n_kept] + chance.sample(others, min(8 - n_kept, chance.randint(0, 4)))
        chance.shuffle(other)
        pairs.append((" ".join(one), " ".join(other or one[:1])))
        labels.append(int(3 <= n_kept <= 6))
    return pairs, labels


def draw() -> Picture:
    """Train a classifier with curves, and draw what the share of common words adds."""
    pairs, labels = make_pairs(300, seed=1)
    model = PairClassifier(Curves(Similarities(only=SCORES[:1])), C=10, calibration=0).fit(pairs, labels)
    points = {}
    for pair in pairs:
        part = model.explain(pair, neighbors=0).parts[0]
        points[round(part.value, 6)] = part.contribution
    return points


if __name__ == "__main__":
    print(draw())
