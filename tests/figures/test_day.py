"""Days in full, one panel each; tests read artists, not pixels."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

import eyelog as el
from eyelog.figures.style import COLOURS
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.collisions import LAYOUTS, assert_readable, collisions
from support.figures import counted_minutes
from support.states import states_of

DAYS = ["2026-10-19", "2026-10-21"]


def hourly(days: list[str]) -> pd.DataFrame:
    frame = el.resample(counted_minutes(days), "1h", judge=False, min_coverage=0)
    return frame[frame["n"] > 0]


def titles(made) -> list[str]:
    return [ax.get_title(loc="left") for ax in made]


def test_every_day_from_the_first_to_the_last_has_a_panel_from_00_to_24() -> None:
    made = el.plot_day(hourly(DAYS), "stp_mid")
    assert titles(made) == ["Mon 19 Oct", "Tue 20 Oct", "Wed 21 Oct"]
    assert {ax.get_xlim() for ax in made} == {(0.0, 24.0)}
    assert len({ax.get_ylim() for ax in made}) == 1


def test_counts_are_bars_that_cover_the_time_of_their_rows() -> None:
    table = hourly(DAYS)
    made = el.plot_day(table, "stp_mid")
    (bars,) = [patch for patch in made[0].patches if patch.get_label() == "stp_mid"]
    values, edges, _ = bars.get_data()
    assert values[::2].tolist() == table["stp_mid"].to_numpy()[:24].tolist()
    assert edges[:2].tolist() == [0.0, 1.0]
    assert edges[-1] == 24.0


def test_other_values_are_lines_that_break_and_points_where_alone() -> None:
    table = hourly(DAYS).rename(columns={"stp_mid": "tl_yav"})
    table.iloc[[3, 5], table.columns.get_loc("tl_yav")] = np.nan
    ax = el.plot_day(table, "tl_yav")[0]
    (line,) = [line for line in ax.lines if line.get_label() == "tl_yav"]
    (alone,) = [line for line in ax.lines if line.get_label() == "_tl_yav alone"]
    assert np.isnan(np.asarray(line.get_ydata(), dtype=float)).sum() == 2
    assert np.asarray(alone.get_xdata()).tolist() == [4.5]


def test_a_second_field_has_a_panel_and_a_scale_of_its_own() -> None:
    table = hourly(DAYS)
    table["hm_yo"] = 3.0
    made = el.plot_day(table, "stp_mid", second="hm_yo")
    assert titles(made) == ["Mon 19 Oct", "", "Tue 20 Oct", "", "Wed 21 Oct", ""]
    first, second = made[:2]
    assert second.patches[0].get_label() == "hm_yo"
    assert second.get_ylim() != first.get_ylim()
    first.figure.canvas.draw()
    assert second.bbox.y1 < first.bbox.y0
    assert first.get_title(loc="right") == "Steps, medium per h"


def test_steps_and_walking_are_in_the_colour_of_walking() -> None:
    frame = el.resample(el.sample("standard_mode_logs")[:1440], "10min")
    # A line has the darker edge of that colour: orange on white is too light.
    for name, meaning in (("stp_mid", "walking"), ("stp_s", "walking edge")):
        ax = el.plot_day(frame, name)[0]
        artist = next(one for one in [*ax.patches, *ax.lines] if one.get_label() == name)
        colour = artist.get_facecolor() if artist in ax.patches else artist.get_color()
        assert to_rgb(colour) == to_rgb(COLOURS[meaning])


@pytest.mark.parametrize("second", [None, "hm_yo"])
def test_as_many_days_as_it_takes_fit_on_a_page(second: str | None) -> None:
    days = pd.date_range("2026-10-01", periods=16 if second is None else 8).strftime("%Y-%m-%d")
    made = el.plot_day(hourly([days[0], days[-1]]).assign(hm_yo=1.0), "stp_mid", second=second)
    assert made[0].figure.get_figheight() * 25.4 <= 170.01
    made[0].figure.canvas.draw()
    assert all(ax.bbox.height > 0 for ax in made)
    assert all(above.bbox.y0 >= below.bbox.y1 for above, below in pairwise(made))


def test_time_without_records_is_hatched() -> None:
    frame = counted_minutes(["2026-10-19"])
    ax = el.plot_day(frame.drop(frame.index[120:180]), "stp_mid")[0]
    (gaps,) = [found for found in ax.collections if found.get_label() == "_no record"]
    spans = [path.vertices[:, 0] for path in gaps.get_paths()]
    assert [(span.min(), span.max()) for span in spans] == [(2.0, 3.0)]
    empty = el.plot_day(hourly(DAYS), "stp_mid")[1]
    (whole,) = [found for found in empty.collections if found.get_label() == "_no record"]
    assert whole.get_paths()[0].vertices[:, 0].max() == 24


def no_record(ax) -> list[tuple[float, float]]:
    spans = [
        path.vertices[:, 0]
        for found in ax.collections
        if found.get_label() == "_no record"
        for path in found.get_paths()
    ]
    return [(span.min(), span.max()) for span in spans]


@pytest.mark.parametrize("dropped", [("00:30", "01:00"), ("01:30", "02:00")])
def test_time_that_one_of_two_passes_has_recorded_is_not_hatched(dropped: tuple[str, str]) -> None:
    # The clock shows 02:30 to 03:00 twice.
    frame = counted_minutes(["2026-10-25"]).tz_localize(None)
    stamps = pd.date_range("2026-10-25", periods=1500, freq="1min", tz="Europe/Berlin")
    frame = frame.reindex(range(1500)).set_index(stamps + pd.Timedelta("1min")).fillna(0.0)
    first, last = (pd.Timestamp(f"2026-10-25 {time}", tz="UTC") for time in dropped)
    kept = frame[(frame.index <= first) | (frame.index > last)]
    assert no_record(el.plot_day(kept, "stp_mid")[0]) == []
    both = kept.drop(kept.between_time("02:31", "02:40").index)
    ((left, right),) = no_record(el.plot_day(both, "stp_mid")[0])
    assert (left, right) == pytest.approx((2.5, 2 + 40 / 60))


def test_bars_of_a_repeated_hour_are_as_wide_as_their_rows() -> None:
    stamps = pd.date_range("2026-10-25", periods=25, freq="h", tz="Europe/Berlin", name="date")
    frame = pd.DataFrame(
        {"stp_mid": 1.0, "sc_bk_n": 0.0, "n": 1, "bin_s": 3600.0}, index=stamps + pd.Timedelta("1h")
    )
    (ax,) = el.plot_day(frame, "stp_mid")
    (bars,) = [patch for patch in ax.patches if patch.get_label() == "stp_mid"]
    edges = bars.get_data().edges
    assert (edges[1::2] - edges[::2]).tolist() == [1.0] * 25


def test_thinned_records_are_as_long_as_those_of_their_log() -> None:
    frame = el.simulate("2026-10-21", 1, tz="Asia/Tokyo").iloc[::240]
    (ax,) = el.plot_day(frame, "tl_yav", states=el.states(frame))
    hatched = sum(right - left for left, right in no_record(ax))
    assert hatched == pytest.approx(24 - len(frame) * 15 / 3600, abs=0.01)


def test_the_ribbon_of_states_lies_beneath_its_day() -> None:
    states = states_of([("walking", "2026-10-19 06:01", "2026-10-19 07:00")])
    made = el.plot_day(hourly(["2026-10-19"]), "stp_mid", states=states)
    (image,) = made[0].images
    minutes = image.get_array()[0]
    assert np.flatnonzero(minutes[:, 3]).tolist() == list(range(360, 420))
    assert minutes[400, :3].tolist() == pytest.approx(to_rgb(COLOURS["walking"]))
    assert image.get_extent()[3] < 0


def test_events_are_shaded_on_each_of_their_days() -> None:
    events = pd.DataFrame(
        {
            "start": pd.to_datetime(["2026-10-19 22:00"]).tz_localize("Asia/Tokyo"),
            "end": pd.to_datetime(["2026-10-20 06:00"]).tz_localize("Asia/Tokyo"),
            "label": ["night"],
        }
    )
    made = el.plot_day(hourly(DAYS), "stp_mid", events=events)
    shades = [
        [(p.get_x(), p.get_width()) for p in ax.patches if p.get_label() == "_event"] for ax in made
    ]
    assert shades == [[(22.0, 2.0)], [(0.0, 6.0)], []]
    assert [text.get_text() for text in made[0].texts] == ["night"]
    assert list(made[1].texts) == []


def test_an_event_over_the_hour_that_comes_twice_is_shaded_in_both_passes() -> None:
    stamps = pd.date_range("2026-10-25", periods=1500, freq="1min", tz="Europe/Berlin")
    frame = pd.DataFrame({"stp_mid": 1.0}, index=stamps.rename("date"))
    began = pd.Timestamp("2026-10-25 01:30", tz="Europe/Berlin")
    events = pd.DataFrame({"start": [began], "end": [began + pd.Timedelta("100min")]})
    (ax,) = el.plot_day(frame, "stp_mid", events=events.assign(label="night"))
    spans = [patch.get_bbox() for patch in ax.patches if patch.get_label() == "_event"]
    assert [(box.x0, box.x1) for box in spans] == [
        (pytest.approx(1.5), pytest.approx(3.0)),
        (pytest.approx(2.0), pytest.approx(2 + 10 / 60)),
    ]


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25"])
def test_days_on_which_clocks_change_are_drawn_on_the_wall_clock(day: str) -> None:
    frame = el.simulate(day, 1, tz="Europe/Berlin", seed=2)
    made = el.plot_day(el.resample(frame, "10min"), "tl_yav", states=el.states(frame))
    assert len(made) == 1
    (line,) = [line for line in made[0].lines if line.get_label() == "tl_yav"]
    x = np.asarray(line.get_xdata(), dtype=float)
    assert x.min() >= 0
    assert x.max() <= 24
    blank = [patch for patch in made[0].patches if patch.get_label() == "_skipped"]
    assert len(blank) == (day == "2026-03-29")
    # The hour is no time without a record, in the ribbon neither.
    beneath = [one for one in made[0].patches if one.get_label() == "_skipped by the ribbon"]
    assert [(one.get_x(), one.get_width()) for one in beneath] == [(2, 1)] * len(blank)


def test_raw_records_are_columns_with_their_range() -> None:
    frame = el.simulate("2026-10-19", 1)
    (ax,) = el.plot_day(frame, "tl_yav")
    (band,) = [patch for patch in ax.patches if patch.get_label() == "_tl_yav middle half"]
    lowest, highest = (
        next(found for found in ax.lines if found.get_label() == f"_tl_yav {word}").get_ydata()
        for word in ("lowest", "highest")
    )
    upper, _, lower = band.get_data()
    assert np.nanmax(highest) == frame["tl_yav"].max()
    assert np.nanmin(lowest) == frame["tl_yav"].min()
    there = np.isfinite(upper)
    assert (lowest[there] <= lower[there]).all()
    assert (lower[there] <= upper[there]).all()
    assert (upper[there] <= highest[there]).all()


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda f: f.iloc[:0], {}, "no rows"),
        (lambda f: f.iloc[::-1], {}, "sort_index"),
        (lambda f: pd.concat([f, f.shift(freq="30D")]), {}, "16 days at most"),
        (lambda f: f.assign(stp_mid="x"), {}, "holds text"),
        (
            lambda f: f,
            {"states": states_of([("usable", "2025-01-01", "2025-01-02")])},
            "other days",
        ),
        (
            lambda f: f,
            {"states": states_of([("usable", "2026-10-19", "2026-10-20")], tz="UTC")},
            "same frame",
        ),
        (lambda f: f, {"events": [1]}, "events as a table"),
    ],
)
def test_what_it_cannot_draw_is_refused(change, arguments, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_day(change(hourly(DAYS)), "stp_mid", **arguments)


def test_it_looks_as_it_did(tmp_path, monkeypatch) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    table = hourly(["2026-10-19"])
    table["tl_yav"] = 20 * np.sin(np.arange(24.0))
    states = states_of([("usable", "2026-10-19 00:01", "2026-10-19 09:00"),
                        ("walking", "2026-10-19 09:01", "2026-10-19 10:00"),
                        ("not worn", "2026-10-19 12:01", "2026-10-20 00:00")])  # fmt: skip
    made = el.plot_day(table, "stp_mid", second="tl_yav", states=states)
    assert_looks_as_stored(made[0], "day", tmp_path)


def diary(days: list[str]) -> pd.DataFrame:
    start = pd.DatetimeIndex([f"{days[0]} {hour}:00" for hour in ("09", "10", "11")])
    start = start.tz_localize(hourly(days).index.tz)
    return pd.DataFrame(
        {
            "start": start,
            "end": pd.DatetimeIndex([pd.NaT] * 3, tz=start.tz),
            "label": ["a long walk", "a meeting of all", "tea"],
        }
    )


@pytest.mark.parametrize("layout", LAYOUTS[1:])
def test_days_are_drawn_in_a_figure_of_the_user_and_nothing_touches(layout: str) -> None:
    figure = plt.figure(figsize=(7.2, 6.5), layout=None if layout == "none" else layout)
    if layout == "none":  # the margins are the user's
        figure.subplots_adjust(left=0.2, bottom=0.25, top=0.85, hspace=0.5)
    made = el.plot_day(hourly(DAYS), "stp_mid", events=diary(DAYS), fig=figure)
    assert [ax.figure for ax in made] == [figure] * 3
    assert figure.get_size_inches().tolist() == [7.2, 6.5]
    assert collisions(figure) == []


def test_two_wearers_stand_side_by_side_in_parts_of_a_figure() -> None:
    figure = plt.figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subfigures(1, 2)
    table = hourly(DAYS)
    table["hm_yo"] = 3.0
    for part in (left, right):
        el.plot_day(table, "stp_mid", second="hm_yo", events=diary(DAYS), title="P1", fig=part)
    assert len(left.axes) == len(right.axes) == 6
    assert left.get_suptitle() == right.get_suptitle() == "P1"
    assert collisions(figure) == []
    (legend,) = [ax.get_legend() for ax in left.axes if ax.get_legend() is not None]
    key = legend.get_title().get_text().replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")
    assert key == "Diary: 1 a long walk · 2 a meeting of all · 3 tea"


@pytest.mark.parametrize(("fig", "says"), [("mine", "'mine'"), (plt.subplots, "one that has some")])
def test_what_is_no_empty_figure_is_refused(fig, says) -> None:
    given = fig if isinstance(fig, str) else fig()[0]
    with pytest.raises(el.ConfigurationError, match=f"without Axes: fig= is {says}"):
        el.plot_day(hourly(DAYS), "stp_mid", fig=given)


def test_the_numbers_of_low_panels_keep_apart() -> None:
    frame = el.simulate("2026-01-05", 7, log="standard_mode_logs", seed=2, tz="Europe/Berlin")
    made = el.plot_day(el.resample(frame, "10min"), "hm_yo", second="tl_yav")
    assert_readable(made[0].figure, 89)
    assert all(len(ax.get_yticks()) >= 2 for ax in made)
