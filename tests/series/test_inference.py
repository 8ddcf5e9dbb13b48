"""Intervals and p of days that are alike: against scipy, the definition, and many series."""

import numpy as np
import pandas as pd
import pytest
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyelog.series.inference import (
    at_weekend,
    effect,
    holm,
    level_interval,
    log_rate_values,
    median,
    null_p,
    null_quantile,
    rank_interval,
    shrunk_phi,
    slopes_law,
    two_samples_law,
    with_weekend,
)


def alike(phi: float, series: int, n: int, seed: int = 1) -> np.ndarray:
    """Return series of n days (rows)."""
    noise = np.random.default_rng(seed).normal(size=(series, n + 100)) * np.sqrt(1 - phi**2)
    return scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, 100:]


def dated(values: np.ndarray) -> pd.Series:
    return pd.Series(values, index=pd.date_range("2026-10-19", periods=len(values)))


def test_an_effect_is_the_contrast_of_least_squares_with_the_error_of_the_definition() -> None:
    days = np.array([0, 1, 2, 3, 5, 6, 7, 8, 9, 10])
    x = np.column_stack([np.ones(10), days])
    y = np.random.default_rng(2).normal(size=10) + 0.2 * days
    found = effect(days, y[None, :], x, np.array([0.0, 1.0]))
    assert found.estimate[0] == pytest.approx(stats.linregress(days, y).slope)
    hat = x @ np.linalg.inv(x.T @ x) @ x.T
    residuals = y - hat @ y
    beside = np.diff(days) == 1
    lag = np.mean((residuals[1:] * residuals[:-1])[beside]) * 9 / (residuals @ residuals)
    phi = (10 * np.clip(lag + (2 + 4 * lag) / 10, 0, 0.9) + 7 * 0.3) / 17
    v = phi ** np.abs(np.subtract.outer(days, days))
    a = (np.linalg.inv(x.T @ x) @ x.T)[1]
    variance = residuals @ residuals / np.trace((np.eye(10) - hat) @ v) * (a @ v @ a)
    assert found.phi[0] == pytest.approx(phi)
    assert found.se[0] == pytest.approx(np.sqrt(variance))
    assert found.n_effective[0] == pytest.approx(100 / v.sum())
    assert found.freedom[0] == pytest.approx(100 / v.sum() - 2)


def test_many_series_at_once_answer_as_each_alone() -> None:
    values, days = alike(0.4, 30, 21), np.arange(21)
    design = with_weekend(np.column_stack([np.ones(21), days]), days)
    together = effect(days, values, design, np.array([0.0, 1.0]))
    for i, series in enumerate(values):
        one = effect(days, series[None, :], design, np.array([0.0, 1.0]))
        assert together.se[i] == pytest.approx(one.se[0], rel=2e-3)
        assert together.factor[i] == pytest.approx(one.factor[0], rel=2e-3)


def test_phi_looks_at_neighbouring_days_and_is_shrunk_towards_a_usual_wearer() -> None:
    residuals = np.array([[1.0, 1, 1, -1, -1, -1] * 4])
    together = shrunk_phi(np.arange(24), residuals)[0]
    apart = shrunk_phi(np.arange(0, 48, 2), residuals)[0]
    assert apart == pytest.approx(7 * 0.3 / 31)
    assert apart < together < 0.9


def test_weekends_are_levelled_as_soon_as_each_set_has_two_days_of_either_kind() -> None:
    week = np.arange(20_514, 20_521)  # from a Monday on
    assert at_weekend(week).tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert with_weekend(np.ones((7, 1)), week).shape == (7, 2)
    halves = np.array([0.0, 0, 0, 0, 1, 1, 1])
    assert with_weekend(np.ones((7, 1)), week, halves).shape == (7, 1)
    fortnight = np.arange(20_514, 20_528)
    sets = np.repeat([0.0, 1.0], 7)
    assert with_weekend(np.ones((14, 1)), fortnight, sets).shape == (14, 2)


# Least share of intervals that hold the level at phi 0, .3, .5 and .7 (science: simulated).
@pytest.mark.parametrize(
    ("n", "least"), [(7, (98, 95, 90, 84)), (14, (97, 94, 91, 86)), (28, (96, 93, 92, 89))]
)
def test_the_interval_of_a_mean_of_days_holds_it(n: int, least: tuple[int, ...]) -> None:
    for phi, share in zip((0.0, 0.3, 0.5, 0.7), least, strict=True):
        found = effect(np.arange(n), alike(phi, 4000, n), np.ones((n, 1)), np.ones(1))
        assert 100 * (found.p > 0.05).mean() >= share


@pytest.mark.parametrize(
    ("n", "least"), [(7, (96, 93, 87, 74)), (14, (97, 95, 92, 85)), (90, (95, 95, 95, 93))]
)
def test_the_interval_of_the_median_of_days_holds_it(n: int, least: tuple[int, ...]) -> None:
    for phi, share in zip((0.0, 0.3, 0.5, 0.7), least, strict=True):
        found = [median(dated(series)) for series in alike(phi, 800, n)]
        assert 100 * np.mean([one.low <= 0 <= one.high for one in found]) >= share


def test_a_median_leaves_missing_days_out_and_needs_seven() -> None:
    values = np.array([1.0, np.nan, 2, 3, 4, 5, 6])
    found = median(dated(values))
    assert (found.value, found.n) == (3.5, 6)
    assert np.isnan(found.low)
    assert median(pd.Series([], dtype=float)).n == 0


def test_a_level_of_four_days_or_of_equal_ones_has_no_interval() -> None:
    assert np.isnan(level_interval(np.arange(4), np.arange(4.0))).all()
    assert np.isnan(level_interval(np.arange(9), np.ones(9))).all()
    low, high = level_interval(np.arange(5), np.array([1.0, 3, 2, 4, 2]))
    assert low < 2.4 < high


@pytest.mark.parametrize(("n", "m"), [(3, 7), (9, 12), (14, 14), (30, 49)])
def test_p_of_two_samples_is_the_exact_one_of_mann_and_whitney(n: int, m: int) -> None:
    generator = np.random.default_rng(n)
    x, y = generator.normal(size=n), generator.normal(0.6, size=m)
    found = rank_interval(np.subtract.outer(y, x).ravel(), two_samples_law(n, m), 1.0)
    assert found.p == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)


@pytest.mark.parametrize("n", [10, 28, 49])
def test_p_of_a_slope_is_the_exact_one_of_kendall(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n) + 0.03 * np.arange(n)
    first, second = np.triu_indices(n, 1)
    slopes = (values[second] - values[first]) / (second - first)
    found = rank_interval(slopes, slopes_law(n), 1.0)
    assert found.value == pytest.approx(stats.theilslopes(values, np.arange(n)).slope)
    assert found.p == pytest.approx(stats.kendalltau(np.arange(n), values, method="exact").pvalue)


@pytest.mark.parametrize("factor", [1.0, 1.7])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [5, 12, 55])
def test_p_is_below_5_percent_if_and_only_if_the_interval_leaves_out_0(n, factor, tied) -> None:
    generator = np.random.default_rng(n)
    said = []
    for _ in range(150):
        x, y = generator.normal(size=n), generator.normal(generator.uniform(0, 2), size=n)
        x, y = (x.round(), y.round()) if tied else (x, y)
        found = rank_interval(np.subtract.outer(y, x).ravel(), two_samples_law(n, n), factor)
        said.append(found.p < 0.05)
        assert said[-1] == (found.low > 1e-12 or found.high < -1e-12)
    assert {True, False} == set(said)


def test_the_variance_of_a_log_rate_is_the_jackknifes() -> None:
    c, m = np.array([50.0, 61, 44, 70, 58]), np.array([10.0, 12, 9, 11, 10])
    rate, without = c.sum() / m.sum(), (c.sum() - c) / (m.sum() - m)
    values = log_rate_values(rate, without)
    residuals = (c - rate * m) / (1 - m / m.sum())
    jackknife = 4 / 5 * (residuals**2).sum() / m.sum() ** 2 / rate**2
    assert ((values - np.log(rate)) ** 2).sum() / 20 == pytest.approx(jackknife)


def test_p_of_noise_is_the_share_whose_limit_it_reaches() -> None:
    for kind, days in (("split", 56), ("line", 28), ("level", 28), ("period", 14), ("day", 20)):
        limits = [null_quantile(kind, days, share) for share in (0.3, 0.05, 0.005)]
        assert limits == sorted(limits)
        for share, limit in zip((0.3, 0.05, 0.005), limits, strict=True):
            assert null_p(kind, days, limit) == pytest.approx(share, rel=0.02)
    assert np.isnan(null_p("line", 0, 1.0))
    assert null_p("line", 28, 0.0) == 1.0


def test_holms_p_are_those_of_his_procedure() -> None:
    found = holm(np.array([0.01, np.nan, 0.04, 0.03, 0.005]))
    np.testing.assert_allclose(found, [0.03, np.nan, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=9))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    corrected = holm(raw)
    assert (corrected >= raw).all()
    assert (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(raw, kind="stable")]) >= 0).all()
