"""Options of commands from a configuration file."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.core.files import show_path
from rekern.core.text_files import read_text
from rekern.errors import InputError

if TYPE_CHECKING:
    from typer.core import TyperGroup

Values = dict[str, dict[str, object]]


def read_config(path: Path, program: TyperGroup) -> Values:
    """Read a TOML file with a table of options for each command, and return their values by parameter.

    An option is written as on the command line, without its dashes: ``keep-pairs = true`` in the table ``[train]``.
    """
    name = show_path(path)
    text = read_text(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is no TOML file ({error}); correct it", file=name) from None
    found: Values = {}
    for command, options in content.items():
        if command not in program.commands or not isinstance(options, dict):
            known = ", ".join(program.commands)
            raise InputError(f"{command!r} is no table of options of a command; the commands are {known}", file=name)
        names = {
            option.lstrip("-"): str(parameter.name)
            for parameter in program.commands[command].params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("--")
        }
        found[command] = {
            _find_parameter(key, names, command, name): _check_value(key, value, command, name)
            for key, value in options.items()
        }
    return found


def _find_parameter(key: str, names: dict[str, str], command: str, file: str) -> str:
    if key in names:
        return names[key]
    near = get_close_matches(key, names, 1)
    remedy = f"do you mean {near[0]}?" if near else f"see rekern {command} --help"
    raise InputError(f"rekern {command} has no option --{key}; {remedy}", file=file)


def _check_value(key: str, value: object, command: str, file: str) -> object:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return str(value)  # it is read like a value on the command line
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise InputError(f"{key} of [{command}] is neither a text, a number, true or false, nor a list of texts", file=file)
