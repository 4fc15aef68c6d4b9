"""One decision as notebooks, reports and pages draw it: words, rules as links between them, and a waterfall."""

from picture import save

from rekern import PairClassifier
from rekern.datasets import load_rewrites

PAIR = ("The judge thanked the pilot.", "The pilot was thanked by the judge.")


def draw() -> str:
    """Train on the embedded pairs and return the drawing of one decision."""
    pairs, labels = load_rewrites("train")
    drawing = PairClassifier("paper").fit(pairs, labels).explain(PAIR, neighbors=2).to_svg(n=8)
    return drawing.replace("><", ">\n<")


if __name__ == "__main__":
    save(draw(), __file__)
