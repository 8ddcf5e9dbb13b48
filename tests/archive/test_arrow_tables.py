"""Between frames and Arrow tables nothing is lost, and every column has the type that it should."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from eyelog.archive.arrow_tables import (
    STAMP,
    extras_of,
    frame_from,
    frame_of,
    table_of,
    widest,
)
from eyelog.catalogue import COMPUTED_DATA as LOG
from eyelog.frame import conform
from support.records import records


def test_a_frame_becomes_a_table_and_the_frame_again() -> None:
    frame = records(LOG, "2026-10-24", 50, tz="Asia/Tokyo")
    assert_frame_equal(frame_of(table_of(conform(frame, LOG, tz="UTC"), LOG), "Asia/Tokyo"), frame)


def test_a_missing_number_is_null_in_the_table_and_nan_in_the_frame() -> None:
    frame = records(LOG, "2026-10-24", 3).assign(stp=[1.0, math.nan, 3.0])
    table = table_of(frame, LOG)
    assert table.column("stp").null_count == 1
    assert np.isnan(frame_of(table, "UTC")["stp"].iloc[1])


@pytest.mark.parametrize(
    ("values", "kind", "kept"),
    [
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([True, None], pa.bool_(), [True, None]),
        (["a", None], pa.string(), ["a", None]),
        ([1, "a"], pa.string(), ["1", "a"]),
        ([[1, 2], None], pa.string(), ["[1, 2]", None]),
        ([10**30, 1], pa.string(), [str(10**30), "1"]),
    ],
)
def test_an_unknown_field_becomes_numbers_booleans_or_text(
    values: list[object], kind: pa.DataType, kept: list[object]
) -> None:
    index = records(LOG, "2026-10-24", 2).index
    frame = pd.DataFrame({"mood": pd.Series(values, index, dtype=object)})
    table = table_of(frame, LOG)
    assert extras_of(table.schema, LOG) == [pa.field("mood", kind)]
    assert table.column("mood").to_pylist() == kept


def test_an_unknown_field_without_any_value_is_left_out() -> None:
    frame = records(LOG, "2026-10-24", 2).assign(mood=None)
    assert extras_of(table_of(frame, LOG).schema, LOG) == []


def test_where_types_differ_the_widest_is_text() -> None:
    number, text, truth = (
        pa.field("a", pa.float64()),
        pa.field("a", pa.string()),
        pa.field("b", pa.bool_()),
    )
    assert widest([truth, number, number]) == [number, truth]
    assert widest([number, text]) == [text]


def test_values_of_a_frame_are_its_own_unless_they_are_to_be_shared() -> None:
    stamps = pa.array([0, 1]).cast(STAMP)
    rows = pa.table({"date": stamps, "stp": pa.array([1.0, 2.0])})
    of_table = rows.column("stp").chunk(0).to_numpy()
    own, shared = frame_of(rows, "UTC"), frame_of(rows, "UTC", share=True)
    assert_frame_equal(own, shared)
    assert np.shares_memory(shared["stp"].to_numpy(), of_table)
    assert not np.shares_memory(own["stp"].to_numpy(), of_table)
    own.loc[own.index[0], "stp"] = 5.0
    assert of_table[0] == 1.0


def test_a_frame_filled_table_by_table_is_that_of_all_of_them() -> None:
    frame = records(LOG, "2026-10-24", 50).assign(more=["a", None] * 25)
    table = table_of(frame, LOG)
    parts = [table.slice(0, 20), table.slice(20, 0), table.slice(20)]
    filled = frame_from(table.schema, iter(parts), 70, "Asia/Tokyo")
    assert_frame_equal(filled, frame_of(table, "Asia/Tokyo"))
    for name in filled.columns:  # none of them is a view that cannot be written to
        filled.loc[filled.index[0], name] = filled[name].iloc[1]
    assert_frame_equal(frame_of(table, "UTC"), frame_of(table_of(frame, LOG), "UTC"))
    nothing = frame_from(table.schema, [], 0, "UTC")
    assert_frame_equal(nothing, frame_of(table.slice(0, 0), "UTC"))
