"""``rekern predict`` for a folder of files, here and on a cluster."""

import importlib.util
from pathlib import Path

import pytest

from cli.running import error_of, invoke, json_of

NEEDS_DASK = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason='pip install "rekern[dask]"')


@pytest.fixture(scope="module")
def folder(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files with 20 pairs each; what is no table is left alone."""
    folder = tmp_path_factory.mktemp("files")
    header, *rows = (models / "test.tsv").read_text(encoding="utf-8").splitlines()
    for number in range(3):
        part = rows[20 * number : 20 * number + 20]
        (folder / f"{number}.tsv").write_text("\n".join([header, *part, ""]), encoding="utf-8")
    (folder / "_SUCCESS").touch()
    (folder / "notes.md").touch()
    return folder


def read_files(out: Path) -> str:
    lines = [path.read_text(encoding="utf-8").splitlines() for path in sorted(out.glob("*.tsv"))]
    return "\n".join([lines[0][0], *(line for file in lines for line in file[1:]), ""])


def test_every_file_has_its_predictions(models: Path, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = invoke("predict", models / "two.rekern", folder, "-o", out)
    assert result.stdout == "" and "60 predictions in 3 files of" in result.stderr
    assert read_files(out) == invoke("predict", models / "two.rekern", models / "test.tsv").stdout
    (out / "1.tsv").unlink()
    again = json_of("predict", models / "two.rekern", folder, "-o", out)
    assert again["files"] == 1 and again["pairs"] == 20
    assert "of another model or with other options" in error_of("predict", models / "three.rekern", folder, "-o", out)


@NEEDS_DASK
@pytest.mark.slow  # another cluster is started in tests/core/test_clusters.py
def test_a_cluster_writes_the_same(models: Path, folder: Path, tmp_path: Path) -> None:
    options = ("--cluster", "dask://local:2", "--texts")
    found = json_of("predict", models / "two.rekern", folder, "-o", tmp_path / "there", *options)
    assert found["pairs"] == 60 and found["files"] == 3
    assert (
        read_files(tmp_path / "there")
        == invoke("predict", models / "two.rekern", models / "test.tsv", "--texts").stdout
    )


def test_errors(models: Path, folder: Path, tmp_path: Path) -> None:
    start = ("predict", models / "two.rekern", folder)
    assert "give a folder for the predictions with -o" in error_of(*start)
    assert "give another one" in error_of(*start, "-o", folder)
    assert "has no tables" in error_of("predict", models / "two.rekern", tmp_path, "-o", tmp_path / "out")
    assert "is not an address of a cluster" in error_of(*start, "-o", tmp_path / "out", "--cluster", "slurm://x")
    single = ("predict", models / "two.rekern", models / "test.tsv", "--cluster", "dask://local:2")
    assert "--cluster is for a folder of files" in error_of(*single)
    assert "has no column 'q1'" in error_of(*start, "-o", tmp_path / "out2", "--source", "q1")
