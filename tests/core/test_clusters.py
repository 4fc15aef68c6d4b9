"""Dask, Ray and Spark run: two workers each, and the same bits as here."""

import importlib.util
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from cli.running import error_of, json_of
from rekern import PairClassifier, RewriteVectorizer, load_model
from rekern.core import clusters
from rekern.core.clusters import read_address, use_cluster
from rekern.core.parallel_jobs import run, run_at_workers
from rekern.datasets import load_rewrites, write_table
from rekern.errors import InputError, MissingExtraError
from rekern.kernels import PartialTree, Rewriting, SoftPairing, gram_plan
from rekern.learning import auto_search
from rekern.learning.folder_prediction import FolderTask
from rekern.learning.kernel_ladder import list_steps
from rekern.search import pair_finder

MODULES = {"dask": "distributed", "ray": "ray", "spark": "joblibspark"}
PARAMETERS = [
    pytest.param(
        name,
        marks=[
            *([] if name == "dask" else [pytest.mark.slow]),
            # Looked up, not imported: that takes seconds.
            pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f'pip install "rekern[{name}]"'),
        ],
    )
    for name, module in MODULES.items()
]
PAIRS, LABELS = load_rewrites("train", size=60)


@pytest.fixture(scope="module", params=PARAMETERS)
def cluster(request):
    with use_cluster(f"{request.param}://local:2"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, and a folder with five Parquet files of pairs."""
    folder = tmp_path_factory.mktemp("pairs")
    PairClassifier(Rewriting((1, 2)), calibration=2, n_jobs=1).fit(PAIRS, LABELS).save(folder / "m.rekern")
    (folder / "pairs").mkdir()
    for number in range(5):
        part = PAIRS[number * 12 : number * 12 + 12]
        columns = {"id": list(range(12)), "source": [a for a, _ in part], "target": [b for _, b in part]}
        write_table(folder / "pairs" / f"part-{number}.parquet", columns)
    return folder


def make_task(folder, out):
    return FolderTask(str(folder / "m.rekern"), str(folder / "pairs"), str(out), n_jobs=1)


def read_bytes(out):
    return {path.name: path.read_bytes() for path in sorted(Path(out).glob("*.parquet"))}


def test_all_calls_are_run(cluster):
    calls = [(number, 2) for number in range(20)]
    assert list(run(pow, calls)) == list(run_at_workers(pow, iter(calls))) == [number**2 for number in range(20)]
    assert os.getpid() not in set(run_at_workers(os.getpid, [()] * 4))


def test_an_error_on_a_worker_reaches_the_caller(cluster):
    with pytest.raises(ZeroDivisionError):
        list(run(divmod, [(1, 1), (1, 0), (2, 1)]))


def test_a_folder_of_files_has_the_same_bytes_as_here(cluster, folder, tmp_path):
    here, there = make_task(folder, tmp_path / "here"), make_task(folder, tmp_path / "there")
    for name in here.list_missing():
        assert here.predict(name).rows == 12
    found = list(run_at_workers(there.predict, [(name,) for name in there.list_missing()]))
    assert sorted(file.name for file in found) == [f"part-{number}.parquet" for number in range(5)]
    assert not any(file.fault for file in found)
    assert read_bytes(tmp_path / "here") == read_bytes(tmp_path / "there")
    assert there.list_missing() == []


def test_blocks_of_joblib_run_there_with_the_same_bits(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(gram_plan, "BLOCK_BYTES", 1 << 13)
    assert os.getpid() not in set(run(lambda number: os.getpid(), [(number,) for number in range(4)]))
    kernel = Rewriting((1, 2))
    trees = [(f"(S (X {a}) (Y b))", f"(S (X {b}))") for a, b in zip("abcdefgh" * 4, "hgfedcba" * 4)]
    found = kernel.gram(PAIRS, out=tmp_path / "gram.npy")
    on_trees = SoftPairing(PartialTree()).gram(trees)
    features = RewriteVectorizer(k=(1, 2)).fit_transform(PAIRS)
    hashed = RewriteVectorizer(k=(1, 2), hashing=2**16).transform(PAIRS * 20)
    model = PairClassifier(kernel, calibration=2).fit(PAIRS, LABELS)
    import joblib

    with joblib.parallel_config(backend="threading"):
        assert np.array_equal(found, kernel.gram(PAIRS))
        assert np.array_equal(on_trees, SoftPairing(PartialTree()).gram(trees))
        assert np.array_equal(features.data, RewriteVectorizer(k=(1, 2)).fit_transform(PAIRS).data)
        other = RewriteVectorizer(k=(1, 2), hashing=2**16).transform(PAIRS * 20)
        assert np.array_equal(hashed.data, other.data) and np.array_equal(hashed.indices, other.indices)
        alone = PairClassifier(kernel, calibration=2).fit(PAIRS, LABELS)
        assert np.array_equal(model.coefficients_, alone.coefficients_)
        assert np.array_equal(model.calibration_, alone.calibration_)


def test_a_search_of_scikit_learn_runs_there(cluster):
    import joblib
    from sklearn.model_selection import GridSearchCV

    def search():
        model = PairClassifier(Rewriting((1, 2)), calibration=0)
        found = GridSearchCV(model, {"C": [0.01, 1.0]}, cv=2, refit=False).fit(PAIRS, LABELS)
        return found.cv_results_["mean_test_score"].tolist()

    there = search()
    with joblib.parallel_config(backend="threading"):
        assert there == search()


@pytest.fixture
def command_cluster(cluster, monkeypatch):
    """Commands with --cluster use the workers that there are."""
    monkeypatch.setattr(clusters, "use_cluster", lambda address: nullcontext())


def run_alone(*arguments):
    import joblib

    with joblib.parallel_config(backend="threading"):
        return json_of(*arguments)


def test_match_finds_the_same_on_a_cluster(command_cluster, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(pair_finder, "BLOCK", 25)  # five parts of the corpus, and several of its candidates
    monkeypatch.setattr(pair_finder, "PAIRS", 100)
    texts = [text for pair in PAIRS for text in pair]
    write_table(tmp_path / "texts.tsv", {"text": texts})
    write_table(tmp_path / "queries.tsv", {"text": texts[::7]})
    for queries in ([], [tmp_path / "queries.tsv"]):
        start = ("match", tmp_path / "texts.tsv", *queries, "--min-probability", 0.2, "--model", folder / "m.rekern")
        alone = run_alone(*start)
        there = json_of(*start, "--index", tmp_path / "texts.index", "--cluster", "dask://local:2")
        assert there == alone and alone["matches"] > 10
    start = ("match", tmp_path / "texts.index", "--model", "none", "--clusters")
    assert json_of(*start, "--cluster", "dask://local:2") == run_alone(*start)
    (tmp_path / "queries.tsv").write_text("text\nmeets\n")
    (tmp_path / "vectors.txt").write_text("meets 1 0\nbaker 0.9 0.1\n")
    start = ("match", tmp_path / "texts.index", tmp_path / "queries.tsv", "--model", "none")
    start = (*start, "--vectors", tmp_path / "vectors.txt")
    there = json_of(*start, "--cluster", "dask://local:2")
    assert there == run_alone(*start) and there["matches"] == 5


def test_auto_chooses_the_same_on_a_cluster(command_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(auto_search, "list_steps", lambda resources: list_steps(resources)[:1])  # rules alone, for time
    columns = {"source": [a for a, _ in PAIRS], "target": [b for _, b in PAIRS], "label": LABELS}
    write_table(tmp_path / "pairs.tsv", columns)
    start = ("train", tmp_path / "pairs.tsv", "--auto", "--minutes", 60, "-o")
    there = json_of(*start, tmp_path / "there.rekern", "--cluster", "dask://local:2")
    alone = run_alone(*start, tmp_path / "alone.rekern")
    trials = [[{**trial, "seconds": 0} for trial in found["how_chosen"]["trials"]] for found in (there, alone)]
    assert trials[0] == trials[1] and len(trials[0]) >= 3
    models = [load_model(tmp_path / name) for name in ("there.rekern", "alone.rekern")]
    assert np.array_equal(models[0].predict_proba(PAIRS), models[1].predict_proba(PAIRS))


def test_commands_refuse_what_a_cluster_cannot_do(folder, tmp_path):
    write_table(tmp_path / "texts.tsv", {"text": ["a", "b"]})
    match = ("match", tmp_path / "texts.tsv", "--model", "none", "--cluster")
    assert "say with --index where it is kept" in error_of(*match, "dask://local:2")
    assert "is not an address of a cluster" in error_of(*match, "slurm://here:1")
    train = ("train", tmp_path / "texts.tsv", "-o", tmp_path / "m.rekern", "--cluster")
    assert "is not an address of a cluster" in error_of(*train, "dask://here")
    assert "leave --cluster or --memory out" in error_of(*train, "dask://local:2", "--memory", "1GB")


@pytest.mark.parametrize("library", MODULES)
def test_a_missing_library_is_one_line(library, monkeypatch):
    monkeypatch.setitem(sys.modules, MODULES[library], None)
    monkeypatch.setitem(sys.modules, f"{MODULES[library]}.sql", None)
    message = rf'is not installed: pip install "rekern\[{library}\]"'
    with pytest.raises(MissingExtraError, match=message), use_cluster(f"{library}://local:2"):
        pass


def test_two_clusters_of_dask_on_one_machine():
    with use_cluster("dask://local:1"):
        assert list(run(pow, [(2, 3), (3, 2)])) == [8, 9]
        with use_cluster("dask://local:1"):
            assert list(run(pow, [(2, 3), (3, 2)])) == [8, 9]


def test_a_cluster_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    with (
        pytest.raises(InputError, match=r"there is no cluster at dask://127\.0\.0\.1:1 "),
        use_cluster("dask://127.0.0.1:1"),
    ):
        pass


def test_an_interrupted_run_continues(folder, tmp_path):
    task = make_task(folder, tmp_path)
    first, *others = task.list_missing()
    task.predict(first)
    assert task.list_missing() == others
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / first).column_names[:2] == ["id", "prediction"]
    other = FolderTask(task.model, task.tables, task.out, threshold=0.3)
    with pytest.raises(InputError, match="predictions of another model or with other options"):
        other.list_missing()


def test_an_error_is_a_text_with_the_place(folder, tmp_path):
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "bad.tsv").write_text("source\ttarget\na\n")
    task = FolderTask(str(folder / "m.rekern"), str(tmp_path / "pairs"), str(tmp_path / "out"))
    found = task.predict("bad.tsv")
    assert "bad.tsv" in found.fault and found.rows == 0
    assert not (tmp_path / "out" / "bad.tsv").exists()


def test_addresses():
    assert read_address("dask://10.0.0.1:8786").local_workers is None
    assert read_address("spark://one:7077,two:7077").place == "one:7077,two:7077"
    for text in ("dask://", "dask://local:0", "ray://host", "spark://ho st:1", "local:2"):
        with pytest.raises(InputError, match="is not an address of a cluster"):
            read_address(text)
