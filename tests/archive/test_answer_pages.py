"""Pages become the table that their frame would become, without a frame."""

import warnings

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.archive.export import encode_table
from eyelog.arrow_tables import schema_of, table_of, table_of_pages
from eyelog.decode import decode_page, joined_pages
from eyelog.frame import conform
from support.answers import MINUTES, answer
from support.logs import LOGS
from support.records import records


def page(rows, log):
    return decode_page(encode_table(rows, log, offset_us=0, names=rows.column_names), log)


def by_frame(pages, log):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        return table_of(conform(joined_pages(pages, log), log), log)


@pytest.mark.parametrize("log", LOGS)
@settings(max_examples=8, deadline=None)
@given(parts=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=4))
def test_pages_in_any_order_are_the_table_of_their_frame(log, parts):
    rows = table_of(records(log, "2026-10-24", 40), log)
    pages = [page(rows.slice(at, n), log) for at, n in parts]
    table = table_of_pages(pages, log)
    assert table.schema.equals(schema_of(log))
    assert table.combine_chunks().equals(by_frame(pages, log).combine_chunks())


def test_unknown_fields_come_last_with_the_type_of_their_values():
    rows = table_of(records(MINUTES, "2026-10-24", 3), MINUTES)
    for name, values in {"z": [1.5, None, 2.0], "b": ["x", None, ""], "a": [None] * 3}.items():
        rows = rows.append_column(name, pa.array(values, pa.float64() if name == "a" else None))
    pages = [page(rows, MINUTES)]
    table = table_of_pages(pages, MINUTES)
    assert table.column_names[-2:] == ["b", "z"]  # a field without any value is left out
    assert table.combine_chunks().equals(by_frame(pages, MINUTES).combine_chunks())


def test_values_of_several_kinds_in_an_unknown_field_are_text():
    body = answer({"0": [{"date": f"2026-10-24T00:0{n}:00Z", "odd": v} for n, v in
                         enumerate([1, "two", [3], None])]}, MINUTES)  # fmt: skip
    pages = [decode_page(body, MINUTES)]
    table = table_of_pages(pages, MINUTES)
    assert table.column("odd").to_pylist() == ["1", "two", "[3]", None]
