"""What the server needs for some pages only: each name is loaded when it is first used, so that the start is fast."""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.datasets.rewrite_corpus import load_rewrites
    from rekern.drawing.report_page import draw_report
    from rekern.kernels.trees.dependency_paths import DependencyPaths
    from rekern.kernels.trees.partial_tree import PartialTree
    from rekern.kernels.trees.subset_tree import SubsetTree
    from rekern.kernels.trees.subtree import SubTree
    from rekern.kernels.trees.tree_kernel import TreeKernel
    from rekern.krisp.answering.europe import europe_asker
    from rekern.learning.demonstration_model import load_demonstration_model
    from rekern.learning.reports.model_report import make_report
    from rekern.questions.pattern_model import describe_explanation, describe_types
    from rekern.questions.question_archive import load_question_model
    from rekern.questions.six_type_model import load_embedded_model

__all__ = [
    "DependencyPaths",
    "PartialTree",
    "SubTree",
    "SubsetTree",
    "TreeKernel",
    "describe_explanation",
    "describe_types",
    "draw_report",
    "europe_asker",
    "load_demonstration_model",
    "load_embedded_model",
    "load_question_model",
    "load_rewrites",
    "make_report",
]

__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "DependencyPaths": "rekern.kernels.trees.dependency_paths",
        "PartialTree": "rekern.kernels.trees.partial_tree",
        "SubTree": "rekern.kernels.trees.subtree",
        "SubsetTree": "rekern.kernels.trees.subset_tree",
        "TreeKernel": "rekern.kernels.trees.tree_kernel",
        "describe_explanation": "rekern.questions.pattern_model",
        "describe_types": "rekern.questions.pattern_model",
        "draw_report": "rekern.drawing.report_page",
        "europe_asker": "rekern.krisp.answering.europe",
        "load_demonstration_model": "rekern.learning.demonstration_model",
        "load_embedded_model": "rekern.questions.six_type_model",
        "load_question_model": "rekern.questions.question_archive",
        "load_rewrites": "rekern.datasets.rewrite_corpus",
        "make_report": "rekern.learning.reports.model_report",
    },
)
