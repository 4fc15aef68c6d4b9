"""Drawings of decisions as SVG and HTML: the one drawing that notebooks, commands, reports and pages share.

A drawing is made of plain values, such as those of ``explanation.to_dict()``. It loads nothing and runs no script.
"""

from rekern.drawing.explanation_drawing import draw_explanation, draw_svg
from rekern.drawing.page import wrap_page
from rekern.drawing.step_plot import plot_steps
from rekern.drawing.stylesheet import STYLE

__all__ = ["STYLE", "draw_explanation", "draw_svg", "plot_steps", "wrap_page"]
