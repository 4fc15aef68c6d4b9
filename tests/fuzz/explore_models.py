"""Looks for mutants of model files that nobody has thought of, guided by the lines that they reach.

Needs Atheris (``pip install atheris``). Run as ``python tests/fuzz/explore_models.py -max_total_time=600``; the options
are those of libFuzzer. A file that fails is written to the current folder as ``crash-…``. When the fault is mended, put
the file into ``tests/fuzz/corpus``: `test_model_mutants` tries all files there.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import zipfile
from pathlib import Path
from types import FunctionType, ModuleType

import mutators
import small_models
import try_mutants

from rekern.core import model_archive, number_packing, object_descriptions, state_schema
from rekern.kernels import decision_functions
from rekern.krisp import parser_archive, sentence_corpus
from rekern.learning import pair_model_archive
from rekern.questions import pattern_archive, pattern_model, question_archive
from rekern.structures import item_states

try:
    import atheris
except ImportError:
    atheris = None

# The readers of model files: which of their lines a file reaches says whether it is a new one.
READERS = (
    *(model_archive, number_packing, object_descriptions, state_schema, decision_functions),
    *(parser_archive, sentence_corpus, pair_model_archive),
    *(pattern_archive, pattern_model, question_archive, item_states),
)
FOLDER = Path(__file__).resolve().parent
NAMES = small_models.NAMES


def instrument(module: ModuleType) -> None:
    """Count the lines that are reached in the functions and methods of a module."""
    own = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    inside = [method for value in own if isinstance(value, type) for method in vars(value).values()]
    for function in [*own, *inside]:
        if isinstance(function, FunctionType):
            atheris.instrument_func(function)


def find_model(content: bytes) -> str:
    """The name of a model of the same class as a file; what a mutant of it is used with."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            header = archive.read("model.json")
    except Exception:
        return NAMES[0]
    classes = {b"SemanticParser": "parser", b"QuestionClassifier": "patterns", b"TextClassifier": "texts"}
    return next((name for kind, name in classes.items() if kind in header), "rules")


def mutate(data: bytes, longest: int, seed: int) -> bytes:
    """A change that leaves a zip a zip, most of the time."""
    if seed % 5 == 0:
        return atheris.Mutate(data, longest)
    changed = mutators.mutate(data, random.Random(seed).randrange(2**31))[1]
    return changed if len(changed) <= longest else data


def main() -> None:
    if atheris is None:
        print("Atheris is not installed, so no model files were tried: pip install atheris")
        return
    place = Path(tempfile.mkdtemp())
    models = place / "models"
    models.mkdir()
    small_models.write_models(models)
    for module in READERS:
        instrument(module)

    def try_one(data: bytes) -> None:
        try_mutants.try_mutant(find_model(data), data, place / "mutant.rekern")

    options = [sys.argv[0], "-timeout=10", "-rss_limit_mb=4096", "-max_len=65536", *sys.argv[1:]]
    atheris.Setup([*options, str(models), str(FOLDER / "corpus")], try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
