"""Fields along time, or along each day: what each row or column of time shows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

import eyelog as el
from support.collisions import collisions
from support.drawn import artists, counted_minutes, legend_of, one, spans, states_of
from support.laws import examples

DAYS = ["2026-10-19", "2026-10-21"]
TOKYO = "Asia/Tokyo"


def line_of(ax: Any, name: str = "value") -> np.ndarray:
    return np.asarray(one(ax, name).get_xydata(), dtype=float)


def few(n: int = 340) -> pd.DataFrame:
    return counted_minutes(["2026-10-19"]).iloc[:n]


def test_a_value_is_in_the_middle_of_its_time_and_lines_break_where_records_are_missing() -> None:
    frame = few()
    (ax,) = el.plot_timeline(frame.drop(frame.index[100:200]))
    x, y = line_of(ax).T
    assert np.flatnonzero(np.isnan(y)).tolist() == [100]
    assert y[np.isfinite(y)].tolist() == [*range(100), *range(200, 340)]
    first = pd.Timestamp(x[0], unit="D", tz="UTC").tz_convert(TOKYO)
    assert abs(first - pd.Timestamp("2026-10-19 00:00:30", tz=TOKYO)) < pd.Timedelta("1ms")


@examples(10)
@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=5, max_size=50))
def test_columns_hide_no_extreme_and_their_means_and_middle_halves_lie_within(found) -> None:
    frame = counted_minutes([f"2026-10-{day}" for day in range(12, 26)])
    values = np.resize(np.array(found), len(frame))
    (ax,) = el.plot_timeline(frame.assign(mine=values), ["mine"])
    plt.close("all")
    if not np.isfinite(values).any():
        return
    _, means = line_of(ax, "mean").T
    low, high = line_of(ax, "lowest, highest")[:, 1].reshape(2, -1)
    assert len(means) <= 800
    assert (np.nanmin(low), np.nanmax(high)) == (np.nanmin(values), np.nanmax(values))
    upper, edges, lower = one(ax, "middle half").get_data()
    there, spare = np.isfinite(means), 1e-9 * (1 + np.nanmax(np.abs(values)))
    for less, more in ((low, means), (means, high), (low, lower), (lower, upper), (upper, high)):
        assert (less[there] <= more[there] + spare).all()
    assert np.diff(edges).max() == pytest.approx(np.diff(edges).min())


def test_a_year_is_the_mean_and_the_middle_half_of_each_day() -> None:
    stamps = pd.date_range("2025-01-01 00:10", periods=365 * 144, freq="10min", tz="UTC")
    frame = pd.DataFrame({"v": 1.0 * (stamps.hour == 8)}, index=stamps.rename("date"))
    (ax,) = el.plot_timeline(frame)
    assert legend_of(ax) == ["mean of each day", "middle half"]
    assert line_of(ax, "mean")[:, 1] == pytest.approx(6 / 144, abs=1 / 144)
    assert ax.get_ylim()[1] < 0.2  # the highest of each day would make a flat line of the means


def test_states_of_months_are_stacked_by_day() -> None:
    days = pd.date_range("2025-01-01", periods=200, freq="D", tz="UTC")
    index = pd.DatetimeIndex([day + pd.Timedelta(hours=h) for day in days for h in range(1, 25)])
    state = pd.Categorical.from_codes([0] * 6 * 800, dtype=el.states(el.sample()[:1]).dtype)
    frame = pd.DataFrame({"state": state}, index=index.as_unit("us").rename("date"))
    frame.iloc[::2] = "walking"
    (ax,) = el.plot_timeline(frame)
    values, _, base = one(ax, "walking").get_data()
    assert (values - base).tolist() == pytest.approx([0.5] * 200)
    assert artists(ax, "usable")


EVENTS = pd.DataFrame(
    {
        "start": pd.to_datetime(["2026-10-19 02:00", "2026-10-19 05:00"]).tz_localize(TOKYO),
        "end": pd.to_datetime(["2026-10-19 03:00", None]).tz_localize(TOKYO),
        "label": ["office", "pill"],
    }
)


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        (lambda f: f.iloc[::-1], {}, el.ConfigurationError, "sort_index"),
        (lambda f: f.iloc[:0], {}, el.ConfigurationError, "no rows"),
        (lambda f: f.assign(mood="x"), {"fields": ["mood"]}, el.ConfigurationError, "holds text"),
        (lambda f: f, {"fields": []}, el.ConfigurationError, "1 to 12 fields"),
        (lambda f: f, {"fields": ["nothing"]}, el.FieldError, "nothing"),
        *(
            (lambda f: f, {"events": change(EVENTS)}, el.ConfigurationError, message)
            for change, message in (
                (lambda e: e.drop(columns="end"), "columns start, end and label"),
                (
                    lambda e: e.assign(end=e["start"] - pd.Timedelta("1min")),
                    "an event ends before it starts: 'office' at 2026-10-19 02:00",
                ),
                (lambda e: e.assign(start=e["start"].dt.tz_localize(None)), "'start' of the ev"),
                (lambda e: e.assign(start=e["start"].shift()), "no start"),
                (lambda e: e["start"], "must be a table"),
            )
        ),
    ],
)
def test_what_a_timeline_cannot_draw_is_refused(change, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        el.plot_timeline(change(few()), **arguments)


def test_a_whole_frame_has_a_choice_of_fields_and_its_states() -> None:
    panels = el.plot_timeline(el.sample("standard_mode_logs").iloc[:2000])
    titles = [ax.get_title(loc="left") for ax in panels]
    assert len(titles) == 9
    assert (titles[0], titles[-1]) == ("Worn time (s per min)", "State")
    assert panels[-1].images
    bins = el.plot_timeline(el.resample(el.sample().iloc[:2000], "10min"))
    words = [ax.get_title(loc="left") for ax in bins]
    assert "Steps per 10 min" in words
    assert "State" not in words
    empty = el.plot_timeline(few().assign(stp_fst=np.nan))
    assert [text.get_text() for text in empty[1].texts] == ["no values"]


@pytest.fixture(scope="module")
def packets() -> pd.DataFrame:
    return el.simulate("2026-10-20", 1, log="current_data", tz=TOKYO).iloc[:12_000]


def test_two_minutes_of_the_20_hz_log_show_each_row_and_each_blink(packets: pd.DataFrame) -> None:
    frame = packets.iloc[:2400]
    values = line_of(el.plot_timeline(frame, ["blinkStrength"])[0])[:, 1]
    blinks = el.blinks.events(frame)
    usable = blinks.loc[~blinks["reason"].isin(["noisy", "walking", "not worn"]), "strength"]
    assert len(usable) > 20
    assert sorted(values[values > 0]) == sorted(usable)
    half_a_minute = frame.iloc[:600]
    pitch, state = el.plot_day(half_a_minute, "pitch", states=el.states(half_a_minute))
    assert np.isfinite(line_of(pitch)[:, 1]).sum() == 600
    assert state.get_title(loc="left") == "State"


@pytest.mark.parametrize("moves", [False, True])
def test_a_short_window_has_ticks_of_seconds(packets: pd.DataFrame, moves: bool) -> None:
    whole = packets.assign(utc_offset_min=540.0) if moves else packets
    for rows, text in ((200, "%H:%M:%S"), (12_000, "%H:%M")):
        ax = el.plot_timeline(whole.iloc[:rows], ["pitch"])[-1]
        ax.figure.draw_without_rendering()
        labels = [label.get_text().partition("\n")[0] for label in ax.get_xticklabels()]
        assert 4 <= len(labels) <= 16
        assert all(pd.to_datetime(label, format=text) is not None for label in labels)


def hourly(days: list[str], name: str = "stp_mid") -> pd.DataFrame:
    return el.resample(counted_minutes(days), "1h").rename(columns={"stp_mid": name})


def test_counts_are_bars_that_cover_their_rows_and_other_values_lines_and_points() -> None:
    table = hourly(DAYS)
    values, edges, _ = one(el.plot_day(table, "stp_mid")[0], "Steps").get_data()
    assert values[::2].tolist() == table["stp_mid"].to_numpy()[:24].tolist()
    assert (edges[:2].tolist(), edges[-1]) == ([0.0, 1.0], 24.0)
    table = hourly(DAYS, "tl_yav")
    table.iloc[[3, 5], table.columns.get_loc("tl_yav")] = np.nan
    ax = el.plot_day(table, "tl_yav")[0]
    assert np.isnan(line_of(ax, "Tilt")[:, 1]).sum() == 2
    (alone,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert np.asarray(alone.get_xdata()).tolist() == [4.5]


@pytest.mark.parametrize("dropped", [("00:30", "01:00"), ("01:30", "02:00")])
def test_time_that_one_of_two_passes_has_recorded_is_not_hatched(dropped: tuple[str, str]) -> None:
    # The clock shows 02:30 to 03:00 twice.
    frame = counted_minutes(["2026-10-25"]).tz_localize(None)
    stamps = pd.date_range("2026-10-25", periods=1500, freq="1min", tz="Europe/Berlin")
    frame = frame.reindex(range(1500)).set_index(stamps + pd.Timedelta("1min")).fillna(0.0)
    first, last = (pd.Timestamp(f"2026-10-25 {time}", tz="UTC") for time in dropped)
    kept = frame[(frame.index <= first) | (frame.index > last)]
    assert "no record" not in legend_of(el.plot_day(kept, "stp_mid")[0])
    both = kept.drop(kept.between_time("02:31", "02:40").index)
    (gap,) = spans(el.plot_day(both, "stp_mid")[0], "no record")
    assert gap == pytest.approx((2.5, 2 + 40 / 60))


def test_in_the_hour_that_comes_twice_rows_are_as_wide_and_events_in_both_passes() -> None:
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    frame = pd.DataFrame({"stp_mid": 1.0, "sc_bk_n": 0.0, "n": 60, "coverage": 1.0}, index=stamps)
    began = pd.Timestamp("2026-10-25 01:30", tz="Europe/Berlin")
    events = pd.DataFrame({"start": [began], "end": [began + pd.Timedelta("100min")]})
    (ax,) = el.plot_day(frame, "stp_mid", events=events.assign(label="night"))
    edges = one(ax, "Steps").get_data().edges
    assert (edges[1::2] - edges[::2]).tolist() == [1.0] * 25
    boxes = [patch.get_bbox() for patch in ax.patches if patch.get_alpha() == 0.22]
    ends = np.array([(box.x0, box.x1) for box in boxes])
    assert ends == pytest.approx(np.array([(1.5, 3.0), (2.0, 2 + 10 / 60)]))


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_days_on_which_clocks_change_are_drawn_on_the_wall_clock(day: str) -> None:
    frame = el.simulate(day, 1, tz="Europe/Berlin", seed=2)
    (ax,) = el.plot_day(el.resample(frame, "10min"), "tl_yav", states=el.states(frame))
    x = line_of(ax, "Tilt")[:, 0]
    assert 0 <= x.min() < x.max() <= 24
    # The hour that a day lacks is blank in panel and ribbon: no time without a record.
    found = [patch for each in (ax, *ax.child_axes) for patch in each.patches]
    boxes = [one.get_bbox().bounds[::2] for one in found if isinstance(one, Rectangle)]
    assert [box for box in boxes if box[1] == 1] == [(2, 1)] * (2 * (day == "2026-03-29"))
    (same,) = el.plot_day(el.resample(frame, "10min"), "tl_yav", states=frame)
    ribbons = [each.child_axes[0].images[0].get_array() for each in (ax, same)]
    assert np.array_equal(*ribbons)


def test_ribbons_of_many_days_leave_the_height_to_the_values() -> None:
    frame = el.simulate("2026-03-02", 16, log="standard_mode_logs")
    heights = []
    for states in (None, el.states(frame)):
        made = el.plot_day(frame, "tl_yav", states=states)
        made[0].figure.draw_without_rendering()
        heights.append(made[0].get_position().height)
    assert heights[1] > 0.6 * heights[0]


def test_records_are_judged_and_drawn_in_columns_of_their_day() -> None:
    frame = el.simulate("2026-10-19", 1)
    (ax,) = el.plot_day(frame, "tl_yav")
    judged = el.mask(frame, el.flag(frame))["tl_yav"]
    shown = line_of(ax, "lowest, highest")[:, 1]
    assert (np.nanmin(shown), np.nanmax(shown)) == (judged.min(), judged.max())


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda f: f.iloc[:0], {}, "no rows"),
        (lambda f: f.iloc[::-1], {}, "sort_index"),
        (lambda f: f.assign(stp_mid="x"), {}, "holds text"),
        (
            lambda f: f,
            {"states": states_of([("usable", "2025-01-01", "2025-01-02")])},
            "none from 2026-10-19",
        ),
        (
            lambda f: f,
            {"states": pd.concat({"anna": states_of([("usable", *DAYS)])}, names=["account"])},
            "takes one wearer",
        ),
        (lambda f: f, {"events": [1]}, "events must be a table"),
        (lambda f: f, {"fig": "mine"}, "without Axes, not 'mine'"),
    ],
)
def test_what_a_day_cannot_show_is_refused(change, arguments, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_day(change(hourly(DAYS)), "stp_mid", **arguments)


@pytest.mark.parametrize("second", [None, "hm_yo"])
def test_more_days_than_a_day_figure_has_are_refused_with_two_calls_that_draw_them(second) -> None:
    frame = el.simulate("2026-03-02", 18, log="standard_mode_logs")
    with pytest.raises(el.ConfigurationError, match="days at most") as caught:
        el.plot_day(frame, "tl_yav", second=second)
    called, _, chosen = str(caught.value).partition("call ")[2].partition(", or choose")
    assert eval(f"el.{called}", {"el": el, "frame": frame}).images
    some = eval(chosen.partition("such as ")[2], {"frame": frame})
    assert len(el.plot_day(some, "tl_yav", second=second)) == 2 * (1 + (second is not None))


def diary(days: list[str]) -> pd.DataFrame:
    start = pd.DatetimeIndex([f"{days[0]} {hour}:00" for hour in ("09", "10", "11")])
    start = start.tz_localize(TOKYO)
    none = pd.DatetimeIndex([pd.NaT] * 3, tz=TOKYO)
    labels = ["a long walk", "a meeting of all", "tea"]
    return pd.DataFrame({"start": start, "end": none, "label": labels})


@pytest.mark.parametrize("layout", ["constrained", "tight", "none"])
def test_days_are_drawn_in_a_figure_of_the_user_and_nothing_touches(layout: str) -> None:
    figure = plt.figure(figsize=(7.2, 6.5), layout=None if layout == "none" else layout)
    if layout == "none":  # the margins are the user's
        figure.subplots_adjust(left=0.2, bottom=0.25, top=0.85, hspace=0.5)
    made = el.plot_day(hourly(DAYS), "stp_mid", events=diary(DAYS), fig=figure)
    assert [ax.figure for ax in made] == [figure] * 3
    assert figure.get_size_inches().tolist() == [7.2, 6.5]
    assert collisions(figure) == []
