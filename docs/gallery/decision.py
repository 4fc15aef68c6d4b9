"""Two decisions, taken apart: every rule that matches a pair adds something to the decision value."""

from picture import BLUE, GREY, INK, LIGHT, ORANGE, Picture, save

from rekern import PairClassifier
from rekern.datasets import load_rewrites
from rekern.kernels import Rewriting
from rekern.learning.pair_explanation import PairExplanation

FIRST = "Anna is taller than Ben."
SECOND = ("Ben is shorter than Anna.", "Anna is shorter than Ben.")
N_PARTS = 5


def draw() -> Picture:
    """Train on the embedded pairs and draw the explanations of two decisions side by side."""
    pairs, labels = load_rewrites("train")
    model = PairClassifier(kernel=Rewriting(k=(1, 4))).fit(pairs, labels)
    explanations = [model.explain((FIRST, second), neighbors=0) for second in SECOND]

    picture = Picture(940, 420, "Two decisions of Rekern and the rules that they are the sum of")
    picture.text(24, 34, "Does the second sentence follow from the first?", 17, bold=True)
    picture.line([(470, 56), (470, 400)], LIGHT, 2)
    widest = max(abs(why.decision) for why in explanations)
    for left, why in zip((24, 494), explanations):
        draw_decision(picture, left, why, 85 / widest)
    return picture


def draw_decision(picture: Picture, left: float, why: PairExplanation, scale: float) -> None:
    """Draw one decision: the pair, the strongest rules with the words that they match, and the sum."""
    picture.text(left, 68, why.source, 16)
    picture.text(left, 92, why.target, 16)
    picture.box(left + 252, 50, 170, 48, LIGHT, 6)
    answer = f"{'yes' if why.prediction else 'no'}, probability {why.probability:.2f}"
    picture.text(left + 337, 79, answer, 13.5, "middle", bold=True)

    zero = left + 310
    picture.text(left, 128, "rule, and the words that it matches", 12, color=GREY)
    picture.text(zero - 6, 128, "against", 12, "end", ORANGE)
    picture.text(zero + 6, 128, "for", 12, "start", BLUE)
    rest = sum(part.contribution for part in why.parts[N_PARTS:]) + why.intercept
    rows = [(part.name, f"{part.source} → {part.target}", part.contribution) for part in why.parts[:N_PARTS]]
    rows += [("all other rules", "", rest), ("sum", "", why.decision)]
    for n, (name, words, value) in enumerate(rows):
        y = 152 + 38 * n
        if n == len(rows) - 1:
            picture.line([(left, y - 20), (left + 422, y - 20)], GREY)
        picture.text(left, y, name, 13, mono=bool(words), bold=n == len(rows) - 1)
        picture.text(left + 12, y + 16, words, 12, color=GREY)
        length = value * scale
        picture.box(zero, y - 12, length, 16, BLUE if value > 0 else ORANGE)
        side = 6 if value > 0 else -6
        picture.text(zero + length + side, y + 1, f"{value:+.2f}", 13, "start" if value > 0 else "end", INK)
    picture.line([(zero, 134), (zero, 152 + 38 * len(rows) - 25)], GREY)


if __name__ == "__main__":
    save(draw(), __file__)
