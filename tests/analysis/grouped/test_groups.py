"""Groups of rows: bins, days, hours, labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.analysis.grouped.groups import (
    bin_seconds,
    day_groups,
    group_by,
    is_whole,
    time_groups,
)
from eyelog.clock import local_days
from eyelog.errors import ConfigurationError

ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"]


def stamps(first: str, last: str, tz: str, freq: str = "60s") -> pd.DatetimeIndex:
    start, end = (pd.Timestamp(edge).tz_localize(tz) for edge in (first, last))
    return pd.date_range(start, end, freq=freq, unit="us", name="date")


def test_a_bin_is_closed_on_the_right_and_stamped_by_its_end() -> None:
    index = stamps("2026-10-20 10:00", "2026-10-20 10:11", "UTC")
    groups = time_groups(index, "10min")
    assert [f"{label:%H:%M}" for label in groups.labels] == ["10:00", "10:10", "10:20"]
    assert groups.sizes.tolist() == [1, 10, 1]


def test_a_stamp_that_opens_its_interval_turns_bins_around() -> None:
    index = stamps("2026-10-20 10:00", "2026-10-20 10:11", "UTC")
    groups = time_groups(index, "10min", stamp="start")
    assert [f"{label:%H:%M}" for label in groups.labels] == ["10:00", "10:10"]
    assert groups.sizes.tolist() == [10, 2]


def test_bins_without_rows_stand_between_the_first_and_the_last() -> None:
    index = stamps("2026-10-20 10:00", "2026-10-20 10:40", "UTC", freq="20min")
    assert time_groups(index, "10min").sizes.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_a_day_has_the_hours_that_its_clocks_give_it(day: str, hours: int) -> None:
    opens = pd.Timestamp(day).tz_localize("Europe/Berlin")
    closes = (pd.Timestamp(day) + pd.Timedelta(1, "D")).tz_localize("Europe/Berlin")
    index = pd.date_range(opens, closes, freq="60s", unit="us")[1:]
    days, bins = day_groups(index), time_groups(index, "1h")
    assert days.seconds.tolist() == [hours * 3600.0]
    assert days.labels[0] == pd.Timestamp(day)
    assert days.opens_us is not None
    assert days.opens_us[0] == opens.value // 1000
    assert len(bins) == hours
    assert set(bins.sizes) == {60}


def test_a_bin_never_holds_parts_of_two_days() -> None:
    index = stamps("2026-10-24 12:00", "2026-10-26 12:00", "Europe/Berlin")
    groups = time_groups(index, "7h")
    days = local_days(index).asi8
    for low, high in zip(groups.bounds[:-1], groups.bounds[1:], strict=True):
        assert len(set(days[low:high])) == 1
    assert groups.sizes.sum() == len(index)


def test_a_day_without_a_midnight_is_named_by_its_date_and_an_hour_shorter() -> None:
    index = stamps("2026-09-05 22:00", "2026-09-06 03:00", "America/Santiago")
    groups = day_groups(index)
    assert [str(label) for label in groups.labels] == [
        "2026-09-05 00:00:00",
        "2026-09-06 00:00:00",
    ]
    assert groups.seconds.tolist() == [86_400.0, 82_800.0]


def test_a_day_that_a_zone_skipped_is_no_day() -> None:
    index = stamps("2011-12-29 23:00", "2011-12-31 01:00", "Pacific/Apia")
    groups = day_groups(index)
    assert [f"{label:%d}" for label in groups.labels] == ["29", "31"]
    assert groups.sizes.sum() == len(index)


def test_the_record_of_midnight_belongs_to_the_day_that_ended() -> None:
    index = stamps("2026-10-20 23:59", "2026-10-21 00:01", "Asia/Tokyo")
    assert day_groups(index).sizes.tolist() == [2, 1]


def test_a_day_with_nothing_but_its_closing_record_is_left_out() -> None:
    index = stamps("2026-10-21 00:00", "2026-10-21 00:05", "Asia/Tokyo")
    groups = day_groups(index)
    assert [f"{label:%d}" for label in groups.labels] == ["21"]
    assert groups.arrange(index.asi8).tolist() == index.asi8[1:].tolist()
    assert len(day_groups(index, stamp="start")) == 1


def test_a_last_bin_of_a_day_with_many_records_is_a_day() -> None:
    index = stamps("2026-10-21 00:00", "2026-10-21 00:05", "Asia/Tokyo")
    assert len(day_groups(index, lone=np.array([False] + [True] * 5))) == 2


def test_days_without_rows_are_not_invented() -> None:
    index = stamps("2026-10-01 12:00", "2026-10-09 12:00", "UTC", freq="4D")
    assert [label.day for label in day_groups(index).labels] == [1, 5, 9]


def test_weeks_run_from_monday_to_sunday_and_over_the_year() -> None:
    index = stamps("2026-12-30 12:00", "2027-01-05 12:00", "UTC", freq="1h")
    groups = group_by(index, "W", interval_s=60)
    assert [f"{label:%a %Y-%m-%d}" for label in groups.labels] == [
        "Mon 2026-12-28",
        "Mon 2027-01-04",
    ]


def test_the_hour_of_day_is_that_of_the_interval_and_knows_what_it_could_hold() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-22 10:00", "Asia/Tokyo")
    groups = group_by(index, "hour", interval_s=60)
    assert groups.labels.name == "hour"
    by_hour = dict(zip(groups.labels, groups.sizes, strict=True))
    assert by_hour[9] == 180
    assert by_hour[10] == 120
    assert (groups.sizes * 60.0 == groups.seconds).all()


def test_labels_group_rows_in_any_order_and_a_missing_label_is_no_group() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:05", "UTC")
    labels = pd.Series(["desk", None, "walk", "desk", "walk"], index=index, name="context")
    groups = group_by(index, labels, interval_s=60)
    assert groups.labels.tolist() == ["desk", "walk"]
    assert groups.labels.name == "context"
    assert groups.arrange(np.arange(5)).tolist() == [0, 3, 2, 4]
    assert groups.seconds.tolist() == [120.0, 120.0]


@pytest.mark.parametrize("every", ["nonsense", "25h", "86401s", "0s", "-1h", "ME", None, ""])
def test_an_invalid_width_is_refused(every: str) -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:05", "UTC")
    with pytest.raises(ConfigurationError, match="not a valid width of a bin"):
        time_groups(index, every)


def test_too_few_labels_are_refused() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:05", "UTC")
    with pytest.raises(ConfigurationError, match="3 labels for 5 rows"):
        group_by(index, ["a", "b", "a"], interval_s=60)


def test_a_nominal_day_has_24_hours() -> None:
    assert [bin_seconds(every) for every in ("15s", "1D", "7D", "W")] == [15, 86400, 604800, 604800]


@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(pd.Timestamp("2026-01-01"), pd.Timestamp("2026-12-01")),
    steps=st.lists(st.integers(1, 200_000), max_size=30),
    every=st.sampled_from(["10min", "1h", "6h", "24h", "1D", "3D", "W"]),
    stamp=st.sampled_from(["end", "start"]),
)
def test_every_row_lies_in_the_one_bin_that_holds_its_stamp(
    zone: str, start: pd.Timestamp, steps: list[int], every: str, stamp: str
) -> None:
    first = pd.Timestamp(start).floor("s").tz_localize("UTC")
    index = first + pd.to_timedelta(np.cumsum([0, *steps]), unit="s")
    index = pd.DatetimeIndex(index).as_unit("us").tz_convert(zone)
    groups = time_groups(index, every, stamp=stamp)
    edges = groups.labels.asi8  # type: ignore[attr-defined]
    width = np.rint(groups.seconds * 1e6).astype(np.int64)
    at = np.repeat(np.arange(len(groups)), groups.sizes)
    assert groups.sizes.sum() == len(index)
    if stamp == "end":
        assert ((index.asi8 <= edges[at]) & (index.asi8 > edges[at] - width[at])).all()
    else:
        assert ((index.asi8 >= edges[at]) & (index.asi8 < edges[at] + width[at])).all()
    assert groups.sizes[0] > 0
    assert groups.sizes[-1] > 0
    if every == "1D" and stamp == "end":
        assert groups.filled.tolist() == sorted(set(groups.filled))
        assert len(groups.filled) == local_days(index).nunique()


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


def test_weekdays_and_weekends_are_those_of_the_inside_of_an_interval() -> None:
    # Saturday 00:00 closes the last minute of Friday.
    index = stamps("2026-10-23 23:58", "2026-10-24 00:02", "Asia/Tokyo")
    days = group_by(index, "weekday", interval_s=60)
    assert days.labels.tolist() == [4, 5]
    assert days.sizes.tolist() == [3, 2]
    parts = group_by(index, "weekend", interval_s=60)
    assert (parts.labels.name, parts.labels.tolist()) == ("weekend", ["weekday", "weekend"])
    assert parts.seconds.tolist() == [180.0, 120.0]
    opening = group_by(index, "weekend", interval_s=60, stamp="start")
    assert opening.sizes.tolist() == [2, 3]


def test_a_weekday_knows_how_much_it_could_hold_when_the_clocks_change() -> None:
    index = stamps("2026-10-24 00:01", "2026-10-26 00:00", "Europe/Berlin")
    groups = group_by(index, "weekday", interval_s=60)
    assert groups.labels.tolist() == [5, 6]
    assert groups.seconds.tolist() == [24 * 3600.0, 25 * 3600.0]


def test_weeks_are_named_by_their_monday_at_the_turn_of_the_year() -> None:
    index = stamps("2026-12-30 12:00", "2027-01-05 12:00", "UTC", freq="1h")
    groups = group_by(index, "week", interval_s=60)
    assert groups.labels.name == "week"
    assert [f"{label:%G-W%V}" for label in groups.labels] == ["2026-W53", "2027-W01"]


def test_a_group_can_be_asked_for_some_rows_alone() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:06", "UTC")
    labels = pd.Series(["a", "b", "a", "b", None, "a"], index=index)
    groups = group_by(index, labels, interval_s=60)
    some = groups.only(np.array([True, False, False, True, True, True]))
    assert some.sizes.tolist() == [2, 1]
    assert some.arrange(np.arange(6)).tolist() == [0, 5, 3]
    hours = group_by(index, "1h", interval_s=60)
    assert hours.only(np.arange(6) > 3).arrange(np.arange(6)).tolist() == [4, 5]


def test_what_is_no_group_at_all_is_said_in_one_line() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:05", "UTC")
    with pytest.raises(ConfigurationError, match=r"'weekdays'.*'weekday'.*column"):
        group_by(index, "weekdays", interval_s=60)


@pytest.mark.parametrize("ask", [el.blinks.rate, el.gait.pace, el.posture.head_movements])
def test_a_column_of_the_frame_groups_its_rows_as_the_same_series_does(ask) -> None:
    frame = el.sample()
    frame["label"] = np.where(frame.index.hour < 12, "morning", "later")
    by_name = ask(frame, by="label")
    assert by_name.index.tolist() == ["later", "morning"]
    pd.testing.assert_frame_equal(by_name, ask(frame, by=frame["label"]))
    pd.testing.assert_frame_equal(by_name, ask(frame.iloc[::-1], by="label"))


def test_a_last_bin_of_days_is_as_long_as_the_others_by_the_calendar() -> None:
    index = stamps("2026-10-12 10:00", "2026-10-21 10:00", "Europe/Berlin", freq="1h")
    groups = time_groups(index, "7D", label="auto")
    assert [f"{label:%m-%d %H:%M}" for label in groups.labels] == ["10-12 00:00", "10-19 00:00"]
    # The clocks go back on the 25th, after the last record and within its bin.
    assert groups.seconds.tolist() == [7 * 86_400, 7 * 86_400 + 3600]


def test_a_week_whose_sunday_has_records_is_the_last_one() -> None:
    index = stamps("2026-10-12 10:00", "2026-10-18 10:00", "UTC", freq="1h")
    groups = time_groups(index, "W", label="auto")
    assert [f"{label:%a %m-%d}" for label in groups.labels] == ["Mon 10-12"]
    assert groups.seconds.tolist() == [7 * 86_400]


def test_all_rows_are_one_group_from_the_first_opening_to_the_last_closing() -> None:
    index = stamps("2026-10-20 10:00:15", "2026-10-20 10:02:00", "UTC", freq="15s")
    index = index[[0, 1, 2, 7]]
    groups = group_by(index, None, interval_s=15)
    assert groups.labels.equals(pd.Index(["all"], name="group"))
    assert groups.labels.name == "group"
    assert groups.seconds.tolist() == [120]
    assert group_by(index[:0], None, interval_s=15).seconds.tolist() == [0]


def test_an_hour_of_day_of_opening_stamps_could_hold_what_follows_them() -> None:
    index = stamps("2026-10-20 10:30", "2026-10-20 11:09", "UTC")
    groups = group_by(index, "hour", interval_s=60, stamp="start")
    assert groups.labels.tolist() == [10, 11]
    assert groups.seconds.tolist() == [1800, 600]


def test_labels_by_stamp_are_found_by_their_stamps() -> None:
    index = stamps("2026-10-20 10:01", "2026-10-20 10:04", "UTC")
    by = pd.Series(["a", "a", "a", "b"], index=index)[::-1]
    groups = group_by(index, by, interval_s=60)
    assert groups.labels.tolist() == ["a", "b"]
    assert groups.arrange(np.arange(4)).tolist() == [0, 1, 2, 3]
    assert groups.labels.name == "group"
    assert groups.sizes.tolist() == [3, 1]
    assert group_by(index, by.rename("place"), interval_s=60).labels.name == "place"


def test_a_label_that_no_row_carries_is_no_group() -> None:
    index = stamps("2026-10-20 10:01", "2026-10-20 10:02", "UTC")
    by = pd.Categorical(["a", "c"], categories=["a", "b", "c"])
    assert group_by(index, by, interval_s=60).labels.tolist() == ["a", "c"]


def test_days_behind_a_lone_boundary_record_are_a_view_of_the_rows() -> None:
    index = stamps("2026-10-20 00:00", "2026-10-22 12:00", "UTC")
    days = day_groups(index)
    values = np.arange(float(len(index)))
    assert np.shares_memory(days.arrange(values), values)
    np.testing.assert_array_equal(days.arrange(values), values[1:])
    np.testing.assert_array_equal(days.rows(0), np.arange(1, len(index)))
    hours = days.only(index.hour == 5)
    assert [index[row].hour for row in hours.rows(0)] == [5] * 180
    kept = days.keep(np.array([True, False, True]))
    np.testing.assert_array_equal(kept.arrange(values), np.r_[1:1441, 2881 : len(index)])


def test_two_keys_of_two_rows_are_keys_and_not_their_labels() -> None:
    index = stamps("2026-10-20 09:30", "2026-10-24 10:30", "UTC", freq="97h")
    assert len(index) == 2
    groups = group_by(index, ["hour", "weekend"], interval_s=60)
    assert groups.labels.names == ["hour", "weekend"]
    assert groups.labels.tolist() == [(9, "weekday"), (10, "weekend")]


def test_only_the_one_group_of_all_rows_is_the_whole() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 09:05", "UTC")
    assert is_whole(group_by(index, None, interval_s=60).labels)
    labelled = group_by(index, ["left", "left", "right", "right", "left"], interval_s=60)
    assert labelled.labels.name == "group"
    assert not is_whole(labelled.labels)


def test_bins_beside_another_key_span_their_own_time() -> None:
    index = stamps("2026-10-20 09:01", "2026-10-20 10:30", "UTC")
    groups = group_by(index, ["30min", "weekend"], interval_s=60)
    assert groups.sizes.tolist() == [30, 30, 30]
    assert groups.seconds.tolist() == [1800.0] * 3


def test_hours_of_days_span_an_hour_each() -> None:
    index = stamps("2026-10-20 22:30", "2026-10-22 01:00", "Asia/Tokyo", freq="30min")
    groups = group_by(index, ["1D", "hour"], interval_s=1800)
    assert [f"{day:%d} {hour}" for day, hour in groups.labels[:3]] == ["20 22", "20 23", "21 0"]
    assert (len(groups), set(groups.seconds)) == (27, {3600.0})


def test_no_rows_have_no_groups_by_any_keys() -> None:
    for keys in (["30min", "weekend"], ["hour", "weekend"], "1D", "hour"):
        assert el.blinks.rate(el.sample().iloc[:0], by=keys).empty


def test_weeks_and_days_keep_their_own_names_beside_another_key() -> None:
    frame = el.sample()
    assert el.blinks.rate(frame, by=["week", "hour"]).index.names == ["week", "hour"]
    assert el.blinks.rate(frame, by=["1D", "hour"]).index.names == ["day", "hour"]
