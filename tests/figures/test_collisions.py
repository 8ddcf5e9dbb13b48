"""No text touches another or is cut: figures x hostile data x layouts x widths of a journal.

The figures of tables of one column, of comparisons and of cohorts: a third of them at 89 mm in the
fast tests, and each at one of the widths in the slow ones, where these have another.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.collisions import (
    assert_readable,
    collisions_when_saved,
    drawn_in,
    in_turn,
)

JAPANESE = "新しい眼鏡をかけて仕事をした日の午後"
LONG = "the afternoon in the office with many people"
ZONES = el.Zones([("", "Asia/Tokyo"), ("2026-03-05", "America/New_York")])
SIXTY = "standard_mode_logs"


@cache
def frame(days: int = 21, tz: Any = "Asia/Tokyo") -> pd.DataFrame:
    return el.simulate("2026-03-02", days, log=SIXTY, seed=3, tz=tz)


@cache
def daily(days: int) -> pd.DataFrame:
    """Return days of a made-up wearer, of as many years as are wanted."""
    index = pd.date_range("2025-12-15", periods=days, name="day")
    draw = np.random.default_rng(1)
    table = pd.DataFrame({"steps": draw.gamma(9, 800, days), "worn_h": 10.0}, index=index)
    return table.assign(blink_rate_per_min=draw.normal(15, 1, days), tilt_fore_aft_deg=-12.0)


@cache
def hourly(days: int, tz: str = "Asia/Tokyo") -> pd.Series:
    index = pd.date_range("2025-12-15", periods=24 * days, freq="h", tz=tz, name="date")
    draw = np.random.default_rng(1)
    return pd.Series(draw.gamma(2, 800, len(index)), index=index, name="stp")


@cache
def wearers(n: int, days: int = 14, groups: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    tables = {f"{JAPANESE}{i}": daily(days + i)[i:] for i in range(n)}
    table = pd.concat(tables, names=["account"])
    number = table.index.get_level_values("account").str.removeprefix(JAPANESE).astype(int)
    return table.assign(group=np.array(groups)[number % len(groups)])


@cache
def rates(labels: tuple[str, ...]) -> pd.DataFrame:
    whole = frame(3)
    given = np.array(labels)[np.arange(len(whole)) % len(labels)]
    return el.blinks.rate(whole, by=given, of="wearer")


@cache
def pairs(n: int) -> tuple[pd.DataFrame, Any]:
    draw = np.random.default_rng(1)
    first, second = draw.normal(1e5, 3e4, (2, n))
    table = pd.DataFrame({"mean": (first + second) / 2, "difference": first - second})
    return table, el.compare.limits_of_agreement(first, second)


def bouts(n: int) -> pd.DataFrame:
    draw = np.random.default_rng(1)
    start = pd.Timestamp("2026-03-29", tz="Europe/Berlin") + pd.to_timedelta(
        draw.uniform(0, 9e4, n), unit="min"
    )
    minutes = draw.lognormal(1.5, 1.0, n)
    return pd.DataFrame(
        {
            "start": start,
            "end": start + pd.to_timedelta(minutes, unit="min"),
            "duration_min": minutes,
            "pace_spm": 100.0,
        }
    ).rename_axis("bout")


@cache
def around(n: int, window: str) -> pd.DataFrame:
    whole = frame(7)
    times = whole.index[600 : 600 + 97 * n : 97]
    return el.compare.events(whole, times, before=window, after=window, fields="hm_yo")


def unworn(series: pd.Series) -> pd.Series:
    return series * np.nan


def profile(series: pd.Series, by: Any = "hour", **ax: Any) -> Any:
    return el.plot_profile(el.rhythm.profile(series, by=by), **ax)


def rhythm(series: pd.Series, **ax: Any) -> Any:
    return el.plot_rhythm(
        el.rhythm.profile(series),
        most_active=el.rhythm.most_active(series),
        least_active=el.rhythm.least_active(series),
        cosinor=el.rhythm.cosinor(series),
        **ax,
    )


def distribution(series: pd.Series, **settings: Any) -> Any:
    return el.plot_distribution(series, typical=el.baseline.typical_value(series), **settings)


def baseline(days: pd.DataFrame, **ax: Any) -> Any:
    return el.plot_baseline(el.baseline.personal(days, "steps"), **ax)


CASES: Mapping[str, Callable[..., Any]] = {
    "profile: one day": lambda **ax: profile(hourly(1), **ax),
    "profile: one record": lambda **ax: profile(hourly(1)[:1], **ax),
    "profile: a year": lambda **ax: profile(hourly(365), **ax),
    "profile: weekdays": lambda **ax: profile(hourly(28), "weekday", **ax),
    "profile: hours of the week": lambda **ax: profile(hourly(60), ["weekday", "hour"], **ax),
    "profile: clock change": lambda **ax: profile(hourly(120, "Europe/Berlin"), **ax),
    "rhythm: one day": lambda **ax: rhythm(hourly(1), **ax),
    "rhythm: a year": lambda **ax: rhythm(hourly(365), **ax),
    "rhythm: one value": lambda **ax: rhythm(hourly(1)[:1], **ax),
    "rate: hours": lambda **ax: el.plot_rate(el.blinks.rate(frame(), by="hour"), **ax),
    "rate: hours of a journey": lambda **ax: el.plot_rate(
        el.blinks.rate(frame(7, ZONES), by="hour"), **ax
    ),
    "rate: weekdays": lambda **ax: el.plot_rate(
        el.posture.head_movements(frame(), by="weekday"), "yaw_per_h", **ax
    ),
    "rate: weeks": lambda **ax: el.plot_rate(el.blinks.rate(frame(), by="week"), **ax),
    "rate: one day": lambda **ax: el.plot_rate(el.blinks.rate(frame(1), by="1D"), **ax),
    "rate: names": lambda **ax: el.plot_rate(rates((JAPANESE, LONG, "home")), **ax),
    "rate: all": lambda **ax: el.plot_rate(el.blinks.rate(frame(1)), **ax),
    "rate: unworn": lambda **ax: el.plot_rate(
        el.blinks.rate(frame(1).assign(wea_s=0.0), by="hour"), **ax
    ),
    "distribution: a year": lambda **ax: distribution(hourly(365), **ax),
    "distribution: one value": lambda **ax: distribution(hourly(1)[:1], **ax),
    "distribution: names": lambda **ax: distribution(
        hourly(2), by=np.repeat([JAPANESE, LONG, "c"], 16), **ax
    ),
    "distribution: cumulative": lambda **ax: distribution(
        hourly(7), by="weekday", cumulative=True, **ax
    ),
    "bouts: one": lambda **ax: el.plot_bouts(bouts(1), column="pace_spm", **ax),
    "bouts: a summer": lambda **ax: el.plot_bouts(bouts(5000), **ax),
    "baseline: one day": lambda **ax: baseline(daily(1), **ax),
    "baseline: two months": lambda **ax: baseline(daily(60), **ax),
    "baseline: a year": lambda **ax: baseline(daily(380), **ax),
    "baseline: unworn": lambda **ax: baseline(daily(30).assign(steps=np.nan), **ax),
    "events: one": lambda **ax: el.plot_events(around(1, "10min"), **ax),
    "events: hours": lambda **ax: el.plot_events(around(30, "3h"), change=True, **ax),
    "agreement: three pairs": lambda **ax: el.plot_agreement(*pairs(3), **ax),
    "agreement: thousands": lambda **ax: el.plot_agreement(*pairs(3000), quantity="steps", **ax),
    "cohort: lines of one day": lambda **ax: el.plot_cohort(wearers(3, 1), "steps", **ax),
    "cohort: lines of 300": lambda **ax: el.plot_cohort(wearers(300), "steps", **ax),
    "cohort: rows of a few": lambda **ax: el.plot_cohort(
        wearers(5), "steps", kind="caterpillar", **ax
    ),
    "cohort: rows of 300": lambda **ax: el.plot_cohort(
        wearers(300), "steps", kind="caterpillar", **ax
    ),
    "cohort: groups": lambda **ax: el.plot_cohort(
        wearers(30, groups=(JAPANESE, LONG, "c")), "steps", kind="groups", by="group", **ax
    ),
    "cohort: groups of many names": lambda **ax: el.plot_cohort(
        wearers(12, groups=(JAPANESE + "一", JAPANESE + "二")), kind="groups", by="group", **ax
    ),
    "cohort: groups of one": lambda **ax: el.plot_cohort(
        wearers(2), "steps", kind="groups", by="group", **ax
    ),
    "daily: one day": lambda **ax: el.plot_daily(daily(1), "steps", **ax),
    "daily: a year": lambda **ax: el.plot_daily(daily(380), "blink_rate_per_min", **ax),
    "daily: unworn": lambda **ax: el.plot_daily(daily(9).assign(steps=np.nan), "steps", **ax),
}


def diary(n: int) -> pd.DataFrame:
    """Return a diary of the last days of two weeks: moments and stretches of a few hours."""
    starts = pd.date_range("2026-03-09 08:00", periods=n, freq=f"{144 // n}h", tz="Asia/Tokyo")
    ends = (starts + pd.Timedelta("3h")).where(np.arange(n) % 2 == 0)
    return pd.DataFrame({"start": starts, "end": ends, "label": np.array([JAPANESE, LONG] * n)[:n]})


OWN: Mapping[str, Callable[[], Any]] = {
    "week": lambda: el.plot_week(daily(30)),
    "week: one day": lambda: el.plot_week(daily(1)),
    "week: states": lambda: el.plot_week(el.daily(frame(14)), states=frame(14)),
    "week: states of one day": lambda: el.plot_week(el.daily(frame(1)), states=frame(1)),
    "week: a diary": lambda: el.plot_week(el.daily(frame(14)), states=frame(14), events=diary(4)),
    "week: a long diary": lambda: el.plot_week(
        el.daily(frame(14)), states=frame(14), events=diary(36)
    ),
    "month": lambda: el.plot_month(daily(60)),
    "month: one day": lambda: el.plot_month(daily(1)),
    "change: days": lambda: el.plot_change(daily(28), "steps", at="2025-12-29"),
    "change: names": lambda: el.plot_change(
        daily(28).assign(lenses=[JAPANESE, LONG] * 14), "steps", by="lenses"
    ),
    "change: 300 wearers": lambda: el.plot_change(wearers(300), "steps", by="group"),
    "actogram: two weeks": lambda: el.plot_actogram(el.states(frame(14))),
    "actogram: one day": lambda: el.plot_actogram(el.states(frame(1))),
    "actogram: wearers": lambda: el.plot_actogram(wearers(12)),
    "actogram: 300 wearers": lambda: el.plot_actogram(wearers(300)),
}
QUIET = pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")


@QUIET
@pytest.mark.parametrize("case", [*CASES, *OWN][::3])
def test_texts_keep_apart_in_one_column_of_a_journal(case: str) -> None:
    draw = CASES.get(case) or OWN[case]
    assert_readable(drawn_in(draw), 89)


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(("case", "width_mm"), in_turn([*CASES, *OWN], (183, 89, 247)))
def test_texts_keep_apart_at_every_width(case: str, width_mm: float) -> None:
    draw = CASES.get(case) or OWN[case]
    assert_readable(drawn_in(draw), width_mm)


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(("case", "width"), in_turn([*CASES, *OWN][::3], ["single", "double"]))
def test_the_line_that_names_the_subject_keeps_apart(case: str, width: str, tmp_path: Path) -> None:
    drawn = (CASES.get(case) or OWN[case])()
    assert not collisions_when_saved(drawn, tmp_path / "a.png", width=width, subject="P017")
