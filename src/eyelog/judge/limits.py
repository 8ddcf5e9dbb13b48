"""Limits and thresholds, each with its source.

``limits.csv`` is the only place that defines them: what counts as worn, as noise, as walking, and
how much data a result needs. A row without a log applies to both logs. ``role`` says which field of
the catalogue is compared; ``argument`` is what a user calls it in `Limits`, where it may have
another value; ``source`` names the vendor's page, or ``eyelog`` if the project made the choice.
"""

import csv
import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from numbers import Real
from types import MappingProxyType
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import CURRENT_DATA, STANDARD_MODE_LOGS, check_log
from eyelog.checks import duration_us, one_of
from eyelog.errors import ConfigurationError
from eyelog.frame import LIMITS, RECORDED, STORED
from eyelog.judge.arrays import Bools, Floats

Test = Callable[..., Bools]

# The comparisons that keep a limit, which a missing value never does, and how each is said.
_TESTS: Final[Mapping[str, tuple[Test, str]]] = {
    "x >= a": (lambda x, a: x >= a, "at least {}"),
    "x <= a": (lambda x, a: x <= a, "at most {}"),
    "x > a": (lambda x, a: x > a, "more than {}"),
    "a <= x <= b": (lambda x, a, b: (x >= a) & (x <= b), "{} to {}"),
    "a <= x < b": (lambda x, a, b: (x >= a) & (x < b), "{} to below {}"),
}


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: its field, how values are compared, and its source."""

    name: str
    log: str
    role: str
    comparison: str
    values: tuple[float, ...]
    unit: str
    words: str
    source: str
    note: str
    label: str = ""
    argument: str = ""

    @property
    def value(self) -> float:
        """The limit itself, if it is a single number."""
        (value,) = self.values
        return value

    def at(self, *values: float) -> "Limit":
        """Return the same limit with other values."""
        return dataclasses.replace(self, values=values)

    def keeps(self, values: Floats, *, missing: bool = False) -> Bools:
        """Return which values keep the limit; a missing value does if `missing` says so."""
        kept = _TESTS[self.comparison][0](values, *self.values)
        return kept | np.isnan(values) if missing else kept

    def text(self, field: str) -> str:
        """Return the limit in words."""
        return self.words.format(field=field, **dict(zip("ab", self.values, strict=False)))

    @property
    def value_text(self) -> str:
        """The value with its unit, as it stands beside the label: ``at least 3 min``."""
        if self.unit == "bool":
            return "set" if self.comparison == "x > a" or self.value else "not set"
        if self.unit == "share":
            return _TESTS[self.comparison][1].format(f"{self.value:.0%}".replace("%", " %"))
        values, unit = self.values, self.unit
        for longer, seconds in (("h", 3600.0), ("min", 60.0)):
            if unit == "s" and values[0] >= 120 and values[0] % seconds == 0:
                values, unit = (values[0] / seconds,), longer
        after = "" if unit in ("count", "score") else f" {unit}"
        numbers = [f"{value:g}" for value in values]
        if self.comparison == "edges":  # of zones, which lie around 0 evenly
            right = [value for value in values if value >= 0]
            return ", ".join(f"±{v:g}" if v else "0" for v in right) + after
        if self.comparison == "a <= x < b" and unit == "h":  # hours of day, not a length of time
            return f"{numbers[0]} to {numbers[1]} o'clock"
        return _TESTS[self.comparison][1].format(*numbers) + after


@cache
def _rows() -> tuple[Limit, ...]:
    text = files("eyelog.judge").joinpath("limits.csv").read_text("utf-8")
    return tuple(
        Limit(values=tuple(map(float, row.pop("value").split())), **row)
        for row in csv.DictReader(text.splitlines())
    )


@cache
def limits(log: str) -> Mapping[str, Limit]:
    """Return the limits that apply to a log, by name."""
    check_log(log)
    return MappingProxyType({row.name: row for row in _rows() if row.log in ("", log)})


@cache
def limit(log: str, name: str) -> Limit:
    """Return one limit of a log; `KeyError` if the log has no limit of that name."""
    return limits(log)[name]


Wear = Literal["device", "blinks"]

# The limits that choose among what is left; all others decide which values are masked.
_AFTERWARDS: Final = ("min_walked_for_pace", "min_valid", "min_run", "min_day")
_SECONDS: Final[Mapping[str, float]] = {"s": 1.0, "h": 3600.0}


def _default(name: str, log: str = STANDARD_MODE_LOGS) -> str:
    rule = limit(log, name)
    return f"{rule.value:g}{rule.unit}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What counts as worn, as noise, as walking, and as enough: one object for every function.

    A function that judges values or counts time takes it as ``limits=``, so the hours and the
    values of one table always follow the same limits.

    Parameters
    ----------
    min_worn : str
        60-second log: a minute with less wear (``wea_s``) than this is not worn. The documented 20
        s are for long trends. In the 15-second log an interval is worn or not (``isl``).
    min_worn_for_steps : str
        60-second log: the same for step counts and for walking time.
    max_noise : str, optional
        An interval with more noise is noisy. Default: 3 s of 15, 10 s of 60.
    walking_above : float
        More steps in 15 s, or more seconds of walking in 60 s, count as walking.
    min_walked_for_pace : str
        60-second log: a minute with less walking has no pace.
    tilt_sideways_deg, tilt_fore_aft_deg : (float, float)
        Tilt in degrees (``tl_xav``, ``tl_yav``) while the eyewear is worn, ends included; beyond
        it, the eyewear is stored.
    wear : {"device", "blinks"}
        What shows wear. When a wearer sits still, the eyewear may record that it is off. With
        ``"blinks"`` an interval in pose in which blinks were counted (``bk_n``; 60-second log:
        ``sc_bk_n``, and then all of ``val_s``) counts as worn too.
    min_valid : str
        Shortest usable time that gives a blink rate.
    min_run : str
        Shortest run of wear that counts for the first or the last wear of a day. Eyewear that is
        taken out of its case, or moves in a bag, looks worn for a record or two.
    min_day : str
        Shortest wear of a day that counts in a weekly summary.
    unworn_before : str
        20 Hz log: how long before a record that is not worn the eyewear was off.
    noise_after : str
        20 Hz log: how long after a record with noise eye data cannot be used.
    walking_before, walking_after : str
        20 Hz log: how long before and after a step the wearer walks.

    Raises
    ------
    ConfigurationError
        If a limit is not usable. A duration is text with a unit (``"20s"``, ``"5min"``, ``"4h"``).

    Notes
    -----
    The defaults are those of `limits.csv`, most of them documented by the vendor; ``print(limits)``
    shows each with its source.

    Examples
    --------
    >>> import eyelog as el
    >>> strict = el.Limits(max_noise="1s", min_day="8h")
    >>> strict
    Limits(max_noise='1s', min_day='8h')
    >>> frame = el.sample()
    >>> usual, less = (el.daily(frame, limits=one)["valid_h"].sum() for one in (None, strict))
    >>> bool(less < usual)
    True
    """

    min_worn: str = _default("worn")
    min_worn_for_steps: str = _default("worn_for_steps")
    max_noise: str | None = None
    walking_above: float = limit(STANDARD_MODE_LOGS, "walking").value
    min_walked_for_pace: str = _default("walked_for_pace")
    tilt_sideways_deg: tuple[float, float] = cast(
        tuple[float, float], limit(STANDARD_MODE_LOGS, "tilt_sideways").values
    )
    tilt_fore_aft_deg: tuple[float, float] = cast(
        tuple[float, float], limit(STANDARD_MODE_LOGS, "tilt_fore_aft").values
    )
    wear: Wear = "device"
    min_valid: str = "3min"
    min_run: str = "5min"
    min_day: str = "4h"
    unworn_before: str = _default("unworn_before", CURRENT_DATA)
    noise_after: str = _default("noise_after", CURRENT_DATA)
    walking_before: str = _default("walking_before", CURRENT_DATA)
    walking_after: str = _default("walking_after", CURRENT_DATA)

    def __post_init__(self) -> None:
        above = self.walking_above
        if isinstance(above, bool) or not (isinstance(above, Real) and 0 <= above < math.inf):
            raise ConfigurationError(f"walking_above must be a number of at least 0, not {above!r}")
        one_of(self.wear, "wear", ("device", "blinks"))
        for name in (each.name for each in dataclasses.fields(self)):
            given = getattr(self, name)
            if name.endswith("_deg"):
                object.__setattr__(self, name, _range(name, given))
            elif name == "walking_above":
                object.__setattr__(self, name, given.item() if hasattr(given, "item") else given)
            elif name != "wear" and given is not None:
                us = duration_us(given, name, example=str(_DEFAULTS.get(name) or "10s"))
                if not isinstance(given, str):
                    object.__setattr__(self, name, f"{us / 1e6:g}s")

    def judges_as(self, other: "Limits") -> bool:
        """Return whether values are judged alike: what a day or a rate needs may differ."""
        of_values = _DEFAULTS.keys() - set(_AFTERWARDS)
        return all(getattr(self, name) == getattr(other, name) for name in of_values)

    def seconds(self, name: str) -> float:
        """Return a duration of these limits in seconds."""
        return pd.Timedelta(getattr(self, name)).total_seconds()

    @cache  # noqa: B019 - limits are few and small
    def of(self, log: str) -> Mapping[str, Limit]:
        """Return the limits that apply to a log, by their names in ``limits.csv``."""
        rows = dict(limits(log))
        for name, row in rows.items():
            given = getattr(self, row.argument, None)
            if isinstance(given, str):
                given = self.seconds(row.argument) / _SECONDS[row.unit]
            if given is not None:
                rows[name] = row.at(*(given if isinstance(given, tuple) else (float(given),)))
        return MappingProxyType(rows)

    def details(self) -> dict[str, Any]:
        """Return the limits that are not the default, JSON-safe, for the history of a table."""
        stated = {name: getattr(self, name) for name in _DEFAULTS}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in stated.items()
            if value != _DEFAULTS[name]
        }

    def table(self) -> pd.DataFrame:
        """Return one row per limit: what it is, its value and unit for each log, its source.

        Returns
        -------
        DataFrame
            Index ``limit``, the name of the argument; string columns ``log`` (empty for both),
            ``value``, ``default`` and ``source``.
        """
        rows = []
        for name, default in _DEFAULTS.items():
            of_logs = [row for row in _rows() if row.argument == name]
            stated = [(row.log, row.source, f"{row.values[0]:g}{row.unit}") for row in of_logs]
            for log, source, documented in stated or [("", "eyelog", "")]:
                both = (getattr(self, name), default)
                said = (documented if each is None else _text(each) for each in both)
                rows.append((name, log, *said, source))
        names = ["limit", "log", "value", "default", "source"]
        return pd.DataFrame(rows, columns=names, dtype="string").set_index("limit")

    def __repr__(self) -> str:
        given = [f"{name}={getattr(self, name)!r}" for name in self.details()]
        return f"Limits({', '.join(given)})"

    def __str__(self) -> str:
        return self.table().to_string()

    def _repr_html_(self) -> str:
        return self.table().to_html()


_DEFAULTS: Final[Mapping[str, Any]] = {
    each.name: each.default for each in dataclasses.fields(Limits)
}


def chosen_limits(limits: Limits | None, frame: pd.DataFrame | None = None) -> Limits:
    """Return the limits given, otherwise the default ones; refuse a frame that followed others.

    Raises
    ------
    ConfigurationError
        If `limits` is not an `eyelog.Limits`, or the rows of the frame were judged by other ones.
    """
    if limits is not None and not isinstance(limits, Limits):
        raise ConfigurationError(
            f"limits must be eyelog.Limits(...), such as eyelog.Limits(max_noise='1s'), not"
            f" {limits!r}"
        )
    given = DEFAULT if limits is None else limits
    said = frame is not None and not {LIMITS, RECORDED}.isdisjoint(frame.columns)
    used = limits_of(cast(pd.DataFrame, frame)) if said else None
    if used and not used.judges_as(given):
        made = "made into Intervals" if RECORDED in cast(pd.DataFrame, frame) else "masked"
        raise ConfigurationError(
            f"the frame was {made} with other limits: pass limits=eyelog.{used!r}, so that hours"
            " and values follow the same ones"
        )
    return given


def limits_column(limits: Limits, rows: int) -> Any:
    """Return the column ``limits`` of a table that was judged by these limits."""
    return pd.Categorical([json.dumps(limits.details())]).repeat(rows)


def limits_of(frame: pd.DataFrame) -> Limits | None:
    """Return the limits by which a masked frame or Intervals were judged; None for records.

    Raises
    ------
    ConfigurationError
        If its rows were judged by several.
    """
    names = {*frame.columns} if isinstance(frame, pd.DataFrame) else set()
    if LIMITS not in names or names.isdisjoint([STORED, RECORDED]):
        return DEFAULT if RECORDED in names else None
    # A masked row without limits holds no record; Intervals without any follow the default ones.
    column = frame[LIMITS]
    kinds = column.array.categories if isinstance(column.dtype, pd.CategoricalDtype) else ()
    every = kinds if len(kinds) == 1 and STORED in names and len(frame) else column.unique()
    known = [text for text in every if RECORDED in names or not pd.isna(text)]
    texts = ["{}" if pd.isna(text) else str(text) for text in known]
    used: list[Limits] = []
    try:
        for given in (Limits(**json.loads(text)) for text in texts):
            if not any(given.judges_as(other) for other in used):
                used.append(given)
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"column {LIMITS!r} holds {texts[0]!r}, not limits as eyelog.mask and eyelog.intervals"
            " write them: mask the records again"
        ) from None
    if len(used) > 1:
        raise ConfigurationError(
            f"the rows were judged by several limits, eyelog.{used[0]!r} and eyelog.{used[1]!r}:"
            " judge the records of all of them by the same ones"
        )
    return used[0] if used else None


def _range(name: str, given: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise ConfigurationError(f"{name} must be (low, high) in degrees, not {given!r}")
    return low, high


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return " to ".join(f"{end:g}" for end in value)
    return f"{value:g}" if isinstance(value, int | float) else str(value)


DEFAULT: Final = Limits()
