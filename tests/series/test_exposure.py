"""How long a series was seen, and how it has to be given: by the function that takes any series."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el

typical_value = el.baseline.typical_value

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
        el.baseline.trend(wrong)


def test_missing_values_are_left_out_and_lower_the_coverage() -> None:
    seen = typical_value(series([1.0, np.nan, 3.0, np.inf]))
    assert (seen.n, seen.exposure_h, seen.coverage) == (2, 2.0, 0.5)
    assert typical_value(series([], INDEX[:0])).coverage == 0.0


def test_the_length_of_a_row_is_the_smallest_distance_whatever_the_history_says() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5)
    column = frame["hm_yo"].copy()
    column.attrs = {}
    for few in (column, column[np.arange(len(column)) % 7 < 2]):
        assert typical_value(few).exposure_h == pytest.approx(len(few) / 60)
    third = column.iloc[::3]  # the distance of two of three records that are left out is not theirs
    assert typical_value(third).exposure_h == pytest.approx(len(third) / 20)
    assert typical_value(third, interval="60s").exposure_h == pytest.approx(len(third) / 60)
    masked = el.mask(frame, el.flag(frame)).iloc[::3]
    seen = masked["hm_yo"].notna().sum()
    assert typical_value(masked, "hm_yo").exposure_h == pytest.approx(seen / 60)
    assert np.isnan(typical_value(column.iloc[:1]).exposure_h)


def test_rows_at_distances_that_no_length_explains_need_an_interval() -> None:
    stamps = INDEX[0] + pd.to_timedelta([0, 15, 30, 45, 52, 67, 82, 97], unit="s")
    with pytest.raises(el.ConfigurationError, match="Pass interval='15s', or the frame"):
        typical_value(pd.Series(1.0, index=stamps))
    told = typical_value(pd.Series(1.0, index=stamps), interval="15s")
    assert told.exposure_h == pytest.approx(8 * 15 / 3600)


@pytest.mark.parametrize(("usual", "known"), [(65, True), (67, False), (113, False), (115, True)])
def test_the_usual_distance_is_within_a_tenth_of_a_row_of_whole_rows(usual, known) -> None:
    stamps = INDEX[0] + pd.to_timedelta(np.cumsum([0, 60, *[usual] * 4]), unit="s")
    rows = pd.Series(1.0, index=stamps)
    if known:
        assert typical_value(rows).exposure_h == pytest.approx(6 * 60 / 3600)
    else:
        with pytest.raises(el.ConfigurationError, match=f"60 s apart at the least.* {usual} s"):
            typical_value(rows)


def test_limits_judge_records_and_nothing_else() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    strict = el.Limits(min_worn="60s")
    some, fewer = (typical_value(frame, "hm_yo", limits=x).n for x in (None, strict))
    assert fewer < some
    for table, column in ((el.daily(frame), "steps"), (series([1, 2, 3, 4]), None)):
        with pytest.raises(el.ConfigurationError, match="leave out limits"):
            typical_value(table, column, limits=strict)
    with pytest.raises(el.ConfigurationError, match="leave out interval="):
        typical_value(frame, "hm_yo", interval="15s")


def test_conditions_are_given_with_the_frame_of_their_records() -> None:
    frame = el.sample()
    masked = el.mask(frame, el.flag(frame))
    focused = masked["sc_fcs"] >= 60
    assert el.episodes(masked, focused)["n"].sum() == focused.sum()
    for call, says in (
        (lambda: el.episodes(frame, frame["sc_fcs"] >= 60), "compute it from masked ones"),
        (lambda: el.episodes(masked, masked["stp"].iloc[1:] > 0), "one value per row"),
        (lambda: el.episodes(focused), r"pass both, episodes\(masked, series\)"),
        (lambda: el.episodes(frame["sc_fcs"] >= 60), r"pass both, episodes\(masked, series\)"),
        (lambda: typical_value(frame["stp"].resample("1h").sum()), r"\(frame, 'stp'\)"),
    ):
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    hours = masked["stp"].resample("1h").sum()
    assert typical_value(hours).exposure_h == pytest.approx(len(hours))


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    return el.daily(el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Asia/Tokyo"))


def test_a_table_of_days_states_the_hours_and_coverage_of_its_days(days: pd.DataFrame) -> None:
    few = days.iloc[::2]
    for table in (few, few[few.columns[::-1]], few.tz_localize(None), few.set_index(few.index)):
        seen = typical_value(table, "steps")
        assert seen.exposure_h == pytest.approx(days["worn_h"].iloc[::2].sum())
        assert seen.coverage == pytest.approx(days["coverage"].iloc[::2].sum() / 9)
    holed = typical_value(
        days.assign(steps=days["steps"].where(days.index != days.index[3])), "steps"
    )
    assert holed.exposure_h == pytest.approx(days["worn_h"].drop(days.index[3]).sum())
    assert holed.coverage == pytest.approx(days["coverage"].drop(days.index[3]).sum() / 9)


def test_a_series_by_day_does_not_carry_the_hours_of_its_days(days: pd.DataFrame) -> None:
    for column in (
        days["steps"],
        days["steps"].tz_localize(None),
        days["steps"].resample("3D").mean(),
    ):
        seen = typical_value(column)
        assert np.isnan(seen.exposure_h)
        assert seen.coverage == 1.0
    for hours in (days["worn_h"], days["worn_h"][::-1].sort_index(), days["worn_h"].to_numpy()):
        told = typical_value(days["steps"], exposure=hours)
        assert told.exposure_h == pytest.approx(days["worn_h"].sum())
    assert np.isnan(typical_value(days["steps"], exposure=days["worn_h"][:3]).exposure_h)
    for wrong in ([1.0], [-1.0] * 9, "9h"):
        with pytest.raises(el.ConfigurationError, match="exposure must be hours"):
            typical_value(days["steps"], exposure=wrong)


def test_days_without_evidence_of_wear_are_exposed_as_long_as_they_were_recorded() -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    with pytest.warns(el.EyelogWarning, match="wea_s"):
        table = el.daily(frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]])
    assert "worn_h" not in table
    seen = typical_value(table, "steps")
    assert seen.exposure_h == pytest.approx(table["recorded_h"].sum())


def test_any_table_by_day_states_its_exposure() -> None:
    frame = el.simulate("2026-10-19", 4, log="computed_data", seed=5, tz="Asia/Tokyo")
    for table, name in (
        (el.blinks.rate(frame, by="1D"), "rate_per_min"),
        (el.gait.peak_cadence(frame), "peak_spm"),
        (el.posture.head_movements(frame, by="1D"), "yaw_per_h"),
    ):
        seen = typical_value(table, name)
        assert seen.exposure_h == pytest.approx(table["exposure_min"].sum() / 60)
        assert seen.coverage == pytest.approx(table["coverage"].mean())


def test_a_quantity_is_a_series_or_a_table_and_a_column(days: pd.DataFrame) -> None:
    for call, says in (
        (lambda: typical_value(days, None), "the name of a column"),
        (lambda: typical_value(days["steps"], "steps"), "leave out the column"),
        (lambda: typical_value(days[["steps", "steps"]], "steps"), "several columns"),
        (lambda: el.baseline.trend(days.reset_index(), "steps"), "set_index"),
        (lambda: typical_value(pd.concat({"P01": days}, names=["account"]), "steps"), "xs"),
    ):
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    with pytest.raises(el.FieldError, match="did you mean 'steps'"):
        typical_value(days, "stepps")


def test_dates_are_read_in_every_unit_and_as_text(days: pd.DataFrame) -> None:
    dates = days.index.tz_localize(None)
    first = typical_value(days.set_axis(dates), "steps")
    for index in (dates.as_unit("ns"), dates.as_unit("s"), dates.strftime("%Y-%m-%d"), dates.date):
        again = typical_value(days.set_axis(pd.Index(index, name="day")), "steps")
        assert again == first
