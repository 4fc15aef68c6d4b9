"""Random input of every kind: some of it in each run of the tests, for an hour with ``make fuzz``."""

import random
import warnings

import pytest
from input_fuzzers import FUZZERS, SLOWER, run_quietly

INPUTS = 100  # of a fast fuzzer


@pytest.mark.parametrize("name", FUZZERS)
def test_random_input(name):
    for seed in range(max(5, INPUTS // SLOWER.get(name, 1))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run_quietly(FUZZERS[name], random.Random(f"{name} {seed}"))
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}: {type(error).__name__}: {error}") from error
