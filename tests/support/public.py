"""The names that a user can reach: those of `eyelog`, of its namespaces and of its classes."""

import inspect
from types import ModuleType
from typing import Any

import eyelog as el

NAMESPACES = [name for name in dir(el) if inspect.ismodule(getattr(el, name))]
CLASSES = ["Application", "Archive", "Client", "Token"]  # classes whose methods a user calls


def _methods(name: str) -> list[str]:
    members = vars(getattr(el, name)).items()
    return [
        f"{name}.{member}"
        for member, value in members
        if not member.startswith("_") and (callable(value) or isinstance(value, property))
    ]


def public_names() -> dict[str, Any]:
    """Return every public name without the leading ``eyelog.``, and what it stands for."""
    names = [name for name in dir(el) if name not in NAMESPACES]
    for room in NAMESPACES:
        names += [f"{room}.{name}" for name in dir(getattr(el, room))]
    for name in CLASSES:
        names += _methods(name)
    return {name: resolve(name) for name in names}


def resolve(path: str) -> Any:
    """Return what a public path stands for, going through public names alone.

    Raises
    ------
    AttributeError
        If a part of the path is private, or does not exist.
    """
    thing: Any = el
    for part in path.split("."):
        private = part.startswith("_") and part != "__version__"
        hidden = isinstance(thing, ModuleType) and part not in thing.__all__ and not private
        if private or (hidden and part != "__version__"):
            raise AttributeError(f"{part} of {path} is not public")
        thing = getattr(thing, part)
    return thing
