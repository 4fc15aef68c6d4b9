"""Groups of options that several commands share: a dataclass whose fields are the options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from typing import ClassVar, get_type_hints


class OptionGroup:
    """The base of groups of options: each subclass is a frozen dataclass, each field has Typer's annotation."""

    __dataclass_fields__: ClassVar[dict[str, object]]


def expand_options(leave_out: Sequence[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option for each field of every `OptionGroup` among its parameters.

    The command itself receives each group as one argument. ``leave_out`` names fields that the command does not offer;
    they keep their defaults.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size(OptionGroup):
    ...     width: int = 1
    ...     height: int = 2
    >>> @expand_options(leave_out=("height",))
    ... def draw(*, size: Size) -> None:
    ...     print(size)
    >>> list(inspect.signature(draw).parameters)
    ['width']
    >>> draw(width=5)
    Size(width=5, height=2)
    """

    def expand(command: Callable[..., None]) -> Callable[..., None]:
        groups: dict[str, Callable[..., object]] = {}
        options: dict[str, list[str]] = {}
        parameters: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            kind = parameter.annotation
            if not (isinstance(kind, type) and issubclass(kind, OptionGroup)):
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
                continue
            offered = [parameter for parameter in _list_parameters(kind) if parameter.name not in leave_out]
            groups[name] = kind
            options[name] = [parameter.name for parameter in offered]
            parameters += offered

        def run(**values: object) -> None:
            built = {
                name: group(**{option: values.pop(option) for option in options[name]})
                for name, group in groups.items()
            }
            command(**values, **built)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return expand


def _list_parameters(group: type[OptionGroup]) -> list[inspect.Parameter]:
    """Return a parameter for each field of a group, with the field's default and annotation."""
    annotations = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=annotations[field.name],
        )
        for field in fields(group)  # type: ignore[arg-type]
    ]
