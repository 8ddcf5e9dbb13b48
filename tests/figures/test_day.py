"""Days in full, one panel each; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.frame import record
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.collisions import collisions
from support.figures import counted_minutes
from support.states import states_of

DAYS = ["2026-10-19", "2026-10-21"]


def hourly(days: list[str]) -> pd.DataFrame:
    opening = counted_minutes(days).shift(freq="-1min").resample("1h")
    table = opening.sum().assign(n=opening.size(), coverage=1.0)[opening.size() > 0]
    return record(table, "resample", log="standard_mode_logs", every="1h")


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
    frame = pd.DataFrame({"stp_mid": 1.0, "sc_bk_n": 0.0, "n": 60, "coverage": 1.0}, index=stamps)
    (ax,) = el.plot_day(frame, "stp_mid")
    (bars,) = [patch for patch in ax.patches if patch.get_label() == "stp_mid"]
    edges = bars.get_data().edges
    assert (edges[1::2] - edges[::2]).tolist() == [1.0] * 25


def test_an_event_over_the_hour_that_comes_twice_is_shaded_in_both_passes() -> None:
    stamps = pd.date_range("2026-10-25", periods=1500, freq="1min", tz="Europe/Berlin")
    frame = pd.DataFrame({"stored": False, "stp_mid": 1.0}, index=stamps.rename("date"))
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


def test_records_are_judged_and_shown_as_columns_with_their_range() -> None:
    frame = el.simulate("2026-10-19", 1)
    (ax,) = el.plot_day(frame, "tl_yav")
    frame = el.mask(frame, el.flag(frame))
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
        (lambda f: f, {"events": [1]}, "events must be a table"),
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


def test_half_a_minute_of_the_20_hz_log_is_drawn_row_by_row_with_its_states() -> None:
    frame = el.simulate("2026-10-20", 1, log="current_data", tz="Asia/Tokyo").iloc[:600]
    values, state = el.plot_day(frame, "pitch", states=el.states(frame))
    (line,) = [line for line in values.lines if line.get_label() == "pitch"]
    assert np.isfinite(line.get_ydata()).sum() == 600
    assert state.get_title(loc="left") == "State"


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


@pytest.mark.parametrize("layout", ["constrained", "tight", "none"])
def test_days_are_drawn_in_a_figure_of_the_user_and_nothing_touches(layout: str) -> None:
    figure = plt.figure(figsize=(7.2, 6.5), layout=None if layout == "none" else layout)
    if layout == "none":  # the margins are the user's
        figure.subplots_adjust(left=0.2, bottom=0.25, top=0.85, hspace=0.5)
    made = el.plot_day(hourly(DAYS), "stp_mid", events=diary(DAYS), fig=figure)
    assert [ax.figure for ax in made] == [figure] * 3
    assert figure.get_size_inches().tolist() == [7.2, 6.5]
    assert collisions(figure) == []


@pytest.mark.parametrize(("fig", "says"), [("mine", "'mine'"), (plt.subplots, "one that has some")])
def test_what_is_no_empty_figure_is_refused(fig, says) -> None:
    given = fig if isinstance(fig, str) else fig()[0]
    with pytest.raises(el.ConfigurationError, match=f"without Axes, not {says}"):
        el.plot_day(hourly(DAYS), "stp_mid", fig=given)
