"""Drawings of decisions as SVG and HTML: the one drawing that notebooks, commands, reports and pages share.

A drawing is made of plain values, such as those of ``explanation.to_dict()``. It loads nothing and runs no script.
"""

from rekern.drawing.answer_drawing import draw_answer, draw_answer_svg, draw_readings
from rekern.drawing.explanation_drawing import draw_explanation, draw_svg
from rekern.drawing.heat_map import draw_gram
from rekern.drawing.item_drawing import draw_graph_items, draw_tree_items
from rekern.drawing.match_table import draw_matches
from rekern.drawing.page import wrap_page
from rekern.drawing.report_page import draw_report
from rekern.drawing.rule_tables import draw_curves, draw_rules
from rekern.drawing.step_plot import plot_steps
from rekern.drawing.stylesheet import STYLE

__all__ = [
    "STYLE",
    "draw_answer",
    "draw_answer_svg",
    "draw_curves",
    "draw_explanation",
    "draw_gram",
    "draw_graph_items",
    "draw_matches",
    "draw_readings",
    "draw_report",
    "draw_rules",
    "draw_svg",
    "draw_tree_items",
    "plot_steps",
    "wrap_page",
]
