"""Drawings of trees, graphs, questions, answers, rules and Grams."""

import re
from xml.etree import ElementTree

import pytest

from rekern import PairClassifier, TextClassifier
from rekern.drawing import (
    draw_answer,
    draw_answer_svg,
    draw_explanation,
    draw_gram,
    draw_rules,
    draw_svg,
    draw_tree_items,
)
from rekern.drawing.answer_drawing import Node, draw_reading
from rekern.drawing.figures import choose_figure
from rekern.drawing.text_widths import measure_text
from rekern.drawing.tree_places import find_nodes, is_tree, read_tree
from rekern.kernels import DependencyPaths, Neighborhoods, PartialTree, SubsetTree, SubTree
from rekern.krisp import read_grammar
from rekern.krisp.answering.scored_reading import ScoredReading
from rekern.krisp.reading import ReadingNode, Readings
from rekern.questions import embedded_model
from rekern.structures import Graphs, Trees

ONE = "(S (NP (DT the) (NN dog)) (VP (VBZ chases) (NP (DT a) (NN cat))))"
OTHER = "(S (NP (DT the) (NN man)) (VP (VBZ chases) (NP (DT the) (NN cat))))"


def text_of(page: str) -> str:
    return re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.S))


@pytest.mark.parametrize("kernel", [SubTree(), SubsetTree(), PartialTree()], ids=repr)
def test_shared_fragments_are_marked_in_both_trees(kernel) -> None:
    why = kernel.explain(ONE, OTHER)
    numbered = [part for part in choose_figure(why.to_dict()).parts if part.number]
    assert numbered
    for part in numbered:
        fragment = [node.label for node in read_tree(part.name)]
        for tree in map(read_tree, (ONE, OTHER)):
            assert [tree[node].label for node in find_nodes(tree, "fragment", part.name)] == fragment
    svg = ElementTree.fromstring(why.to_svg())
    assert len([node for node in svg.iter() if node.get("class", "").startswith("rk-link")]) == 2 * len(numbered)


def test_paths_are_marked() -> None:
    tree = read_tree("(saw (Chip) (Dale (the)))")
    why = DependencyPaths().explain("(saw (Chip) (Dale (the)))", "(saw (Chip) (Dale (the)))", n=None)
    for part in why.parts:
        labels = re.split(" [→←] ", part.name)
        assert [tree[node].label for node in find_nodes(tree, "path", part.name)] == labels


@pytest.mark.parametrize("text", ["(S (NP", "S)", "(A b) (C d)", "()", "((A))", "no tree", ""])
def test_what_is_no_tree_is_drawn_as_a_text(text: str) -> None:
    assert not is_tree(text)
    draw_svg({"text": text, "prediction": 1, "decision": 0.0})


def test_large_trees_are_outlines_or_left_out() -> None:
    wide = f"(S {' '.join(f'(NP (NN noun{n}))' for n in range(60))})"
    drawing = draw_tree_items([wide])
    assert all(f">noun{n}<" in drawing for n in range(60))
    deep = "(a " * 3000 + "b" + ")" * 3000
    assert "3,001 nodes, too large to draw" in draw_tree_items([deep])


def test_shared_neighbourhoods_are_marked_in_both_graphs() -> None:
    one = (["the", "cat", "sat"], [(0, 1, "det"), (1, 2, "subj")])
    two = (["ran", "cat", "the"], [(2, 1, "det"), (1, 0, "subj")])
    why = Neighborhoods(radius=1, distance=1).explain(one, two)
    assert why.places[0].nodes == ([0, 1], [1, 2]) and why.parts[0].name == "the –det– cat"
    svg = why.to_svg()
    ElementTree.fromstring(svg)
    assert svg.count("rk-link") == 2 and "subj" in svg


def test_corpora_of_trees_and_graphs_are_shown_by_notebooks() -> None:
    assert ">chases<" in Trees.from_items([ONE, "()"])._repr_html_()
    assert ">cat<" in Graphs.from_items([(["the", "cat"], [(0, 1)]), ([], [])])._repr_html_()


def test_the_patterns_of_a_question_are_on_its_words() -> None:
    why = embedded_model().explain("how do I get a visa for japan?")
    figure = choose_figure(why.to_dict())
    assert [part.number for part in figure.parts[:3]] == [1, 2, 3]
    page = text_of(why.to_html())
    assert "Solution" in page and "100.0 %" in page
    for kind in why.probabilities:
        assert str(kind) in page


def test_texts_and_trees_of_a_text_classifier() -> None:
    words = TextClassifier(calibration=0).fit(["a good film", "a bad film"], [1, 0]).explain("a good start")
    assert any(part.number for part in choose_figure(words.to_dict()).parts)
    trees = TextClassifier(PartialTree(), calibration=0).fit([ONE, "(NP (DT a) (NN cat))"], [1, 0]).explain(OTHER)
    assert ">chases<" in trees.to_html()


ANSWER = {
    "question": "which rivers <b>?",
    "confident": True,
    "answer": ["Aare", None, 697000.0],
    "columns": ["name"],
    "query": "rivers('Austria')",
    "sql": "SELECT name FROM river WHERE country = :v1",
    "parameters": {"v1": "Austria"},
    "confidence": 0.9,
    "words": ["which", "rivers", "in", "austria"],
    "derivation": [
        {"label": "rivers({Land})", "words": "which rivers in austria", "start": 0, "end": 4, "depth": 0},
        {"label": "'austria'", "words": "austria", "start": 3, "end": 4, "depth": 1},
    ],
    "nearest": [{"query": "rivers(all)", "confidence": 0.1}],
}


def test_an_answer_shows_reading_sql_values_and_rows() -> None:
    page = text_of(draw_answer(ANSWER))
    for words in (
        "Aare, –, 697,000",
        "rivers({Land})",
        ":v1 = &#x27;Austria&#x27;",
        "SELECT name",
        "0.900",
        "rivers(all)",
    ):
        assert words in page, words
    assert "<b>" not in draw_answer(ANSWER)
    without = {name: value for name, value in ANSWER.items() if name != "words"}
    assert text_of(draw_answer(without)) == page
    svg = draw_answer_svg(ANSWER)
    ElementTree.fromstring(svg)
    assert "697,000" in svg and "rivers({Land})" in svg and "<b>" not in svg
    several = draw_answer({**ANSWER, "answer": [["Aare", 5]] * 30, "columns": ["name", "length"]})
    assert "and 10 more" in several and "<th>length</th>" in several


def test_a_reading_is_drawn_over_its_words() -> None:
    nodes = (ReadingNode("rivers(all)", 0, 2, 0), ReadingNode("all", 0, 1, 1))
    derivation = read_grammar(["Query -> all"]).parse("all")
    reading = ScoredReading("rivers(all)", derivation, 0.9, -0.1, nodes, ("all", "rivers"))
    page = reading._repr_html_()
    assert "confidence" in page and "rivers(all): all rivers; all: all" in page


@pytest.mark.parametrize("width", [340, 60])
def test_the_words_of_a_reading_have_the_width_that_was_measured(width) -> None:
    nodes = [Node("rivers({Land})", 0, 2, 0), Node("'austria'", 1, 2, 1)]
    drawn, _ = draw_reading(["rivers", "austria"], nodes, width)
    texts = [shape for shape in ElementTree.fromstring(drawn).iter() if shape.tag == "text"]
    assert len(texts) == 4
    for text in texts:
        wide = float(text.attrib["textLength"])
        assert wide == pytest.approx(measure_text(text.text or "", float(text.attrib["font-size"])), abs=0.1)
        assert float(text.attrib["x"]) + wide <= width


def test_an_answer_without_a_confident_reading() -> None:
    page = text_of(draw_answer({"question": "why?", "confident": False, "why": "unknown words: why", "nearest": []}))
    assert "no confident reading: unknown words: why" in page
    missed = {"question": "is Flurb <b> big?", "confident": False, "not_understood": ["flurb", "<b>"], "nearest": []}
    drawn = draw_answer(missed, style=False)
    assert 'is <mark class="rk-missed">Flurb</mark>' in drawn and "<b>" not in drawn
    assert "not understood: flurb" in draw_answer_svg(missed)
    assert "no reading" in Readings()._repr_html_()


def test_rules_and_curves_are_shown_by_notebooks() -> None:
    pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D"), ("E met F", "F met E")]
    model = PairClassifier("paper", calibration=0).fit(pairs, [1, 0, 1])
    rules = model.rules(3)
    page = rules._repr_html_()
    assert all(rule.rule in page for rule in rules.favoring) and "<polyline" in rules.scores[0]._repr_html_()
    assert model.curves()._repr_html_().count("<polyline") == len(model.curves()) > 1
    assert "Rules that count for" not in draw_rules({"for": [], "against": []})
    rule = {"rule": "a → b", "weight": 0.5, "support": 3, "source": "a", "target": "b"}
    drawn = draw_rules({"for": [rule], "against": [{**rule, "weight": -0.25}]})
    assert re.findall(r'width="([\d.]+%)"', drawn) == ["100%", "50%"]  # one scale for both tables


def test_a_gram_is_a_heat_map() -> None:
    matrix = [[float(i == j) for j in range(100)] for i in range(90)]
    drawing = draw_gram(matrix)
    assert drawing.count("<rect") == 40 * 40 and "90 × 100" in drawing
    small = draw_gram(SubTree().gram([ONE, OTHER, ONE]), ["one", "<other>", "one"])
    assert small.count("<rect") == 9 and "&lt;other&gt;" in small and small._repr_html_() == small
    assert draw_gram([]).count("<rect") == 0


def test_every_drawing_can_be_made_without_its_style() -> None:
    why = SubTree().explain(ONE, OTHER)
    assert "<style>" in draw_explanation(why) and "<style>" not in draw_explanation(why, style=False)
    for draw, item in ((draw_answer, ANSWER), (draw_gram, [[1.0]]), (draw_tree_items, [ONE])):
        assert "<style>" in draw(item) and "<style>" not in draw(item, style=False)
