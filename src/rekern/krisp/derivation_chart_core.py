"""The search of `rekern.krisp.derivation_chart`, compiled."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled, replace_globals
from rekern.krisp import derivation_chart_steps

insert_entry = compiled(derivation_chart_steps.insert_entry)
search_chart = compiled(replace_globals(derivation_chart_steps.search_chart, insert_entry=insert_entry))
