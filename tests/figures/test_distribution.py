"""How often values occur: bars, groups, scales, shares, and the typical value."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import eyelog as el
from eyelog.figures.style import COLOURS
from support.drawn import legend_of, title_of, xy


def series(values, freq: str = "D") -> pd.Series:
    index = pd.date_range("2026-10-19", periods=len(values), freq=freq, tz="UTC")
    return pd.Series(np.asarray(values, dtype=float), index=index)


def bars(ax) -> list[tuple[float, float]]:
    return [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches]


def test_a_distribution_of_counts_has_a_bar_for_each_number() -> None:
    counts = series([0, 0, 1, 3, 3, np.nan])
    ax = el.plot_distribution(counts)
    assert bars(ax) == [(0, 2), (1, 1), (2, 0), (3, 2)]
    assert legend_of(ax) == ["5 values"]


def test_a_few_values_far_away_are_counted_and_not_drawn_as_one_long_axis() -> None:
    values = np.append(np.tile([1.0, 2.0, 3.0, 4.0], 250), 5000.0)
    ax = el.plot_distribution(series(values, "min"))
    assert bars(ax) == [(1, 250), (2, 250), (3, 250), (4, 250)]
    assert ax.get_xlim()[1] < 10
    assert legend_of(ax) == ["1,001 values", "1 value further out, to 5,000"]


def test_a_log_scale_says_what_it_leaves_out_and_has_no_gaps_between_counts() -> None:
    ax = el.plot_distribution(series([0, 0, 1, 2, 3, 3, 100]), scale="log")
    assert ax.get_xscale() == "log"
    assert sum(bar.get_height() for bar in ax.patches) == 5
    edges = [bar.get_x() for bar in ax.patches]
    assert edges[:3] == [0.5, 1.5, 2.5]
    assert legend_of(ax) == ["5 values", "2 values of 0 or less left out"]


def test_the_cumulative_curve_rises_from_nothing_to_all() -> None:
    x, y = xy(el.plot_distribution(series([3, 1, 2, 2]), cumulative=True), "all")
    assert x == [1, 1, 2, 2, 3]
    assert y == [0, 0.25, 0.5, 0.75, 1]


def test_weeks_are_named_by_their_first_day_and_the_title_has_the_year() -> None:
    days = el.daily(el.simulate("2026-10-19", 15, log="standard_mode_logs"))["steps"]
    ax = el.plot_distribution(days, by="W")
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["19 Oct", "26 Oct", "2 Nov"]
    assert [text.get_text() for text in ax.texts] == ["n = 7", "n = 7", "n = 1"]
    assert title_of(ax) == "60-second log · 19 Oct to 2 Nov 2026"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"by": "1D", "cumulative": True}, "12 cumulative curves, not 20"),
        ({"by": ["a", "a"]}, "one label per row"),
        ({"scale": "root"}, "'root'"),
    ],
)
def test_what_cannot_be_grouped_or_scaled_is_refused(arguments, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.plot_distribution(series(range(20)), **arguments)


def test_bins_of_time_need_stamps() -> None:
    with pytest.raises(el.ConfigurationError, match="aware stamps"):
        el.plot_distribution(pd.Series([1.0, 2.0]), by="1D")


def test_a_distribution_of_nothing_says_so() -> None:
    with pytest.raises(el.ConfigurationError, match="no value"):
        el.plot_distribution(series([np.nan, np.nan]))


def test_the_weeks_of_a_year_are_drawn_by_their_quantiles() -> None:
    year = series(range(24 * 364), "h").rename("v")
    ax = el.plot_distribution(year, by="week")
    assert len(ax.get_yticklabels()) == 52
    assert legend_of(ax) == ["median", "middle half", "middle 90 %"]


@pytest.mark.parametrize(
    ("field", "meaning"),
    [("stp_mid", "walking edge"), ("hm_yo", "head"), ("tl_yav", "head"), ("lc_bk_n", "usable")],
)
def test_values_are_in_the_colour_of_their_meaning(field: str, meaning: str) -> None:
    frame = el.sample("standard_mode_logs")
    edge = el.plot_distribution(frame, field).patches[0].get_edgecolor()
    assert to_hex(edge).upper() == COLOURS[meaning]
    rows = el.plot_distribution(frame, field, by="weekend").patches[0]
    assert to_hex(rows.get_edgecolor()).upper() == COLOURS[meaning]
    curve = el.plot_distribution(frame, field, cumulative=True).lines[0]
    assert to_hex(curve.get_color()).upper() == COLOURS[meaning]


def test_single_events_are_drawn_whatever_lies_between_them() -> None:
    stamps = pd.to_datetime(
        ["2026-10-19 08:00:00.1", "2026-10-19 08:00:02.5", "2026-10-19 09:30:00.0"]
    )
    gaps = pd.Series([2.0, 3.0, 4.0], index=stamps.tz_localize("Asia/Tokyo"), name="gap_s")
    el.plot_distribution(gaps)
    el.plot_distribution(gaps, by="hour")
