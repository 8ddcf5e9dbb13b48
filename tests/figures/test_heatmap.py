"""Day by time of day, and one value per day; tests read artists, not pixels."""

import numpy as np
import pandas as pd

import eyelog as el
from support.figures import counted_minutes


def test_a_heatmap_shows_each_value_at_its_day_and_time() -> None:
    ax = el.plot_heatmap(counted_minutes(["2026-10-19", "2026-10-20"]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape == (2, 1440)
    assert cells[0, 0] == 0
    assert cells[0, -1] == 1439  # 24:00 closes the day that ended
    assert cells[1, 0] == 1440


def test_a_heatmap_shows_missing_records_as_missing_and_invents_no_day() -> None:
    frame = counted_minutes(["2026-10-19", "2026-10-25"])
    ax = el.plot_heatmap(frame.drop(frame.index[100:200]), "stp_mid")
    cells = ax.images[0].get_array()
    assert cells.shape[0] == 2
    assert cells.mask[0, 100:200].all()
    assert cells.mask.sum() == 100
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["Mon 19 Oct 2026", "Sun 25 Oct 2026"]


def test_a_heatmap_of_two_years_keeps_the_days_in_order() -> None:
    ax = el.plot_heatmap(counted_minutes(["2025-12-31", "2026-01-01"]), "stp_mid")
    assert [tick.get_text()[-4:] for tick in ax.get_yticklabels()] == ["2025", "2026"]


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
