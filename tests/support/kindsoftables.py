"""Tables that people hold, one of each kind, from two days (or some weeks) of a made-up wearer.

Each kind is made from records. `halves` says that the table may also be made from the records
before and after a midnight, one after the other, and be the same.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import eyelog as el
from support.packets import packets

ZONE = "Europe/Berlin"
START = "2026-10-24"  # the clocks change on the 25th
CUT = {
    "minutes": "2026-10-25",
    "quarters": "2026-10-25 12:00",  # worn, so that no empty bins come between the halves
    "weeks": "2026-10-19",
}
WEEKS_START = "2026-10-05"

Table = Any  # a DataFrame or a Series


@dataclass(frozen=True)
class Kind:
    """How a table is made, from which records, and where these may be cut."""

    make: Callable[[pd.DataFrame], Table]
    source: str = "minutes"
    halves: bool = True
    is_series: bool = False


@cache
def records(source: str) -> pd.DataFrame:
    """Return the records that tables are made from: two days of a log, or four weeks."""
    if source == "packets":
        return packets(tz=ZONE)
    if source == "weeks":
        log = "standard_mode_logs"
        return el.simulate(WEEKS_START, 28, log=log, seed=8, tz=ZONE)
    log = "computed_data" if source == "quarters" else "standard_mode_logs"
    return el.simulate(START, 2, log=log, seed=3, tz=ZONE)


def made_in_halves(kind: Kind) -> Table:
    """Return the table of a kind, made from two parts of the records and put together."""
    frame = records(kind.source)
    # A record belongs where it opens, and its stamp closes it.
    length = pd.Timedelta("15s" if kind.source == "quarters" else "60s")
    before = frame.index < pd.Timestamp(CUT[kind.source], tz=ZONE) + length
    return pd.concat([_made(kind, frame[before]), _made(kind, frame[~before])])


@cache
def held(name: str) -> Table:
    """Return the table of a kind."""
    kind = KINDS[name]
    return _made(kind, records(kind.source))


def _made(kind: Kind, frame: pd.DataFrame) -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        return kind.make(frame)


def day_of(stamps: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return the local dates of stamps, as a person would write them into a questionnaire."""
    return pd.DatetimeIndex(stamps.tz_localize(None).normalize())


def _masked(frame: pd.DataFrame) -> pd.DataFrame:
    return el.mask(frame, el.flag(frame))


def _some_minutes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return bins of which most are missing: those of the hours with an even number."""
    bins = el.resample(frame, "10min")
    return bins[bins.index.hour % 2 == 0]


def _weeks(frame: pd.DataFrame) -> pd.DataFrame:
    return el.weekly(frame)


def _profile(frame: pd.DataFrame) -> pd.DataFrame:
    return el.rhythm.profile(frame, "stp_s")


def _events(frame: pd.DataFrame) -> pd.DataFrame:
    days = day_of(frame.index).unique()[:3]
    starts = (days + pd.Timedelta("10h30min")).tz_localize(ZONE)
    labels = pd.array(["desk", "lunch", "desk"][: len(days)], dtype="str")
    return pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("90min"), "label": labels})


def _cohort(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the days of eight accounts in two groups: stretches of the days of one wearer."""
    days = el.daily(frame)
    parts = {}
    for number in range(8):
        part = days.iloc[3 * number : 3 * number + 3].assign(group="ab"[number % 2])
        parts[f"w{number}"] = part.set_axis(days.index[:3])
    table = pd.concat(parts, names=["account"])
    table["group"] = table["group"].astype("str")
    table["age"] = np.repeat(np.arange(20.0, 28.0), 3)
    return table


def _mixed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table of a mixed model: eight accounts, three days each."""
    days = el.daily(frame)
    parts = {f"w{each}": days.iloc[3 * each : 3 * each + 3] for each in range(8)}
    return el.compare.mixed_table(parts, outcomes=["steps", "blink_rate_per_min"])


def _pairs(quantity: str) -> pd.DataFrame:
    return el.compare.minute_pairs(records("quarters"), records("minutes"), quantity=quantity)


KINDS: dict[str, Kind] = {
    "records of 60 s": Kind(lambda f: f),
    "records of 15 s": Kind(lambda f: f, "quarters"),
    "records at 20 Hz": Kind(lambda f: f, "packets", halves=False),
    "masked, 60 s": Kind(_masked),
    "masked, 15 s": Kind(_masked, "quarters"),
    "bins of 60 s": Kind(lambda f: el.resample(f, "10min")),
    "bins of 15 s": Kind(lambda f: el.resample(f, "10min"), "quarters"),
    "intervals of 60 s": Kind(lambda f: el.intervals(f, "10min")),
    # A record that lies over the cut opens an interval of the first half again in the second.
    "intervals of 15 s": Kind(lambda f: el.intervals(f, "10min"), "quarters", halves=False),
    "some bins": Kind(_some_minutes, "quarters"),
    "reasons": Kind(el.flag),
    "reasons of 15 s": Kind(el.flag, "quarters"),
    "days": Kind(el.daily, "weeks"),
    "weeks": Kind(_weeks, "weeks"),
    "a field": Kind(lambda f: f["stp_s"], is_series=True),
    "a masked field": Kind(lambda f: _masked(f)["bl"], is_series=True),
    "a masked field of 15 s": Kind(lambda f: _masked(f)["sc_fcs"], "quarters", is_series=True),
    "a raw score": Kind(lambda f: f["sc_fcs"], "quarters", is_series=True),
    "a field of bins": Kind(lambda f: el.resample(f, "10min")["stp_s"], is_series=True),
    "an hourly field": Kind(lambda f: el.resample(f, "1h")["stp"], "quarters", is_series=True),
    "a column of days": Kind(lambda f: el.daily(f)["steps"], "weeks", is_series=True),
    "states": Kind(el.states, is_series=True),
    "a condition": Kind(lambda f: el.resample(f, "10min")["stp_s"] > 60, is_series=True),
    "rates by hour": Kind(lambda f: el.blinks.rate(f, by="hour"), halves=False),
    "rates by day": Kind(lambda f: el.blinks.rate(f, by="1D"), "weeks", halves=False),
    "bouts": Kind(el.gait.bouts, halves=False),
    "events": Kind(_events, halves=False),
    "losses": Kind(lambda f: el.attrition(f, recipe="trend"), halves=False),
    "a profile": Kind(_profile, halves=False),
    "a baseline": Kind(lambda f: el.baseline.personal(el.daily(f)["steps"]), "weeks", False),
    "around events": Kind(
        lambda f: el.compare.events(
            f, _events(f)["start"], before="20min", after="20min", fields="tl_yav", draws=100
        ),
        halves=False,
    ),
    "each event": Kind(
        lambda f: el.compare.event_courses(
            f, _events(f)["start"], before="20min", after="20min", fields="tl_yav"
        ),
        halves=False,
    ),
    "days of a cohort": Kind(_cohort, "weeks", False),
    "days of a mixed model": Kind(_mixed, "weeks", False),
    "minutes of both logs": Kind(lambda _: _pairs("steps"), halves=False),
}
