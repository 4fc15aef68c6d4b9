"""Names for values that are read from JSON or become JSON. They are checked where they are used."""

from typing import Any

JsonObject = dict[str, Any]
