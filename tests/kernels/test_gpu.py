"""Grams by a GPU: where there is one, and in Numba's simulator of it elsewhere."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import gpu_checks
import numpy as np
import pytest

from rekern.core.device import choose_device, find_fault, parse_size, use_device
from rekern.core.device_arrays import view_device_array
from rekern.errors import InputError
from rekern.kernels import PartialTree, Spectrum

HAS_GPU = find_fault() is None


@pytest.mark.parametrize(
    ("arguments", "checks"),
    [(["quick"], gpu_checks.QUICK), pytest.param([], gpu_checks.CHECKS, marks=pytest.mark.slow)],
    ids=["quick", "all"],
)
def test_simulated_gpu_gives_the_grams_of_the_processor(arguments, checks):
    variables = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    script = Path(__file__).with_name("gpu_checks.py")
    done = subprocess.run([sys.executable, str(script), *arguments], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == [check.__name__ for check in checks]


@pytest.mark.skipif(not HAS_GPU, reason=f"no GPU: {find_fault()}")
@pytest.mark.parametrize("check", gpu_checks.CHECKS)
def test_gpu_gives_the_grams_of_the_processor(check):
    check()


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU")
def test_without_a_gpu_there_is_one_clear_line(monkeypatch):
    with pytest.raises(
        InputError, match=r'^the device "cuda" cannot be used \(.+\); install "rekern\[gpu\]"'
    ) as caught:
        PartialTree().gram(["(a (b))"], device="cuda")
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("REKERN_DEVICE", "cuda")
    with pytest.raises(InputError, match="cannot be used"):
        PartialTree().gram(["(a (b))"])
    assert np.array_equal(PartialTree().gram(["(a (b))"], device="cpu"), [[1.0]])


def test_unknown_devices_and_sizes_are_refused(monkeypatch):
    with pytest.raises(InputError, match="device='gpu': give 'cpu' or 'cuda'"):
        PartialTree().gram(["(a (b))"], device="gpu")
    monkeypatch.setenv("REKERN_DEVICE", "tpu")
    with pytest.raises(InputError, match="REKERN_DEVICE='tpu'"):
        choose_device()
    with use_device("cpu"):
        assert choose_device() == "cpu"
    with pytest.raises(InputError, match="REKERN_DEVICE_MEMORY='much'"):
        parse_size("much")


def test_kernels_that_no_gpu_computes_are_named(monkeypatch):
    monkeypatch.setattr("rekern.kernels.kernel.choose_device", lambda device: device)
    with pytest.raises(InputError, match="no part of Spectrum is computed by a GPU"):
        Spectrum(2).gram(["a b"], device="cuda")


def test_arrays_of_the_processor_are_no_place_for_a_gram():
    with pytest.raises(InputError, match=r"out=array\(.*: give the path of a file, or an array that lies on the GPU"):
        Spectrum(2).gram(["a b"], out=np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"data": (0, False)}, "it has no memory"),
        ({"data": (8, True)}, "it cannot be written"),
        ({"mask": 1}, "a mask"),
    ],
)
def test_arrays_that_no_kernel_can_fill_are_refused(changed, fault):
    array = SimpleNamespace(__cuda_array_interface__={"shape": (1, 1), "typestr": "<f8", "data": (8, False), **changed})
    with pytest.raises(InputError, match=f"out cannot take the Gram: .*{fault}; give a writable array"):
        view_device_array(array, (1, 1))


def test_an_array_of_the_gpu_needs_the_device_cuda():
    class Array:
        __cuda_array_interface__ = {"shape": (1, 1), "typestr": "<f8", "data": (0, False), "version": 3}  # noqa: RUF012

    for device in (None, "cpu"):
        with pytest.raises(InputError, match='out lies on the GPU: give device="cuda", too'):
            PartialTree().gram(["(a (b))"], out=Array(), device=device)
