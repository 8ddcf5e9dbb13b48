"""Checks of arguments, each with the error that says what to give."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from numbers import Real
from operator import index
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from eyelog.errors import ConfigurationError

_UNBOUNDED: Final = float("inf")

Sign = Literal["any", "not negative", "positive"]

KINDS: Final[dict[Sign, str]] = {
    "any": "a duration",
    "not negative": "a duration of 0 or more",
    "positive": "a duration longer than 0",
}


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


def number(value: Any, name: str) -> float:
    """Return a number as a float.

    Raises
    ------
    ConfigurationError
        If the value of the argument `name` is not one.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigurationError(f"{name} must be a number, not {value!r}")
    return float(value)


def names_of(value: Any, name: str) -> list[Any]:
    """Return one name, or several, as a list that has each once.

    Raises
    ------
    ConfigurationError
        If the value of the argument `name` is neither.
    """
    try:
        return [value] if isinstance(value, str) else list(dict.fromkeys(value))
    except TypeError:
        raise ConfigurationError(f"{name} takes a name or several, not {value!r}") from None


def one_of(value: Any, name: str, choices: Sequence[str]) -> None:
    """Raise `ConfigurationError` unless the argument `name` is one of a few words."""
    if value not in choices:
        words = " or ".join(map(repr, choices))
        raise ConfigurationError(f"{name} must be {words}, not {value!r}")


def proportion(value: Any, name: str) -> float:
    """Return a number from 0 to 1 as a float.

    Raises
    ------
    ConfigurationError
        If the value of the argument `name` is not one.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigurationError(f"{name} must be from 0 to 1, not {value!r}")
    return float(value)


def duration_us(
    duration: Any, name: str, *, sign: Sign = "not negative", example: str = "10min"
) -> int:
    """Return a duration in whole microseconds.

    Parameters
    ----------
    duration : str or timedelta
        Text that pandas reads (``"90s"``, ``"1h30min"``), or a timedelta of Python, numpy or
        pandas. A number without a unit is refused: pandas would read it as nanoseconds.
    name : str
        The parameter that it was given for.
    sign : {"any", "not negative", "positive"}
        Which durations are accepted.
    example : str
        The duration that the message suggests.

    Raises
    ------
    ConfigurationError
        If it is not such a duration; the message names the parameter, the value and the example.
    """
    us: int | None = None
    bare = False
    with suppress(ValueError):
        bare = isinstance(duration, str) and float(duration) != 0  # a number, without a unit
    if isinstance(duration, str | timedelta | np.timedelta64) and not bare:
        with suppress(ValueError):
            length = pd.Timedelta(duration)
            us = None if pd.isna(length) else int(length // pd.Timedelta(1, "us"))
    if us is None or (us < 0 and sign != "any") or (us == 0 and sign == "positive"):
        raise ConfigurationError(
            f"{name} must be {KINDS[sign]}, such as {example!r}, not {duration!r}"
        )
    return us


def check_events(events: Any) -> pd.DataFrame:
    """Return a table of events, in order of their starts.

    Raises
    ------
    ConfigurationError
        If it lacks a column that `eyelog.read_events` returns, a time has no zone, an event no
        start or label, or one ends before it starts.
    """
    wanted = "a table with the columns start, end and label, as eyelog.read_events returns it"
    if not isinstance(events, pd.DataFrame):
        raise ConfigurationError(f"events must be {wanted}, not a {type(events).__name__}")
    if not {"start", "end", "label"} <= {*events.columns}:
        given = ", ".join(map(repr, events.columns[:5])) or "no columns"
        raise ConfigurationError(f"events must be {wanted}, not one with {given}")
    if not events.columns.is_unique:
        twice = events.columns[events.columns.duplicated()][0]
        raise ConfigurationError(f"the events have the column {twice!r} twice: keep one of them")
    for name in ("start", "end"):
        if not isinstance(events[name].dtype, pd.DatetimeTZDtype):
            raise ConfigurationError(
                f"the column {name!r} of the events needs times with a zone:"
                f" events[{name!r}].dt.tz_localize('Asia/Tokyo')"
            )
    for name in ("start", "label"):
        if events[name].isna().any():
            raise ConfigurationError(f"an event has no {name}: give it one, or remove that row")
    backwards = events[events["end"] < events["start"]]
    if len(backwards):
        raise ConfigurationError(
            f"an event ends before it starts: {shown_event(backwards.iloc[0])}"
        )
    return events.sort_values("start", kind="stable", ignore_index=True)


def shown_event(event: "pd.Series[Any]") -> str:
    """Return an event as a message shows it."""
    end = "" if pd.isna(event["end"]) else f" to {event['end']:%Y-%m-%d %H:%M:%S}"
    return f"{event['label']!r} at {event['start']:%Y-%m-%d %H:%M:%S}{end}"
