"""Figures: what is drawn is what the table holds; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.analysis.quality.reasons import Reason


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def frame_of(days: list[str], *, field: str = "stp_mid", tz: str = "Asia/Tokyo") -> pd.DataFrame:
    index = pd.DatetimeIndex(
        [stamp for day in days for stamp in pd.date_range(f"{day} 00:01", periods=1440, freq="min")]
    )
    index = index.tz_localize(tz).as_unit("us").rename("date")
    return pd.DataFrame({field: np.arange(len(index), dtype="float64")}, index=index)


def test_a_heatmap_shows_each_value_at_its_day_and_time() -> None:
    ax = el.plot_heatmap(frame_of(["2026-10-19", "2026-10-20"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape == (2, 1440)
    assert cells[0, 0] == 0
    assert cells[0, -1] == 1439  # 24:00 closes the day that ended
    assert cells[1, 0] == 1440


def test_a_heatmap_shows_missing_records_as_missing_and_invents_no_day() -> None:
    frame = frame_of(["2026-10-19", "2026-10-25"])
    ax = el.plot_heatmap(frame.drop(frame.index[100:200]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape[0] == 2
    assert cells.mask[0, 100:200].all()
    assert cells.mask.sum() == 100
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["Mon 19 Oct 2026", "Sun 25 Oct 2026"]


def test_a_heatmap_of_two_years_keeps_the_days_in_order() -> None:
    ax = el.plot_heatmap(frame_of(["2025-12-31", "2026-01-01"]), "stp_mid")
    assert [tick.get_text()[-4:] for tick in ax.get_yticklabels()] == ["2025", "2026"]


def test_a_timeline_breaks_its_line_where_records_are_missing() -> None:
    frame = frame_of(["2026-10-19"])
    ax = el.plot_timeline(frame.drop(frame.index[100:200]))
    y = np.asarray(ax.lines[0].get_ydata(), dtype=float)
    assert np.isnan(y).sum() == 1
    assert len(y) == 1341


def test_a_timeline_has_a_lane_for_each_field_in_the_order_asked() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs")
    ax = el.plot_timeline(frame, fields=["bl", "tl_yav", "wea_s"])
    lanes = {str(line.get_gid()): np.nanmean(line.get_ydata()) for line in ax.lines}
    assert sorted(lanes, key=lambda n: -lanes[n]) == ["bl", "tl_yav", "wea_s"]
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["Battery (level)", "Tilt fore-aft (deg)", "Worn time (s)"]


def test_a_quality_figure_shades_the_share_of_values_with_the_reason() -> None:
    frame = frame_of(["2026-10-19"]).assign(stp_fst=0.0)
    reasons = pd.DataFrame(0, index=frame.index, columns=frame.columns, dtype="uint16")
    reasons.iloc[10:20, 0] = int(Reason.UNWORN)
    ax = el.plot_quality(reasons)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["UNWORN"]
    image = np.asarray(ax.images[0].get_array())
    assert image[0, 10:20].tolist() == [0.5] * 10
    assert image.sum() == 5


def test_a_daily_figure_shows_interval_and_missing_days() -> None:
    days = pd.date_range("2026-10-19", periods=3, freq="D", tz="Asia/Tokyo")
    table = pd.DataFrame(
        {
            "coverage": [1.0, 0.5, 0.0],
            "blink_rate_per_min": [15.0, 18.0, np.nan],
            "blink_rate_low": [14.0, 16.0, np.nan],
            "blink_rate_high": [16.0, 20.0, np.nan],
        },
        index=days,
    )
    ax = el.plot_daily(table, "blink_rate_per_min")
    bars, points = ax.collections
    assert np.asarray(points.get_offsets()).tolist() == [[0.0, 15.0], [1.0, 18.0]]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[14, 16], [16, 20]]
    assert len(ax.patches) == 1


@pytest.mark.parametrize(
    ("draw", "error", "says"),
    [
        (lambda f: el.plot_heatmap(f, "nothing"), el.FieldError, "nothing"),
        (lambda f: el.plot_timeline(f, fields=["nothing"]), el.FieldError, "nothing"),
        (lambda f: el.plot_daily(f, "steps"), el.FieldError, "steps"),
        (lambda f: el.plot_heatmap(f.iloc[:0], "stp_mid"), el.ConfigurationError, "no rows"),
        (lambda f: el.plot_timeline(f.tz_localize(None)), el.ConfigurationError, "aware"),
        (lambda f: el.plot_quality(f), el.ConfigurationError, "flag"),
    ],
)
def test_a_figure_says_what_it_lacks(draw, error, says) -> None:
    with pytest.raises(error, match=says):
        draw(frame_of(["2026-10-19"]))


def test_a_figure_draws_on_the_axes_it_is_given() -> None:
    ax = plt.subplots()[1]
    assert el.plot_heatmap(frame_of(["2026-10-19"]), "stp_mid", ax=ax) is ax


def test_a_profile_breaks_where_an_hour_was_not_observed() -> None:
    hours = pd.date_range("2026-10-19 08:00", periods=10, freq="h", tz="UTC")
    table = el.rhythm.profile(pd.Series(np.arange(10.0), index=hours))
    line = el.plot_profile(table).lines[0]
    y = np.asarray(line.get_ydata(), dtype=float)
    assert np.flatnonzero(np.isfinite(y)).tolist() == list(range(8, 18))
    assert y[8:18].tolist() == list(range(10))


def test_a_week_of_hours_has_a_line_for_each_weekday() -> None:
    hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="UTC")
    table = el.rhythm.profile(pd.Series(np.arange(72.0), index=hours), by="weekday_hour")
    ax = el.plot_profile(table)
    assert [line.get_label() for line in ax.lines] == ["Mon", "Tue", "Wed"]


def test_a_distribution_of_counts_has_a_bar_for_each_number() -> None:
    days = pd.date_range("2026-10-19", periods=6, freq="D", tz="UTC")
    series = pd.Series([0.0, 0, 1, 3, 3, np.nan], index=days)
    ax = el.plot_distribution(series, typical=el.baseline.typical_value(series, method="median"))
    assert [bar.get_height() for bar in ax.patches] == [2, 1, 0, 2]
    assert ax.get_title() == "5 values"
    assert np.asarray(ax.lines[0].get_xdata())[0] == 1


def test_bars_of_a_wide_range_of_counts_hold_equally_many_numbers() -> None:
    index = pd.date_range("2026-10-19", periods=301, freq="min", tz="UTC")
    ax = el.plot_distribution(pd.Series(np.arange(301.0), index=index))
    assert {bar.get_width() for bar in ax.patches} == {4.0}
    assert {bar.get_height() for bar in ax.patches[:-1]} == {4.0}


def test_a_distribution_of_nothing_says_so() -> None:
    days = pd.date_range("2026-10-19", periods=2, freq="D", tz="UTC")
    with pytest.raises(el.ConfigurationError, match="no value"):
        el.plot_distribution(pd.Series([np.nan, np.nan], index=days))
