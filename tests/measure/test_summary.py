"""Every summary: any frame in, an answer or a typed error out, the input as it was; groups."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, frame_of, shaped
from support.laws import examples
from support.logs import INTERVAL_SECONDS, fields

ASK: dict[str, Callable[..., Any]] = {
    "blinks.rate": el.blinks.rate,
    "blinks.strength": el.blinks.strength,
    "blinks.duration": el.blinks.duration,
    "blinks.bursts": el.blinks.bursts,
    "gait.pace": el.gait.pace,
    "gait.speed_classes": el.gait.speed_classes,
    "posture.head_movements": el.posture.head_movements,
    "posture.spread": el.posture.spread,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "gait.bouts": el.gait.bouts,
    "gait.peak_cadence": el.gait.peak_cadence,
    "posture.zones": el.posture.zones,
    "posture.relative_tilt": el.posture.relative_tilt,
    "blinks.cleansings": el.blinks.cleansings,
    "daily": el.daily,
    "resample": lambda f, **k: el.resample(f, "10min", **k),
}


def wild(log: str, seed: int) -> pd.DataFrame:
    """Return a frame with every column, odd values and some gaps."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 40))
    seconds = np.cumsum(rng.choice([1, 1, 1, 1, 2, 300], n)) * INTERVAL_SECONDS[log]
    index = pd.Timestamp("2026-10-24T20:00:00Z") + pd.to_timedelta(seconds, unit="s")
    data = {}
    for name, field in fields(log).drop("date").iterrows():
        if field["dtype"] == "string":
            data[name] = pd.array(rng.choice(["", "x"], n), dtype="string")
        elif field["dtype"] == "boolean":
            data[name] = pd.array(rng.choice([True, False, None], n), dtype="boolean")
        else:
            odd = [np.nan, -1.0, 2.5, 1e9, np.inf, -np.inf, field["max"], field["min"]]
            plain = rng.integers(0, 5, n).astype(float)
            data[name] = np.where(rng.random(n) < 0.3, rng.choice(odd, n), plain)
    return shaped(data, log, index=pd.DatetimeIndex(index), tz="Europe/Berlin")


@examples(8)
@given(
    log=st.sampled_from([EYES, MINUTES]),
    seed=st.integers(0, 2**32),
    by=st.sampled_from([None, "hour", "1h", "1D", "W"]),
)
def test_any_frame_gets_an_answer_or_a_typed_error_and_stays_as_it_was(
    log: str, seed: int, by: str | None
) -> None:
    frame = wild(log, seed)
    before, attrs = frame.copy(deep=True), dict(frame.attrs)
    for name, ask in (ASK | PLAIN).items():
        options = {"by": by} if name in ASK else {}
        try:
            table = ask(frame, **options)
        except el.EyelogError:
            continue
        assert table.attrs["eyelog"]["history"][-1]["step"].endswith(name.split(".")[-1])
        if "coverage" in table:
            assert table["coverage"].dropna().between(0, 1).all()
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == attrs


@pytest.mark.parametrize(
    ("function", "options"),
    [
        *((el.daily, wrong) for wrong in ({"min_coverage": 2}, {"day_starts": "25:00"})),
        *((el.weekly, wrong) for wrong in ({"min_days": 0}, {"min_days": 2.5}, {"limits": "8h"})),
        *((el.gait.peak_cadence, wrong) for wrong in ({"minutes": 0}, {"min_coverage": 0})),
        *((el.posture.zones, {"edges": wrong}) for wrong in ([], [5, 5], [0, 200])),
        (el.posture.zones, {"field": "stp"}),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    function: Callable[..., Any], options: dict[str, Any]
) -> None:
    with pytest.raises(el.ConfigurationError):
        function(el.sample(), **options)


def test_labels_for_other_stamps_are_refused() -> None:
    frame = frame_of(EYES, {"hm_po": [1, 1], "hm_yo": [1, 1]})
    labels = pd.Series(["a", "b"], index=frame.index + pd.Timedelta(1, "D"))
    with pytest.raises(el.ConfigurationError, match="no label for any stamp"):
        el.posture.head_movements(frame, by=labels)


def test_rows_that_labels_leave_out_are_said() -> None:
    frame = el.sample(MINUTES)
    labels = pd.Series(np.where(frame.index.hour < 12, "am", "pm"), index=frame.index)
    with pytest.warns(el.EyelogWarning, match="no label for the stamps of 9,560 of 9,660 rows"):
        assert el.summary(frame, by=labels.iloc[:100])["n"].tolist() == [100]
    tens = el.intervals(frame, "10min")
    with pytest.warns(el.EyelogWarning, match="give a label for each row of the table"):
        el.summary(tens, by=labels.loc[:"2026-10-21"])


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_the_tables_carry_what_they_rest_on(log: str) -> None:
    for ask in ASK.values():
        try:
            table = ask(el.sample(log), by="1D")
        except el.EyelogError:
            continue
        assert {"n", "exposure_min", "coverage"} <= set(table.columns)
        assert table["n"].dtype == "int64"
        assert table.index.name == "day"


@pytest.mark.parametrize(("log", "minutes"), [(EYES, 0.75), (MINUTES, 3)])
def test_an_exposure_is_the_time_of_the_records_that_count(log: str, minutes: float) -> None:
    side = "" if log == EYES else "sc_"
    values = {"bk_n": [2, 3, 4, None], "bkh_av": [80, 90, 100, 110], "bkh_sd": [9, 8, 7, 6]}
    frame = frame_of(log, {f"{side}{name}": column for name, column in values.items()})
    assert el.blinks.strength(frame)["exposure_min"].iloc[0] == minutes


def test_a_column_of_ones_own_does_not_disturb_records_that_were_judged_before() -> None:
    frame = el.sample()
    masked = el.mask(frame, el.flag(frame))
    own = masked.assign(light=3.5)
    pd.testing.assert_frame_equal(el.gait.pace(own), el.gait.pace(masked))


def test_movements_follow_the_wear_that_blinks_show() -> None:
    frame, blinks = el.sample(), el.Limits(wear="blinks")
    turned = el.posture.head_movements(frame, by="1D", limits=blinks)["yaw_per_h"]
    of_days = el.daily(frame, limits=blinks)["head_moves_yaw_per_h"]
    np.testing.assert_allclose(turned, of_days)
    assert (turned != el.daily(frame)["head_moves_yaw_per_h"]).all()


def test_a_column_of_the_user_named_as_one_of_a_bin_does_not_matter_in_records() -> None:
    names = ["stp", "cad", "isl", "tl_xav", "tl_yav"]
    frame = el.sample().loc["2026-10-24 10:00":"2026-10-24 11:00", names]
    frame = frame[~frame["isl"].fillna(value=True)]
    pd.testing.assert_frame_equal(el.gait.pace(frame.assign(coverage=2.0)), el.gait.pace(frame))


@pytest.mark.parametrize(("by", "name"), [("W", "week"), ("week", "week"), ("7D", "day")])
def test_weeks_are_named_weeks_however_they_are_asked_for(by: str, name: str) -> None:
    frame = el.sample(MINUTES)
    assert el.summary(frame, by=by).index.name == el.coverage(frame, by=by).index.name == name


# Groups of rows: bins, days, hours, labels


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
