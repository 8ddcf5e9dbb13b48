"""Fields along time, one panel each; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.figures import counted_minutes


def line_of(ax, label: str) -> np.ndarray:
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return np.asarray(line.get_xydata(), dtype=float)


def titles(made) -> list[str]:
    return [ax.get_title(loc="left") for ax in made]


def few(n: int = 340) -> pd.DataFrame:
    return counted_minutes(["2026-10-19"]).iloc[:n]


def test_a_timeline_breaks_its_line_where_records_are_missing() -> None:
    frame = few()
    (ax,) = el.plot_timeline(frame.drop(frame.index[100:200]))
    y = line_of(ax, "stp_mid")[:, 1]
    assert np.flatnonzero(np.isnan(y)).tolist() == [100]
    assert y[np.isfinite(y)].tolist() == [*range(100), *range(200, 340)]


def test_a_value_stands_in_the_middle_of_the_time_it_covers() -> None:
    (ax,) = el.plot_timeline(few(3))
    first = pd.Timestamp(line_of(ax, "stp_mid")[0, 0], unit="D", tz="UTC").tz_convert("Asia/Tokyo")
    assert abs(first - pd.Timestamp("2026-10-19 00:00:30", tz="Asia/Tokyo")) < pd.Timedelta("1ms")


def test_what_cannot_be_resolved_is_a_mean_within_its_range_and_hides_nothing() -> None:
    frame = counted_minutes([f"2026-10-{day}" for day in range(12, 26)])
    frame.iloc[7000, frame.columns.get_loc("stp_mid")] = 99_999.0
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


def test_a_field_without_values_says_so() -> None:
    frame = few().assign(stp_fst=np.nan)
    made = el.plot_timeline(frame)
    assert [text.get_text() for text in made[1].texts] == ["no values"]


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        (lambda f: f.iloc[::-1], {}, el.ConfigurationError, "sort_index"),
        (lambda f: f.iloc[:0], {}, el.ConfigurationError, "no rows"),
        (lambda f: f.assign(mood="x"), {"fields": ["mood"]}, el.ConfigurationError, "holds text"),
        (lambda f: f, {"fields": []}, el.ConfigurationError, "1 to 12 fields"),
        (lambda f: f, {"fields": ["nothing"]}, el.FieldError, "nothing"),
        (
            lambda f: f,
            {"events": EVENTS.drop(columns="end")},
            el.ConfigurationError,
            "columns start, end and label",
        ),
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


@pytest.fixture(scope="module")
def packets() -> pd.DataFrame:
    return el.simulate("2026-10-20", 1, log="current_data", tz="Asia/Tokyo").iloc[:12_000]


def test_two_minutes_of_the_20_hz_log_show_each_row_and_each_blink(packets: pd.DataFrame) -> None:
    frame = packets.iloc[:2400]
    values = line_of(el.plot_timeline(frame, ["blinkStrength"])[0], "blinkStrength")[:, 1]
    blinks = el.blinks.events(frame)
    usable = blinks.loc[~blinks["reason"].isin(["noisy", "walking", "not worn"]), "strength"]
    assert len(usable) > 20
    assert sorted(values[values > 0]) == sorted(usable)


@pytest.mark.parametrize("moves", [False, True])
def test_a_short_window_has_ticks_of_seconds(packets: pd.DataFrame, moves: bool) -> None:
    whole = packets.assign(utc_offset_min=540.0) if moves else packets
    for rows, text in ((200, "%H:%M:%S"), (1200, "%H:%M:%S"), (12_000, "%H:%M")):
        ax = el.plot_timeline(whole.iloc[:rows], ["pitch"])[-1]
        ax.figure.draw_without_rendering()
        labels = [label.get_text().partition("\n")[0] for label in ax.get_xticklabels()]
        assert 4 <= len(labels) <= 16
        assert all(pd.to_datetime(label, format=text) is not None for label in labels)
