"""Random input of every kind: some of it in each run of the tests, for an hour with ``make fuzz``."""

import warnings

import pytest
from input_fuzzers import FUZZERS, run_quietly

RUNS = 50
SLOWER = {"command_lines": 10, "rewriting": 3, "tree_kernels": 3, "pair_kernels": 2, "scores": 2}  # than others, times


@pytest.mark.parametrize("name", FUZZERS)
def test_random_input(name):
    for seed in range(RUNS // SLOWER.get(name, 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert run_quietly(name, seed) > 0
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}: {type(error).__name__}: {error}") from error
