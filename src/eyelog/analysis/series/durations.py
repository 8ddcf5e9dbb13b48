"""A duration given as text, such as ``"10min"``: one parser and one message."""

from datetime import timedelta
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from eyelog.errors import ConfigurationError

Sign = Literal["any", "not negative", "positive"]

KINDS: Final[dict[Sign, str]] = {
    "any": "a duration",
    "not negative": "a duration of 0 or more",
    "positive": "a duration longer than 0",
}


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
    us = _microseconds(duration)
    if us is None or (us < 0 and sign != "any") or (us == 0 and sign == "positive"):
        raise ConfigurationError(
            f"{name} must be {KINDS[sign]}, such as {example!r}, not {duration!r}"
        )
    return us


def _microseconds(duration: Any) -> int | None:
    if not isinstance(duration, str | timedelta | np.timedelta64):
        return None
    try:
        if isinstance(duration, str) and float(duration) != 0:
            return None  # a number, without a unit
    except ValueError:
        pass
    try:
        length = pd.Timedelta(duration)
    except ValueError:
        return None
    return None if pd.isna(length) else int(length // pd.Timedelta(1, "us"))
