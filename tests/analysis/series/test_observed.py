"""What the functions on a bare Series share: checks, wall clocks and exposure."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.series.observed import (
    check_series,
    local_dates,
    local_hours,
    observed,
    one_log,
    refuse_sentinel,
    stamps_at,
    step_us,
)
from eyelog.provenance import record

INDEX = pd.date_range("2026-10-25 01:00", periods=4, freq="h", tz="Europe/Berlin", unit="us")


def series(values, index=INDEX) -> pd.Series:
    return pd.Series(values, index=index, dtype="float64")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([1.0], "takes one Series"),
        (pd.Series([1.0]), "time-zone aware"),
        (series([1, 2, 3, 4]).tz_localize(None), "time-zone aware"),
        (series([1, 2, 3, 4]).iloc[::-1], "in order, each once"),
        (series([1, 2, 3, 4]).iloc[[0, 0]], "in order, each once"),
        (series([1, 2, 3, 4]).astype("string"), "numbers or booleans"),
    ],
)
def test_what_is_not_a_series_of_numbers_with_stamps_is_refused(wrong, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        check_series(wrong, what="trend")


def test_missing_values_are_left_out_and_lower_the_coverage() -> None:
    seen = observed(series([1.0, np.nan, 3.0, np.inf]), what="trend")
    assert seen.values.tolist() == [1.0, 3.0]
    assert (seen.n, seen.exposure_h, seen.coverage) == (2, 2.0, 0.5)
    assert observed(series([], INDEX[:0]), what="trend").coverage == 0.0


def test_the_exposure_of_a_column_counts_the_rows_of_its_frame() -> None:
    column = record(series([1.0, 2.0, 3.0, 4.0]).iloc[:1], "fetch", log="standard_mode_logs")
    assert step_us(column) == 60_000_000
    assert observed(column, what="trend").exposure_h == pytest.approx(1 / 60)
    assert step_us(series([1.0], INDEX[:1])) == 0


def test_hours_and_dates_are_those_of_the_wall_clock() -> None:
    # The clocks went back: two o'clock came twice, and the day had 25 hours.
    assert local_hours(INDEX).tolist() == [1, 2, 2, 3]
    day = INDEX[:1].append([INDEX[:1] + pd.Timedelta("23h"), INDEX[:1] + pd.Timedelta("24h")])
    assert np.diff(local_dates(day)).tolist() == [0, 1]
    assert local_hours(INDEX[:0]).size == 0
    assert stamps_at(INDEX.asi8, INDEX.tz).equals(INDEX)


def test_the_invalid_value_of_a_field_is_refused_unless_the_series_is_derived() -> None:
    raw = record(series([50, -1, 70, 80]).rename("sc_fcs"), "fetch", log="computed_data")
    with pytest.raises(el.ConfigurationError, match=r"invalid value -1 1 times: mask it first"):
        refuse_sentinel(raw, what="trend")
    refuse_sentinel(raw - 500, what="trend")
    refuse_sentinel(raw.replace(-1, np.nan), what="trend")


def test_series_of_both_logs_do_not_meet() -> None:
    one = record(series([1, 2, 3, 4]), "fetch", log="computed_data")
    other = record(series([1, 2, 3, 4]), "fetch", log="standard_mode_logs")
    assert one_log(one, series([1, 2, 3, 4]), what="trend") == "computed_data"
    assert one_log(series([1, 2, 3, 4]), what="trend") is None
    with pytest.raises(el.MixedLogsError, match="both logs"):
        one_log(one, other, what="trend")
