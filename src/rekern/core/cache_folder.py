"""The folder for files that Rekern can make again, such as parses."""

import os
from pathlib import Path

VARIABLE = "REKERN_CACHE"


def cache_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for cached files; it is not created.

    This is ``folder`` if it is given, else the environment variable REKERN_CACHE, else ``rekern`` in the user's cache
    folder (XDG_CACHE_HOME, or ``~/.cache``).

    >>> cache_folder("mine").name
    'mine'
    """
    if folder is not None and os.fspath(folder):
        return Path(folder)
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    user = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(user) if os.path.isabs(user) else Path.home() / ".cache") / "rekern"
