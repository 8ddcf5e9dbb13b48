"""Groups of rows: bins, days, hours, labels."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el

ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"]


def stamps(first: str, last: str, tz: str, freq: str = "60s") -> pd.DatetimeIndex:
    start, end = (pd.Timestamp(edge).tz_localize(tz) for edge in (first, last))
    return pd.date_range(start, end, freq=freq, unit="us", name="date")


def test_a_day_whose_midnight_the_clock_skipped_is_a_day_of_its_own() -> None:
    # In Cairo the 26th of April 2024 began at one o'clock, 23 hours before the 27th.
    frame = el.simulate("2024-04-26", 2, log="standard_mode_logs", tz="Africa/Cairo")
    days = el.coverage(frame)
    assert days["expected_h"].tolist() == [23.0, 24.0]
    assert el.daily(frame)["n"].tolist() == days["n"].tolist()
    hours = el.resample(frame, "1h")
    assert len(hours) == 47
    assert hours["n"].max() <= 60


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_a_day_that_the_zone_skipped_cuts_no_other_day_in_two() -> None:
    # Apia went from the 29th to the 31st of December 2011.
    index = pd.date_range("2011-12-29 22:01", periods=180, freq="min", tz="Pacific/Apia")
    frame = pd.DataFrame({"wea_s": 60.0}, index=index.as_unit("us").rename("date"))
    assert [f"{day:%d %H:%M}" for day in el.daily(frame).index] == ["29 00:00", "31 00:00"]


@pytest.mark.parametrize("ask", [el.blinks.rate, el.gait.pace, el.posture.head_movements])
def test_a_column_of_the_frame_groups_its_rows_as_the_same_series_does(ask) -> None:
    frame = el.sample()
    frame["label"] = np.where(frame.index.hour < 12, "morning", "later")
    by_name = ask(frame, by="label")
    assert by_name.index.tolist() == ["later", "morning"]
    pd.testing.assert_frame_equal(by_name, ask(frame, by=frame["label"]))
    pd.testing.assert_frame_equal(by_name, ask(frame.iloc[::-1], by="label"))


def test_no_rows_have_no_groups_by_any_keys() -> None:
    for keys in (["30min", "weekend"], ["hour", "weekend"], "1D", "hour"):
        assert el.blinks.rate(el.sample().iloc[:0], by=keys).empty


def test_weeks_and_days_keep_their_own_names_beside_another_key() -> None:
    frame = el.sample()
    assert el.blinks.rate(frame, by=["week", "hour"]).index.names == ["week", "hour"]
    assert el.blinks.rate(frame, by=["1D", "hour"]).index.names == ["day", "hour"]
