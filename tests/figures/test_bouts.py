"""Bouts by time of day and length, with the colours of one column."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import LogNorm

import eyelog as el
from support.drawn import legend_of, one, points, title_of


def bouts(starts: list[str], minutes: list[float], **columns: list[float]) -> pd.DataFrame:
    start = pd.DatetimeIndex(starts).tz_localize("Asia/Tokyo")
    end = start + pd.to_timedelta(minutes, unit="min")
    data = {"start": start, "end": end, "duration_min": minutes, **columns}
    return pd.DataFrame(data, index=pd.RangeIndex(len(start), name="bout"))


def test_a_bout_is_a_line_from_start_to_end_at_the_height_of_its_length() -> None:
    table = bouts(["2026-10-19 08:00", "2026-10-20 09:30"], [30.0, 2.0])
    ax = el.plot_bouts(table)
    segments = [segment.tolist() for segment in one(ax, "bouts").get_segments()]
    assert segments[0] == [[8, 30], [8.5, 30]]
    assert segments[1][0] == [9.5, 2]
    assert points(ax, "middles") == [[8.25, 30], [pytest.approx(9.5 + 1 / 60), 2]]
    assert ax.get_yscale() == "log"
    assert legend_of(ax) == ["2 bouts, 32 min in total"]
    assert title_of(ax) == "19 to 20 Oct 2026"


def test_a_bout_over_midnight_goes_on_at_the_left() -> None:
    ax = el.plot_bouts(bouts(["2026-10-19 23:40"], [50.0]))
    segments = [segment[:, 0].tolist() for segment in one(ax, "bouts").get_segments()]
    assert segments == [
        [pytest.approx(23 + 40 / 60), pytest.approx(24.5)],
        [0, pytest.approx(0.5)],
    ]
    assert points(ax, "middles")[0][0] == pytest.approx(5 / 60)


def test_many_bouts_are_counted_in_cells_and_none_is_lost() -> None:
    rng = np.random.default_rng(1)
    starts = pd.Timestamp("2026-10-19") + pd.to_timedelta(rng.uniform(0, 1e4, 1500), unit="min")
    minutes = rng.lognormal(1.5, 1.0, 1500) + 1
    table = bouts([str(start) for start in starts], minutes.tolist())
    ax = el.plot_bouts(table)
    mesh = one(ax, "bouts")
    assert isinstance(mesh.norm, LogNorm)
    assert int(mesh.get_array().sum()) == 1500


def test_cells_of_many_bouts_show_the_median_of_a_column() -> None:
    starts = ["2026-10-19 08:01"] * 600 + ["2026-10-19 12:01"] * 600
    pace = [90.0, 100.0, 130.0] * 200 + [np.nan] * 600
    ax = el.plot_bouts(bouts(starts, [5.0] * 1200, pace_spm=pace), column="pace_spm")
    assert one(ax, "bouts").get_array().compressed().tolist() == [100.0]
    assert int(one(ax, "not known").get_array().sum()) == 1
    assert "Pace not known" in legend_of(ax)


def test_no_bout_is_said_and_text_gives_no_colours() -> None:
    table = bouts(["2026-10-19 08:00"], [5.0]).assign(kind="walk")
    with pytest.raises(el.ConfigurationError, match="no bouts"):
        el.plot_bouts(table.iloc[:0])
    with pytest.raises(el.ConfigurationError, match="'kind'"):
        el.plot_bouts(table, column="kind")
