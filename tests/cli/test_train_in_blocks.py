"""``rekern train --memory`` trains in blocks, goes on in its folder, and refuses what needs all pairs in memory."""

from cli.running import error_of, invoke, json_of

ROWS = [("Anna met Bert", "Bert was met by Anna", 1), ("Anna met Bert", "Anna was met by Bert", 0)] * 12


def write_pairs(folder):
    path = folder / "pairs.tsv"
    lines = ["source\ttarget\tlabel", *("\t".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_blocks_are_used_again(tmp_path):
    pairs, model, work = write_pairs(tmp_path), tmp_path / "m.rekern", tmp_path / "work"
    command = ("train", pairs, "-o", model, "--memory", "100MB", "--blocks", work)
    assert "over 24 rows" in json_of(*command)["solver"]
    made = {path: path.stat().st_mtime_ns for name in ("columns", "values", "scores") for path in work.glob(name)}
    model.unlink()
    invoke(*command, "--C", "3")
    assert len(made) == 3 and all(path.stat().st_mtime_ns == when for path, when in made.items())
    assert invoke("predict", model, pairs).stdout.count("\n") >= 24
    assert "another training" in error_of(*command, "--language", "none")


def test_options_that_do_not_go_with_blocks(tmp_path):
    pairs, model = write_pairs(tmp_path), tmp_path / "m.rekern"
    for flags, message in (
        (("--blocks", "work"), "--blocks goes with --memory"),
        (("--memory", "much"), "give a number of bytes"),
        (("--memory", "1GB", "--compact"), "leave --compact or --memory out"),
        (("--memory", "1GB", "--keep-pairs"), "leave --keep-pairs or --memory out"),
        (("--memory", "1GB", "--auto"), "leave --auto or --memory out"),
        (("--memory", "1GB", "--kernel", "rules+gaussian"), "block by block"),
    ):
        assert message in error_of("train", pairs, "-o", model, *flags)
