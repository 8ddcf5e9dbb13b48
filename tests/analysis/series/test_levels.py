"""The largest change of level: against a search through all of them, and the table of noise."""

from itertools import combinations

import numpy as np
import pytest

from eyelog.analysis.baseline.new_levels import without_weekdays
from eyelog.analysis.series.levels import SHAPES, critical, largest, noise_p


def brute(values, shape):
    """Try every pair of edges and keep the largest t of the days inside against those outside."""
    n, best = len(values), (0.0, 0, 0)
    pairs = (
        [(k, n) for k in range(3, n - 2)]
        if shape == "split"
        else [(i, j) for i, j in combinations(range(3, n - 2), 2) if j - i >= 3]
    )
    for i, j in pairs:
        inside, outside = values[i:j], np.r_[values[:i], values[j:]]
        rest = ((inside - inside.mean()) ** 2).sum() + ((outside - outside.mean()) ** 2).sum()
        error = np.sqrt(rest / (n - 2) * (1 / len(inside) + 1 / len(outside)))
        best = max(best, (abs(inside.mean() - outside.mean()) / error, i, j))
    return best


@pytest.mark.parametrize("shape", SHAPES)
def test_the_largest_change_is_that_of_a_search_through_all(shape) -> None:
    generator = np.random.default_rng(1)
    for n in (10, 13, 22):
        values = generator.normal(size=(20, n))
        found = largest(values, np.arange(n), shape)
        for row, series in enumerate(values):
            t, start, end = brute(series, shape)
            assert (found.start[row], found.end[row]) == (start, end)
            phi = found.phi[row]
            assert found.statistic[row] == pytest.approx(t / np.sqrt((1 + phi) / (1 - phi)))


@pytest.mark.parametrize(("shape", "bias"), [("split", 4), ("bump", 12)])
def test_phi_is_that_of_the_residuals_with_its_bias_added(shape, bias) -> None:
    values = np.random.default_rng(2).normal(size=30)
    found = largest(values[None, :], np.arange(30), shape)
    inside = np.zeros(30, dtype=bool)
    inside[found.start[0] : found.end[0]] = True
    residuals = np.where(inside, values - values[inside].mean(), values - values[~inside].mean())
    acf = (residuals[1:] * residuals[:-1]).sum() / (residuals**2).sum()
    assert found.phi[0] == pytest.approx(np.clip(acf + (bias + bias * acf) / 30, 0, 0.9))


def test_days_apart_are_no_neighbours() -> None:
    values = np.random.default_rng(3).normal(size=(1, 20)).cumsum(axis=1)
    apart = largest(values, np.arange(0, 40, 2), "split")
    assert apart.phi[0] < largest(values, np.arange(20), "split").phi[0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [24, 56])
def test_the_table_of_noise_is_what_noise_gives(shape, n) -> None:
    generator = np.random.default_rng(4)
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    noise = generator.normal(size=(4000, n)) @ np.linalg.cholesky(0.3**apart).T
    found = largest(without_weekdays(noise, np.arange(n)), np.arange(n), shape).statistic
    for share in (0.2, 0.025):
        assert (found > critical(shape, n, share)).mean() == pytest.approx(share, rel=0.25)


def test_p_is_the_share_whose_quantile_it_reaches_and_has_a_least_value() -> None:
    for n in (11, 56, 5000):
        for share in (0.2, 0.05, 0.0025):
            assert noise_p("split", n, critical("split", n, share)) == pytest.approx(share)
        assert noise_p("bump", n, 1e9) == pytest.approx(0.001)
        assert noise_p("bump", n, 0.0) == 1.0
