"""The most and the least active hours of the average day, and where they are refused."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_the_active_windows_go_around_midnight() -> None:
    level = [5.0 if (h >= 20 or h < 6) else 1.0 for h in range(24)] * 3
    assert el.rhythm.most_active(hourly(level))[:2] == (5.0, 20.0)
    least = el.rhythm.least_active(hourly(level), night_worn=True)
    assert least.mean == 1.0


def test_the_active_windows_use_the_step_of_the_series() -> None:
    index = pd.date_range("2026-10-19", periods=288, freq="10min", tz="UTC")
    of_day = index.hour * 60 + index.minute
    series = pd.Series(((of_day >= 450) & (of_day < 1050)).astype(float), index=index)
    assert el.rhythm.most_active(series)[:2] == (1.0, 7.5)


def test_rows_of_two_hours_leave_the_window_as_many_hours_as_those_of_one() -> None:
    level = pd.Series(
        [3.0 if 8 <= hour < 18 else 1.0 for hour in range(0, 24, 2)] * 3,
        index=pd.date_range("2026-10-19", periods=36, freq="2h", tz="UTC"),
    )
    assert el.rhythm.most_active(level)[:2] == (3.0, 8.0)


@pytest.mark.parametrize("name", ["least_active", "relative_amplitude", "sleep_regularity"])
def test_what_needs_the_night_refuses_where_it_was_not_observed(name) -> None:
    day = hourly([float(h % 2) for h in range(96)]).between_time("07:00", "23:00")
    found = getattr(el.rhythm, name)(day)
    assert np.isnan(found[0])
    assert "night was not observed" in found.reason


def test_a_night_of_zeros_is_not_taken_for_rest() -> None:
    day = [0.0] * 7 + [float(3 + h % 5) for h in range(16)] + [0.0]
    found = el.rhythm.relative_amplitude(hourly(day * 4))
    assert np.isnan(found.ra)
    assert "a single value throughout" in found.reason
    assert el.rhythm.relative_amplitude(hourly(day * 4), night_worn=True).ra == 1.0


def test_windows_start_where_their_first_interval_opens() -> None:
    level = hourly(([1.0] * 8 + [2.0] * 10 + [0.0] * 5 + [1.0]) * 3)
    assert el.rhythm.most_active(level).start == 8.0
    assert el.rhythm.least_active(level, night_worn=True).start == 18.0


def test_the_night_is_that_of_the_intervals_and_not_of_their_stamps() -> None:
    # Worn from 00:00 to 07:00 on every day, but for the last hour of the night.
    day = hourly(np.arange(96) % 5)
    seen = day[~np.isin(day.index.hour, [5])]
    assert "05:00" in el.rhythm.least_active(seen).reason
    assert "04:00" in el.rhythm.least_active(seen.shift(freq="-1h")).reason


@pytest.mark.parametrize(("last", "known"), [("19:30", False), ("20:30", True)])
def test_the_most_active_hours_need_three_hours_in_which_they_could_lie_elsewhere(
    last, known
) -> None:
    seen = hourly(np.random.default_rng(1).normal(size=24 * 7)).between_time("08:00", last)
    found = el.rhythm.most_active(seen)
    assert np.isfinite(found.mean) == known
    assert ("leave a window of 10 h only 2 h" in found.reason) != known
    # The five least active hours have room in both.
    assert np.isfinite(el.rhythm.least_active(seen, night_worn=True).mean)


def test_hours_apart_from_the_others_give_the_window_no_room() -> None:
    series = hourly(np.random.default_rng(1).normal(size=24 * 7))
    hour = series.index.hour
    seen = series[((hour >= 8) & (hour < 19)) | (hour == 3) | (hour == 5) | (hour == 22)]
    assert "only 1 h" in el.rhythm.most_active(seen).reason
