"""The baseline of sentence embeddings: vectors of a model folder of the user's, and a linear model over them.

The folder is one of sentence-transformers (extra ``embeddings``). Nothing is downloaded, and only weights in the
format safetensors are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.corpora import DataPath
from experiments.pair_corpora import CORPORA, N_FOLDS, measure_predictions
from experiments.question_experiments import list_data_sets
from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.errors import InputError

Encode = Callable[[Sequence[str]], Floats]  # texts -> a row of length 1 for each

STRENGTHS = (0.0001, 0.001, 0.01, 0.1, 1.0)  # of the regressions: C, or 1 / alpha; of equal ones the first is taken
QUESTIONS = {"trec-coarse": "trec/coarse", "trec-fine": "trec/fine", "nf-cats-human": "nf_cats/human"}


def run_embeddings(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    only: str | None = None,
    model: str | None = None,
) -> JsonObject:
    """Run all tasks, or the one that ``only`` names, with the vectors of the folder ``model``; nothing is chosen."""
    known = [*CORPORA, *QUESTIONS]
    if only is not None and only not in known:
        raise InputError(f"there is no corpus {only!r}: choose {', '.join(known)}")
    if model is None:
        raise InputError("embeddings needs the folder of a sentence-transformers model: --model DIR")
    encode = load_encoder(Path(model))
    return {"rows": [_run_task(name, data, encode) for name in ([only] if only else known)]}


def load_encoder(folder: Path) -> Encode:
    """Load the model of a folder; it is never looked for anywhere else."""
    if not (folder / "modules.json").is_file():
        raise InputError(f"there is no model folder {folder}: put a sentence-transformers model there")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise InputError("embeddings needs sentence-transformers: pip install 'rekern[embeddings]'") from None
    safe = {"use_safetensors": True}
    found = SentenceTransformer(str(folder), local_files_only=True, trust_remote_code=False, model_kwargs=safe)
    known: dict[str, Floats] = {}  # a question may be in many pairs, on both sides and in both parts

    def encode(texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, found.encode(new, normalize_embeddings=True, show_progress_bar=False)))
        return np.array([known[text] for text in texts], dtype=float)

    return encode


def _run_task(name: str, data: DataPath, encode: Encode) -> JsonObject:
    measure, groups = "accuracy", []
    if name in QUESTIONS:
        found = list_data_sets(data)[QUESTIONS[name]]
        assert found.load_test is not None
        (asked, labels), (test_asked, true) = found.load_train(), found.load_test()
        train, test = encode(asked), encode(test_asked)
    else:
        corpus = CORPORA[name]
        measure = corpus.measure
        parts = [corpus.load(part, data).table for part in (corpus.train, corpus.test)]
        train, test = (make_pair_features(part.pairs, encode) for part in parts)
        labels, true, groups = parts[0].labels or [], parts[1].labels or [], parts[1].groups or []
    predicted = predict_by_vectors(train, labels, test, measure)
    return {"corpus": name, "measure": measure, **measure_predictions(measure, predicted, true, groups)}


def make_pair_features(pairs: Sequence[tuple[str, str]], encode: Encode) -> Floats:
    """Return the cosine of the two vectors of each pair, their product and their difference in each dimension.

    >>> make_pair_features([("a", "b")], lambda texts: np.array([[0.6, 0.8] if "a" in texts else [0.0, 1.0]]))
    array([[0.8, 0. , 0.8, 0.6, 0.2]])
    """
    source, target = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    product = source * target
    return np.hstack([product.sum(axis=1, keepdims=True), product, np.abs(source - target)])


def predict_by_vectors(train: Floats, labels: Sequence[object], test: Floats, measure: str) -> AnyArray:
    """Predict classes by logistic and numbers by ridge regression; an order is that of the first feature, the cosine.

    How strongly weights are held back is chosen in folds of the training part: there are more features than a small
    corpus can bear.
    """
    if measure == "map":
        return test[:, 0]
    model, settings = LogisticRegression(max_iter=1000), {"logisticregression__C": list(STRENGTHS)}
    if measure == "pearson":
        model, settings = Ridge(), {"ridge__alpha": [1 / strength for strength in STRENGTHS]}
    folds = KFold(min(N_FOLDS, len(train)), shuffle=True, random_state=0)
    search = GridSearchCV(make_pipeline(StandardScaler(), model), settings, cv=folds)
    predicted: AnyArray = search.fit(train, np.array(labels)).predict(test)
    return predicted
