"""Candidates for the answer to a question, in order: a ranker learns which candidate of a question is better."""

from picture import BLUE, GREY, INK, LIGHT, Picture, save

from rekern import PairRanker
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall

WORKS = [
    ("wrote", "written", "Emma", "Austen"),
    ("painted", "painted", "Guernica", "Picasso"),
    ("wrote", "written", "Faust", "Goethe"),
    ("built", "built", "the tower", "Eiffel"),
    ("composed", "composed", "Fidelio", "Beethoven"),
    ("painted", "painted", "the Night Watch", "Rembrandt"),
]
QUESTION = "who wrote Ulysses"
CANDIDATES = [
    "Ulysses is a long book",
    "readers of Ulysses are few",
    "Ulysses was written by Joyce",
    "Joyce wrote letters from Zurich",
    "the author of Ulysses is Joyce",
]


def train() -> PairRanker:
    """Learn from questions with one good and three bad candidates each."""
    pairs, labels, groups = [], [], []
    for number, (did, done, work, person) in enumerate(WORKS):
        candidates = [
            (f"{work} was {done} by {person}", 1),
            (f"the author of {work} is {person}", 1),
            (f"{work} is famous", 0),
            (f"{person} {did} little in that year", 0),
            (f"people who like {work} are many", 0),
        ]
        for candidate, label in candidates:
            pairs.append((f"who {did} {work}", candidate))
            labels.append(label)
            groups.append(number)
    return PairRanker(Rewriting(k=(1, 4)) + PrecisionRecall()).fit(pairs, labels, groups=groups)


def draw() -> Picture:
    """Draw the candidates of a new question in the order of their scores."""
    model = train()
    scores = model.decision_function([(QUESTION, candidate) for candidate in CANDIDATES])
    order = model.rank([(QUESTION, candidate) for candidate in CANDIDATES])
    picture = Picture(640, 290, "Candidates ranked by their scores")
    picture.text(24, 36, f"{QUESTION}?", 17, bold=True)
    picture.text(330, 64, "score (only the order counts)", 12, color=GREY)
    zero, scale = 350, 210 / max(abs(float(score)) for score in scores)
    for rank, number in enumerate(order):
        y = 92 + 38 * rank
        picture.box(24, y - 18, 24, 24, LIGHT, 12)
        picture.text(36, y - 1, str(rank + 1), 13, "middle", bold=True)
        picture.text(60, y, CANDIDATES[number], 14)
        width = scale * float(scores[number])
        picture.box(zero, y - 14, width, 18, BLUE)
        picture.text(zero + 8 + max(width, 0), y, f"{scores[number]:+.2f}", 13, color=INK)
    picture.line([(zero, 74), (zero, 254)])
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
