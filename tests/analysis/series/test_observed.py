"""What the functions on a bare Series share: checks, wall clocks and exposure."""

import json

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.series.observed import (
    check_numbers,
    check_series,
    has_clock,
    local_dates,
    local_hours,
    observed,
    one_log,
    refuse_sentinel,
    stamp_of,
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


def test_numbers_need_no_clock() -> None:
    check_numbers(pd.Series([1.0, True]).astype(float), what="robust_z")
    assert has_clock(series([1, 2, 3, 4]))
    assert not has_clock(pd.Series([1.0]))
    assert not has_clock(series([1, 2, 3, 4])[::-1])
    with pytest.raises(el.ConfigurationError, match="numbers or booleans"):
        check_numbers(pd.Series(["a"]), what="robust_z")


def test_records_and_bins_close_at_their_stamps_days_open_and_a_bare_series_says_nothing() -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    column = frame["hm_yo"]
    bins = {stamp: el.resample(frame, "1h", stamp=stamp)["hm_yo"] for stamp in ("end", "start")}
    assert stamp_of(column) == "end"
    assert [stamp_of(bins[stamp]) for stamp in bins] == ["end", "start"]
    assert stamp_of(el.daily(frame)["steps"]) == "start"
    assert stamp_of(el.coverage(frame, every="1h")["worn_h"]) == "end"
    hours = {stamp: el.gait.pace(frame, by="1h", stamp=stamp)["pace_spm"] for stamp in bins}
    assert [stamp_of(hours[stamp]) for stamp in hours] == ["end", "start"]
    assert stamp_of(series([1, 2, 3, 4])) is None
    assert stamp_of(column.resample("1h").mean()) is None  # pandas names its bins by their opening
    assert stamp_of(bins["end"].dropna(), "start") == "start"
    with pytest.raises(el.ConfigurationError, match="'end' or 'start'"):
        stamp_of(column, "middle")


def test_intervals_open_before_a_stamp_that_closes_them_and_never_overlap() -> None:
    one = series([1, 2, np.nan, 4])
    closing, opening, bare = (observed(one, what="trend", stamp=s) for s in ("end", "start", None))
    hour, half = pd.Timedelta("1h"), pd.Timedelta("30min")
    here = INDEX[[0, 1, 3]]
    assert closing.opens.equals(here - hour)
    assert closing.middles.equals(here - half)
    assert opening.opens.equals(here)
    assert opening.middles.equals(here + half)
    assert bare.opens.equals(here)
    assert bare.middles.equals(here)
    # The day had 25 hours, so its last bin of 6 hours is one hour long.
    bins = pd.date_range("2026-10-25 05:00", periods=4, freq="6h", tz="Europe/Berlin", unit="us")
    bins = bins.append(pd.DatetimeIndex([bins[-1] + hour]))
    short = observed(pd.Series(1.0, index=bins), what="trend", stamp="end")
    assert short.opens[-1] == bins[-2]


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    return el.daily(el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Asia/Tokyo"))


def test_a_column_of_days_carries_their_hours_and_coverage_through_every_choice_of_rows(
    days: pd.DataFrame,
) -> None:
    steps = days["steps"]
    few = steps.iloc[::2]
    for column in (few, few.tz_convert("UTC").rename("moves"), few * 2 + 1, few.astype("Float64")):
        seen = observed(column, what="trend")
        assert seen.exposure_h == pytest.approx(days["worn_h"].iloc[::2].sum())
        assert seen.coverage == pytest.approx(days["coverage"].iloc[::2].sum() / 9)
        assert seen.hours.tolist() == days["worn_h"].iloc[::2].tolist()
    holed = observed(steps.where(steps.index != steps.index[3]), what="trend")
    assert holed.exposure_h == pytest.approx(days["worn_h"].drop(steps.index[3]).sum())
    assert holed.coverage == pytest.approx(days["coverage"].drop(steps.index[3]).sum() / 9)


def test_days_without_evidence_of_wear_are_exposed_as_long_as_they_were_recorded() -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    with pytest.warns(el.EyelogWarning, match="wea_s"):
        table = el.daily(frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]])
    assert "worn_h" not in table
    seen = observed(table["steps"], what="trend")
    assert seen.exposure_h == pytest.approx(table["recorded_h"].sum())


def test_the_hours_of_means_over_several_days_are_not_known(days: pd.DataFrame) -> None:
    seen = observed(days["steps"].resample("3D").mean(), what="trend")
    assert np.isnan(seen.exposure_h)
    assert np.isnan(seen.coverage)


def test_what_a_day_carries_is_plain_data(days: pd.DataFrame) -> None:
    carried = json.loads(json.dumps(days.attrs))["eyelog"]["days"]
    assert [len(values) for values in carried.values()] == [9, 9, 9]


def test_a_column_of_any_table_by_day_carries_what_the_table_states() -> None:
    frame = el.simulate("2026-10-19", 4, log="computed_data", seed=5, tz="Asia/Tokyo")
    for table, name in (
        (el.blinks.rate(frame, by="1D"), "rate_per_min"),
        (el.gait.peak_cadence(frame), "peak_spm"),
        (el.posture.head_movements(frame, by="1D"), "yaw_per_h"),
    ):
        seen = observed(table[name], what="trend")
        assert seen.exposure_h == pytest.approx(table["exposure_min"].sum() / 60)
        assert seen.coverage == pytest.approx(table["coverage"].mean())
    weeks = el.blinks.rate(frame, by="W")
    assert "days" not in weeks.attrs["eyelog"]
