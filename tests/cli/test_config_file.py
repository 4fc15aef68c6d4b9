"""Options from a configuration file."""

from pathlib import Path

from cli.running import error_of, invoke, json_of
from rekern import load_model


def test_options_of_a_command(tables: Path, tmp_path: Path) -> None:
    config, model = tmp_path / "rekern.toml", tmp_path / "m.rekern"
    config.write_text(
        f'[train]\nout = "{model}"\nkernel = "rules"\nk = "1-2"\nC = 2.5\nkeep-pairs = true\n\n[rules]\ntop = 2\n'
    )
    assert json_of("--config", config, "train", tables / "train.tsv")["model"] == str(model)
    found = load_model(model)
    assert (found.C, found.kernel_.k, found.has_pairs()) == (2.5, (1, 2), True)
    assert len(json_of("--config", config, "rules", model)["outputs"][0]["for"]) == 2
    invoke("--config", config, "train", tables / "train.tsv", "--C", 1, "-o", tmp_path / "other.rekern")
    assert load_model(tmp_path / "other.rekern").C == 1.0  # the command line is stronger


def test_bad_files(tables: Path, tmp_path: Path) -> None:
    config = tmp_path / "rekern.toml"
    command = ("--config", config, "train", tables / "train.tsv", "-o", tmp_path / "m.rekern")
    assert "there is no file" in error_of(*command)
    for content, message in (
        ("[train", "this is no TOML file"),
        ("top = 2", "'top' is no table of options of a command; the commands are demo, train"),
        ("[trian]", "'trian' is no table of options"),
        ("[train]\nkeep-pair = true", "rekern train has no option --keep-pair; do you mean keep-pairs?"),
        ("[train]\nk = {a = 1}", "k of [train] is neither a text, a number"),
        ('[train]\nC = "much"', "invalid value for '--C'"),
    ):
        config.write_text(content)
        assert message in error_of(*command)
    assert [path.name for path in tmp_path.iterdir()] == ["rekern.toml"]
