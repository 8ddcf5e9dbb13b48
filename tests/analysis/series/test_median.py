"""The median and its distribution-free interval."""

import numpy as np
import pytest

from eyelog.analysis.series.median import median


def test_the_median_leaves_missing_values_out() -> None:
    assert median(np.array([3.0, np.nan, 1.0, 2.0]))[::3] == (2.0, 3)


def test_without_values_everything_is_missing() -> None:
    found = median(np.array([np.nan]))
    assert np.isnan(found[:3]).all()
    assert found.n == 0


def test_five_values_cannot_reach_95_percent_and_six_can() -> None:
    assert np.isnan(median(np.arange(5.0)).low)
    assert median(np.arange(6.0))[1:3] == (0.0, 5.0)


# Thompson (1936); the ranks are those of the table in Conover (1999), two-sided 95 %.
@pytest.mark.parametrize(("n", "rank"), [(6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (20, 6)])
def test_the_interval_lies_between_the_ranks_of_the_sign_test(n: int, rank: int) -> None:
    found = median(np.arange(1.0, n + 1))
    assert (found.low, found.high) == (rank, n + 1 - rank)


def test_the_interval_holds_the_median_in_95_of_100_skewed_samples() -> None:
    random = np.random.default_rng(1)
    truth = np.log(2.0)
    held = [m.low <= truth <= m.high for m in map(median, random.exponential(size=(2000, 15)))]
    assert 0.95 - 0.015 <= np.mean(held) <= 0.985
