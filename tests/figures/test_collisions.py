"""No text touches another or is cut: figures x hostile data x widths of a journal.

An eighth of them at 89 mm in the fast tests, and each at one of the widths in the slow ones.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.collisions import collisions_when_saved

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


def profile(series: pd.Series, by: Any = "hour") -> Any:
    return el.plot_profile(el.rhythm.profile(series, by=by))


def distribution(series: pd.Series, **settings: Any) -> Any:
    return el.plot_distribution(series, typical=el.baseline.typical_value(series), **settings)


CASES: dict[str, Callable[[], Any]] = {
    "profile: one day": lambda: profile(hourly(1)),
    "profile: one record": lambda: profile(hourly(1)[:1]),
    "profile: a year": lambda: profile(hourly(365)),
    "profile: weekdays": lambda: profile(hourly(28), "weekday"),
    "profile: hours of the week": lambda: profile(hourly(60), ["weekday", "hour"]),
    "profile: clock change": lambda: profile(hourly(120, "Europe/Berlin")),
    "rhythm: one day": lambda: el.plot_rhythm(hourly(1)),
    "rhythm: a year": lambda: el.plot_rhythm(hourly(365)),
    "rhythm: one value": lambda: el.plot_rhythm(hourly(1)[:1]),
    "rate: hours": lambda: el.plot_rate(el.blinks.rate(frame(), by="hour")),
    "rate: hours of a journey": lambda: el.plot_rate(el.blinks.rate(frame(7, ZONES), by="hour")),
    "rate: weekdays": lambda: el.plot_rate(
        el.posture.head_movements(frame(), by="weekday"), "yaw_per_h"
    ),
    "rate: weeks": lambda: el.plot_rate(el.blinks.rate(frame(), by="week")),
    "rate: one day": lambda: el.plot_rate(el.blinks.rate(frame(1), by="1D")),
    "rate: names": lambda: el.plot_rate(rates((JAPANESE, LONG, "home"))),
    "rate: all": lambda: el.plot_rate(el.blinks.rate(frame(1))),
    "rate: unworn": lambda: el.plot_rate(el.blinks.rate(frame(1).assign(wea_s=0.0), by="hour")),
    "distribution: a year": lambda: distribution(hourly(365)),
    "distribution: one value": lambda: distribution(hourly(1)[:1]),
    "distribution: names": lambda: distribution(hourly(2), by=np.repeat([JAPANESE, LONG, "c"], 16)),
    "distribution: cumulative": lambda: distribution(hourly(7), by="weekday", cumulative=True),
    "bouts: one": lambda: el.plot_bouts(bouts(1), column="pace_spm"),
    "bouts: a summer": lambda: el.plot_bouts(bouts(5000)),
    "baseline: one day": lambda: el.plot_baseline(daily(1), "steps"),
    "baseline: two months": lambda: el.plot_baseline(daily(60), "steps"),
    "baseline: a year": lambda: el.plot_baseline(daily(380), "steps"),
    "baseline: unworn": lambda: el.plot_baseline(daily(30).assign(steps=np.nan), "steps"),
    "events: one": lambda: el.plot_events(around(1, "10min")),
    "events: hours": lambda: el.plot_events(around(30, "3h"), change=True),
    "agreement: three pairs": lambda: el.plot_agreement(*pairs(3)),
    "agreement: thousands": lambda: el.plot_agreement(*pairs(3000), quantity="steps"),
    "cohort: lines of one day": lambda: el.plot_cohort(wearers(3, 1), "steps"),
    "cohort: lines of 300": lambda: el.plot_cohort(wearers(300), "steps"),
    "cohort: rows of a few": lambda: el.plot_cohort(wearers(5), "steps", kind="caterpillar"),
    "cohort: rows of 300": lambda: el.plot_cohort(wearers(300), "steps", kind="caterpillar"),
    "cohort: groups": lambda: el.plot_cohort(
        wearers(30, groups=(JAPANESE, LONG, "c")), "steps", kind="groups", by="group"
    ),
    "cohort: groups of many names": lambda: el.plot_cohort(
        wearers(12, groups=(JAPANESE + "一", JAPANESE + "二")), kind="groups", by="group"
    ),
    "cohort: groups of one": lambda: el.plot_cohort(wearers(2), "steps", kind="groups", by="group"),
    "daily: one day": lambda: el.plot_daily(daily(1), "steps"),
    "daily: a year": lambda: el.plot_daily(daily(380), "blink_rate_per_min"),
    "daily: unworn": lambda: el.plot_daily(daily(9).assign(steps=np.nan), "steps"),
}


def diary(n: int) -> pd.DataFrame:
    """Return a diary of the last days of two weeks: moments and stretches of a few hours."""
    starts = pd.date_range("2026-03-09 08:00", periods=n, freq=f"{144 // n}h", tz="Asia/Tokyo")
    ends = (starts + pd.Timedelta("3h")).where(np.arange(n) % 2 == 0)
    return pd.DataFrame({"start": starts, "end": ends, "label": np.array([JAPANESE, LONG] * n)[:n]})


CASES |= {
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


def of_an_account(records: pd.DataFrame, name: str) -> pd.DataFrame:
    archive = el.Archive("memory://an-account")
    archive.write(SIXTY, records, account=name)
    return archive.read(SIXTY, account=name, tz="Asia/Tokyo")


NAME = "山田太郎の新しい眼鏡をかけて仕事をした一週間"  # an archive takes none that is longer
FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "one record": lambda: frame(1).iloc[600:601],
    "a Japanese name": lambda: of_an_account(frame(7), NAME),
    "all unworn": lambda: frame(2).assign(wea_s=0.0),
    "clocks that change": lambda: el.simulate("2026-10-25", 2, log=SIXTY, tz="Europe/Berlin"),
}
OF_RECORDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "overview": el.plot_overview,
    "quality": el.plot_quality,
    "quality by hour": lambda of: el.plot_quality(of, by="time_of_day"),
    "attrition": lambda of: el.plot_attrition(of, recipe="eye"),
    "heatmap": lambda of: el.plot_heatmap(el.resample(of, "10min"), "steps"),
    "day": lambda of: el.plot_day(el.resample(of[:4000], "10min"), "hm_yo", second="tl_yav"),
    "timeline": lambda of: el.plot_timeline(of, fields=["hm_yo", "tl_yav"]),
    "timeline of the default fields": el.plot_timeline,
}
CASES |= {
    f"{kind}: {data}": lambda kind=kind, data=data: OF_RECORDS[kind](FRAMES[data]())
    for kind, data in product(OF_RECORDS, FRAMES)
}
QUIET = pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")


WIDTHS = ("double", "single", "page")


def in_turn(cases: Iterable[str], others: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return each case with one of the others, which take turns: all pairs would take an hour."""
    return list(zip(cases, cycle(others), strict=False))


@QUIET
@pytest.mark.parametrize("case", [*CASES][::8])
def test_texts_keep_apart_in_one_column_of_a_journal(case: str, tmp_path: Path) -> None:
    assert not collisions_when_saved(CASES[case](), tmp_path / "a.svg")


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(("case", "width"), in_turn(CASES, WIDTHS))
def test_texts_keep_apart_at_every_width(case: str, width: Any, tmp_path: Path) -> None:
    assert not collisions_when_saved(CASES[case](), tmp_path / "a.svg", width=width)


@QUIET
@pytest.mark.slow("every figure is drawn")
@pytest.mark.parametrize(("case", "width"), in_turn([*CASES][::3], WIDTHS[:2]))
def test_the_line_that_names_the_subject_keeps_apart(case: str, width: Any, tmp_path: Path) -> None:
    saved = {"width": width, "subject": "P017"}
    assert not collisions_when_saved(CASES[case](), tmp_path / "a.svg", **saved)
