"""Hours, weekdays, weekends and weeks of stamps."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.analysis.series.calendar import CYCLES, cycle_codes, cycle_labels, mondays

ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/Santiago"]


def test_saturday_and_sunday_are_the_weekend() -> None:
    week = pd.date_range("2026-10-19", periods=7, freq="D", tz="Asia/Tokyo")
    labels = cycle_labels("weekend").take(cycle_codes(week, "weekend"))
    assert labels.tolist() == ["weekday"] * 5 + ["weekend"] * 2
    assert cycle_codes(week, "weekday").tolist() == list(range(7))


def test_the_first_of_january_can_belong_to_a_week_of_the_year_before() -> None:
    day = pd.DatetimeIndex(["2027-01-01 12:00"], tz="Europe/Berlin")
    assert [f"{monday:%Y-%m-%d %H:%M} {monday:%G-W%V}" for monday in mondays(day)] == [
        "2026-12-28 00:00 2026-W53"
    ]
    assert mondays(day).name == "week"
    assert mondays(day).tz is None


@given(
    zone=st.sampled_from(ZONES),
    moments=st.lists(
        st.datetimes(pd.Timestamp("2020-01-01"), pd.Timestamp("2030-12-31")), min_size=1, max_size=9
    ),
)
def test_calendar_parts_are_those_of_the_local_clock(zone, moments) -> None:
    index = pd.DatetimeIndex(moments, tz="UTC").tz_convert(zone)
    week = mondays(index)
    assert [f"{stamp:%G-W%V}" for stamp in index] == [f"{monday:%G-W%V}" for monday in week]
    assert set(week.day_of_week) == {0}
    for by in CYCLES:
        codes = cycle_codes(index, by)
        assert codes.dtype == np.int64
        assert ((codes >= 0) & (codes < len(cycle_labels(by)))).all()


def test_a_single_time_of_day_without_a_zone_is_refused_among_dates() -> None:
    index = pd.DatetimeIndex(["2026-10-19", "2026-10-20 05:00"], name="day")
    with pytest.raises(el.ConfigurationError, match="times of day without a zone"):
        el.weekly(pd.DataFrame({"steps": [1.0, 2.0]}, index=index))
