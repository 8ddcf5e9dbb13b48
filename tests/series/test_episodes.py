import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, frame_of


def condition(states, *, step="60s", dtype="boolean", attrs=None):
    index = pd.date_range(
        "2026-10-20T10:00:00", periods=len(states), freq=step, tz="UTC", unit="us"
    )
    series = pd.Series(states, index=index, dtype=dtype)
    series.attrs = attrs or {}
    return series


def found(series, **options):
    table = el.episodes(series, **options)
    return [
        (f"{row.start:%H:%M:%S}", f"{row.end:%H:%M:%S}", row.duration_min, row.n)
        for row in table.itertuples()
    ]


def test_an_episode_begins_where_its_first_interval_opens_and_ends_where_its_last_closes():
    series = condition([False, True, True, False, True])
    assert found(series) == [("10:01:00", "10:03:00", 2.0, 2), ("10:04:00", "10:05:00", 1.0, 1)]


def test_shorter_episodes_are_left_out():
    series = condition([True, True, False, True])
    assert found(series, at_least="2min") == [("10:00:00", "10:02:00", 2.0, 2)]


def test_a_missing_answer_ends_an_episode():
    assert [row[3] for row in found(condition([True, None, True]))] == [1, 1]


def test_missing_rows_end_an_episode():
    series = condition([True] * 6)
    assert found(series.iloc[[0, 1, 4, 5]]) == [
        ("10:00:00", "10:02:00", 2.0, 2),
        ("10:04:00", "10:06:00", 2.0, 2),
    ]


def test_a_record_that_is_late_by_less_than_half_an_interval_does_not_end_an_episode():
    series = condition([True] * 3, step="15s")
    series.index = series.index[:1].append(series.index[1:] + pd.Timedelta(7, "s"))
    assert [row[3] for row in found(series)] == [3]


def test_the_length_of_a_single_row_is_never_taken_from_its_history():
    frame = frame_of(EYES, {"sc_fcs": [80], "isl": [False]})
    states = frame["isl"] == False  # noqa: E712
    assert el.episodes(frame, states)["duration_min"].tolist() == [0.25]
    with pytest.raises(el.ConfigurationError, match="pass interval="):
        el.episodes(states)
    bins = el.resample(frame_of(MINUTES, {"stp_s": [60] * 20}), "10min")
    assert found(bins["stp_s"] >= 300) == [("10:00:00", "10:20:00", 20.0, 2)]


def test_the_distance_of_rows_wins_where_all_are_wider_apart_than_the_provenance_states():
    attrs = frame_of(EYES, {"sc_fcs": [80]}).attrs
    assert [row[3] for row in found(condition([True] * 3, step="600s", attrs=attrs))] == [3]


def test_a_single_row_of_unknown_length_needs_an_interval():
    with pytest.raises(el.ConfigurationError, match="pass interval="):
        el.episodes(condition([True]))
    assert found(condition([True]), interval="15s") == [("10:00:00", "10:00:15", 0.25, 1)]


def test_an_episode_goes_on_over_midnight_and_the_change_of_the_clocks():
    index = pd.date_range("2026-10-25", periods=24 * 60, freq="60s", tz="Europe/Berlin", unit="us")
    assert [row[3] for row in found(pd.Series(True, index=index))] == [24 * 60]


def test_stamps_out_of_order_or_without_a_zone_are_refused():
    with pytest.raises(el.ConfigurationError, match="in order"):
        el.episodes(condition([True, False]).iloc[::-1])
    with pytest.raises(el.ConfigurationError, match="aware"):
        el.episodes(condition([True, False]).tz_localize(None))


@pytest.mark.parametrize("options", [{"at_least": "soon"}, {"at_least": "-1s"}, {"interval": "0s"}])
def test_a_length_that_cannot_be_read_is_refused_by_name(options):
    with pytest.raises(el.ConfigurationError, match=next(iter(options))):
        el.episodes(condition([True, False]), **options)


@given(st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=40))
def test_episodes_hold_each_true_row_once(states):
    series = condition(states)
    table = el.episodes(series)
    assert table["n"].sum() == sum(state is True for state in states)
    assert np.allclose(table["duration_min"], table["n"])
    assert (table["start"].iloc[1:].to_numpy() > table["end"].iloc[:-1].to_numpy()).all()
