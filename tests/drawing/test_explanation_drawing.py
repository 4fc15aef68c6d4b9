"""The drawing of a decision: its parts add up, its words are where they belong, and no text becomes markup."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern import PairClassifier, PairRegressor, TextClassifier
from rekern.core.explanations import Explanation, Neighbor, Part
from rekern.datasets import load_rewrites
from rekern.drawing import STYLE, draw_explanation, draw_svg, wrap_page
from rekern.drawing.decision_steps import list_steps
from rekern.drawing.figures import choose_figure
from rekern.drawing.part_places import mark_texts
from rekern.drawing.word_links import MARGIN, lay_out_side
from rekern.drawing.word_places import split_pieces
from rekern.learning.pair_explanation import PairExplanation

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]></style></svg><b>",
    "a\x00b\x1b[2J\x7f\ufffe\ud800",
    "\u202eright to left override\u2066",
    "مرحبا بالعالم",
    "👩‍👩‍👧 ❤️ 漢字かな",
    "x" * 5000,
    "",
]


class Tags(HTMLParser):
    """The tags of a page, whether they are closed in order, and its text."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def model() -> PairClassifier:
    pairs, labels = load_rewrites("train")
    return PairClassifier().fit(pairs[:300], labels[:300])


@pytest.fixture(scope="module")
def why(model: PairClassifier) -> PairExplanation:
    return model.explain(("The judge thanked the pilot.", "The pilot was thanked by the judge."))


def find_texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("n", [0, 3, 12, 10_000])
def test_the_steps_add_up_to_the_decision(why: PairExplanation, n: int) -> None:
    *steps, total = list_steps(why.to_dict(), n)
    level = 0.0
    for step in steps:
        assert step.start == pytest.approx(level, abs=1e-9)
        level = step.end
    assert level == pytest.approx(why.decision, abs=1e-9)
    assert total.start == 0 and total.end == why.decision
    assert sum(step.height for step in steps) == pytest.approx(why.decision, abs=1e-9)


def test_the_steps_of_shortened_values_add_up_too(why: PairExplanation) -> None:
    *steps, total = list_steps(why.to_dict(5), 3)
    assert sum(step.height for step in steps) == pytest.approx(total.height, abs=1e-9)


def test_the_bars_are_as_long_as_their_numbers_say(why: PairExplanation) -> None:
    page = Tags(draw_explanation(why))
    widths = [float(value.rstrip("%")) for name, value in page.attributes if name == "width" and value.endswith("%")]
    steps = list_steps(why.to_dict(), parts=choose_figure(why.to_dict()).parts)
    assert len(widths) == len(steps)
    longest = max(range(len(steps)), key=lambda place: abs(steps[place].height))
    for width, step in zip(widths, steps):
        expected = abs(step.height) / abs(steps[longest].height) * widths[longest]
        assert width == pytest.approx(max(expected, 0.3), abs=0.02)


def test_what_counts_against_differs_in_more_than_its_colour(why: PairExplanation) -> None:
    assert ".rk-against .rk-curve,.rk-against.rk-curve{stroke-dasharray" in STYLE
    html = draw_explanation(why)
    strongest = choose_figure(why.to_dict()).parts
    against = next(part for part in strongest if part.number and part.contribution < 0)
    group = re.search(rf'<g class="rk-link rk-against rk-r{against.number}">.*?</g>', html)
    assert group and "<rect" in group.group() and "<circle" not in group.group()


def test_wildcards_are_linked_by_their_number() -> None:
    part = Part("rule", "⟨1⟩ met ⟨2⟩ → ⟨2⟩ was met by ⟨1⟩", 1.0, 1.0, "ann met bo", "bo was met by ann")
    why = PairExplanation(source="Ann met Bo", target="Bo was met by Ann", prediction=1, decision=1.0, parts=[part])
    root = ElementTree.fromstring(why.to_svg())
    words = {node.text: float(node.get("x")) for node in root.iter(f"{SVG}text") if node.get("class") == "rk-word"}
    curves = [node.get("d") for node in root.iter(f"{SVG}path") if node.get("class") == "rk-curve"]
    ends = [[float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", curve)] for curve in curves]
    assert len(ends) == 2
    for start, end in ((ends[0][0], ends[0][-2]), (ends[1][0], ends[1][-2])):  # Ann → Ann from left to right, Bo back
        assert abs(start - end) > 40
    (ann, ann2), (bo, bo2) = ((end[0], end[-2]) for end in ends)
    assert ann < bo and ann2 > bo2
    assert words["Ann"] < ann2 + 1 and words["met"]


def test_every_word_of_long_texts_is_drawn_inside_a_narrow_drawing() -> None:
    text = " ".join(f"word{number}," for number in range(60))
    parts = [Part("rule", "⟨1⟩ ⟨2⟩ → ⟨1⟩ ⟨2⟩", 1.0, 1.0, f"word{n} ,", f"word{n} ,") for n in range(0, 60, 10)]
    why = PairExplanation(source=text, target=text, prediction=1, decision=6.0, parts=parts)
    for width in (368, 920):
        root = ElementTree.fromstring(why.to_svg(width=width))
        words = [node for node in root.iter(f"{SVG}text") if node.get("class") == "rk-word"]
        assert [node.text for node in words] == [piece.text for piece in split_pieces(text)] * 2
        for node in words:
            left, wide = float(node.get("x")), float(node.get("textLength", 8))
            assert left >= MARGIN - 1 and left + wide <= width
    heights = [float(node.get("y")) for node in words]
    assert heights == sorted(heights)


def test_words_of_one_row_do_not_overlap() -> None:
    side = lay_out_side(mark_texts(["One two, three; four-five six's (seven) " * 5], [])[1][0], 368)
    for one, other in zip(side.words, side.words[1:]):
        assert other.row > one.row or other.left >= one.left + one.width - 1e-6


def test_texts_from_right_to_left_begin_at_the_right() -> None:
    words = lay_out_side(mark_texts(["مرحبا بالعالم"], [])[1][0], 400).words
    assert words[0].left > words[1].left > 200


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    part = Part("rule", f"{text} → {text}", 1.0, 0.5, text, text, description=text)
    why = PairExplanation(
        source=text, target=f"a {text}", prediction=text, explained=text, decision=0.5, parts=[part], remark=text
    )
    page = wrap_page(text, why.to_html(style=False))
    page.encode("utf-8")
    found = Tags(page)
    assert not found.open
    assert {"script", "img", "b"}.isdisjoint(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("href", "src", "style")]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", page)
    if text.startswith("<script>"):
        assert text in found.text
    ElementTree.fromstring(why.to_svg())


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_gives_a_drawing_that_can_be_read(source: str, target: str) -> None:
    part = {"kind": "rule", "name": f"{source} → {target}", "contribution": -1.0, "source": source, "target": target}
    values = {"source": source, "target": target, "prediction": 1, "decision": -1.0, "parts": [part]}
    ElementTree.fromstring(draw_svg(values))
    assert not Tags(draw_explanation(values)).open


def test_drawings_of_huge_texts_are_small() -> None:
    huge = "word " * 10_000
    part = Part("rule", f"{huge} → x", 1.0, 1.0, huge, "x")
    near = Neighbor(0, 1.0, huge, huge, 1)
    why = PairExplanation(source=huge, target=huge, prediction=1, decision=1.0, parts=[part] * 50, neighbors=[near])
    html = why.to_html()
    assert len(html) < 300_000 and len(why.to_svg()) < 300_000
    assert "and more words" in html


def test_nothing_is_loaded(why: PairExplanation) -> None:
    for drawing in (wrap_page("why", why.to_html(style=False)), why.to_html(), why.to_svg()):
        drawing = drawing.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|url\(|@import|<link|<img|src=|<script", drawing)


def test_curves_and_neighbors_are_drawn(model: PairClassifier, why: PairExplanation) -> None:
    found = Tags(why.to_html())
    assert why.neighbors and all(near.source in found.text for near in why.neighbors)
    curves = [curve for curve in why.curves if curve.name in {p.name for p in why.parts[:12] if p.kind == "score"}]
    assert found.tags.count("polyline") == min(len(curves), 8) > 0
    without = Tags(model.explain((why.source, why.target), neighbors=0).to_html())
    assert "similar training" not in without.text


def test_values_from_json_give_the_same_drawing(why: PairExplanation) -> None:
    curves = [curve.to_dict() for curve in why.curves]
    assert draw_explanation(why.to_dict(), curves=curves) == why.to_html()
    assert draw_svg(why.to_dict(), curves=curves) == why.to_svg() == why.to_svg()


def test_explanations_of_numbers_and_of_texts() -> None:
    pairs = [("a b", "a b"), ("a b", "c d"), ("a b", "a d"), ("a", "a")]
    number = PairRegressor().fit(pairs, [1.0, 0.0, 0.5, 1.0]).explain(("a b", "a b"), neighbors=0)
    assert "raises" in number.to_html() and "for " not in Tags(draw_explanation(number, style=False)).text
    text = TextClassifier(calibration=0).fit(["good film", "bad film"], [1, 0]).explain("good music")
    assert "prediction" in Tags(text.to_html()).text
    assert "value" in Tags(Explanation(decision=1.0)._repr_html_()).text


def test_the_plot_of_matplotlib_has_the_same_steps(why: PairExplanation) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = why.plot(5)
    steps = list_steps(why.to_dict(), 5)
    assert [bar.get_width() for bar in axes.patches] == [step.height for step in steps]
    assert why.plot(5, ax=axes) is axes
    matplotlib.pyplot.close(axes.figure)
