"""Whatever a stream has, it is a page of the documented shape or an `AnswerError`."""

import struct
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.answers.arrow import MOST_RECORDS, encode_stream
from eyelog.answers.decode import decode_page
from eyelog.answers.page import join_pages
from eyelog.archive.answer_pages import table_of_pages
from eyelog.archive.arrow_tables import schema_of, table_of
from eyelog.catalogue import catalogue
from support.answers import MINUTES, frame_of
from support.records import records

STAMP = pa.timestamp("us", tz="UTC")


def stream(columns, *, batches=1, options=None, metadata=None):
    of = pa.table(columns).replace_schema_metadata(metadata or {"eyelog.log": MINUTES})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, of.schema, options=options) as writer:
        for at in range(batches):
            share = -(-of.num_rows // batches) if of.num_rows else 0
            writer.write_table(of.slice(at * share, share))
    return sink.getvalue().to_pybytes()


def stamps(*us):
    return pa.array(us, STAMP)


TABLE = table_of(records(MINUTES, "2026-10-24", 40), MINUTES).append_column(
    "new_sensor", pa.array(["a", None] * 20)
)
WHOLE = encode_stream(TABLE, MINUTES, names=TABLE.column_names, cursor="next")


def check(body):
    """Take a body to its end, as a fetch and as a sync do."""
    try:
        page = decode_page(body, MINUTES)
    except el.AnswerError:
        return None
    assert page.n <= MOST_RECORDS
    assert all(len(values) == page.n for values in page.columns.values())
    known = [name for name in catalogue(MINUTES) if name != "date"]
    frame = join_pages([page], MINUTES, fields=known, tz="Asia/Tokyo")
    numbers = frame.select_dtypes("float64").to_numpy()
    assert not np.isinf(numbers).any()
    table = table_of_pages([decode_page(body, MINUTES, fields=known)], MINUTES)
    table.validate(full=True)
    assert table.schema.equals(schema_of(MINUTES))
    assert table.num_rows == len(frame)
    return page


@pytest.mark.parametrize(
    "us",
    [-(2**63), -(10**18), 253_402_300_800_000_000, 2**62],
    ids=["NaT", "before 1", "10000", "far"],
)
def test_a_stamp_that_no_calendar_has_is_an_error(us):
    with pytest.raises(el.AnswerError, match="'date': a stamp outside the years 1 to 9999"):
        decode_page(stream({"date": stamps(0, us)}), MINUTES)


def test_a_number_that_is_not_one_is_a_missing_value():
    body = stream({"date": stamps(0, 1, 2), "stp_s": pa.array([np.nan, None, 2.0])})
    assert frame_of(body, log=MINUTES)["stp_s"].isna().tolist() == [True, True, False]
    table = table_of_pages([decode_page(body, MINUTES)], MINUTES)
    assert table.column("stp_s").to_pylist() == [None, None, 2.0]


def test_what_lies_under_a_missing_value_is_never_seen():
    values = np.array([np.inf, 1.0, np.nan])
    mask = pa.py_buffer(bytes([0b010]))
    column = pa.Array.from_buffers(pa.float64(), 3, [mask, pa.py_buffer(values)])
    body = stream({"date": stamps(0, 1, 2), "stp_s": column})
    page = check(body)
    assert page.columns["stp_s"].to_pylist() == [None, 1.0, None]


def test_numbers_whose_sum_is_infinite_are_numbers():
    body = stream({"date": stamps(0, 1), "stp_s": pa.array([1.7e308, 1.7e308])})
    assert frame_of(body, log=MINUTES)["stp_s"].tolist() == [1.7e308, 1.7e308]


@pytest.mark.parametrize("batches", [1, 3, 40])
def test_a_stream_of_several_batches_is_one_page(batches):
    of = {name: TABLE.column(name) for name in TABLE.column_names}
    page = check(stream(of, batches=batches))
    assert page.n == 40
    assert page.columns["stp_s"].to_pylist() == TABLE.column("stp_s").to_pylist()


OTHER_TYPES = [
    pa.int64(), pa.int8(), pa.uint32(), pa.float32(), pa.float16(), pa.null(), pa.bool_(),
    pa.string(), pa.large_string(), pa.binary(), pa.date32(), pa.timestamp("us"),
    pa.timestamp("ns", "UTC"), pa.timestamp("us", "Asia/Tokyo"), pa.duration("s"),
    pa.decimal128(9, 2), pa.list_(pa.float64()), pa.struct([("a", pa.float64())]),
    pa.map_(pa.string(), pa.float64()), pa.run_end_encoded(pa.int32(), pa.float64()),
    pa.string_view(),
]  # fmt: skip
RIGHT = {"int": pa.float64(), "float": pa.float64(), "bool": pa.bool_(), "str": pa.string(),
         "datetime": STAMP}  # fmt: skip


@settings(deadline=None)
@given(
    name=st.sampled_from(list(catalogue(MINUTES))),
    kind=st.sampled_from([*OTHER_TYPES, *RIGHT.values()]),
    rows=st.integers(0, 3),
)
def test_a_field_has_the_type_of_the_catalogue_or_the_answer_is_refused(name, kind, rows):
    values = pa.array([None] * rows, kind)
    columns = {"date": stamps(*range(rows))} | {name: values}
    body = stream(columns)
    if kind == RIGHT[catalogue(MINUTES)[name].value_type] and not (name == "date" and rows):
        assert check(body).n == rows
    else:
        with pytest.raises(el.AnswerError, match=name):
            decode_page(body, MINUTES)


def overwritten(place, number, form):
    body = bytearray(WHOLE)
    at = 4 + place % (len(body) - 12)
    struct.pack_into(form, body, at, number)
    return bytes(body)


LENGTHS = (0, -1, 1, 2**31 - 1, -(2**31), 2**30, 64 << 20, 7)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_length_that_is_not_true_takes_no_memory(length):
    pool = pa.default_memory_pool()
    before = pool.max_memory()
    for place in range(0, 4000, 40):
        with suppress(el.AnswerError):
            decode_page(overwritten(place, length, "<i"), MINUTES)
    assert pool.max_memory() - before < 32 << 20


damage = st.one_of(
    st.builds(lambda at: WHOLE[: at % len(WHOLE)], st.integers(4)),
    st.builds(lambda at, n: WHOLE[: at % len(WHOLE)] + WHOLE[(at + n) % len(WHOLE) :],
              st.integers(4), st.integers(1)),
    st.builds(overwritten, st.integers(0), st.integers(-(2**63), 2**63 - 1), st.just("<q")),
    st.builds(lambda tail: WHOLE[:4] + tail, st.binary(max_size=300)),
    st.builds(lambda more: WHOLE + more, st.binary(min_size=1, max_size=50)),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(body=damage)
def test_a_damaged_stream_is_a_page_or_an_error(body):
    check(body)


@pytest.mark.slow
def test_ten_thousand_damaged_streams_are_pages_or_errors():
    rng = np.random.default_rng(1)
    places = rng.integers(0, len(WHOLE), (10_000, 2)).tolist()
    refused = 0
    for number, (one, other) in enumerate(places):
        body = bytearray(WHOLE)
        match number % 5:
            case 0:
                body = body[: max(4, one)]
            case 1:
                struct.pack_into("<q", body, 4 + one % (len(body) - 12), LENGTHS[other % 8])
            case 2:
                low, high = sorted((max(4, one), max(4, other)))
                del body[low : min(high, low + 64)]
            case 3:
                low = max(4, one)
                body[low:low] = body[other : other + 64]
            case 4:
                for at in rng.integers(4, len(body), 3).tolist():
                    body[at] ^= 1 << int(rng.integers(8))
        refused += check(bytes(body)) is None
    assert refused > 2_000
