"""The search of `rekern.krisp.derivation_chart`, compiled."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled, replace_globals
from rekern.krisp import derivation_steps_core

insert_entry = compiled(derivation_steps_core.insert_entry)
search_chart = compiled(replace_globals(derivation_steps_core.search_chart, insert_entry=insert_entry))
