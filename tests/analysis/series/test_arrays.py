"""A column as numbers: NaN for missing, 1 for true; and the columns of a frame as arrays."""

import numpy as np
import pandas as pd
import pytest

from eyelog.analysis.series.arrays import Arrays, numbers
from eyelog.errors import ConfigurationError


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


def table() -> pd.DataFrame:
    index = pd.date_range("2026-10-24", periods=3, freq="1min", tz="UTC", name="date", unit="us")
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": pd.array([True, None, False])}, index)
    frame.attrs = {"eyelog": {"log": "computed_data"}}
    return frame


def test_columns_taken_out_and_put_together_are_the_same_frame() -> None:
    frame = table()
    again = Arrays.of(frame).frame()
    pd.testing.assert_frame_equal(again, frame, check_freq=False)
    assert again.attrs == frame.attrs


def test_columns_taken_out_are_shared_and_known_by_name() -> None:
    frame = table()
    columns = Arrays.of(frame)
    assert np.shares_memory(columns["a"], frame["a"].to_numpy())
    assert list(columns.columns) == ["a", "b"]
    assert len(columns) == 3
    assert list(columns.chosen(["b"]).columns) == ["b"]


def test_a_column_that_is_made_when_asked_for_is_in_the_frame_like_any_other() -> None:
    made: list[int] = []

    def column() -> np.ndarray:
        made.append(1)
        return np.array([1.0, 2.0, 3.0])

    frame = table()
    columns = Arrays({"made": column, "a": frame["a"].to_numpy()}, frame.index, {})
    some = columns.chosen(["made"])
    assert made == []
    assert some["made"].tolist() == [1.0, 2.0, 3.0]
    assert columns.frame()["made"].tolist() == [1.0, 2.0, 3.0]
    assert len(made) == 2


def test_an_array_becomes_numbers_as_its_column_does() -> None:
    columns = Arrays.of(table())
    np.testing.assert_array_equal(numbers(columns["b"]), [1.0, np.nan, 0.0])
    np.testing.assert_array_equal(numbers(np.array([1, 2])), [1.0, 2.0])
    assert numbers(columns["a"]) is columns["a"]


def test_two_columns_of_one_name_are_refused() -> None:
    twice = pd.concat([table(), table()[["a"]]], axis=1)
    with pytest.raises(ConfigurationError, match="several columns 'a'"):
        Arrays.of(twice)
