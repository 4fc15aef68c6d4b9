"""Arrays of other libraries that lie in the memory of the GPU, such as those of CuPy and PyTorch."""

# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.device import DeviceArray, get_stream, is_simulated, load_cuda
from rekern.errors import InputError

KIND = "a writable array of float64 in rows without gaps"


def has_device_memory(array: object) -> bool:
    """Return whether an object is an array in the memory of the GPU.

    >>> has_device_memory(np.zeros(2))
    False
    """
    return _describe(array) is not None


def _describe(array: object) -> Mapping[str, object] | None:
    """Return the ``__cuda_array_interface__`` of an array, or what the simulator has in its place; else None."""
    if isinstance(array, type | np.ndarray):
        return None
    if type(array).__name__ == "FakeCUDAArray" and is_simulated():
        return cast("Mapping[str, object]", vars(array)["_ary"].__array_interface__)
    try:
        found = getattr(array, "__cuda_array_interface__", None)
    except Exception as error:  # PyTorch refuses arrays that lie elsewhere or need gradients, with errors of its own
        reason = " ".join(str(error).split())
        raise InputError(f"out cannot be written ({reason}); give {KIND}") from None
    return found if isinstance(found, Mapping) else None


def view_device_array(array: object, shape: tuple[int, int]) -> DeviceArray:
    """Return an array of another library as one that kernels can fill, after checking that it can hold a matrix."""
    found = _describe(array)
    assert found is not None
    faults = []
    if tuple(cast("tuple[int, ...]", found["shape"])) != shape:
        faults.append(f"its shape is {found['shape']} and not {shape}")
    if found["typestr"] != np.dtype(np.float64).str:
        faults.append(f"its type is {np.dtype(str(found['typestr']))}")
    if found.get("strides") not in (None, (8 * shape[1], 8)) and min(shape) > 0:
        faults.append("there are gaps between its values")
    if cast("tuple[int, bool]", found["data"])[1]:
        faults.append("it cannot be written")
    if not cast("tuple[int, bool]", found["data"])[0] and min(shape) > 0:  # a kernel would write to address 0
        faults.append("it has no memory")
    if found.get("mask") is not None:
        faults.append("it has a mask")
    if faults:
        raise InputError(f"out cannot take the Gram: {', '.join(faults)}; give {KIND}, of shape {shape}")
    if is_simulated():
        return cast("DeviceArray", array)
    return cast("DeviceArray", load_cuda().as_cuda_array(array))


def copy_to_device(values: AnyArray, array: DeviceArray) -> None:
    """Copy a matrix of the processor into an array of the GPU."""
    if values.size:
        load_cuda().synchronize()
        array.copy_to_device(np.ascontiguousarray(values), stream=get_stream())
        get_stream().synchronize()
