"""Commands about a single pair, which start without Numba: one pair is compared before Numba would be loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rekern.core.json_values import Json, JsonObject
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits

# Parts of kernels whose work on one pair is small, and the parameters with which it is.
LIGHT: dict[str, dict[str, tuple[object, ...]]] = {
    "Sum": {},
    "Curves": {},
    "PrecisionRecall": {},
    "Tokenizer": {},
    "Rewriting": {"wildcards": ("aligned", "none"), "span": (1,)},
    "Similarities": {"concepts": (None,), "space": (None,), "thesaurus": (None,), "on": (None,)},
}
LIGHT_GROUPS = {"basic", "ngrams", "sequences", "differences"}
MOST_WORK = 300_000  # the product of the lengths of the two texts, in characters
WIDEST = 4  # window of rules

_owns_process = False


def own_process() -> None:
    """Say that this process runs one command and nothing else."""
    global _owns_process
    _owns_process = True


def owns_process() -> bool:
    """Return whether this process runs one command and nothing else, so that it may do without libraries.

    >>> owns_process()
    False
    """
    return _owns_process


def skip_numba(
    model: Path, texts: Sequence[str], with_neighbors: bool = False, limits: ModelLimits = DEFAULT_LIMITS
) -> None:
    """Run compiled functions as plain Python from now on, if this command only needs a model and these two texts.

    Nothing happens if the texts are long, if the kernel of the model does more than a little for one pair, or if the
    pair is compared with the training pairs in the model (``with_neighbors``).
    """
    if not _owns_process or "numba" in sys.modules:
        return
    work = 1
    for text in texts:
        work *= max(1, len(text))
    if work > MOST_WORK:
        return
    from rekern.core.compiling import interpret_cores
    from rekern.core.model_archive import open_archive

    with open_archive(model, limits) as archive:
        header = archive.header
    if "state" in header and not (with_neighbors and "labels" in header) and is_light(header.get("kernel")):
        interpret_cores()


def is_light(kernel: Json) -> bool:
    """Return whether a kernel, as a model file describes it, does little for a single pair.

    >>> is_light({"type": "Rewriting", "k": 4, "wildcards": "aligned", "span": 1}), is_light({"type": "PartialTree"})
    (True, False)
    """
    parts = list(_list_parts(kernel))
    return bool(parts) and all(_is_light_part(part) for part in parts)


def _is_light_part(part: JsonObject) -> bool:
    name = part["type"]
    limits = LIGHT.get(name) if isinstance(name, str) else None
    if limits is None or any(part.get(parameter) not in values for parameter, values in limits.items()):
        return False
    if name == "Similarities":
        return set(_list_leaves(part.get("groups"))) <= LIGHT_GROUPS
    return name != "Rewriting" or all(isinstance(k, int) and k <= WIDEST for k in _list_leaves(part.get("k")))


def _list_parts(value: Json) -> Iterator[JsonObject]:
    """Yield the described objects in a description."""
    if isinstance(value, dict):
        if "type" in value and value["type"] != "tuple":
            yield value
        for part in value.values():
            yield from _list_parts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _list_parts(part)


def _list_leaves(value: Json) -> Iterator[Json]:
    """Yield the numbers and texts in a number, a text, a list or a tuple."""
    if isinstance(value, dict):
        value = value.get("items")
    if isinstance(value, list):
        for part in value:
            yield from _list_leaves(part)
    else:
        yield value
