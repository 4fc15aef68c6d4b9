"""Small corpora in the formats of the public ones, made from the embedded corpus, so that every experiment runs."""

import gzip
from pathlib import Path

import pytest

from rekern.datasets.rewrite_corpus import load_rewrites
from state_questions import grammar, questions  # noqa: F401 - fixtures


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join("\t".join(map(str, row)) + "\n" for row in [header, *rows])
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def small_corpora(tmp_path_factory) -> Path:
    """A data folder with a few dozen pairs in each corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    pairs, labels = load_rewrites("train", size=160)
    rows = [(label, *pair) for pair, label in zip(pairs, labels)]
    train, dev, test = rows[:80], rows[80:120], rows[120:]

    for part, found in (("train", train), ("test", test)):
        listed = [(label, i, i, s, t) for i, (label, s, t) in enumerate(found)]
        write(folder / "msrp" / f"{part}.tsv", ("quality", "id1", "id2", "s1", "s2"), listed)

    header = ("id", "entailment", "task", "length", "text", "hypothesis")
    names = ("rte1_dev", "rte1_test", "rte2_dev", "rte2_test", "rte3_dev", "rte3_test")
    for name, first in zip(names, range(0, 160, 26)):
        listed = [(i, label, "IE", "", s, t) for i, (label, s, t) in enumerate(rows[first : first + 26])]
        write(folder / "rte" / f"{name}.tsv", header, listed)

    header = ("qqp_id", "is_duplicate", "question1", "question2", "sources", "tokenised")
    parts = (("mini", train), ("mini,bimpm_dev", dev), ("bimpm_test", test))
    listed = [("", label, s, t, tag, 0) for tag, found in parts for label, s, t in found]
    write(folder / "qqp_partial" / "qqp_partial.tsv.gz", header, listed)

    header = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")
    for part, found in (("train", train), ("trial", dev), ("test", test)):
        judged = [
            ("ENTAILMENT" if label else ("NEUTRAL", "CONTRADICTION")[i % 2]) for i, (label, _, _) in enumerate(found)
        ]
        listed = [(i, s, t, 1.5 + 3 * label, judged[i]) for i, (label, s, t) in enumerate(found)]
        write(folder / "sick" / f"{part}.tsv", header, listed)

    header = ("genre", "file", "year", "sid", "score", "s1", "s2")
    for part, found in (("train", train), ("dev", dev), ("test", test)):
        listed = [("news", "x", "2012", i, 0.5 + 4 * label, s, t) for i, (label, s, t) in enumerate(found)]
        write(folder / "sts_benchmark" / f"{part}.tsv", header, listed)

    header = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
    for part, found in (("train", train), ("dev", dev), ("test", test)):
        listed = [(f"Q{i // 4}", s, "D", "T", i, t, label) for i, (label, s, t) in enumerate(found)]
        write(folder / "wikiqa" / f"{part}.tsv.gz", header, listed)

    for part, found in (("dev", train), ("test", test)):
        listed = [(i, label, s, t) for i, (label, s, t) in enumerate(found)]
        write(folder / "paws_wiki" / f"{part}.tsv.gz", ("id", "label", "s1", "s2"), listed)
    return folder
