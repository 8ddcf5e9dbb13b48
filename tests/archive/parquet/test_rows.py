"""Rows merged by the plain rule: the new row wins, in its columns; stated spans are replaced."""

import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive import store
from eyelog.archive.parquet import rows as parquet_rows
from eyelog.archive.parquet.layout import STAMP
from eyelog.archive.parquet.rows import (
    extras_of,
    frame_from,
    frame_of,
    merge,
    stamps_of,
    table_of,
    widest,
)
from eyelog.catalogue import COMPUTED_DATA as LOG
from eyelog.frame import conform
from support.processes import python
from support.records import records

SCHEMA = pa.schema(
    [("date", STAMP), ("stp", pa.float64()), ("isl", pa.bool_()), ("gw", pa.string())]
)
VALUES = {
    "stp": st.sampled_from([None, 0.0, 1.0, 2.5]),
    "isl": st.sampled_from([None, True, False]),
    "gw": st.sampled_from([None, "", "a"]),
}
SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=2)

Row = dict[str, object]


@st.composite
def tables(draw: st.DrawFn, *, all_columns: bool = False) -> pa.Table:
    """Draw a sorted table of a few stamps, perhaps without some of its columns."""
    stamps = sorted(draw(st.sets(st.integers(0, 9), max_size=6)))
    names = list(VALUES)
    if not all_columns:
        names = draw(st.lists(st.sampled_from(names), unique=True))
    data = {
        name: pa.array([draw(VALUES[name]) for _ in stamps], SCHEMA.field(name).type)
        for name in names
    }
    return pa.table({"date": pa.array(stamps, pa.int64()).cast(STAMP), **data})


def plain(table: pa.Table) -> dict[int, Row]:
    rows = table.drop_columns("date").to_pylist() if table.num_columns > 1 else [{}] * len(table)
    return dict(zip(stamps_of(table).tolist(), rows, strict=True))


@given(tables(all_columns=True), tables(), SPANS)
def test_a_merge_follows_the_rule_and_returns_what_changed(
    old: pa.Table, new: pa.Table, spans: list[tuple[int, int]]
) -> None:
    before, incoming = plain(old), plain(new)
    kept = {
        stamp: row
        for stamp, row in before.items()
        if stamp in incoming or not any(first <= stamp < after for first, after in spans)
    }
    empty: Row = dict.fromkeys(VALUES)
    after = kept | {
        stamp: {**empty, **before.get(stamp, {}), **incoming[stamp]} for stamp in incoming
    }
    merged = merge(old, new, spans)
    assert merged.table.schema == SCHEMA
    assert plain(merged.table) == dict(sorted(after.items()))
    assert merged.added.tolist() == sorted(set(after) - set(before))
    assert merged.removed.tolist() == sorted(set(before) - set(after))
    assert merged.changed.tolist() == [
        s for s in sorted(after) if before.get(s, after[s]) != after[s]
    ]
    assert merged.differs == (after != before)


@given(tables(all_columns=True), tables(), SPANS)
def test_merging_the_same_rows_again_changes_nothing(
    old: pa.Table, new: pa.Table, spans: list[tuple[int, int]]
) -> None:
    merged = merge(old, new, spans)
    again = merge(merged.table, new, spans)
    assert not again.differs
    assert again.table.equals(merged.table)


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


def test_columns_that_are_spent_give_the_same_frame_and_are_gone() -> None:
    frame = records(LOG, "2026-10-24", 50).assign(more=["a", None] * 25)
    table = table_of(frame, LOG)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    found = frame_from(columns, "Asia/Tokyo")
    assert_frame_equal(found, frame_of(table, "Asia/Tokyo"))
    assert columns == {}
    for name in found.columns:  # none of them is a view that cannot be written to
        found.loc[found.index[0], name] = found[name].iloc[1]
    assert_frame_equal(frame_of(table, "UTC"), frame_of(table_of(frame, LOG), "UTC"))


@pytest.mark.parametrize("sealed", [True, False])
def test_a_large_month_read_column_by_column_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sealed: bool
) -> None:
    archive, frame = el.Archive(tmp_path), records(LOG, "2026-10-24", 50)
    archive.write(LOG, frame, account="ada")
    (month,) = tmp_path.rglob("*.parquet")
    if not sealed:
        pq.write_table(pq.read_table(month), month)
    whole = archive.read(LOG, account="ada", tz="UTC")
    monkeypatch.setattr(parquet_rows, "_MANY_VALUES", 10)
    monkeypatch.setattr(store, "_LARGE_TABLE", 10)
    assert_frame_equal(archive.read(LOG, account="ada", tz="UTC"), whole)
    assert_frame_equal(
        archive.read(LOG, account="ada", tz="UTC", fields=["stp", "isl"]), whole[["stp", "isl"]]
    )


MANY_EXITS = """
import os, sys
import eyelog as el

archive, statuses = el.Archive(sys.argv[1]), []
for _ in range(400):
    if not (child := os.fork()):
        break
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if child:
    print({status: statuses.count(status) for status in statuses})
else:
    assert len(archive.verify()) == 0  # and it ends at once
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_that_ends_after_a_read_is_not_aborted(tmp_path: Path) -> None:
    el.Archive(tmp_path).write(LOG, el.simulate("2026-10-19", 2, log=LOG), account="ada")
    assert python(MANY_EXITS, str(tmp_path)).stdout.strip() == "{0: 400}"
