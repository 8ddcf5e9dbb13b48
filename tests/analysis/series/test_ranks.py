"""Laws of pairs, intervals and p, against scipy and each other."""

import numpy as np
import pytest
from scipy import stats

from eyelog.analysis.series.ranks import (
    pair_interval,
    pair_p,
    pairs_tell,
    slopes_law,
    two_samples_law,
)


def differences(x, y):
    return np.sort(np.subtract.outer(y, x).ravel())


def slopes(values):
    first, second = np.triu_indices(len(values), 1)
    return np.sort((values[second] - values[first]) / (second - first))


def test_the_distribution_of_the_rank_sum_is_that_of_all_orders() -> None:
    # P(U = u) for 3 and 2 values: 1 1 2 2 2 1 1 of 10 orders
    law = two_samples_law(3, 2)
    assert np.diff(law.cumulated, prepend=0) * 10 == pytest.approx([1, 1, 2, 2, 2, 1, 1])


@pytest.mark.parametrize(("n", "m"), [(3, 7), (9, 12), (14, 14), (30, 49)])
def test_p_of_two_samples_is_the_exact_one_of_mann_and_whitney(n, m) -> None:
    generator = np.random.default_rng(n)
    x, y = generator.normal(size=n), generator.normal(0.6, size=m)
    found = pair_p(differences(x, y), two_samples_law(n, m), 0.0)
    assert found == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)
    moved = pair_p(differences(x, y), two_samples_law(n, m), 0.6)
    assert moved == pytest.approx(stats.mannwhitneyu(x, y - 0.6, method="exact").pvalue)


@pytest.mark.parametrize("n", [10, 28, 49])
def test_p_of_a_slope_is_the_exact_one_of_kendall(n) -> None:
    values = np.random.default_rng(n).normal(size=n) + 0.03 * np.arange(n)
    found = pair_p(slopes(values), slopes_law(n), 0.0)
    assert found == pytest.approx(stats.kendalltau(np.arange(n), values, method="exact").pvalue)


def test_many_values_take_the_normal_approximation_and_err_towards_caution() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=80), generator.normal(0.3, size=60)
    exact = stats.mannwhitneyu(x, y, method="exact").pvalue
    found = pair_p(differences(x, y), two_samples_law(80, 60), 0.0)
    assert exact <= found < exact * 1.05
    values = generator.normal(size=70) + 0.01 * np.arange(70)
    exact = stats.kendalltau(np.arange(70), values, method="exact").pvalue
    assert exact <= pair_p(slopes(values), slopes_law(70), 0.0) < exact * 1.05


@pytest.mark.parametrize("n", [5, 12, 30, 55])
@pytest.mark.parametrize("factor", [1.0, 1.7])
@pytest.mark.parametrize("tied", [False, True])
def test_p_is_below_5_percent_if_and_only_if_the_interval_leaves_out_0(n, factor, tied) -> None:
    generator = np.random.default_rng(n)
    said = []
    for _ in range(200):
        x, y = generator.normal(size=n), generator.normal(generator.uniform(0, 2), size=n)
        if tied:
            x, y = x.round(), y.round()
        for ordered, law in (
            (differences(x, y), two_samples_law(n, n)),
            (slopes(np.append(x, y)), slopes_law(2 * n)),
        ):
            low, high, p = pairs_tell(ordered, law, factor)
            said.append(p < 0.05)
            assert said[-1] == (low > 1e-12 or high < -1e-12)
    assert {True, False} == set(said)


def test_days_that_are_alike_widen_the_interval_about_the_median() -> None:
    ordered = slopes(np.random.default_rng(3).normal(size=20))
    law, middle = slopes_law(20), np.median(ordered)
    low, high = pair_interval(ordered, law)
    wide_low, wide_high, _ = pairs_tell(ordered, law, 2.0)
    assert (middle - wide_low, wide_high - middle) == pytest.approx(
        (2 * (middle - low), 2 * (high - middle))
    )


def test_the_law_of_many_slopes_has_the_spread_of_the_exact_one() -> None:
    law = slopes_law(80)
    # The number of falling pairs is a sum of independent uniform ones on 0 to i - 1, i = 1 to 80.
    exact = np.sqrt(sum((i**2 - 1) / 12 for i in range(1, 81)))
    assert law.sd == pytest.approx(exact)
