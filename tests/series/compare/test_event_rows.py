"""What is averaged around events: quantities, times, windows."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of


def minutes(values, *, start: str = "2026-10-20T10:01:00Z", name="level") -> pd.Series:
    """Return minutes of which the first closes at `start`: a Series is named by their opening."""
    index = pd.date_range(start, periods=len(values), freq="min") - pd.Timedelta("1min")
    return pd.Series(np.asarray(values, dtype="float64"), index=index, name=name)


def offset(table: pd.DataFrame, text: str, column: str = "mean", field: str = "level"):
    return table.loc[(field, pd.Timedelta(text)), column]


def test_a_single_row_does_not_show_its_length() -> None:
    level = minutes([3.0])
    with pytest.raises(el.ConfigurationError, match="how long one row is from a single row"):
        el.compare.events(level, [level.index[0]], before="1min", after="1min")
    table = el.compare.events(level, [level.index[0]], before="1min", after="1min", every="1min")
    assert table["n"].sum() == 1


def test_rows_of_one_bin_become_one_value_by_the_rule_of_the_field() -> None:
    frame = frame_of(
        EYES,
        {
            "bkh_av": [100.0, 200.0, 50.0, 50.0],
            "bk_n": [3, 1, 0, 0],
            "tl_yav": [80.0, 90.0, 80.0, 90.0],
            "hm_yo": [1, 2, 3, 4],
        },
    )
    times = [frame.index[1]]
    table = el.compare.events(
        frame, times, before="30s", after="30s", every="30s", fields=["bkh_av", "tl_yav", "hm_yo"]
    )
    assert offset(table, "0s", field="bkh_av") == 125.0
    assert offset(table, "30s", "n", field="bkh_av") == 0
    assert offset(table, "0s", field="tl_yav") == pytest.approx(85)
    assert table.loc["hm_yo", "mean"].tolist() == [1.5, 3.5]
    assert table.loc["hm_yo", "exposure_min"].tolist() == [0.5, 0.5]


def test_all_fields_about_the_wearer_are_taken_unless_some_are_named() -> None:
    frame = el.sample().iloc[:500]
    table = el.compare.events(frame, [frame.index[250]], before="1min", after="1min")
    taken = set(table.index.get_level_values("field"))
    assert {"stp", "tl_yav", "sc_fcs", "isl"} <= taken
    assert not taken & {"gw", "bl", "lat", "hm_prc", "cum_time", "in_tmp"}


def test_a_resampled_frame_keeps_its_bins() -> None:
    frame = el.resample(el.sample(), "10min")
    table = el.compare.events(
        frame, frame.index[200:400:20], before="30min", after="30min", fields="tl_yav"
    )
    assert len(table) == 6
    assert offset(table, "10min", "exposure_min", "tl_yav") == 10 * offset(
        table, "10min", "n", "tl_yav"
    )


def test_missing_fields_and_fields_without_a_mean_are_named() -> None:
    frame, times = el.sample().iloc[:50], ["2026-10-20T10:05:00Z"]
    for fields, says in (("nothing", "nothing"), ("gw", "gw"), ([], "none given")):
        with pytest.raises(el.FieldError, match=says):
            el.compare.events(frame, times, before="1min", after="1min", fields=fields)
    with pytest.raises(el.FieldError, match="bk_n"):
        el.compare.events(
            frame[["bkh_av", "isl"]], times, before="1min", after="1min", fields="bkh_av"
        )
    both = pd.concat([frame, el.sample(MINUTES).iloc[:50]])
    with pytest.raises(el.MixedLogsError):
        el.compare.events(both, times, before="1min", after="1min")
    with pytest.raises(el.ConfigurationError, match=r"events\(frame, times, fields='sc_fcs'\)"):
        el.compare.events(frame["sc_fcs"], times, before="1min", after="1min")


def test_times_of_summer_and_winter_stand_in_one_list() -> None:
    index = pd.date_range("2026-10-24", periods=2880, freq="min", tz="Europe/Berlin")
    series = pd.Series(np.arange(2880.0), index=index, name="level")
    times = ["2026-10-24T12:00:00+02:00", "2026-10-25T12:00:00+01:00"]
    table = el.compare.events(series, times, before="0min", after="1min")
    assert table["mean"].tolist() == [720 + 25 * 30]
    aware = [pd.Timestamp(time).to_pydatetime() for time in times]
    pd.testing.assert_frame_equal(
        el.compare.events(series, aware, before="0min", after="1min"), table
    )


def test_two_windows_may_share_rows() -> None:
    series = minutes([0, 1, 2, 3, 4, 5])
    times = ["2026-10-20T10:03:00Z", "2026-10-20T10:04:00Z"]
    table = el.compare.events(series, times, before="2min", after="1min")
    assert table["mean"].tolist() == [1.5, 2.5, 3.5]


def test_stamps_off_the_grid_lose_nothing() -> None:
    frame = frame_of(EYES, {"hm_yo": [1, 2, 3, 4]})
    moved = at(frame, [(s + pd.Timedelta("4s")).isoformat() for s in frame.index])
    table = el.compare.events(moved, [frame.index[1]], before="30s", after="45s", fields="hm_yo")
    assert table["n"].tolist() == [0, 1, 1, 1, 1]
    assert table["mean"].tolist()[1:] == [1, 2, 3, 4]
