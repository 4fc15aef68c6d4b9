"""The reference page of the command line names every command and every option, and no others."""

import re
from pathlib import Path

from cli.running import invoke

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
OPTION = re.compile(r"^ +(?:-\w, )?(--[\w-]+)", re.MULTILINE)


def test_every_command_and_option_is_on_the_page() -> None:
    sections = dict(
        re.findall(r"^## rekern ?(\S*)\n\n```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    )
    commands = re.findall(
        r"^  (\w+) ", invoke("--help").stdout.split("Commands:")[1].split("Examples:")[0], re.MULTILINE
    )
    assert sorted(sections) == sorted(["", *commands])
    for command in commands:
        assert set(OPTION.findall(sections[command])) == set(OPTION.findall(invoke(command, "--help").stdout)), command
