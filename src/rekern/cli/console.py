"""The console of all commands: Rich's, without any style if the user wants no color, and quiet about closed pipes."""

import os

from rich.console import Console
from rich.text import Text

from rekern.core.messages import show_controls


class PlainConsole(Console):
    """A console that prints text literally; with NO_COLOR in the environment it prints no bold text either.

    >>> PlainConsole().print("[bold]not markup[/bold]")
    [bold]not markup[/bold]
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(
            stderr=stderr,
            markup=False,
            highlight=False,
            emoji=False,
            legacy_windows=False,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
        )

    def render_str(self, text: str, **options: object) -> Text:
        """Return a text to be printed, without control characters, which may come from files and databases."""
        return super().render_str(show_controls(text), **options)  # type: ignore[arg-type]

    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to `rekern.cli.exit_codes`, as for all other output."""
        raise BrokenPipeError
