"""Names for what is read from JSON or becomes JSON. No type says more: it is checked where it is used."""

from collections.abc import Mapping
from typing import Any

Json = Any  # None, a truth value, a number, a text, a list or an object
JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
