"""Days that are alike: each number against an independent calculation of it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from eyelog.analysis.series.dependence import (
    by_day,
    difference_se,
    effective_n,
    level_interval,
    level_se,
    likeness,
    residual_variance,
    slope_se,
    t_quantile,
)
from eyelog.analysis.series.observed import observed

DAYS = np.arange(12)
HOLED = np.array([0, 1, 2, 5, 6, 9, 10, 11])


def alike(generator, days, phi, times):
    """Draw series whose days i and j correlate by phi^|i - j|, through the Cholesky factor."""
    apart = np.abs(np.subtract.outer(days, days))
    factor = np.linalg.cholesky(phi**apart)
    return generator.normal(size=(times, len(days))) @ factor.T


def test_phi_is_the_autocorrelation_with_its_bias_added() -> None:
    residuals = np.random.default_rng(0).normal(size=12).cumsum()
    residuals -= residuals.mean()
    raw = pd.Series(residuals).corr(pd.Series(residuals).shift())  # of the same order, other means
    acf = (residuals[1:] * residuals[:-1]).sum() / (residuals**2).sum()
    assert likeness(DAYS, residuals) == pytest.approx(min(acf + (2 + 4 * acf) / 12, 0.9))
    assert raw == pytest.approx(acf, abs=0.2)


def test_phi_looks_at_neighbouring_days_only_and_lies_between_0_and_0_9() -> None:
    residuals = np.array([1.0, -1, 1, 1, -1, 1, -1, 1])
    assert likeness(HOLED, residuals) == 0.0
    # Between neighbours only: 0-1, 1-2, 5-6, 9-10, 10-11, all of opposite sign, then of equal sign.
    same = np.array([1.0, 1, 1, -1, -1, 1, 1, 1])
    assert likeness(HOLED, same) == 0.9
    assert likeness(np.arange(0, 24, 2), np.ones(12)) == 0.0
    assert likeness(DAYS, np.zeros(12)) == 0.0


@pytest.mark.parametrize("phi", [0.2, 0.5])
def test_phi_of_residuals_of_two_levels_is_right_on_average(phi) -> None:
    days = np.arange(60)
    series = alike(np.random.default_rng(1), days, phi, 2000)
    levels = series.reshape(2000, 2, 30)
    residuals = (levels - levels.mean(axis=2, keepdims=True)).reshape(2000, 60)
    assert np.mean([likeness(days, row) for row in residuals]) == pytest.approx(phi, abs=0.03)


def test_the_effective_n_is_the_sum_of_the_definition() -> None:
    n, phi, k = 12, 0.4, np.arange(1, 12)
    whole = n / (1 + 2 * ((1 - k / n) * phi**k).sum())
    assert effective_n(DAYS, phi) == pytest.approx(whole)
    assert effective_n(DAYS, 0.0) == 12
    assert effective_n(HOLED, 0.4) > effective_n(np.arange(8), 0.4)


def test_the_residual_variance_is_the_sum_of_squares_over_the_trace() -> None:
    phi, line = 0.5, np.column_stack([np.ones(8), HOLED])
    residuals = np.random.default_rng(2).normal(size=8)
    hat = line @ np.linalg.inv(line.T @ line) @ line.T
    v = np.array([[phi ** abs(int(i) - int(j)) for j in HOLED] for i in HOLED])
    expected = (residuals**2).sum() / np.trace((np.eye(8) - hat) @ v)
    assert residual_variance(HOLED, residuals, phi, line) == pytest.approx(expected)


def test_standard_errors_of_independent_days_are_those_of_the_textbook() -> None:
    generator = np.random.default_rng(3)
    values = generator.normal(size=12)
    assert level_se(DAYS, values - values.mean(), 0.0) == pytest.approx(stats.sem(values))
    fit = stats.linregress(DAYS, values)
    residuals = values - fit.intercept - fit.slope * DAYS
    assert slope_se(DAYS, residuals, 0.0) == pytest.approx(fit.stderr)
    one, other = values[:5], values[5:]
    second = np.repeat([0.0, 1.0], [5, 7])
    residuals = np.concatenate([one - one.mean(), other - other.mean()])
    t = (other.mean() - one.mean()) / difference_se(DAYS, residuals, 0.0, second)
    assert t == pytest.approx(stats.ttest_ind(other, one).statistic)


@pytest.mark.parametrize("days", [DAYS, HOLED])
def test_standard_errors_of_days_that_are_alike_are_the_spread_of_many_series(days) -> None:
    series = alike(np.random.default_rng(4), days, 0.5, 20_000)
    squared = {"level": [], "slope": []}
    slopes = series @ (days - days.mean()) / ((days - days.mean()) ** 2).sum()
    for row, slope in zip(series[:4000], slopes, strict=False):
        level = row - row.mean()
        squared["level"].append(level_se(days, level, 0.5) ** 2)
        squared["slope"].append(slope_se(days, level - slope * (days - days.mean()), 0.5) ** 2)
    assert np.mean(squared["level"]) == pytest.approx(series.mean(axis=1).var(), rel=0.06)
    assert np.mean(squared["slope"]) == pytest.approx(slopes.var(), rel=0.06)


def test_the_error_of_a_difference_is_the_spread_of_differences_of_periods_far_apart() -> None:
    days = np.concatenate([np.arange(8), np.arange(100, 106)])
    second = np.repeat([0.0, 1.0], [8, 6])
    series = alike(np.random.default_rng(5), days, 0.6, 20_000)
    one, other = series[:, :8], series[:, 8:]
    squared = [
        difference_se(days, np.r_[a - a.mean(), b - b.mean()], 0.6, second) ** 2
        for a, b in zip(one[:4000], other, strict=False)
    ]
    spread = (other.mean(axis=1) - one.mean(axis=1)).var()
    assert np.mean(squared) == pytest.approx(spread, rel=0.06)


def test_the_t_quantile_is_that_of_scipy_and_has_one_degree_of_freedom_at_least() -> None:
    assert t_quantile(7.5) == pytest.approx(stats.t.ppf(0.975, 7.5))
    assert t_quantile(0.2) == pytest.approx(stats.t.ppf(0.975, 1))


def test_values_of_one_local_day_become_their_mean_and_weeks_stay_neighbours() -> None:
    hours = pd.date_range("2026-10-23 12:00", periods=6, freq="12h", tz="Asia/Tokyo")
    found = by_day(observed(pd.Series(np.arange(6.0), index=hours), what="a test", stamp="start"))
    assert found.values.tolist() == [0.0, 1.5, 3.5, 5.0]
    assert np.diff(found.numbers).tolist() == [1, 1, 1]
    weeks = pd.date_range("2026-10-19", periods=5, freq="7D", name="week").delete(2)
    found = by_day(observed(pd.Series(np.arange(4.0), index=weeks), what="a test"))
    assert np.diff(found.numbers).tolist() == [1, 2, 1]
    assert np.diff(found.dates).tolist() == [7, 14, 7]


@pytest.mark.parametrize(("days", "phi"), [(3, 0.0), (9, 0.0), (14, 0.3), (28, 0.3)])
def test_the_interval_of_a_level_holds_what_it_says(days: int, phi: float) -> None:
    drawn = alike(np.random.default_rng(11), np.arange(days), phi, 600)
    ends = np.array([level_interval(np.arange(days), values) for values in drawn])
    held = ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).sum()
    assert 0.92 <= held / 600 <= 0.985


def test_a_level_of_two_days_or_of_equal_ones_has_no_interval() -> None:
    assert np.isnan(level_interval(np.arange(2), np.array([1.0, 2.0]))).all()
    assert np.isnan(level_interval(np.arange(5), np.ones(5))).all()
