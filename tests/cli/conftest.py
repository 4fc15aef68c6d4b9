"""What the tests of the command line share: small tables, and a model of each kind."""

import shutil
from pathlib import Path

import pytest

from cli.running import invoke
from forked_workers import share_folder
from rekern.datasets import load_rewrites, write_table


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with train.tsv and test.tsv (two classes), three.tsv, real.tsv and rank.tsv."""
    return _write_tables(tmp_path_factory.mktemp("tables"))


def _write_tables(folder: Path) -> Path:
    for part, size in (("train", 240), ("test", 60)):
        pairs, labels = load_rewrites(part, size=size)
        sources, targets = zip(*pairs)
        write_table(folder / f"{part}.tsv", {"source": sources, "target": targets, "label": labels})
    pairs, labels = load_rewrites("train", size=90)
    sources, targets = zip(*pairs)
    three = [("no", "yes", "maybe")[label if row % 3 else 2] for row, label in enumerate(labels)]
    write_table(folder / "three.tsv", {"source": sources, "target": targets, "label": three})
    real = [label + len(source) % 5 / 10 for label, source in zip(labels, sources)]
    write_table(folder / "real.tsv", {"source": sources, "target": targets, "label": real})
    questions = [f"who wrote {book}" for book in ("Emma", "Ulysses", "Faust", "Nana") for _ in range(3)]
    answers = [
        text.format(book)
        for book in ("Emma", "Ulysses", "Faust", "Nana")
        for text in ("somebody wrote {}", "{} is long", "it rains")
    ]
    columns = {"question": questions, "answer": answers, "good": [1, 0, 0] * 4, "id": [n // 3 for n in range(12)]}
    write_table(folder / "rank.tsv", columns)
    return folder


@pytest.fixture(scope="session")
def models(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tables, with two.rekern, three.rekern, real.rekern and rank.rekern."""
    with share_folder(tmp_path_factory, "models") as (folder, is_new):
        if is_new:
            _train_models(tables, folder)
    shutil.copytree(folder, tables, dirs_exist_ok=True)
    return tables


def _train_models(tables: Path, folder: Path) -> None:
    invoke("train", tables / "train.tsv", "-o", folder / "two.rekern", "--keep-pairs")
    invoke("train", tables / "three.tsv", "-o", folder / "three.rekern", "--keep-pairs")
    invoke("train", tables / "real.tsv", "-o", folder / "real.rekern")
    ranked = ("--source", "question", "--target", "answer", "--label", "good", "--group", "id")
    invoke("train", tables / "rank.tsv", *ranked, "-o", folder / "rank.rekern")
