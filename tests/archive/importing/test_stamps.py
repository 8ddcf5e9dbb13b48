"""Dates of files become instants however they are written, or are reported by their line."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.errors import (
    ConfigurationError,
    EyelogWarning,
)
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    TEN,
    Put,
    logger_csv,
    logger_part,
)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("dates", ["Z", "+0900", "+09:00", "naive", "swift"])
def test_a_date_is_read_however_it_is_written(put: Put, log: str, dates: str) -> None:
    path = put(logger_csv(HOURS[log], log, dates=dates))
    frame = el.read_logger_csv(path, tz="Asia/Tokyo" if dates == "naive" else None)
    assert_frame_equal(logger_part(frame, log), logger_part(HOURS[log], log), check_freq=False)


def test_unix_seconds_stand_in_for_the_date(put: Put) -> None:
    lines = ["ut,fitDuration", "1792540800,60", "1792540860.0,59", "1792540920000,1", "x,2", ",3"]
    with pytest.warns(EyelogWarning, match=r"3 of 5 lines.*line 4: 'ut' is '1792540920000'"):
        frame = el.read_logger_csv(put("\n".join(lines)))
    assert frame["wea_s"].tolist() == [60, 59]
    assert frame.index[0] == pd.Timestamp("2026-10-21T00:00:00Z")


def test_the_date_counts_and_ut_stands_in_where_it_is_missing(put: Put) -> None:
    lines = ["date,ut,fitDuration", "2026-10-21T09:00:00+0900,5,60", ",1792540860,59"]
    frame = el.read_logger_csv(put("\n".join(lines)))
    assert frame.index.strftime("%H:%M").tolist() == ["00:00", "00:01"]
    assert "ut" not in frame.columns


def test_a_date_without_a_zone_needs_one(put: Put) -> None:
    path = put(logger_csv(TEN, FIFTEEN, dates="naive"))
    with pytest.raises(ConfigurationError, match=r"log\.csv: the date '2026-10-21T09:.*no zone"):
        el.read_logger_csv(path)
    with pytest.raises(ConfigurationError, match="did you mean 'Asia/Tokyo'"):
        el.read_logger_csv(path, tz="Asia/Toky")


def test_an_hour_that_comes_twice_is_resolved_by_the_order_of_the_rows(put: Put) -> None:
    clock = ["01:59", "02:00", "02:30", "02:59", "02:00", "02:30", "02:59", "03:00"]
    rows = [f"2026-10-25T{each}:00,60" for each in clock]
    frame = el.read_logger_csv(put("\n".join(["date,fitDuration", *rows])), tz="Europe/Berlin")
    assert len(frame) == 8
    assert frame.index.is_unique


def test_clock_times_that_are_skipped_or_ambiguous_are_reported(put: Put) -> None:
    spring = "date,fitDuration\n2026-03-29T02:30:00,60\n2026-03-29T03:30:00,60\n"
    with pytest.warns(EyelogWarning, match="line 2: 'date' is '2026-03-29T02:30:00', not a stamp"):
        assert len(el.read_logger_csv(put(spring), tz="Europe/Berlin")) == 1
    autumn = "date,fitDuration\n2026-10-25T02:30:00,60\n2026-10-25T03:30:00,60\n"
    with pytest.warns(EyelogWarning, match="line 2"):
        assert len(el.read_logger_csv(put(autumn), tz="Europe/Berlin")) == 1
