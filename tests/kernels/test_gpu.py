"""Grams by a GPU: where there is one, and in Numba's simulator of it elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import gpu_checks
import numpy as np
import pytest

from rekern.core.device import choose_device, find_fault, use_device
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


def test_unknown_devices_are_refused(monkeypatch):
    with pytest.raises(InputError, match="device='gpu': give 'cpu' or 'cuda'"):
        PartialTree().gram(["(a (b))"], device="gpu")
    monkeypatch.setenv("REKERN_DEVICE", "tpu")
    with pytest.raises(InputError, match="REKERN_DEVICE='tpu'"):
        choose_device()
    with use_device("cpu"):
        assert choose_device() == "cpu"


def test_the_cores_of_a_gpu_are_not_loaded_before_one_is_asked_for():
    program = "import sys; from rekern.kernels import PartialTree; PartialTree().gram(['(a (b))'] * 120)"
    check = "sys.exit(any('.gpu' in name or name.startswith('numba.cuda.cudadrv') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", f"{program}; {check}"]).returncode == 0


def test_kernels_that_no_gpu_computes_are_named(monkeypatch):
    monkeypatch.setattr("rekern.kernels.kernel.choose_device", lambda device: device)
    with pytest.raises(InputError, match="no part of Spectrum is computed by a GPU"):
        Spectrum(2).gram(["a b"], device="cuda")


def test_arrays_of_the_processor_are_no_place_for_a_gram():
    with pytest.raises(InputError, match=r"out=array\(.*: give the path of a file"):
        Spectrum(2).gram(["a b"], out=np.zeros((1, 1)))
