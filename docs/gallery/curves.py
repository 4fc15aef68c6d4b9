"""Curves: what each score of a pair adds to the decision, as a line that may bend."""

import random

from picture import BLUE, GREY, Axes, Picture, save

from rekern import PairClassifier
from rekern.kernels import Curves
from rekern.similarity import Similarities

WORDS = ["anna", "ben", "carla", "david", "emil", "fatima", "greta", "hans", "irene", "jonas", "karl", "lena"]


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
    """Train a classifier with curves and one with straight lines, and draw what the share of common words adds."""
    pairs, labels = make_pairs(300, seed=1)
    test, truth = make_pairs(300, seed=2)
    scores = Similarities(only=("precision", "recall"))
    straight = PairClassifier(scores, C=10, calibration=0).fit(pairs, labels)
    model = PairClassifier(Curves(scores), C=10, calibration=0).fit(pairs, labels)
    points = set()
    for pair in pairs:
        part = next(part for part in model.explain(pair, neighbors=0).parts if part.name == "precision")
        points.add((round(part.score, 6), part.contribution))

    picture = Picture(640, 400, "A curve that was learned for one score")
    axes = Axes(picture, (70, 84, 610, 340), (0, 1), (-4, 4))
    picture.text(24, 34, "Is the second list a revision of the first?", 16, bold=True)
    axes.draw(
        {n / 4: f"{25 * n} %" for n in range(5)},
        {float(y): f"{y:+d}" if y else "0" for y in (-4, -2, 0, 2, 4)},
        "words of the first list that the second has too",
        "adds to the decision value",
    )
    picture.line([axes.place(0, 0), axes.place(1, 0)], GREY)
    picture.line([axes.place(*point) for point in sorted(points)], BLUE, 2.5)
    for point in sorted(points):
        picture.dot(*axes.place(*point), 4, BLUE)
    right = f"right on new pairs: {model.score(test, truth):.0%} with curves, {straight.score(test, truth):.0%} without"
    picture.text(612, 72, right, 13, "end", GREY)
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
