"""Before the first request: what is loaded or compiled when it is first used."""

from __future__ import annotations

import threading

from rekern.errors import InputError, MissingExtraError
from rekern.web.kernels_page import FAMILIES, explain_kernel, make_kernel
from rekern.web.pair_page import explain_texts, list_examples
from rekern.web.site import Site

PAUSE = 1.0  # seconds before the warm-up, so that the first request does not wait for it


def start_warm_up(site: Site) -> threading.Thread:
    """Use every model and every kernel of the pages once, in the background, and return the thread."""
    thread = threading.Timer(PAUSE, warm_up, [site])
    thread.daemon, thread.name = True, "rekern-warm-up"
    thread.start()
    return thread


def warm_up(site: Site) -> None:
    """Use every model and every kernel of the pages once."""
    for model in site.models.list_models():
        try:
            explain_texts(site, model, *list_examples(model)[0], label=None)
        except (InputError, MissingExtraError):  # the model needs more than texts
            continue
    for name, family in FAMILIES.items():
        numbers = {slider.name: slider.value for slider in family.sliders}
        left, right = (item if len(item) > 1 else item[0] for item in family.items)
        explain_kernel(make_kernel(name, numbers, "aligned", True), left, right)
