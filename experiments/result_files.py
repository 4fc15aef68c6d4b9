"""Results as files."""

from __future__ import annotations

import json
from pathlib import Path

from rekern.core.files import write_atomically


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, completely or not at all.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_json(Path(folder, "result.json"), {"accuracy": 76.3})
    ...     Path(folder, "result.json").read_text()
    '{\\n  "accuracy": 76.3\\n}\\n'
    """
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
