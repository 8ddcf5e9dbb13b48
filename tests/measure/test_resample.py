"""Longer intervals to look at: the rules, the edges, the coverage, and one's own columns."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.logs import history


def one(frame: pd.DataFrame, name: str, **options: object) -> float:
    table = el.resample(opening(frame), "1min", **options)  # type: ignore[arg-type]
    assert len(table) == 1
    return float(table[name].iloc[0])


def opening(frame: pd.DataFrame) -> pd.DataFrame:
    """Return records of 15 seconds of which the first opens on the minute."""
    shift = frame.index[0].floor("min") + pd.Timedelta("15s") - frame.index[0]
    return frame.set_axis(frame.index + shift)


def test_the_last_level_is_kept_although_later_ones_are_missing() -> None:
    assert one(frame_of(EYES, {"bl": [5, 4, 3, None]}), "bl") == 3


def test_tilt_averages_on_the_circle() -> None:
    frame = frame_of(EYES, {"tl_xav": [175, -175, 175, -175]})
    every = el.Limits(tilt_sideways_deg=(-180, 180))
    assert abs(one(frame, "tl_xav", limits=every)) == pytest.approx(180)


def test_ones_own_columns_are_averaged_and_texts_left_out() -> None:
    frame = opening(frame_of(EYES, {"re_u": [1, 2, 3, 4]}))
    frame = frame.assign(co2=[400, 500, None, 900], window=[True, False, False, False], mood="ok")
    table = el.resample(frame, "1min")
    assert table[["co2", "window"]].iloc[0].tolist() == [600, 0.25]
    assert history(table)[-1]["left_out"] == ["mood"]
    assert list(table.columns[-4:]) == ["co2", "window", "n", "coverage"]


def test_bins_are_named_by_when_they_open_as_pandas_does() -> None:
    frame = el.sample(MINUTES)
    opens = frame["bl"].shift(freq="-1min")
    for every in ("1h", "1D"):
        assert el.resample(frame, every).index[1:].equals(opens.resample(every).sum().index[1:])
    assert el.resample(frame, "1D").index.day_name()[0] == "Monday"
    steps = el.resample(frame, "1h")["stp_mid"]
    by_pandas = steps.groupby(steps.index.hour).sum()
    masked = el.mask(frame, el.flag(frame))["stp_mid"].shift(freq="-1min")
    pd.testing.assert_series_equal(by_pandas, masked.groupby(masked.index.hour).sum())


def test_a_day_can_start_in_the_evening() -> None:
    frame = el.sample(MINUTES)
    table = el.resample(frame, "1D", day_starts="18:00")
    assert set(table.index.hour) == {18}
    assert table["n"].sum() == len(frame)


@pytest.mark.parametrize(
    "function",
    [
        *(el.daily, el.weekly, el.summary, el.coverage, el.gaps, el.describe, el.states),
        *(el.blinks.rate, el.gait.pace, el.posture.tilt, el.recompute),
        lambda frame: el.attrition(frame, recipe="trend"),
        *(lambda frame: el.resample(frame, "1h"), lambda frame: el.intervals(frame, "1h")),
    ],
)
def test_what_takes_records_refuses_bins_and_says_what_to_pass(
    function: Callable[..., Any],
) -> None:
    bins = el.resample(el.sample(MINUTES), "10min")
    with pytest.raises(el.ConfigurationError, match=r"a table of resample: pass the records"):
        function(bins)


def test_the_columns_are_the_fields_in_order_and_then_what_they_rest_on() -> None:
    frame = el.sample()
    table = el.resample(frame, "1h")
    fields = [name for name in frame.columns if name != "gw"]
    assert list(table) == [*fields, "n", "coverage"]
    assert table.dtypes.drop("n").eq("float64").all()
    assert table["n"].dtype == "int64"
    assert history(table)[-1]["left_out"] == ["gw"]
    assert history(table)[-1]["every"] == "1h"


def test_a_field_without_its_weight_is_refused_by_name() -> None:
    with pytest.raises(el.FieldError, match=r"'bkw_av' needs 'bk_n"):
        el.resample(frame_of(EYES, {"bkw_av": [120]}), "1min")


@pytest.mark.parametrize("every", ["5s", "20s", "7s"])
def test_a_width_that_cuts_intervals_is_refused(every: str) -> None:
    with pytest.raises(
        el.ConfigurationError, match=r"take a whole multiple of 15 s|15 s do not fit"
    ):
        el.resample(frame_of(EYES, {"re_u": [1, 2]}), every)


def test_naive_stamps_and_a_stamp_twice_are_refused() -> None:
    frame = frame_of(EYES, {"re_u": [1, 2]})
    with pytest.raises(el.ConfigurationError, match="aware DatetimeIndex"):
        el.resample(frame.tz_localize(None), "1min")
    with pytest.raises(el.ConfigurationError, match="several rows with one stamp"):
        el.resample(pd.concat([frame, frame]), "1min")
