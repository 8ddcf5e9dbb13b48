"""Checks of arguments, each with the error that says what to give."""

from operator import index
from typing import Any, Final

from eyelog.errors import ConfigurationError

__all__ = ["whole_number"]

_UNBOUNDED: Final = float("inf")


def whole_number(value: Any, name: str, least: int, most: float = _UNBOUNDED) -> int:
    """Return a whole number of Python or numpy as an int.

    Raises
    ------
    ConfigurationError
        If the value of the argument `name` is not a whole number from `least` to `most`. True and
        False are not numbers here.
    """
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        room = f"of at least {least}" if most == _UNBOUNDED else f"from {least} to {most}"
        raise ConfigurationError(f"{name} must be a whole number {room}, not {value!r}")
    return number
