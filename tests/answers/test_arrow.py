"""An answer in columns gives the same page as the same answer in JSON, or an error."""

import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.arrow import MOST_RECORDS, encode_stream
from eyelog.answers.decode import decode_page
from eyelog.answers.encode import encode_answer, encode_table
from eyelog.answers.page import join_pages
from eyelog.archive.arrow_tables import table_of
from eyelog.catalogue import LOGS
from support.answers import EYES, MINUTES, frame_of
from support.records import records as made_up

OFFSET_US = 9 * 3600 * 1_000_000


def table(log, rows=50, seed=0):
    return table_of(made_up(log, "2026-10-24", rows, tz="Asia/Tokyo", seed=seed), log)


def stream(of, log, **more):
    return encode_stream(of, log, names=of.column_names, **more)


def raw(arrays, *, metadata=None, log=MINUTES, options=None):
    """A stream of any columns, as no service of ours would send it."""
    of = pa.table(arrays).replace_schema_metadata(
        {"eyelog.log": log} if metadata is None else metadata
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, of.schema, options=options) as writer:
        writer.write_table(of)
    return sink.getvalue().to_pybytes()


def stamps(n=3):
    return pa.array(np.arange(n) * 60_000_000, pa.timestamp("us", tz="UTC"))


NOT_TEXT = {"eyelog.log": MINUTES, "eyelog.cursor": b"\xff"}


@pytest.mark.parametrize("log", LOGS)
@settings(max_examples=15, deadline=None)
@given(rows=st.integers(0, 60), seed=st.integers(0, 99), cursor=st.none() | st.text(min_size=1))
def test_a_stream_and_json_give_equal_frames_and_cursors(log, rows, seed, cursor):
    if cursor is not None and not cursor.isprintable():
        cursor = None
    of = table(log, rows, seed)
    columns = decode_page(stream(of, log, cursor=cursor), log)
    body = encode_table(of, log, offset_us=OFFSET_US, names=of.column_names, cursor=cursor)
    page = decode_page(body, log)
    assert columns.cursor == page.cursor
    tz = "Asia/Tokyo"
    assert_frame_equal(join_pages([columns], log, tz=tz), join_pages([page], log, tz=tz))


@pytest.mark.parametrize("log", LOGS)
def test_a_table_is_written_as_json_like_its_frame(log):
    frame = made_up(log, "2026-10-24", 300, tz="Asia/Tokyo")

    of = table_of(frame, log)
    assert encode_table(of, log, offset_us=OFFSET_US, names=of.column_names) == encode_answer(
        frame, log
    )


def test_fields_that_were_not_asked_for_are_left_out_and_absent_ones_are_missing():
    of = table(MINUTES).select(["date", "stp_s", "bl"])
    page = decode_page(stream(of, MINUTES), MINUTES, fields=["bl", "val_s"])
    assert list(page.columns) == ["val_s", "bl"]
    assert np.isnan(page.columns["val_s"]).all()


def test_unknown_columns_are_kept_with_a_warning():
    of = table(MINUTES).append_column("new_sensor", pa.array([1.5, None] * 25))
    with pytest.warns(el.EyelogWarning, match="new_sensor"):
        frame = frame_of(stream(of, MINUTES), log=MINUTES)
    assert frame.columns[-1] == "new_sensor"
    assert frame["new_sensor"].dtype == np.float64


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda: raw({"date": stamps()}, log=EYES), "has 'computed_data', but"),
        (lambda: raw({"date": stamps()}, metadata={}), "no known log"),
        (lambda: raw({"stp_s": [1.0]}), "no column 'date'"),
        (lambda: raw({"date": pa.array([1, 2])}), "no column 'date' of type timestamp"),
        (lambda: raw({"date": pa.array([None], stamps().type)}), "'date': it is missing"),
        (lambda: raw({"date": stamps(1), "stp_s": ["7"]}), "'stp_s': string instead of double"),
        (lambda: raw({"date": stamps(1), "stp_s": [True]}), "'stp_s': bool instead of double"),
        (lambda: raw({"date": stamps(1), "stp_s": [np.inf]}), "'stp_s': a number that is infinite"),
        (lambda: raw({"date": stamps(1), "odd": [[1]]}), "'odd': list<item: int64> instead of"),
        (
            lambda: raw({"date": stamps(1), "gw": pa.array(["a"]).dictionary_encode()}),
            "damaged or breaks off",
        ),
        (
            lambda: raw(
                {"date": stamps(), "stp_s": [1.0, 2.0, 3.0]},
                options=pa.ipc.IpcWriteOptions(compression="zstd"),
            ),
            "damaged or breaks off",
        ),
        (lambda: raw({"date": stamps(MOST_RECORDS + 1)}), "more than 100,000 records"),
        (
            lambda: raw(
                {"date": stamps(1)}, metadata={"eyelog.log": MINUTES, "eyelog.cursor": b"\xff"}
            ),
            "cursor is not UTF-8",
        ),
        (lambda: b"\xff\xff\xff\xff", "damaged or breaks off"),
    ],
)
def test_a_stream_of_another_shape_is_an_error_that_says_what_is_wrong(body, message):
    with pytest.raises(el.AnswerError, match=f"log of 'anna'.*{message}"):
        decode_page(body(), MINUTES, where="log of 'anna'")


def test_two_columns_of_one_name_are_an_error():
    of = pa.Table.from_arrays(
        [stamps(1), pa.array([1.0]), pa.array([2.0])], names=["date", "bl", "bl"]
    ).replace_schema_metadata({"eyelog.log": MINUTES})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, of.schema) as writer:
        writer.write_table(of)
    with pytest.raises(el.AnswerError, match="two columns of one name"):
        decode_page(sink.getvalue().to_pybytes(), MINUTES)


def test_a_compressed_batch_is_refused_before_it_can_grow():
    many = 40_000_000
    bomb = raw(
        {"date": pa.array(np.zeros(many, np.int64), stamps().type)},
        options=pa.ipc.IpcWriteOptions(compression="zstd"),
    )
    assert len(bomb) < 100_000
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        with pytest.raises(el.AnswerError, match="damaged"):
            decode_page(bomb, MINUTES)
        assert pa.total_allocated_bytes() - before < 1 << 20
    finally:
        tracemalloc.stop()


@given(cut=st.integers(0, 10**6))
def test_a_stream_that_was_cut_short_is_an_error_wherever_the_cut_is(cut):
    whole = stream(table(MINUTES), MINUTES)
    short = whole[: 4 + cut % (len(whole) - 4)]
    with pytest.raises(el.AnswerError):
        decode_page(short, MINUTES)


def flipped(whole, flips):
    body = bytearray(whole)
    for place, bit in flips:
        body[4 + place % (len(body) - 4)] ^= 1 << bit
    return bytes(body)


WHOLE = stream(table(MINUTES), MINUTES, cursor="next")
FLIPS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), min_size=1, max_size=4)


def check_damaged(flips):
    body = flipped(WHOLE, flips)
    try:
        page = decode_page(body, MINUTES)
        join_pages([page], MINUTES, fields=["bl"])
    except el.AnswerError:
        return
    assert page.n <= MOST_RECORDS
    assert all(len(values) == page.n for values in page.columns.values())


@settings(max_examples=200, deadline=None)
@given(flips=FLIPS)
def test_a_damaged_stream_is_a_page_or_an_answer_error(flips):
    check_damaged(flips)


@pytest.mark.slow
def test_no_damage_to_a_stream_does_anything_else():
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        places = rng.integers(0, len(WHOLE), rng.integers(1, 5)).tolist()
        check_damaged([(place, int(rng.integers(8))) for place in places])


def test_json_that_begins_like_no_stream_is_json():
    assert decode_page(json.dumps({MINUTES: {}}).encode(), MINUTES).n == 0
