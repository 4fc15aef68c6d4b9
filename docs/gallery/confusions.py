"""Three classes, and which of them are taken for which: a table of confusions on verbs and people never seen."""

from itertools import permutations

from picture import GREY, INK, Picture, save
from sklearn.metrics import confusion_matrix

from rekern import PairClassifier
from rekern.kernels import Rewriting
from rekern.similarity import PrecisionRecall

CLASSES = ("follows", "contradicts", "open")
TRAIN = (["Anna", "Ben", "Carla"], ["praised"])
TEST = (["Greta", "Hans", "Irene", "Jonas"], ["thanked", "met", "warned", "visited"])


def make_pairs(names: list[str], verbs: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Make pairs of sentences about people, two for each class."""
    pairs, labels = [], []
    for a, b in permutations(names, 2):
        for verb in verbs:
            first = f"{a} {verb} {b}."
            pairs += [
                (first, f"{b} was {verb} by {a}."),
                (first, f"It was {a} who {verb} {b}."),
                (first, f"{a} never {verb} {b}."),
                (first, f"{b} was not {verb} by {a}."),
                (first, f"{a} was {verb} by {b}."),
                (first, f"{b} never {verb} {a}."),
            ]
            labels += ["follows", "follows", "contradicts", "contradicts", "open", "open"]
    return pairs, labels


def draw() -> Picture:
    """Train on some people and verbs, test on others, and draw the table of confusions."""
    model = PairClassifier(Rewriting(k=(1, 4)) + PrecisionRecall(), calibration=0).fit(*make_pairs(*TRAIN))
    test, truth = make_pairs(*TEST)
    table = confusion_matrix(truth, model.predict(test), labels=CLASSES)
    picture = Picture(520, 380, "Confusions of three classes")
    picture.text(24, 36, "Does the second sentence follow from the first?", 16, bold=True)
    picture.text(320, 72, "predicted", 13, "middle", GREY)
    picture.text(24, 112, "true", 13, color=GREY)
    for n, name in enumerate(CLASSES):
        picture.text(195 + 125 * n, 96, name, 14, "middle")
        picture.text(120, 152 + 80 * n, name, 14, "end")
        for m in range(len(CLASSES)):
            share = table[n][m] / table[n].sum()
            shade = f"rgb({round(240 - 209 * share)},{round(243 - 132 * share)},{round(247 - 69 * share)})"
            picture.box(135 + 125 * m, 108 + 80 * n, 120, 75, shade, 4)
            picture.text(195 + 125 * m, 152 + 80 * n, str(table[n][m]), 18, "middle", "#ffffff" if share > 0.5 else INK)
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
