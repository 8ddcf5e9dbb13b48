"""Labels of a diary: each row of a frame lies in one event or in none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.records import records

SIXTY = "standard_mode_logs"
FRAME = records(SIXTY, "2026-10-24 09:00", 120, tz="Asia/Tokyo")  # stamps 09:00 to 10:59


def diary(*events: tuple[str, str | None, str], tz: str = "Asia/Tokyo") -> pd.DataFrame:
    def stamps(texts: list[str | None]) -> pd.DatetimeIndex:
        return pd.DatetimeIndex(texts).as_unit("us").tz_localize(tz)

    starts, ends, labels = (list(part) for part in zip(*events, strict=True))
    day = "2026-10-24 "
    return pd.DataFrame(
        {
            "start": stamps([day + text for text in starts]),
            "end": stamps([None if text is None else day + text for text in ends]),
            "label": pd.array(labels, "string"),
        }
    )


def test_a_record_lies_in_the_event_that_its_interval_lies_in() -> None:
    labels = el.label(FRAME, diary(("09:10", "09:20", "tea"), ("09:20", "09:30", "work")))
    assert labels.name == "label"
    assert labels.index.equals(FRAME.index)
    assert list(labels.cat.categories) == ["tea", "work"]
    # A record stamped 09:10 covers the minute before: it is outside, and 09:20 is still inside.
    tea, work = (FRAME.index[labels == name].strftime("%H:%M") for name in ("tea", "work"))
    assert (tea[0], tea[-1], len(tea)) == ("09:11", "09:20", 10)
    assert (work[0], work[-1], len(work)) == ("09:21", "09:30", 10)
    assert labels.isna().sum() == 100


def test_bins_that_are_stamped_by_their_start_are_labelled_by_their_inside() -> None:
    frame = el.simulate("2026-10-24", 1, log=SIXTY, tz="Asia/Tokyo")
    events = diary(("09:10", "09:20", "tea"))
    bins = el.resample(frame, "10min")
    assert list(bins.index[el.label(bins, events) == "tea"].strftime("%H:%M")) == ["09:10"]


def test_summaries_take_the_labels_and_pool_events_of_one_label() -> None:
    frame = el.sample(SIXTY)
    edges = pd.to_datetime(["2026-10-19 09:00", "2026-10-20 09:00"]).tz_localize("Asia/Tokyo")
    events = pd.DataFrame(
        {"start": edges, "end": edges + pd.Timedelta("3h"), "label": ["work", "work"]}
    )
    labels = el.label(frame, events)
    table = el.blinks.rate(frame, by=labels)
    assert list(table.index) == ["work"]
    inside = frame[(labels == "work").to_numpy(bool, na_value=False)]
    whole = el.blinks.rate(inside)
    assert table["rate_per_min"].iloc[0] == pytest.approx(whole["rate_per_min"].iloc[0])
    assert list(el.gait.pace(frame, by=labels).index) == ["work"]


def test_the_labels_may_be_a_column_of_the_frame() -> None:
    frame = el.sample(SIXTY)
    start = pd.Timestamp("2026-10-19 09:00", tz="Asia/Tokyo")
    events = pd.DataFrame(
        {"start": [start], "end": [start + pd.Timedelta("3h")], "label": ["work"]}
    )
    joined = frame.assign(activity=el.label(frame, events))
    assert_frame_equal(
        el.blinks.rate(joined, by="activity"), el.blinks.rate(joined, by=joined["activity"])
    )
    table = el.blinks.rate(joined, by="activity")
    assert_frame_equal(
        table.rename_axis("label"), el.blinks.rate(frame, by=el.label(frame, events))
    )


def test_overlapping_events_of_different_labels_are_refused_with_both() -> None:
    events = diary(("09:00", "09:30", "work"), ("09:20", "09:40", "tea"))
    with pytest.raises(
        el.ConfigurationError, match=r"overlap.*'work' at .* and 'tea' at .*'tea'\]"
    ):
        el.label(FRAME, events)
    # One by one, as the message says.
    assert (el.label(FRAME, events[events["label"] == "tea"]) == "tea").sum() == 20


def test_an_event_inside_a_long_one_that_was_noted_first_is_found_too() -> None:
    events = diary(("09:00", "10:30", "a"), ("09:05", "09:10", "a"), ("10:00", "10:10", "b"))
    with pytest.raises(el.ConfigurationError, match="overlap"):
        el.label(FRAME, events)
    assert (el.label(FRAME, events.iloc[:2]) == "a").sum() == 90


def test_moments_label_nothing_and_are_said() -> None:
    with pytest.warns(el.EyelogWarning, match="1 of 2 events are moments"):
        labels = el.label(FRAME, diary(("09:10", "09:20", "tea"), ("09:15", None, "phone")))
    assert labels.value_counts().to_dict() == {"tea": 10}
    with pytest.raises(el.ConfigurationError, match=r"all events are moments.*compare\.events"):
        el.label(FRAME, diary(("09:15", None, "phone")))


def test_a_diary_of_another_time_is_said() -> None:
    with pytest.warns(el.EyelogWarning, match="no row of the frame lies in an event"):
        labels = el.label(FRAME, diary(("09:10", "09:20", "tea"), tz="Europe/Berlin"))
    assert labels.isna().all()


@pytest.mark.parametrize(
    ("events", "says"),
    [
        (["2026-10-24"], "not a list"),
        (pd.DataFrame({"start": [1]}), "not one with 'start'"),
        (diary(("09:10", "09:20", "tea")).assign(start=pd.Timestamp("2026-10-24")), "zone"),
        (diary(("09:10", "09:00", "tea")), "ends before it starts: 'tea' at 2026-10-24 09:10"),
        (diary(("09:10", "09:20", "tea")).assign(label=None), "no label"),
        (diary(("09:10", "09:20", "tea")).assign(start=pd.NaT), "zone|no start"),
    ],
)
def test_what_is_not_a_table_of_events_is_refused(events, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.label(FRAME, events)


def test_a_frame_without_records_or_a_diary_without_events_gives_no_labels() -> None:
    events = diary(("09:10", "09:20", "tea"))
    assert el.label(FRAME.iloc[:0], events).empty
    assert el.label(FRAME, events.iloc[:0]).isna().all()


minutes = st.integers(0, 130)


@given(st.lists(st.tuples(minutes, minutes, st.sampled_from("ab")), max_size=6))
def test_labels_are_those_of_a_search_event_by_event(drawn: list[tuple[int, int, str]]) -> None:
    opens = pd.Timestamp("2026-10-24 08:55", tz="Asia/Tokyo")
    spans = [(min(a, b), max(a, b), name) for a, b, name in drawn if a != b]
    if not spans:
        return
    events = pd.DataFrame(
        {
            "start": [opens + pd.Timedelta(a, "min") for a, _, _ in spans],
            "end": [opens + pd.Timedelta(b, "min") for _, b, _ in spans],
            "label": [name for _, _, name in spans],
        }
    )
    clash = any(
        a[2] != b[2] and a[0] < b[1] and b[0] < a[1] for a in spans for b in spans if a is not b
    )
    if clash:
        with pytest.raises(el.ConfigurationError, match="overlap"):
            el.label(FRAME, events)
        return
    middles = [(stamp - opens).total_seconds() / 60 - 0.5 for stamp in FRAME.index]
    expected = [next((n for a, b, n in spans if a <= m < b), None) for m in middles]
    if not any(expected):
        return
    found = el.label(FRAME, events).astype(object).where(lambda each: each.notna(), None)
    assert found.tolist() == expected


def test_event_locked_means_take_the_table_and_count_intervals_by_their_start() -> None:
    frame = el.sample(SIXTY)
    starts = pd.date_range("2026-10-19 09:00", periods=8, freq="1h", tz="Asia/Tokyo")
    events = pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("20min"), "label": "x"})
    given_ = {"before": "5min", "after": "5min", "fields": "hm_yo"}
    assert_frame_equal(
        el.compare.events(frame, events, **given_), el.compare.events(frame, starts, **given_)
    )
    assert np.isfinite(el.compare.events(frame, events, **given_)["mean"]).any()


def test_more_draws_than_memory_holds_are_refused_with_how_many_fit() -> None:
    frame = el.sample("standard_mode_logs")
    times = pd.DatetimeIndex(frame.index[::3])
    with pytest.raises(el.ConfigurationError, match="take at most draws=15,527"):
        el.compare.events(frame, times, before="5min", after="5min", fields="hm_yo", draws=20_000)
