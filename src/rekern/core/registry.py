"""The registry: the classes whose objects may stand in a model file.

A class joins with the decorator `register` when its module is imported. A model file names classes only, so nothing
but a registered class is ever made from it. Another package brings kernels, scores, tokenizers, word spaces or models
of its own by an entry point in the group ``rekern.parts``, whose name is the name of the class::

    [project.entry-points."rekern.parts"]
    Reversal = "my_package.kernels:Reversal"
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from rekern.errors import InputError

GROUP = "rekern.parts"
# The packages that hold Rekern's own classes; the public names of each are in its ``__all__``. Cheap imports first.
DOORS = (
    *("rekern.questions", "rekern.krisp"),
    *("rekern.structures", "rekern.kernels", "rekern.similarity", "rekern.learning"),
)

Class = TypeVar("Class", bound=type)

_CLASSES: dict[str, type] = {}


def register(kind: Class) -> Class:
    """Let objects of a class stand in model files, under the name of the class.

    An object of the class is stored by its parameters if it has ``get_params`` (as all kernels do), else by what its
    ``to_dict()`` gives, from which ``from_dict`` makes it again. A model has ``to_archive`` and ``from_archive``
    (see `rekern.core.model_archive`).

    >>> @register
    ... class Threshold:
    ...     def __init__(self, value):
    ...         self.value = value
    ...     def to_dict(self):
    ...         return {"value": self.value}
    ...     @classmethod
    ...     def from_dict(cls, state):
    ...         return cls(state["value"])
    >>> find_class("Threshold") is Threshold
    True
    """
    known = _CLASSES.get(kind.__name__)
    if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise InputError(
            f"a class named {kind.__name__} is registered already, by {known.__module__}; give yours another name"
        )
    _CLASSES[kind.__name__] = kind
    return kind


def find_class(name: str) -> type | None:
    """The class registered under a name, its package imported if need be; None if there is none.

    >>> find_class("Spectrum").__name__, find_class("no such class")
    ('Spectrum', None)
    """
    if name not in _CLASSES and not any(_open_door(door, name) for door in DOORS):
        _load_entry_points(name)
    return _CLASSES.get(name)


def list_classes(base: type) -> list[type]:
    """All registered classes that are subclasses of this one, those of other packages included, sorted by name.

    >>> from rekern.kernels import Kernel
    >>> "Spectrum" in [kind.__name__ for kind in list_classes(Kernel)]
    True
    """
    for door in DOORS:
        for name in import_module(door).__all__:
            _open_door(door, name)
    _load_entry_points()
    return sorted((kind for kind in _CLASSES.values() if issubclass(kind, base)), key=lambda kind: kind.__name__)


def _open_door(door: str, name: str) -> bool:
    """Import the package, and the module of the name if the package loads it on demand; whether it is registered."""
    package = import_module(door)
    if name in package.__all__:
        getattr(package, name)
    return name in _CLASSES


def _load_entry_points(name: str | None = None) -> None:
    """Import the classes that other packages bring, all or the one of this name, and register them."""
    for point in entry_points(group=GROUP):
        if name is not None and point.name != name:
            continue
        try:
            kind = point.load()
        except (ImportError, AttributeError) as error:
            raise InputError(f"{point.name} cannot be loaded ({error}): install {point.value} again") from None
        if not isinstance(kind, type) or kind.__name__ != point.name:
            raise InputError(f"the entry point {point.name} = {point.value} must name a class called {point.name}")
        register(kind)
