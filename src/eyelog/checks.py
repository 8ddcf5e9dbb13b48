"""Checks of arguments, each with the error that says what to give."""

from numbers import Real
from operator import index
from typing import Any, Final

from eyelog.errors import ConfigurationError

__all__ = ["proportion", "whole_number"]

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


def proportion(value: Any, name: str) -> float:
    """Return a number from 0 to 1 as a float.

    Raises
    ------
    ConfigurationError
        If the value of the argument `name` is not one.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    number = float(value) if is_number else float("nan")
    if not 0 <= number <= 1:
        raise ConfigurationError(f"{name} must be from 0 to 1, not {value!r}")
    return number
