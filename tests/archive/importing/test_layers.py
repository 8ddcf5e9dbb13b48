"""Laying files over an archive: the last value counts, and doing it twice changes nothing."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from eyelog.archive.arrow_tables import extras_of, frame_of, schema_of, table_of, widest
from eyelog.archive.importing.layers import layer_of, overlay
from eyelog.catalogue import COMPUTED_DATA as LOG
from eyelog.frame import conform, empty

VALUES = st.sampled_from([np.nan, 0.0, 1.0, 2.0])


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a frame of a few stamps with a number, a truth and a text, some of them missing."""
    at = sorted(draw(st.sets(st.integers(0, 5), max_size=6)))
    index = pd.DatetimeIndex(np.array(at, "M8[m]").astype("M8[us]"), name="date", tz="UTC")
    n = len(at)
    data = {
        "stp": np.array(draw(st.lists(VALUES, min_size=n, max_size=n)), float),
        "isl": pd.array(
            draw(st.lists(st.sampled_from([True, False, None]), min_size=n, max_size=n)), "boolean"
        ),
        "gw": pd.array(
            draw(st.lists(st.sampled_from(["", "a", None]), min_size=n, max_size=n)), "string"
        ),
    }
    return pd.DataFrame(data, index=index)


@dataclass
class Laid:
    changes: pd.DataFrame
    kept: list[int]
    conflicts: list[int]


def lay(stored: pd.DataFrame, files: list[pd.DataFrame]) -> Laid:
    """Lay files over stored records, in the schema that holds them all."""
    table = table_of(stored, LOG)
    layers = [layer_of(file, LOG) for file in files]
    extras = [*extras_of(table.schema, LOG), *(extra for each in layers for extra in each.extras)]
    schema = pa.schema([*schema_of(LOG), *widest(extras)])
    before = pa.Table.from_arrays(
        [
            table.column(field.name).cast(field.type)
            if field.name in table.column_names
            else pa.nulls(len(stored), field.type)
            for field in schema
        ],
        schema=schema,
    )
    laid = overlay(before, layers)
    # Columns that no file has stay as they are: here, missing.
    changes = frame_of(laid.changes, "UTC").reindex(columns=schema.names[1:])
    return Laid(changes if extras else conform(changes, LOG), laid.kept, laid.conflicts)


def plainly(layers: list[pd.DataFrame]) -> dict[pd.Timestamp, dict[str, object]]:
    """Return the state after all layers, record by record and value by value."""
    state: dict[pd.Timestamp, dict[str, object]] = {}
    for frame in layers:
        for stamp, row in frame.iterrows():
            stored = state.setdefault(stamp, {})
            stored.update({name: value for name, value in row.items() if not pd.isna(value)})
    return state


@given(st.lists(frames(), min_size=1, max_size=4))
def test_the_last_value_of_each_stamp_counts(layers: list[pd.DataFrame]) -> None:
    stored, *files = [empty(LOG), *layers]
    laid = lay(stored, files)
    wanted = plainly(layers)
    assert list(laid.changes.index) == sorted(wanted)
    for stamp, row in laid.changes[["stp", "isl", "gw"]].iterrows():
        assert {name: v for name, v in row.items() if not pd.isna(v)} == wanted[stamp]


@given(frames(), st.lists(frames(), min_size=1, max_size=3))
def test_the_same_files_again_change_nothing(
    stored: pd.DataFrame, files: list[pd.DataFrame]
) -> None:
    first = lay(stored, files)
    after = pd.concat([stored[~stored.index.isin(first.changes.index)], first.changes]).sort_index()
    assert plainly([after]) == plainly([stored, *files])
    again = lay(after, files)
    assert again.changes.empty
    assert again.kept == [0] * len(files)


@given(frames(), frames())
def test_what_a_file_adds_is_counted_row_by_row(stored: pd.DataFrame, file: pd.DataFrame) -> None:
    laid = lay(stored, [file])
    before = plainly([stored])
    after = plainly([stored, file])
    news = [stamp for stamp in after if after[stamp] != before.get(stamp)]
    bare = [s for s in file.index if s not in before and not after[s]]  # a stamp without a value
    assert laid.kept == [len({*news, *bare})]
    assert list(laid.changes.index) == sorted({*news, *bare})
    overruled = [s for s in news if any(after[s].get(n) != v for n, v in before.get(s, {}).items())]
    assert laid.conflicts == [len(overruled)]


def test_nothing_over_nothing_is_nothing() -> None:
    laid = lay(empty(LOG), [])
    assert laid.changes.empty
    assert laid.kept == []


def test_the_frame_of_changes_has_the_one_shape() -> None:
    index = pd.DatetimeIndex(["2026-10-21T00:00:15Z"], name="date").as_unit("us")
    file = conform(pd.DataFrame({"stp": [3.0], "isl": [True]}, index=index), LOG)
    changes = lay(empty(LOG), [file]).changes
    assert_frame_equal(conform(changes, LOG), changes)
    assert list(changes.columns) == list(empty(LOG).columns)


def test_unknown_fields_compare_as_the_archive_keeps_them() -> None:
    index = pd.DatetimeIndex(["2026-10-21T00:00:15Z"], name="date").as_unit("us")
    number = pd.DataFrame({"stp": [3.0], "mood": [2.0]}, index=index)
    text = pd.DataFrame({"stp": [3.0], "mood": pd.array(["2"], "string")}, index=index)
    nested = pd.DataFrame({"stp": [3.0], "mood": pd.Series([[1, 2]], index=index)}, index=index)
    assert lay(text, [number]).kept == [0]
    assert lay(number, [text]).kept == [0]
    stored = pd.DataFrame({"stp": [3.0], "mood": pd.array(["[1, 2]"], "string")}, index=index)
    assert lay(stored, [nested]).kept == [0]
