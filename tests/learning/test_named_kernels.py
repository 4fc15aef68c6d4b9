"""Kernels with a short name."""

import pytest

from helpers import rewritings
from rekern import PairClassifier
from rekern.cli.kernel_options import DEFAULT_NAME, NAMES
from rekern.learning.named_kernels import DEFAULT, NAMED_KERNELS, has_rules, make_named_kernel


def test_the_command_line_lists_the_same_names():
    assert set(NAMES) == set(NAMED_KERNELS) and DEFAULT_NAME == DEFAULT


@pytest.mark.parametrize("name", [name for name in NAMED_KERNELS if name != DEFAULT])
def test_every_name_is_a_kernel_that_learns(name):
    pairs, labels = rewritings(30, 0)
    model = PairClassifier(name, calibration=0).fit(pairs, labels)
    assert model.kernel == name  # as given, as scikit-learn wants it
    assert type(model.kernel_) is type(make_named_kernel(name))
    assert ("rule" in {part.kind for part in model.explain(pairs[0], neighbors=0).parts}) == has_rules(name)
