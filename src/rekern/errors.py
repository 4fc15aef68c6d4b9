"""The errors that Rekern raises on purpose, each one line that names the place and the remedy."""


class InputError(ValueError):
    """A text, a label or a file that cannot be used; the message names the row or the line and what to do.

    >>> raise InputError("row 3: the source is None; drop the row or give it a text")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 3: the source is None; drop the row or give it a text
    """


class MissingDataError(InputError):
    """A resource that is not part of the package, such as a WordNet, is not where it was looked for.

    >>> issubclass(MissingDataError, InputError)
    True
    """


class ModelFileError(ValueError):
    """A model file that is damaged, truncated, of another kind, or written by a newer Rekern.

    >>> issubclass(ModelFileError, ValueError)
    True
    """


class MissingExtraError(ImportError):
    """An optional library is not installed; the message names the extra that brings it.

    >>> issubclass(MissingExtraError, ImportError)
    True
    """


def missing_extra(library: str, extra: str) -> MissingExtraError:
    """The error to raise when an optional library is absent.

    >>> missing_extra("pyarrow", "tables").args[0]
    'pyarrow is not installed: pip install "rekern[tables]"'
    """
    return MissingExtraError(f'{library} is not installed: pip install "rekern[{extra}]"')
