"""Writing of a model of pairs to the content of a model file, and reading of the model from a file.

A file has what prediction needs, ready to use: what the kernel has learned, and the state of the decision function. It
has the training pairs only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.json_values import Json, JsonObject
from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.core.object_descriptions import Arrays, State, build, describe
from rekern.core.state_schema import find_schema
from rekern.errors import InputError, ModelFileError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.rewriting.compact_rules import compact_decision
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.learning.kernel_choice import KernelChoice
from rekern.learning.pair_input import Pair, Side, reads_words_only
from rekern.structures.item_states import check_item_sizes, has_plain_lists, pack_items, pack_value, unpack_items
from rekern.structures.representations import Representations

if TYPE_CHECKING:
    from rekern.learning.pair_model import PairModel

Model = TypeVar("Model", bound="PairModel")


class Compaction(NamedTuple):
    """How many rules with wildcards a compact model has, and the largest change of a decision value in training.

    >>> Compaction(7, 0.25).to_dict()
    {'rules': 7, 'largest_change': 0.25}
    """

    rules: int
    largest_change: float

    def to_dict(self) -> JsonObject:
        """Plain values for JSON."""
        return dict(self._asdict())


def compact_scorer(
    scorer: DecisionFunction, read_training: Callable[[], object]
) -> tuple[DecisionFunction, Compaction]:
    """Return the compact form of a decision function, and what it costs."""
    compact, rules = compact_decision(scorer)
    if not any(isinstance(term, RuleDecision) for term in compact.terms()):
        raise InputError("the model has no re-writing rules, so it cannot be made smaller: leave out --compact")
    training = read_training()
    changes = np.abs(compact.score(training) - scorer.score(training))
    return compact, Compaction(rules, float(changes.max(initial=0.0)))


def pack_model(
    model: PairModel, scorer: DecisionFunction, header: dict[str, Json], more: Arrays, keep_pairs: bool
) -> ModelContent:
    """Return the content of the file of a fitted model with this decision function.

    ``header`` and ``more`` are what its class adds, such as its classes and its calibration.
    """
    parameters = {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("kernel", "n_jobs")
    }
    tables: Arrays = {}
    whole: dict[str, Json] = {
        "parameters": {name: _describe_parameter(value) for name, value in parameters.items()},
        "kernel": describe(model.kernel_, tables),
        "solver": model.solver_,
        **header,
    }
    if model.how_chosen_ is not None:
        whole["how_chosen"] = model.how_chosen_.to_dict()
    if model.columns_ is not None:
        whole["columns"] = dict(model.columns_)
    state = pack_state(model, scorer, keep_pairs)
    if state is not None:
        whole["state"] = describe(state, tables)
    arrays: Arrays = {"intercept": model.intercept_, **more}
    members: dict[str, Json] = {}
    if keep_pairs:
        whole["labels"] = [label.item() for label in model.labels_]
        arrays["coefficients"] = model.coefficients_
        if model.items_ is None:
            members["pairs.json"] = pack_value(model.pairs_)
        else:
            whole["items"] = describe(pack_items(model.items_), tables)
    whole["tables"] = len(tables)
    return ModelContent(whole, members, arrays, tables)


def pack_state(model: PairModel, scorer: DecisionFunction, keep_pairs: bool) -> State | None:
    """Return what the kernel has learned and the decision function; None if they must be made of the training pairs.

    This happens with a part of another package that has no state for a file. The training pairs are then needed.
    """
    try:
        learned = [kernel.get_learned() for kernel in walk_kernels(model.kernel_)]
        state = State(learned=learned, decision=scorer.to_state())
        describe(state, {})
        return state
    except (NotImplementedError, ValueError) as error:
        if keep_pairs:
            return None
        reason = f"a part of its kernel cannot be stored without them ({error})"
        raise ValueError(f"the model can only be saved with its training pairs (keep_pairs=True): {reason}") from None


def unpack_model(kind: type[Model], archive: OpenArchive) -> Model:
    """Build the model from a file, and check that its parts fit together."""
    header = archive.header
    stored: Arrays = {f"array-{n}": archive.read_table(f"array-{n}") for n in range(header["tables"])}
    kernel = build(header["kernel"], stored, archive.context)
    if not isinstance(kernel, Kernel):
        raise ModelFileError("it has no kernel")
    parameters = {name: _build_parameter(value) for name, value in header["parameters"].items()}
    if "n_jobs" in parameters:  # n_jobs is not saved: the user who loads the model chooses it
        raise ModelFileError("it says how many threads to use")
    schema = find_schema(kind)
    if schema is not None:
        schema.parts.check(parameters, "parameters")
    model = kind(kernel=kernel, **parameters)
    model.kernel_ = kernel
    model.check_kernel()
    model.intercept_ = archive.read_array("intercept", 1)
    model.solver_ = header["solver"]
    model.compact_ = Compaction(**header["compact"]) if "compact" in header else None
    model.columns_ = header.get("columns")
    model.how_chosen_ = KernelChoice.from_dict(header["how_chosen"]) if "how_chosen" in header else None
    if archive.has("coefficients.npy") != ("labels" in header):
        raise ModelFileError("it lacks its training pairs or their labels")
    if "labels" in header:
        _read_training(model, archive, stored)
    if "state" in header:
        state = build(header["state"], stored, archive.context)
        model.start_cache(restore_state(kernel, state, len(model.intercept_)))
    elif model.has_pairs():
        model.start_cache()
        kernel.adapt(model.pairs_ if model.items_ is None else model.items_)
    else:
        raise ModelFileError("it lacks its decision function")
    if model.has_pairs():
        # Bad parameters of the kernel and missing representations raise an error here, not at the first prediction.
        items = model.items_
        if items is not None and not has_plain_lists(items):
            items = items.take([0])
        kernel.diag([("a b", "a")] if items is None else items)
    return model


def _read_training(model: PairModel, archive: OpenArchive, stored: Arrays) -> None:
    """Read the training pairs, or the table that the kernel reads, with their labels and coefficients."""
    model.items_ = None
    if "items" in archive.header:
        state = build(archive.header["items"], stored, archive.context)
        items = unpack_items(state) if isinstance(state, State) else None
        if not isinstance(items, Representations):
            raise ModelFileError("its training items are damaged")
        model.items_, model.pairs_ = items, model.list_shown(items)
    else:
        model.pairs_ = [_check_pair(pair) for pair in archive.read_json("pairs.json")]
        check_item_sizes([side for pair in model.pairs_ for side in pair], archive.limits)
    model.labels_ = read_labels(archive)
    model.coefficients_ = archive.read_array("coefficients", 2)
    if model.coefficients_.shape != (len(model.pairs_), len(model.intercept_)):
        raise ModelFileError("its parts do not fit together")
    if len(model.labels_) != len(model.pairs_):
        raise ModelFileError(f"it has {len(model.pairs_)} training pairs but {len(model.labels_)} labels")


def read_labels(archive: OpenArchive, name: str = "labels") -> AnyArray:
    """Return the labels in the header of a file."""
    labels = np.array(archive.header[name])
    if labels.ndim != 1 or labels.dtype.kind not in "iufbU":
        raise ModelFileError("its labels are damaged")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ModelFileError("one of its labels is not a finite number")
    return labels


def _check_pair(pair: object) -> Pair:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelFileError("one of its training pairs is not a pair")
    return _check_side(pair[0]), _check_side(pair[1])


def _check_side(side: object) -> Side:
    if isinstance(side, str) or (isinstance(side, list) and all(isinstance(token, str) for token in side)):
        return side
    raise ModelFileError("one of its training pairs is not text")


def restore_state(kernel: Kernel, state: object, outputs: int) -> DecisionFunction:
    """Give a kernel what it has learned, and return the decision function."""
    if not isinstance(state, State):
        raise ModelFileError("its decision function is damaged")
    kernels = list(walk_kernels(kernel))
    for part, learned in zip(kernels, state.states("learned", len(kernels))):
        part.set_learned(learned)
    decision = kernel.restore_decision(state.state("decision"), outputs)
    if reads_words_only(kernel):  # bad parameters raise an error here, not at the first prediction
        score = decision.score([("a b", "a")], n_jobs=1)
        if score.shape != (1, outputs) or not np.isfinite(score).all():
            raise ModelFileError("its decision function is damaged")
    return decision


def _describe_parameter(value: object) -> Json:
    """Return a parameter of a model as JSON; dicts are lists of items, because keys of class weights may be numbers."""
    if isinstance(value, dict):
        return {"type": "dict", "items": [[describe(key), describe(item)] for key, item in value.items()]}
    return describe(value)


def _build_parameter(description: object) -> object:
    """Build a parameter from the result of `_describe_parameter`."""
    if isinstance(description, dict) and description.get("type") == "dict":
        return {build(key): build(item) for key, item in description["items"]}
    return build(description)
