"""What the functions on a bare Series share: checks, wall clocks and exposure."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.series.observed import (
    check_numbers,
    column_of,
    has_clock,
    local_dates,
    local_hours,
    observed,
    one_log,
    refuse_sentinel,
    rows_of,
)
from eyelog.clock import stamps_at
from eyelog.provenance import record

INDEX = pd.date_range("2026-10-25 01:00", periods=4, freq="h", tz="Europe/Berlin", unit="us")


def series(values, index=INDEX) -> pd.Series:
    return pd.Series(values, index=index, dtype="float64")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([1.0], "or one Series"),
        (pd.Series([1.0]), "time-zone aware"),
        (series([1, 2, 3, 4]).tz_localize(None), "time-zone aware"),
        (series([1, 2, 3, 4]).iloc[::-1], "in order: pass series.sort_index"),
        (series([1, 2, 3, 4]).iloc[[0, 0]], "each stamp once"),
        (series([1, 2, 3, 4]).astype("string"), "numbers or booleans"),
    ],
)
def test_what_is_not_a_series_of_numbers_with_stamps_is_refused(wrong, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        rows_of(wrong, what="trend")


def test_missing_values_are_left_out_and_lower_the_coverage() -> None:
    seen = observed(series([1.0, np.nan, 3.0, np.inf]), what="trend")
    assert seen.values.tolist() == [1.0, 3.0]
    assert (seen.n, seen.exposure_h, seen.coverage) == (2, 2.0, 0.5)
    assert observed(series([], INDEX[:0]), what="trend").coverage == 0.0


def test_the_length_of_a_row_is_the_smallest_distance_whatever_the_history_says() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5)
    column = frame["hm_yo"].copy()
    column.attrs = {}

    def step_us(few: pd.Series, interval: str | None = None) -> int:
        return rows_of(few, what="trend", interval=interval).step_us

    for few in (column, column[np.arange(len(column)) % 7 < 2]):
        assert step_us(few) == 60_000_000
        assert observed(few, what="trend").exposure_h == pytest.approx(len(few) / 60)
    # Two of three records are left out: the median distance would be two minutes too long.
    assert step_us(column.iloc[::3]) == 180_000_000
    assert step_us(column.iloc[::3], "60s") == 60_000_000
    assert (
        observed(el.mask(frame, el.flag(frame)).iloc[::3], "hm_yo", what="t").step_us == 60_000_000
    )
    assert step_us(column.iloc[:1]) == 0
    assert np.isnan(observed(column.iloc[:1], what="trend").exposure_h)


def test_rows_at_distances_that_no_length_explains_need_an_interval() -> None:
    stamps = INDEX[0] + pd.to_timedelta([0, 15, 30, 45, 52, 67, 82, 97], unit="s")
    with pytest.raises(el.ConfigurationError, match="Pass interval='15s', or the frame"):
        observed(pd.Series(1.0, index=stamps), what="trend")
    assert observed(pd.Series(1.0, index=stamps), what="trend", interval="15s").step_us == 15e6


def test_hours_and_dates_are_those_of_the_wall_clock() -> None:
    # The clocks went back: two o'clock came twice, and the day had 25 hours.
    assert local_hours(INDEX).tolist() == [1, 2, 2, 3]
    day = INDEX[:1].append([INDEX[:1] + pd.Timedelta("23h"), INDEX[:1] + pd.Timedelta("24h")])
    assert np.diff(local_dates(day)).tolist() == [0, 1]
    assert local_hours(INDEX[:0]).size == 0
    assert stamps_at(INDEX.asi8, INDEX.tz).equals(INDEX)


def test_the_invalid_value_of_a_field_is_refused_unless_the_series_is_derived() -> None:
    raw = series([50, -1, 70, 80]).rename("sc_fcs")
    with pytest.raises(el.ConfigurationError, match="invalid value -1 1 times: pass the frame"):
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
    check_numbers(pd.Series([1.0, True]).astype(float), what="typical_value")
    assert has_clock(series([1, 2, 3, 4]))
    assert not has_clock(pd.Series([1.0]))
    assert not has_clock(series([1, 2, 3, 4])[::-1])
    with pytest.raises(el.ConfigurationError, match="numbers or booleans"):
        check_numbers(pd.Series(["a"]), what="typical_value")


def test_rows_of_a_series_open_at_their_stamps_and_never_overlap() -> None:
    seen = observed(series([1, 2, np.nan, 4]), what="trend")
    here = INDEX[[0, 1, 3]]
    assert seen.opens.equals(here.tz_localize(None))
    assert seen.middles.equals((here + pd.Timedelta("30min")).tz_localize(None))
    # The day had 25 hours, so its last bin of 6 hours is one hour long.
    bins = pd.date_range("2026-10-25", periods=4, freq="6h", tz="Europe/Berlin", unit="us")
    bins = bins.append(bins[-1:] + pd.Timedelta("1h"))
    short = observed(pd.Series(1.0, index=bins), what="trend", interval="6h")
    assert short.closes_us[-2] == short.opens_us[-1]


def test_records_close_at_their_stamps_and_are_judged() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    masked = el.mask(frame, el.flag(frame))
    for table in (frame, masked, frame.iloc[::-1]):
        rows = rows_of(table, "hm_yo", what="trend")
        np.testing.assert_array_equal(rows.values, masked["hm_yo"])
        assert rows.closes_us.tolist() == rows.us.tolist() == frame.index.asi8.tolist()
        assert (rows.closes_us - rows.opens_us == 60_000_000).all()


def test_limits_judge_records_and_nothing_else() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    strict = el.Limits(min_worn="60s")
    some, fewer = (observed(frame, "hm_yo", what="trend", limits=x).n for x in (None, strict))
    assert fewer < some
    for table, column in ((el.daily(frame), "steps"), (series([1, 2, 3, 4]), None)):
        with pytest.raises(el.ConfigurationError, match="leave out limits"):
            observed(table, column, what="trend", limits=strict)
    with pytest.raises(el.ConfigurationError, match="leave out interval="):
        observed(frame, "hm_yo", what="trend", interval="15s")


def test_conditions_are_given_with_the_frame_of_their_records() -> None:
    frame = el.sample()
    masked = el.mask(frame, el.flag(frame))
    rows = rows_of(masked, masked["sc_fcs"] >= 60, what="episodes")
    assert rows.closes_us.tolist() == rows.us.tolist()
    assert rows.values.sum() == (masked["sc_fcs"] >= 60).sum()
    assert rows_of(frame, frame["isl"] == False, what="episodes").n == len(frame)  # noqa: E712
    for call, says in (
        (lambda: rows_of(frame, frame["sc_fcs"] >= 60, what="t"), "compute it from masked ones"),
        (lambda: rows_of(masked, masked["stp"].iloc[1:], what="t"), "one value per row"),
        (lambda: rows_of(masked["sc_fcs"] >= 60, what="t"), r"pass it too, t\(frame, series\)"),
        (lambda: rows_of(frame["sc_fcs"] >= 60, what="t"), r"pass both, t\(masked, series\)"),
        (lambda: rows_of(frame["stp"].resample("1h").sum(), what="t"), r"t\(frame, 'stp'\)"),
    ):
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    assert rows_of(masked["stp"].resample("1h").sum(), what="t").step_us == 3_600_000_000


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    return el.daily(el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Asia/Tokyo"))


def test_a_table_of_days_states_the_hours_and_coverage_of_its_days(days: pd.DataFrame) -> None:
    few = days.iloc[::2]
    for table in (few, few[few.columns[::-1]], few.tz_localize(None), few.set_index(few.index)):
        seen = observed(table, "steps", what="trend")
        assert seen.exposure_h == pytest.approx(days["worn_h"].iloc[::2].sum())
        assert seen.coverage == pytest.approx(days["coverage"].iloc[::2].sum() / 9)
        assert seen.hours.tolist() == days["worn_h"].iloc[::2].tolist()
    holed = observed(
        days.assign(steps=days["steps"].where(days.index != days.index[3])), "steps", what="t"
    )
    assert holed.exposure_h == pytest.approx(days["worn_h"].drop(days.index[3]).sum())
    assert holed.coverage == pytest.approx(days["coverage"].drop(days.index[3]).sum() / 9)


def test_a_series_by_day_does_not_carry_the_hours_of_its_days(days: pd.DataFrame) -> None:
    for column in (
        days["steps"],
        days["steps"].tz_localize(None),
        days["steps"].resample("3D").mean(),
    ):
        seen = observed(column, what="trend")
        assert np.isnan(seen.exposure_h)
        assert seen.coverage == 1.0
    for hours in (days["worn_h"], days["worn_h"][::-1].sort_index(), days["worn_h"].to_numpy()):
        told = observed(days["steps"], what="trend", exposure=hours)
        assert told.exposure_h == pytest.approx(days["worn_h"].sum())
    assert np.isnan(observed(days["steps"], what="t", exposure=days["worn_h"][:3]).exposure_h)
    for wrong in ([1.0], [-1.0] * 9, "9h"):
        with pytest.raises(el.ConfigurationError, match="exposure must be hours"):
            observed(days["steps"], what="trend", exposure=wrong)


def test_days_without_evidence_of_wear_are_exposed_as_long_as_they_were_recorded() -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    with pytest.warns(el.EyelogWarning, match="wea_s"):
        table = el.daily(frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]])
    assert "worn_h" not in table
    seen = observed(table, "steps", what="trend")
    assert seen.exposure_h == pytest.approx(table["recorded_h"].sum())


def test_any_table_by_day_states_its_exposure() -> None:
    frame = el.simulate("2026-10-19", 4, log="computed_data", seed=5, tz="Asia/Tokyo")
    for table, name in (
        (el.blinks.rate(frame, by="1D"), "rate_per_min"),
        (el.gait.peak_cadence(frame), "peak_spm"),
        (el.posture.head_movements(frame, by="1D"), "yaw_per_h"),
    ):
        seen = observed(table, name, what="trend")
        assert seen.exposure_h == pytest.approx(table["exposure_min"].sum() / 60)
        assert seen.coverage == pytest.approx(table["coverage"].mean())


def test_a_quantity_is_a_series_or_a_table_and_a_column(days: pd.DataFrame) -> None:
    assert column_of(days, "steps", what="trend").equals(days["steps"])
    for call, says in (
        (lambda: column_of(days, None, what="trend"), "pass the column too"),
        (lambda: column_of(days["steps"], "steps", what="trend"), "leave out the column"),
        (lambda: column_of(days[["steps", "steps"]], "steps", what="trend"), "several columns"),
        (lambda: observed(days.reset_index(), "steps", what="trend"), "set_index"),
        (lambda: observed(pd.concat({"P01": days}, names=["account"]), "steps", what="t"), "xs"),
    ):
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    with pytest.raises(el.FieldError, match="did you mean 'steps'"):
        column_of(days, "stepps", what="trend")


def test_dates_are_read_in_every_unit_and_as_text(days: pd.DataFrame) -> None:
    dates = days.index.tz_localize(None)
    first = observed(days.set_axis(dates), "steps", what="trend")
    for index in (dates.as_unit("ns"), dates.as_unit("s"), dates.strftime("%Y-%m-%d"), dates.date):
        again = observed(days.set_axis(pd.Index(index, name="day")), "steps", what="trend")
        assert again.index.equals(first.index)
        assert again.exposure_h == first.exposure_h


def test_local_hours_follow_the_offset_that_a_table_states() -> None:
    table = pd.DataFrame(
        {"x": [1.0, 2, 3, 4], "utc_offset_min": [540.0, np.nan, -300, -300]}, INDEX
    )
    opens = observed(table, "x", what="trend").opens
    utc = INDEX.tz_convert("UTC").tz_localize(None)
    assert opens.equals(utc + pd.to_timedelta([9, 9, -5, -5], unit="h"))
