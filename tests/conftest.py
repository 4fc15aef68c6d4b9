"""What all tests share: the folder with the public corpora, where it is present."""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import coverage
import pytest
from hypothesis import settings

import rekern

REPOSITORY = Path(__file__).resolve().parents[1]
_SHARED = REPOSITORY.parent / "shared" / "data"

# The package looks only where REKERN_DATA points to; beside a checkout the corpora may lie in ../shared/data.
if not os.environ.get("REKERN_DATA") and _SHARED.is_dir():
    os.environ["REKERN_DATA"] = str(_SHARED)


collect_ignore = ["fuzz/explore_models.py"]  # a program: it instruments what it imports

settings.register_profile("lean", max_examples=20, deadline=None)
settings.load_profile("lean")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with the public corpora that REKERN_DATA names; the test is skipped if there is none."""
    folder = os.environ.get("REKERN_DATA")
    if not folder or not Path(folder).is_dir():
        reason = "REKERN_DATA names no folder" if folder else "REKERN_DATA is not set and ../shared/data is absent"
        pytest.skip(f"the public corpora are not here: {reason}")
    return Path(folder).resolve()


# Long tests whose lines other tests cover too: they run without coverage, since tracing doubles their time.
UNMEASURED = (
    "tests/test_docs_run.py",
    "tests/test_docs_pictures.py",
    "tests/test_architecture.py",
    "tests/test_plugins.py",
    "tests/core/test_parallel_jobs_dask.py",
    "tests/reproduce/structural/",
    "tests/datasets/test_rewrite_corpus.py",
    "tests/kernels/test_reference.py",
    "tests/kernels/test_invariance.py",
    "tests/kernels/trees/test_trees_reference.py",
    "tests/kernels/trees/test_trees_oracle.py",
    "tests/structures/test_treebank_tokenizer.py",
    "tests/structures/test_dependency_trees.py",
    "tests/structures/test_extreme_trees.py",
    "tests/learning/test_scikit_learn.py",
    "tests/krisp/answering/test_europe.py",
    "tests/cli/test_ask_europe.py",
    "tests/cli/test_cli_program.py",
    "tests/cli/test_quick_start.py",
    "tests/fuzz/",
    "tests/kernels/test_pathological.py",
    "tests/test_interrupts.py",
    "tests/test_nothing_lost.py",
    "tests/test_parameters.py",
    "tests/test_process_settings.py",
    "tests/web/test_browser.py",
    "tests/drawing/test_browser_drawings.py",
    "tests/drawing/test_explanation_drawing.py::test_drawings_of_huge_texts_are_small",
    "tests/learning/reports/test_model_report.py::test_news_of_msrp",
    "tests/learning/reports/test_model_report.py::test_two_thousand_pairs_fit_into_three_megabytes",
    "tests/krisp/test_grammar.py::test_lines_and_meanings_that_fit_nothing_take_linear_time",
    "tests/krisp/test_grammar.py::test_long_grammars_take_linear_time",
    "tests/krisp/test_semantic_parser.py::test_odd_sentences_have_defined_readings",
    "tests/questions/test_question_classifier.py::test_the_embedded_model_is_what_the_questions_teach",
    "tests/cli/test_cli_bad_input.py::test_tables",
    "tests/cli/test_cli_predict.py::test_memory_does_not_grow_with_the_file",
    "tests/datasets/test_public_corpora.py",
    "tests/structures/formats/test_kelp.py::test_real_files",
)


@contextmanager
def measure_nothing() -> Iterator[None]:
    """Measure no coverage for a while, if it is measured at all."""
    measured = coverage.Coverage.current()
    if measured is None:
        yield
        return
    measured.stop()
    try:
        yield
    finally:
        measured.start()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Import the package while coverage is measured, and collect the tests while it is not: that doubles the time."""
    if coverage.Coverage.current() is not None:
        for module in pkgutil.walk_packages(rekern.__path__, "rekern."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    with measure_nothing():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure no coverage in property tests, which run the same lines hundreds of times, and in long tests."""
    if item.nodeid.startswith(UNMEASURED) or hasattr(getattr(item, "obj", None), "hypothesis"):
        with measure_nothing():
            return (yield)
    return (yield)
