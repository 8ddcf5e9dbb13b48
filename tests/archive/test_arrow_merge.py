"""Rows merged by the plain rule: the new row wins, in its columns; stated spans are replaced."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from eyelog.archive.arrow_merge import merge, other_values
from eyelog.archive.arrow_tables import STAMP, stamps_of

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


@given(tables(), tables())
def test_other_values_are_counted_once_per_stamp_and_missing_ones_are_none(
    old: pa.Table, new: pa.Table
) -> None:
    before, incoming = plain(old), plain(new)
    shared = before.keys() & incoming.keys()
    differ = [
        stamp
        for stamp in shared
        if any(
            None not in (before[stamp][name], incoming[stamp][name])
            and before[stamp][name] != incoming[stamp][name]
            for name in before[stamp].keys() & incoming[stamp].keys()
        )
    ]
    assert other_values(old, new) == (len(shared), len(differ))
