"""Dask and Spark run: two workers each, the same bits, and a killed worker loses nothing but time."""

import importlib.util
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from rekern import PairClassifier, RewriteVectorizer
from rekern.core.clusters import Address, use_cluster
from rekern.core.parallel_jobs import run
from rekern.datasets import load_rewrites, write_table
from rekern.errors import InputError
from rekern.kernels import PartialTree, Rewriting, SoftPairing, gram_plan
from rekern.learning.folder_prediction import FolderTask

MODULES = {"dask": "distributed", "spark": "joblibspark"}
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
    with use_cluster(f"{request.param}://local:2") as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, and a folder with five Parquet files of pairs."""
    folder = tmp_path_factory.mktemp("pairs")
    PairClassifier(Rewriting((1, 2)), calibration=2).fit(PAIRS, LABELS).save(folder / "m.rekern")
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
    assert sorted(cluster.run(pow, [(number, 2) for number in range(20)])) == [number**2 for number in range(20)]


def test_an_error_on_a_worker_reaches_the_caller(cluster):
    with pytest.raises(ZeroDivisionError):
        list(run(divmod, [(1, 1), (1, 0), (2, 1)]))


def test_a_killed_worker_loses_nothing_but_time(cluster, tmp_path):
    here = os.getpid()

    def double(number, marker):
        if number == 3 and not os.path.exists(marker) and os.getpid() != here:
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number

    marker = str(tmp_path / "killed")
    found = sorted(cluster.run(double, [(number, marker) for number in range(8)]))
    assert os.path.exists(marker) and found == [2 * number for number in range(8)]


def test_a_folder_of_files_has_the_same_bytes_as_here(cluster, folder, tmp_path):
    here, there = make_task(folder, tmp_path / "here"), make_task(folder, tmp_path / "there")
    for name in here.list_missing():
        assert here.predict(name).rows == 12
    found = list(cluster.run(there.predict, [(name,) for name in there.list_missing()]))
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
    model = PairClassifier(kernel, calibration=2).fit(PAIRS, LABELS)
    import joblib

    with joblib.parallel_config(backend="threading"):
        assert np.array_equal(found, kernel.gram(PAIRS))
        assert np.array_equal(on_trees, SoftPairing(PartialTree()).gram(trees))
        assert np.array_equal(features.data, RewriteVectorizer(k=(1, 2)).fit_transform(PAIRS).data)
        alone = PairClassifier(kernel, calibration=2).fit(PAIRS, LABELS)
        assert np.array_equal(model.coefficients_, alone.coefficients_)
        assert np.array_equal(model.calibration_, alone.calibration_)


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
    assert Address("dask://10.0.0.1:8786").local_workers is None
    with pytest.raises(InputError, match="is no address of a cluster"):
        Address("dask://")
