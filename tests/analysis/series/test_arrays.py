"""A column as numbers: NaN for missing, 1 for true."""

import numpy as np
import pandas as pd
import pytest

from eyelog.analysis.series.arrays import numbers


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.0, np.nan, 0.0]),
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([1.0, None, 0.0], dtype="float32"),
    ],
    ids=["float64", "integers", "booleans", "float32"],
)
def test_a_column_becomes_float64_with_nan_for_missing(column: pd.Series) -> None:
    values = numbers(column)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [1.0, np.nan, 0.0])


def test_float64_is_not_copied() -> None:
    column = pd.Series([1.0, 2.0])
    assert np.shares_memory(numbers(column), column.to_numpy())


def test_an_array_becomes_numbers_as_its_column_does() -> None:
    flags = pd.array([True, None, False], dtype="boolean")
    np.testing.assert_array_equal(numbers(flags), [1.0, np.nan, 0.0])
    np.testing.assert_array_equal(numbers(np.array([1, 2])), [1.0, 2.0])
