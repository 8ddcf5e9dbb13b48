"""Courses around events: windows, holes, baselines, bands, quantities and times."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of
from support.laws import examples


def minutes(values, *, start: str = "2026-10-20T10:01:00Z", name="level") -> pd.Series:
    """Return minutes of which the first closes at `start`: a Series is named by their opening."""
    index = pd.date_range(start, periods=len(values), freq="min") - pd.Timedelta("1min")
    return pd.Series(np.asarray(values, dtype="float64"), index=index, name=name)


def test_what_ends_at_the_event_is_before_it() -> None:
    series = minutes([0, 0, 0, 7, 7, 7])
    table = el.compare.events(series, ["2026-10-20T10:03:00Z"], before="2min", after="2min")
    assert table["mean"].tolist() == [0, 0, 7, 7]
    assert table["change"].tolist() == [0, 0, 7, 7]
    assert list(table.index.names) == ["field", "offset"]
    assert table.index.get_level_values("offset").tolist() == [
        pd.Timedelta(minutes=m) for m in (-1, 0, 1, 2)
    ]


def test_an_event_between_two_stamps_leaves_its_own_interval_to_what_follows() -> None:
    series = minutes([0, 0, 0, 3, 7, 7])
    table = el.compare.events(series, ["2026-10-20T10:03:20Z"], before="2min", after="2min")
    assert table["mean"].tolist() == [0, 0, 3, 7]


def test_changes_are_measured_from_the_own_baseline_of_each_event() -> None:
    series = minutes([1, 1, 2, 2, 9, 9, 9, 9, 4, 4])
    times = ["2026-10-20T10:02:00Z", "2026-10-20T10:08:00Z"]
    table = el.compare.events(series, times, before="2min", after="2min")
    assert table["mean"].tolist() == [5, 5, 3, 3]
    assert table["change"].tolist() == [0, 0, -2, -2]
    near = el.compare.events(series, times, before="2min", after="2min", baseline=("-1min", "0min"))
    assert near["change"].tolist() == [0, 0, -2, -2]
    none = el.compare.events(series, times, before="0min", after="2min")
    assert none["change"].isna().all()
    assert (none["reason"] == "no event with a value here has a baseline").all()


def test_a_gap_removes_what_lies_in_it_and_nothing_else() -> None:
    series = minutes(np.arange(600.0))
    times = series.index[61::60]
    whole = el.compare.events(series, times, before="5min", after="5min")
    holed = series.drop(series.index[118:123])  # around the second event
    table = el.compare.events(holed, times, before="5min", after="5min")
    assert (whole["n"] == 9).all()
    assert table["n"].tolist() == [9, 9, 8, 8, 8, 8, 8, 9, 9, 9]
    assert table["coverage"].tolist() == [n / 9 for n in table["n"]]
    assert table["exposure_min"].tolist() == table["n"].tolist()
    masked = series.copy()
    masked.iloc[118:123] = np.nan
    pd.testing.assert_frame_equal(
        el.compare.events(masked, times, before="5min", after="5min"), table
    )


def test_events_outside_the_data_are_counted_against_the_coverage() -> None:
    series = minutes(np.ones(30))
    times = ["2026-10-20T10:10:00Z", "2026-11-20T10:10:00Z"]
    table = el.compare.events(series, times, before="1min", after="1min")
    assert table["n"].tolist() == [1, 1]
    assert table["coverage"].tolist() == [0.5, 0.5]
    assert "fewer than 5" in table["reason"].iloc[0]


def test_angles_are_averaged_and_subtracted_on_the_circle() -> None:
    frame = frame_of(MINUTES, {"tl_xav": [175.0, 175.0, -175.0, -175.0] * 6})
    times = frame.index[1::4]
    stored = el.mask(frame, el.flag(frame), allow=el.Reason.OFF_POSE)
    table = el.compare.events(stored, times, before="2min", after="2min", fields="tl_xav")
    assert table["change"].round(6).tolist() == [0, 0, 10, 10]
    assert abs(abs(table["mean"].iloc[2]) - 175) < 1e-6
    assert table["change_low"].round(6).tolist() == [0, 0, 10, 10]


starts = st.lists(st.integers(0, 199), min_size=5, max_size=12, unique=True)


@given(starts, st.floats(0.1, 30), st.floats(-100, 100), st.randoms(use_true_random=False))
@examples(10)
def test_unit_zero_and_order_of_events_carry_over(at_rows, scale, shift, random) -> None:
    series = minutes(np.random.default_rng(2).normal(size=200).round(3))
    times = [series.index[i] for i in at_rows]
    table = el.compare.events(series, times, before="3min", after="3min", draws=100)
    random.shuffle(times)
    pd.testing.assert_frame_equal(
        el.compare.events(series, times, before="3min", after="3min", draws=100), table
    )
    other = el.compare.events(series * scale + shift, times, before="3min", after="3min", draws=100)
    for name in ("mean", "low", "high"):
        expected = table[name] * scale + shift
        np.testing.assert_allclose(other[name], expected, rtol=1e-7, atol=1e-6)
    for name in ("change", "change_low", "change_high"):
        np.testing.assert_allclose(other[name], table[name] * scale, rtol=1e-7, atol=1e-6)


def test_a_value_that_is_masked_never_changes_an_answer_and_rows_may_come_in_any_order() -> None:
    frame = el.sample(MINUTES)
    times = el.gait.bouts(frame)["start"]
    fields = ["hm_yo", "sc_bk_n", "tl_yav"]
    table = el.compare.events(frame, times, before="3min", after="3min", fields=fields, draws=100)
    off = frame["wea_s"] < 20
    changed = frame.copy()
    changed.loc[off, ["hm_yo", "sc_bk_n"]] = 7.0
    changed.loc[off, "tl_yav"] = 12.0
    assert (frame.loc[off, "tl_yav"] < -45).any()
    again = el.compare.events(changed, times, before="3min", after="3min", fields=fields, draws=100)
    pd.testing.assert_frame_equal(again, table)
    shuffled = frame.sample(frac=1, random_state=2)
    pd.testing.assert_frame_equal(
        el.compare.events(shuffled, times, before="3min", after="3min", fields=fields, draws=100),
        table,
    )


def test_no_event_and_no_data_give_missing_rows_with_a_reason() -> None:
    series = minutes(np.ones(30))
    full = el.compare.events(series, series.index[5:10], before="1min", after="1min")
    for table, says in (
        (el.compare.events(series, [], before="1min", after="1min"), "no event was given"),
        (
            el.compare.events(series * np.nan, series.index[5:9], before="1min", after="1min"),
            "no event has",
        ),
    ):
        assert table.dtypes.to_dict() == full.dtypes.to_dict()
        assert table["mean"].isna().all()
        assert table["reason"].str.startswith(says).all()
    empty = el.compare.events(
        el.sample().iloc[:0], series.index[:2], before="1min", after="1min", fields="stp"
    )
    assert (empty["n"] == 0).all()


def test_the_same_seed_gives_the_same_band() -> None:
    series = minutes(np.random.default_rng(1).normal(size=300))
    times = series.index[20:280:20]
    one, same, other = (
        el.compare.events(series, times, before="2min", after="2min", seed=seed)
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one, same)
    assert not one["low"].equals(other["low"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"times": ["2026-10-20T10:05:00"]}, "time zone"),
        ({"times": [pd.NaT]}, "none missing"),
        ({"times": ["2026-10-20T10:05:00Z"] * 2}, "twice"),
        ({"before": "0s", "after": "0s"}, "not both 0"),
        ({"before": "-1min"}, "0 or more"),
        ({"every": "0s"}, "longer than 0"),
        ({"baseline": ("0min", "-1min")}, "opens? before"),
        ({"baseline": "5min"}, "from, to"),
        ({"draws": 5}, "draws"),
        ({"fields": "level"}, "leave out fields"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(change, says) -> None:
    series = minutes(np.ones(30))
    call = {"times": ["2026-10-20T10:05:00Z"], "before": "1min", "after": "1min"} | change
    with pytest.raises(el.ConfigurationError, match=says):
        el.compare.events(series, call.pop("times"), **call)


def test_root_mean_squares_have_a_root_mean_square_over_events() -> None:
    frame = frame_of(MINUTES, {"sc_bki_n": [1, 3, 1, 3], "sc_bki_av": [2.0, 6.0, 4.0, 8.0]})
    times = [frame.index[0] - pd.Timedelta("1min"), frame.index[1]]
    table = el.compare.events(
        frame, times, before="0min", after="2min", every="2min", fields="sc_bki_av"
    )
    each = [(4 + 3 * 36) / 4, (16 + 3 * 64) / 4]
    assert table["mean"].tolist() == [pytest.approx(np.sqrt(np.mean(each)))]
    series = frame["sc_bki_av"].shift(freq="-1min")
    series.attrs = {}  # by its name
    alone = el.compare.events(series, times, before="0min", after="1min", every="1min")
    assert alone["mean"].tolist() == [pytest.approx(np.sqrt((4 + 16) / 2))]


def test_days_around_an_event_are_those_that_had_ended_and_do_not_say_their_hours() -> None:
    frame = el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    days = el.daily(frame)
    found = el.compare.events(days["steps"], [days.index[5]], before="2D", after="2D")
    assert found["mean"].tolist() == days["steps"].iloc[3:7].tolist()
    assert found["exposure_min"].isna().all()
    dated = days["steps"].set_axis(days.index.tz_localize(None))
    again = el.compare.events(dated, [days.index[5] + pd.Timedelta(0)], before="2D", after="2D")
    assert again["mean"].tolist() == found["mean"].tolist()


def test_bins_that_open_at_their_stamps_are_taken_so_by_their_history() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    bins = el.resample(frame, "10min")
    at = bins.index[60]
    for table in (bins, bins["hm_yo"]):
        arguments = {"before": "10min", "after": "10min", **FIELDS[table.ndim]}
        found = el.compare.events(table, [at], **arguments)
        assert found["mean"].tolist() == pytest.approx(bins["hm_yo"].iloc[59:61].tolist())


FIELDS = {1: {}, 2: {"fields": "hm_yo"}}


def empty_course(events_: int, seed: int, step: float = 0.0) -> tuple[pd.Series, pd.DatetimeIndex]:
    """Return noise of minutes that are alike, with a step after each event, and the events."""
    noise = np.random.default_rng(seed).normal(size=60 * (events_ + 2))
    for minute in range(1, len(noise)):
        noise[minute] = 0.5 * noise[minute - 1] + np.sqrt(0.75) * noise[minute]
    series = minutes(noise)
    times = series.index[60::60][:events_]
    for time in times:
        series[time : time + pd.Timedelta("9min")] += step
    return series, times


def test_what_lasts_after_the_events_is_changed_and_the_band_is_wider_than_the_pointwise_one() -> (
    None
):
    table = el.compare.events(*empty_course(20, 1, step=2.0), before="15min", after="15min").loc[
        "level"
    ]
    assert table["changed"].dtype == bool
    assert table["changed"].iloc[15:25].all()
    assert (table["band_low"] < table["change_low"]).all()
    assert (table["band_high"] > table["change_high"]).all()
    out = (table["band_low"] > 0) | (table["band_high"] < 0)
    assert (table["changed"] == out).all()
    # The band is as many standard errors wide at each offset.
    assert (table["band_high"] - table["change"]).gt(0).all()


def test_the_band_of_directions_is_around_their_change_on_the_circle() -> None:
    generator = np.random.default_rng(3)
    index = pd.date_range("2026-10-20T10:01:00Z", periods=1200, freq="min")
    degrees = (generator.normal(175, 3, 1200) + 180) % 360 - 180
    frame = frame_of(MINUTES, {"tl_xav": degrees}, start="2026-10-20T10:01:00Z")
    stored = el.mask(frame, el.flag(frame), allow=el.Reason.OFF_POSE)
    around = {"before": "5min", "after": "5min", "fields": "tl_xav"}
    table = el.compare.events(stored, index[60::60][:15], **around)
    assert (table["band_high"] - table["band_low"]).between(0.1, 20).all()


def test_few_events_or_none_that_vary_have_no_band_for_all_offsets() -> None:
    four = el.compare.events(*empty_course(4, 1, step=2.0), before="5min", after="5min")
    assert four[["band_low", "band_high"]].isna().all(axis=None)
    assert not four["changed"].any()
    series, times = empty_course(10, 1)
    flat = el.compare.events(series * 0, times, before="5min", after="5min")
    assert flat["band_low"].isna().all()
    assert not flat["changed"].any()


def test_five_events_have_a_band_and_no_reason_and_four_say_why_not() -> None:
    five = el.compare.events(*empty_course(5, 1, step=2.0), before="5min", after="5min")
    assert five[["change_low", "change_high"]].notna().all(axis=None)
    assert (five["reason"] == "").all()
    four = el.compare.events(*empty_course(4, 1, step=2.0), before="5min", after="5min")
    assert four["reason"].str.startswith("fewer than 5 events have a value here").all()


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


AROUND = {"before": "5min", "after": "5min"}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-10-19", 1, log="standard_mode_logs", tz="Asia/Tokyo", seed=3)


@pytest.fixture(scope="module")
def walks(frame: pd.DataFrame) -> pd.Series:
    return el.gait.bouts(frame)["start"]


@pytest.mark.parametrize(("column", "mean"), [("value", "mean"), ("change", "change")])
def test_events_gives_the_mean_of_the_single_courses(frame, walks, column, mean) -> None:
    each = el.compare.event_courses(frame, walks, fields="hm_yo", **AROUND)
    table = el.compare.events(frame, walks, fields="hm_yo", **AROUND)
    means = each[column].groupby(level=["field", "offset"]).mean()
    pd.testing.assert_series_equal(means, table[mean], check_names=False)


def test_directions_change_along_the_shorter_arc(frame, walks) -> None:
    each = el.compare.event_courses(frame, walks, fields="tl_yav", **AROUND)
    assert each["change"].abs().max() <= 180
    assert each["change"].notna().any()


def test_each_event_has_all_offsets_and_its_own_time(frame, walks) -> None:
    each = el.compare.event_courses(frame, walks, fields=["hm_yo", "hm_po"], **AROUND)
    assert list(each.index.names) == ["field", "event", "offset"]
    assert len(each) == 2 * len(walks) * 10
    assert list(each.index.unique("event")) == sorted(walks)
    assert str(each.index.unique("event").tz) == "Asia/Tokyo"
    assert each.dtypes.tolist() == [np.float64] * 2
