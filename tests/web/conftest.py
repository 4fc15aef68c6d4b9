"""A small site that all tests of the server share."""

import pytest
from starlette.testclient import TestClient

from rekern.datasets import load_rewrites
from rekern.learning.demonstration_model import make_demonstration_kernel
from rekern.learning.pair_classifier import PairClassifier
from rekern.web.application import make_application
from rekern.web.served_models import ServedModels
from rekern.web.serving_limits import ServingLimits
from rekern.web.site import Site


@pytest.fixture(scope="package")
def model():
    pairs, labels = load_rewrites("train", size=300)
    return PairClassifier(make_demonstration_kernel(), n_jobs=1).fit(pairs, labels)


@pytest.fixture(scope="package")
def models(model):
    return ServedModels({"demo": model})


@pytest.fixture(scope="package")
def client(models):
    """A client of a site with narrow limits."""
    limits = ServingLimits(megabytes=0.2, characters=1000, rows=1200, seconds=60.0)
    with TestClient(make_application(Site(models, limits)), base_url="http://127.0.0.1:8000") as client:
        yield client
