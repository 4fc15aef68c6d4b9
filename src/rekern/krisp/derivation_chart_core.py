"""The search of `rekern.krisp.derivation_chart`, compiled."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled, replace_globals, uncounted
from rekern.krisp import derivation_steps_core

_NAMES = ("list_candidates", "bound_part", "count_candidates", "comes_first", "find_last", "mix_key")
_HELPERS = {name: uncounted(getattr(derivation_steps_core, name)) for name in _NAMES}
_HELPERS["set_key"] = uncounted(replace_globals(derivation_steps_core.set_key, mix_key=_HELPERS["mix_key"]))
_HELPERS["enlarge"] = compiled(derivation_steps_core.enlarge)
search_chart = compiled(replace_globals(derivation_steps_core.search_chart, **_HELPERS))
