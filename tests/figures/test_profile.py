"""The usual day, and how values are distributed; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el


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
