"""Question classifiers as files: a zip of JSON and plain arrays, like all model files of this package.

`rekern.load_model` reads them too. This module alone is enough to load one quickly, without the kernels, and with
`load_answerer` without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rekern.core.model_archive import LARGEST_NUMBER, ModelContent, OpenArchive, open_archive
from rekern.errors import InputError, ModelFileError
from rekern.questions.baseline_machines import Machine
from rekern.questions.pattern_evidence import Evidence, NGrams, Part
from rekern.questions.pattern_model import Answerer
from rekern.questions.question_units import named_tagger
from rekern.questions.regular_expressions import Expressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import StrictPatterns

if TYPE_CHECKING:
    from rekern.questions.question_classifier import QuestionClassifier

MODEL = "QuestionClassifier"

Arrays = dict[str, np.ndarray]


def pack_classifier(model: QuestionClassifier) -> ModelContent:
    """The content of a trained classifier's file."""
    parameters = model.get_params(deep=False)
    del parameters["kernel"]
    parameters["expressions"] = None  # what was learned from them is among the parts
    parameters["orders"] = [int(order) for order in model.orders]
    parameters["tagger"] = parameters["tagger"] or "words"
    if not isinstance(parameters["tagger"], str):
        raise InputError("a model with a tagger of your own cannot be saved; use tagger='words', 'spacy' or 'jieba'")
    header: dict[str, Any] = {
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "classes": model.classes_.tolist(),
    }
    arrays: Arrays = {}
    if model.method in ("sb", "svm"):
        header |= _describe_machine(model, arrays)
    else:
        header["parts"] = [_describe(part, number, arrays) for number, part in enumerate(model.evidence_.parts)]
        arrays |= {"weights": model.weights_, "prior": model.prior_, "distribution": model.distribution_}
    return ModelContent(header, {}, arrays)


def load(path: str | Path) -> QuestionClassifier:
    """Read a classifier that ``save`` wrote.

    >>> load("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file
    """
    return _opened(path, unpack_classifier)


def load_answerer(path: str | Path) -> Answerer | QuestionClassifier:
    """The same, with no more than answers need; a model without patterns is a classifier."""
    return _opened(path, _read_answerer)


def _opened(path: str | Path, reader: Callable[[OpenArchive], Any]) -> Any:
    with open_archive(path) as archive:
        if archive.header.get("model") != MODEL:
            raise ModelFileError(f"it holds a {archive.header.get('model')!r}, not a classifier of questions")
        return reader(archive)


def unpack_classifier(archive: OpenArchive) -> QuestionClassifier:
    """The classifier of a model file that is being read."""
    from rekern.questions.question_classifier import QuestionClassifier

    header = archive.header
    parameters = dict(header["parameters"])
    parameters["orders"] = tuple(parameters["orders"])
    if not isinstance(parameters["tagger"], str):
        raise ModelFileError("it names no tagger")
    model = QuestionClassifier(**parameters)
    model._check_parameters() if model.method != "svm" else None
    if model.method in ("sb", "svm"):
        model.classes_ = _classes(header)
        model._tagger = named_tagger(model.tagger)
        _read_machine(model, header, archive)
    else:
        learned = _read_patterns(header, archive)
        model.classes_, model.evidence_ = learned.classes_, learned.evidence
        model.weights_, model.prior_, model._tagger = learned.weights, learned.prior, learned.tagger
        model.distribution_ = archive.read_array("distribution", 2)
        if model.distribution_.shape != model.weights_.shape:
            raise ModelFileError("its parts do not fit together")
    model._trained = model.method
    return model


def _read_answerer(archive: OpenArchive) -> Answerer | QuestionClassifier:
    return _read_patterns(archive.header, archive) if "parts" in archive.header else unpack_classifier(archive)


def _read_patterns(header: dict[str, Any], archive: OpenArchive) -> Answerer:
    classes = _classes(header)
    evidence = Evidence([_build(part, number, archive) for number, part in enumerate(header["parts"])])
    weights, prior = archive.read_array("weights", 2), archive.read_array("prior", 1)
    if weights.shape != (len(evidence.names()), len(classes)) or len(prior) != len(classes):
        raise ModelFileError("its parts do not fit together")
    return Answerer(classes, evidence, weights, prior, named_tagger(str(header["parameters"]["tagger"])))


def _classes(header: dict[str, Any]) -> np.ndarray:
    classes = np.array(header["classes"])
    if classes.ndim != 1 or classes.dtype.kind not in "biufU" or len(classes) < 2:
        raise ModelFileError("its types are not a list of names or numbers")
    return classes


def _describe(part: Part, number: int, arrays: Arrays) -> dict[str, Any]:
    if isinstance(part, StrictPatterns):
        rarity = {word: int(part.rarity.get(word, 0)) for word in part.number}
        return {"kind": "strict", "of": part.of, "patterns": part.patterns, "rarity": rarity}
    if isinstance(part, Expressions):
        return {"kind": "expression", "expressions": part.expressions}
    described = {"terms": part.terms, "orders": part.orders, "stems": bool(part.stems)}
    if isinstance(part, NGrams):
        return {"kind": "n-gram", "of": part.of, **described}
    centroids = part.centroids
    arrays |= {
        f"soft{number}-weights": part.weights,
        f"soft{number}-data": centroids.data,
        f"soft{number}-indices": centroids.indices,
        f"soft{number}-offsets": centroids.indptr,
        f"soft{number}-sizes": part.sizes,
    }
    return {"kind": "soft", "floor": float(part.floor), **described}


def _build(part: dict[str, Any], number: int, archive: OpenArchive) -> Part:
    if part["kind"] == "strict":
        if part["of"] not in ("words", "shapes"):
            raise ModelFileError("its strict patterns are of an unknown kind")
        patterns = [tuple(None if word is None else str(word) for word in pattern) for pattern in part["patterns"]]
        if not all(any(pattern) for pattern in patterns):
            raise ModelFileError("one of its strict patterns has no word")
        return StrictPatterns(patterns, {str(word): int(count) for word, count in part["rarity"].items()}, part["of"])
    if part["kind"] == "expression":
        return Expressions([str(expression) for expression in part["expressions"]])
    terms = [str(term) for term in part["terms"]]
    orders = tuple(int(order) for order in part["orders"])
    if not orders or min(orders) < 1 or part.get("of", "words") not in ("words", "content"):
        raise ModelFileError("its n-grams are of an unknown kind")
    if part["kind"] == "n-gram":
        return NGrams(terms, orders, str(part["of"]), bool(part["stems"]))
    if part["kind"] != "soft":
        raise ModelFileError(f"it has patterns of an unknown kind {part['kind']!r}")
    from scipy.sparse import csr_array

    data, weights = archive.read_array(f"soft{number}-data", 1), archive.read_array(f"soft{number}-weights", 1)
    indices, offsets = _whole(archive, f"soft{number}-indices"), _whole(archive, f"soft{number}-offsets")
    if len(weights) != len(terms) or len(indices) != len(data) or (len(data) and indices.max() >= len(terms)):
        raise ModelFileError("its soft patterns do not fit together")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(data) or (np.diff(offsets) < 0).any():
        raise ModelFileError("its soft patterns do not fit together")
    sizes = archive.read_array(f"soft{number}-sizes", 1)
    centroids = csr_array((data, indices, offsets), shape=(len(offsets) - 1, len(terms)))
    return SoftPatterns(terms, weights, centroids, sizes, orders, bool(part["stems"]), float(part["floor"]))


def _describe_machine(model: QuestionClassifier, arrays: Arrays) -> dict[str, Any]:
    machine = model.machine_
    arrays |= {"coefficients": machine.coefficients, "intercept": machine.intercept}
    described: dict[str, Any] = {"questions": [_text(question) for question in model.questions_]}
    described["machine"] = {"price": machine.price, "width": machine.width, "temperature": machine.temperature}
    if model.method == "sb":
        return described | {"bigrams": model.bigrams_.terms}
    from rekern.core.descriptions import describe

    kernel_arrays: dict[str, Any] = {}
    described["kernel"] = describe(model.kernel_, kernel_arrays)
    if kernel_arrays:
        raise InputError("a classifier whose kernel holds word vectors cannot be saved; use a kernel without them")
    return described


def _read_machine(model: QuestionClassifier, header: dict[str, Any], archive: OpenArchive) -> None:
    coefficients, intercept = archive.read_array("coefficients", 2), archive.read_array("intercept", 1)
    described = {name: float(header["machine"][name]) for name in ("price", "width", "temperature")}
    if not all(0 <= value <= LARGEST_NUMBER for value in described.values()):
        raise ModelFileError("its machine is not described by finite numbers")
    model.machine_ = Machine(coefficients, intercept, **described)
    model.questions_ = [_text(question) for question in header["questions"]]
    if coefficients.shape != (len(model.questions_), len(model.classes_)) or len(intercept) != len(model.classes_):
        raise ModelFileError("its parts do not fit together")
    if model.method == "sb":
        if not all(isinstance(question, str) for question in model.questions_):
            raise ModelFileError("its questions are not texts")
        model.bigrams_ = NGrams([str(term) for term in header["bigrams"]], (2,), "words")
        return
    from rekern.core.descriptions import build
    from rekern.kernels.kernel import Kernel

    model.kernel = model.kernel_ = build(header["kernel"], {})
    if not isinstance(model.kernel_, Kernel):
        raise ModelFileError("it has no kernel")


def _text(question: Any) -> Any:
    if isinstance(question, str):
        return question
    if isinstance(question, list | tuple) and all(isinstance(token, str) for token in question):
        return list(question)
    raise InputError("only questions that are texts, bracketed trees or lists of tokens can be saved with a kernel")


def _whole(archive: OpenArchive, name: str) -> np.ndarray:
    array = archive.read_array(name, 1)
    whole = array.astype(np.int32)
    if (whole != array).any() or (whole < 0).any():
        raise ModelFileError(f"its {name} are not whole numbers")
    return whole


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
