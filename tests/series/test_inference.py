"""Intervals and p of days that are alike: against scipy, the definition, and many series."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el
from support.series import by_day


def slopes_by_day(slopes: np.ndarray) -> pd.Series:
    """Return hours from 8 to 16 of days with these slopes and nothing else."""
    first = pd.date_range("2026-10-05 08:00", periods=len(slopes), freq="D", tz="UTC")
    stamps = [pd.date_range(day, periods=9, freq="h") for day in first]
    return pd.Series(np.outer(slopes, np.arange(9.0)).ravel(), index=np.concatenate(stamps))


def test_the_interval_of_a_mean_of_days_is_that_of_the_definition() -> None:
    # Days of equal length: the slope of time on task is the mean of the slopes of the days.
    slopes = np.random.default_rng(2).normal(size=12)
    found = el.rhythm.time_on_task(slopes_by_day(slopes))
    e, n = slopes - slopes.mean(), 12
    lag = np.mean(e[1:] * e[:-1]) * (n - 1) / (e @ e)
    phi = (n * np.clip(lag + (2 + 4 * lag) / n, 0, 0.9) + 7 * 0.3) / (n + 7)
    v = phi ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    residual = np.eye(n) - np.full((n, n), 1 / n)
    effective = n**2 / v.sum()
    error = np.sqrt(e @ e / np.trace(residual @ v) * v.sum() / n**2)
    reach = stats.t.ppf(0.975, effective - 1) * error
    assert (found.phi, found.n_effective) == (pytest.approx(phi), pytest.approx(effective))
    assert found.low == pytest.approx(slopes.mean() - reach)
    assert found.high == pytest.approx(slopes.mean() + reach)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(slopes.mean()) / error, effective - 1))


def apart(values: np.ndarray) -> pd.Series:
    """Return Mondays too far apart to be alike, each before a day without a value."""
    mondays = by_day(values, "2026-01-05", freq="98D")
    return pd.concat([mondays, mondays.shift(freq="D") * np.nan]).sort_index()


@pytest.mark.parametrize(("n", "m"), [(3, 7), (9, 12), (14, 14), (30, 49)])
def test_p_of_two_periods_of_distant_days_is_the_exact_one_of_mann_and_whitney(n, m) -> None:
    generator = np.random.default_rng(n)
    x, y = generator.normal(size=n), generator.normal(0.6, size=m)
    days = apart(np.concatenate([x, y]))
    found = el.compare.two_periods(days[: 2 * n], days[2 * n :])
    assert found.p == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)


@pytest.mark.parametrize("n", [14, 28, 49])
def test_p_of_a_trend_of_distant_days_is_the_exact_one_of_kendall(n) -> None:
    values = np.random.default_rng(n).normal(size=n) + 0.03 * np.arange(n)
    found = el.baseline.trend(apart(values))
    assert found.slope * 98 == pytest.approx(stats.theilslopes(values, np.arange(n)).slope)
    assert found.p == pytest.approx(stats.kendalltau(np.arange(n), values, method="exact").pvalue)


def halves(days: pd.Series) -> tuple[pd.Series, pd.Series]:
    return days[: len(days) // 2], days[len(days) // 2 :]


TESTS: dict[str, Callable[[np.ndarray], tuple[float, float, float]]] = {
    "two_periods": lambda x: el.compare.two_periods(
        by_day(x)[: len(x) // 2], by_day(x)[len(x) // 2 :]
    ),
    "trend": lambda x: el.baseline.trend(by_day(x)),
    "time_on_task": lambda x: el.rhythm.time_on_task(slopes_by_day(x)),
}


@pytest.mark.parametrize("name", TESTS)
def test_p_is_below_5_percent_if_and_only_if_the_interval_leaves_out_0(name: str) -> None:
    generator, said = np.random.default_rng(9), set()
    for number in range(120):
        days = generator.normal(size=24).cumsum() * 0.3 + generator.normal(size=24)
        found = TESTS[name](days.round() if number % 3 == 0 else days)
        excluded = found.low > 1e-12 or found.high < -1e-12
        assert (found.p < 0.05) == excluded
        said.add(excluded)
    assert said == {True, False}
