"""``rekern serve``: models as an HTTP API and as pages in the browser.

The names below are loaded when they are first used. They need the extra ``web``.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.web.application import make_application
    from rekern.web.served_models import ServedModels
    from rekern.web.server import run_server
    from rekern.web.serving_limits import ServingLimits
    from rekern.web.site import Site

_MODULES = {
    "ServedModels": "served_models",
    "ServingLimits": "serving_limits",
    "Site": "site",
    "make_application": "application",
    "run_server": "server",
}

__all__ = ["ServedModels", "ServingLimits", "Site", "make_application", "run_server"]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
