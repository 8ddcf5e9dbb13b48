"""The usual value of a distribution by its shape."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el


def by_day(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_the_density_peak_is_that_of_a_gaussian_kernel_density() -> None:
    values = np.random.default_rng(3).gamma(4, 10, 3000).round()
    found = el.baseline.typical_value(by_day(values))
    assert (found.shape, found.method) == ("gamma", "peak")
    grid = np.linspace(values.min(), values.max(), 4001)
    other = grid[stats.gaussian_kde(values)(grid).argmax()]
    assert found.value == pytest.approx(other, abs=0.2)


def test_a_symmetric_shape_has_its_median_for_typical() -> None:
    found = el.baseline.typical_value(by_day([-2, -1, 0, 1, 2]))
    assert (found.shape, found.method, found.value) == ("other", "median", 0.0)


def test_a_method_that_is_named_is_taken() -> None:
    values = by_day(range(101))
    for method, value in (("median", 50), ("q90", 90), ("q99", 99)):
        assert el.baseline.typical_value(values, method=method).value == value
