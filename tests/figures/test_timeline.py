"""Fields along time, one panel each; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

import eyelog as el
from eyelog.figures.style import COLOURS
from support.figures import counted_minutes
from support.packets import packets


def line_of(ax, label: str) -> np.ndarray:
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return np.asarray(line.get_xydata(), dtype=float)


def titles(made) -> list[str]:
    return [ax.get_title(loc="left") for ax in made]


def few(n: int = 340) -> pd.DataFrame:
    return counted_minutes(["2026-10-19"]).iloc[:n]


def test_packets_with_uneven_stamps_are_drawn_without_breaks_but_for_what_was_lost() -> None:
    frame = packets(600, jitter_us=24_000)
    made = el.plot_timeline(frame.drop(frame.index[300:400]))
    assert titles(made)[0] == "Blink strength (uV-equiv)"
    assert titles(made)[-1] == "State"
    (ax,) = el.plot_timeline(frame.drop(frame.index[300:400]), fields=["pitch"])
    y = line_of(ax, "pitch")[:, 1]
    assert np.flatnonzero(np.isnan(y)).tolist() == [300]


def test_a_timeline_breaks_its_line_where_records_are_missing() -> None:
    frame = few()
    (ax,) = el.plot_timeline(frame.drop(frame.index[100:200]))
    y = line_of(ax, "stp_mid")[:, 1]
    assert np.flatnonzero(np.isnan(y)).tolist() == [100]
    assert y[np.isfinite(y)].tolist() == [*range(100), *range(200, 340)]


def test_values_without_neighbours_are_points_and_none_vanishes() -> None:
    frame = few()
    frame.iloc[1::2] = np.nan
    (ax,) = el.plot_timeline(frame)
    assert len(line_of(ax, "_stp_mid alone")) == 170


def test_a_value_stands_in_the_middle_of_the_time_it_covers() -> None:
    (ax,) = el.plot_timeline(few(3))
    first = pd.Timestamp(line_of(ax, "stp_mid")[0, 0], unit="D", tz="UTC").tz_convert("Asia/Tokyo")
    assert abs(first - pd.Timestamp("2026-10-19 00:00:30", tz="Asia/Tokyo")) < pd.Timedelta("1ms")


def test_what_cannot_be_resolved_is_a_mean_within_its_range_and_hides_nothing() -> None:
    frame = counted_minutes([f"2026-10-{day}" for day in range(12, 26)])
    frame.iloc[7000] = 99_999.0
    (ax,) = el.plot_timeline(frame)
    (band,) = ax.patches
    upper, edges, lower = band.get_data()
    low, high = (line_of(ax, f"_stp_mid {word}")[:, 1] for word in ("lowest", "highest"))
    assert len(high) <= 800
    assert np.nanmax(high) == 99_999
    assert np.nanmin(low) == 0
    means = line_of(ax, "stp_mid")[:, 1]
    width = len(frame) / len(high)
    assert means[0] == pytest.approx((width - 1) / 2)
    assert ((means >= low) & (means <= high)).all()
    first = frame["stp_mid"].iloc[: int(width)]
    assert [lower[0], upper[0]] == first.quantile([0.25, 0.75]).tolist()
    assert np.diff(edges).max() == pytest.approx(np.diff(edges).min())


def test_the_legend_says_what_a_column_shows() -> None:
    made = el.plot_timeline(counted_minutes([f"2026-10-{day}" for day in range(12, 26)]))
    texts = [text.get_text() for text in made[0].figure.legends[0].get_texts()]
    assert texts == ["mean of 30 min", "middle half", "lowest, highest"]


def test_a_few_hours_are_shown_by_themselves_and_more_as_whole_days() -> None:
    def shown(n: int) -> float:
        (ax,) = el.plot_timeline(few(n))
        low, high = ax.get_xlim()
        return (high - low) * 24

    assert shown(300) == pytest.approx(5)
    assert shown(1000) == pytest.approx(24)


def test_a_panel_for_each_field_in_the_order_asked() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs")
    made = el.plot_timeline(frame, fields=["bl", "tl_yav", "wea_s"])
    assert titles(made) == ["Battery (level)", "Tilt fore-aft (deg)", "Worn time (s per min)"]


def test_booleans_and_states_are_ribbons() -> None:
    frame = el.simulate("2026-10-19", 1)
    frame["state"] = el.states(frame)
    made = el.plot_timeline(frame, fields=["isl", "state", "stp"])
    assert [len(ax.images) for ax in made] == [1, 1, 0]
    still = made[0].images[0].get_array()[0]
    pure = {name: np.isclose(still[:, :3], to_rgb(COLOURS[name])).all(axis=1) for name in
            ("true", "false")}  # fmt: skip
    assert pure["true"].any()
    assert pure["false"].any()
    opacity = still[:, 3]
    recorded_h = el.coverage(frame)["recorded_h"].sum()
    assert opacity.mean() * 24 == pytest.approx(recorded_h, rel=0.01)


def test_states_of_months_are_stacked_by_day() -> None:
    days = pd.date_range("2025-01-01", periods=200, freq="D", tz="UTC")
    index = pd.DatetimeIndex([day + pd.Timedelta(hours=h) for day in days for h in range(1, 25)])
    state = pd.Categorical.from_codes([0] * 6 * 800, dtype=el.states(el.sample()[:1]).dtype)
    frame = pd.DataFrame({"state": state}, index=index.as_unit("us").rename("date"))
    frame.iloc[::2] = "walking"
    (ax,) = el.plot_timeline(frame)
    tops = {
        patch.get_label(): patch.get_data() for patch in ax.patches if patch.get_label()[0] != "_"
    }
    assert set(tops) == {"usable", "walking"}
    values, _, base = tops["walking"]
    assert (values - base).tolist() == pytest.approx([0.5] * 200)


EVENTS = pd.DataFrame(
    {
        "start": pd.to_datetime(["2026-10-19 02:00", "2026-10-19 05:00"]).tz_localize("Asia/Tokyo"),
        "end": pd.to_datetime(["2026-10-19 03:00", None]).tz_localize("Asia/Tokyo"),
        "label": ["office", "pill"],
    }
)


def test_events_are_shaded_and_named() -> None:
    (ax,) = el.plot_timeline(few(), events=EVENTS)
    (stretch,) = [patch for patch in ax.patches if patch.get_label() == "_event"]
    assert stretch.get_width() * 24 == pytest.approx(1)
    assert len([line for line in ax.lines if line.get_label() == "_event"]) == 1
    (lane,) = [other for other in ax.figure.axes if other is not ax]
    assert [text.get_text() for text in lane.texts] == ["office", "pill"]
    assert not any(text.get_in_layout() for text in lane.texts)
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["event"]


def test_a_field_without_values_says_so() -> None:
    frame = few().assign(stp_fst=np.nan)
    made = el.plot_timeline(frame)
    assert [text.get_text() for text in made[1].texts] == ["no values"]


def test_a_single_record_is_drawn() -> None:
    (ax,) = el.plot_timeline(few(1))
    assert line_of(ax, "_stp_mid alone")[:, 1].tolist() == [0.0]


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        (lambda f: f.iloc[::-1], {}, el.ConfigurationError, "sort_index"),
        (lambda f: f.iloc[:0], {}, el.ConfigurationError, "no rows"),
        (lambda f: f.assign(mood="x"), {"fields": ["mood"]}, el.ConfigurationError, "holds text"),
        (lambda f: f, {"fields": []}, el.ConfigurationError, "1 to 12 fields"),
        (lambda f: f, {"fields": ["nothing"]}, el.FieldError, "nothing"),
        (lambda f: f, {"events": EVENTS.drop(columns="end")}, el.FieldError, "'end' is missing"),
    ],
)
def test_what_it_cannot_draw_is_refused(change, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        el.plot_timeline(change(few()), **arguments)


def test_a_whole_frame_has_a_choice_of_fields_and_its_states() -> None:
    panels = el.plot_timeline(el.sample("standard_mode_logs").iloc[:2000])
    titles = [ax.get_title(loc="left") for ax in panels]
    assert len(titles) == 9
    assert titles[0] == "Worn time (s per min)"
    assert titles[-1] == "State"
    assert panels[-1].images
    bins = el.resample(el.sample().iloc[:2000], "10min")
    words = [ax.get_title(loc="left") for ax in el.plot_timeline(bins)]
    assert "Steps per 10 min" in words
    assert "State" not in words
