"""Scores inside a pair are transformers of scikit-learn: in unions, pipelines and columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline, make_union

from helpers import rewritings
from rekern.similarity import PrecisionRecall, Similarities

PAIRS, LABELS = rewritings(40, 0)


@pytest.mark.parametrize("scores", [PrecisionRecall(), Similarities(), Similarities(only=("recall",))])
def test_scores_are_dense_columns_with_names(scores):
    found = clone(scores).fit_transform(PAIRS)
    fitted = clone(scores).fit(PAIRS)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == fitted.transform(PAIRS).tolist() == fitted.scores(PAIRS).tolist()
    assert fitted.get_feature_names_out().tolist() == fitted.names()
    assert found.shape == (len(PAIRS), len(fitted.names()))
    assert fitted.transform(iter(PAIRS[:3])).tolist() == found[:3].tolist()


def test_scores_in_unions_and_pipelines():
    union = make_union(PrecisionRecall(), Similarities(only=("idf recall", "negation differs")))
    assert union.fit_transform(PAIRS).shape == (len(PAIRS), 4)
    assert union.get_feature_names_out()[-1] == "similarities__negation differs"
    model = make_pipeline(union, LogisticRegression())
    assert cross_val_score(model, PAIRS, LABELS, cv=2).shape == (2,)
    grid = {"featureunion__similarities__standardize": [True, False]}
    assert GridSearchCV(model, grid, cv=2, error_score="raise").fit(PAIRS, LABELS).best_score_ > 0


def test_scores_of_two_columns_of_a_frame():
    frame = pd.DataFrame(PAIRS, columns=["source", "target"]).assign(length=1.0)
    columns = make_column_transformer((PrecisionRecall(), ["source", "target"]), ("passthrough", ["length"]))
    found = columns.fit_transform(frame)
    assert found[:, :2].tolist() == PrecisionRecall().scores(PAIRS).tolist()
    assert columns.get_feature_names_out().tolist()[:2] == ["precisionrecall__precision", "precisionrecall__recall"]


def test_scores_that_learn_must_be_fitted():
    with pytest.raises(NotFittedError):
        Similarities().transform(PAIRS)
