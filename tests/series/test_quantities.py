"""What all functions on a Series or a column refuse, and how long they say it was seen."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el

CALLS: dict[str, Callable[..., Any]] = {
    "most_active": el.rhythm.most_active,
    "least_active": lambda *x: el.rhythm.least_active(*x, night_worn=True),
    "relative_amplitude": lambda *x: el.rhythm.relative_amplitude(*x, night_worn=True),
    "cosinor": el.rhythm.cosinor,
    "interdaily_stability": el.rhythm.interdaily_stability,
    "intradaily_variability": el.rhythm.intradaily_variability,
    "profile": el.rhythm.profile,
    "activity_bouts": lambda *x: el.rhythm.activity_bouts(*x, threshold=3, min_length="2min"),
    "typical_value": el.baseline.typical_value,
    "standardised_mean": el.compare.standardised_mean,
}
OF_DAYS: dict[str, Callable[..., Any]] = {
    "personal": lambda *x: el.baseline.personal(*x, min_n=3),
    "trend": el.baseline.trend,
    "typical_value": el.baseline.typical_value,
    "profile": lambda *x: el.rhythm.profile(*x, by="weekday"),
    "cosinor": lambda *x: el.rhythm.cosinor(*x, period="7D"),
}


def cleared(table: Any) -> Any:
    out = table.copy()
    out.attrs = {}
    return out


@pytest.fixture(scope="module")
def masked() -> pd.DataFrame:
    frame = el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    return el.mask(frame, el.flag(frame))[["hm_yo", "tl_yav", "val_s", "nis_s", "stored"]]


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    frame = el.simulate("2026-10-19", 12, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    table = el.daily(frame)
    dates = pd.DatetimeIndex(table.index)
    if dates.tz is not None:
        table = table.set_axis(dates.tz_localize(None).rename("day"))
    return table[["n", "coverage", "worn_h", "steps"]].astype("float64")


@pytest.mark.parametrize("name", CALLS)
def test_a_series_of_records_is_refused_with_the_call_that_judges_it(name, masked) -> None:
    for frame in (masked, el.sample("standard_mode_logs")):
        with pytest.raises(el.ConfigurationError, match=rf"{name}\(frame, 'hm_yo'\), which judges"):
            CALLS[name](frame["hm_yo"])
        CALLS[name](frame, "hm_yo")


def test_weeks_are_taken_as_days_are(days) -> None:
    weeks = days.resample("W-MON", closed="left", label="left").sum().rename_axis("week")
    found = el.baseline.trend(weeks.assign(coverage=0.5), "steps")
    assert (found.n, found.coverage) == (len(weeks), 0.5)
    assert len(el.baseline.personal(weeks["steps"], min_n=1)) == len(weeks)


def test_two_periods_take_tables_by_date(days) -> None:
    table = el.compare.two_periods(days[:6], days[6:], column="steps")
    bare = el.compare.two_periods(days["steps"][:6], days["steps"][6:])
    told = el.compare.two_periods(days["steps"][:6], days["steps"][6:], exposure=days["worn_h"])
    assert table.exposure_h == told.exposure_h == pytest.approx(days["worn_h"].sum())
    assert np.isnan(bare.exposure_h)
    assert bare[:8] == pytest.approx(table[:8], nan_ok=True)


@pytest.mark.parametrize("name", [*CALLS, "trend", "personal"])
def test_the_invalid_value_of_a_score_is_refused_everywhere_with_the_call_to_make(name) -> None:
    frame = el.sample()
    call = (OF_DAYS | CALLS)[name]
    with pytest.raises(el.ConfigurationError, match=r"invalid value -1 .* pass the frame and the"):
        call(cleared(frame["sc_fcs"]))
    if name in CALLS:
        call(frame, "sc_fcs")


def test_a_sparse_series_is_exposed_for_its_records_and_no_longer() -> None:
    frame = el.mask(el.sample(), el.flag(el.sample()))
    rows = np.arange(len(frame))
    sparse = frame[(rows % 8 == 0) | (rows % 8 == 1)]
    hours = np.isfinite(sparse["tl_yav"]).sum() * 15 / 3600
    for found in (
        el.baseline.typical_value(sparse, "tl_yav"),
        el.baseline.typical_value(cleared(sparse["tl_yav"])),
    ):
        assert found.exposure_h == pytest.approx(hours)


def test_an_episode_of_a_sparse_series_is_as_long_as_its_records() -> None:
    index = pd.date_range("2026-10-19 10:00", periods=20, freq="min", tz="UTC")
    lone = index[20:].append(index[-1] + pd.to_timedelta(np.arange(1, 40) * 6, unit="min"))
    sparse = pd.Series(False, index=index.append(lone))
    sparse.iloc[5:10] = True
    assert el.episodes(sparse)["duration_min"].tolist() == [5.0]
    assert el.episodes(sparse)["start"][0] == index[5]
    assert el.episodes(sparse)["end"][0] == index[10]


def test_an_episode_of_days_goes_from_date_to_date(days) -> None:
    found = el.episodes(days["steps"] > -1)
    assert found["start"].tolist() == [days.index[0]]
    assert found["end"].tolist() == [days.index[-1] + pd.Timedelta("1D")]
