import datetime as dt
import json
import math
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog import frame as frames
from eyelog.archive.export import encode_table
from eyelog.arrow_tables import schema_of
from eyelog.catalogue import catalogue
from eyelog.decode import decode_page, joined_pages
from support.answers import encode_answer
from support.logs import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_an_answer_decodes_to_the_frame_it_was_made_of(log: str, tz: str) -> None:
    frame = records(log, "2026-10-24", 600, tz=tz)
    page = decode_page(encode_answer(frame, log), log)
    assert page.cursor is None
    assert_frame_equal(joined_pages([page], log, tz=tz), frame)


def test_records_stand_under_the_hour_of_their_own_offset_with_every_field() -> None:
    frame = records(FIFTEEN, "2026-10-24 08:59:30", 4, tz="Asia/Tokyo", missing=0)
    frame.iloc[0, 0] = np.nan
    body = json.loads(encode_answer(frame, FIFTEEN))
    assert list(body) == [FIFTEEN, "cursor"]
    assert {hour: len(rows) for hour, rows in body[FIFTEEN].items()} == {"8": 2, "9": 2}
    first = body[FIFTEEN]["8"][0]
    assert list(first) == list(catalogue(FIFTEEN))
    assert first["date"] == "2026-10-24T08:59:30+09:00"
    assert first["zone"] is None
    assert first["gw"] == ""
    assert isinstance(first["isl"], bool)


def test_whole_numbers_of_whole_fields_have_no_fraction() -> None:
    frame = frames.empty(SIXTY).reindex(pd.DatetimeIndex(["2026-10-24"], tz="UTC", name="date"))
    frame["bl"], frame["hm_yo"], frame["tl_xav"] = 5.0, 2.5, 3.0
    body = encode_answer(frame[["bl", "hm_yo", "tl_xav"]], SIXTY)
    assert b'"bl":5,"hm_yo":2.5,"tl_xav":3.0' in body


def test_an_hour_that_comes_twice_holds_both_offsets() -> None:
    frame = records(SIXTY, "2026-10-25 00:00", 25 * 60, tz="Europe/Berlin")
    body = encode_answer(frame, SIXTY)
    rows = json.loads(body)[SIXTY]["2"]
    assert len(rows) == 120
    assert rows[59]["date"] == "2026-10-25T02:59:00+02:00"
    assert rows[60]["date"] == "2026-10-25T02:00:00+01:00"
    joined = joined_pages([decode_page(body, SIXTY)], SIXTY, tz="Europe/Berlin")
    assert_frame_equal(joined, frame)


def test_a_fraction_of_a_second_is_kept() -> None:
    frame = records(SIXTY, "2026-10-24 10:00:00.25", 1)
    assert b'"date":"2026-10-24T10:00:00.250000+00:00"' in encode_answer(frame, SIXTY)


def test_chosen_names_and_a_cursor() -> None:
    frame = records(SIXTY, "2026-10-24", 1, missing=0)
    body = json.loads(encode_answer(frame, SIXTY, names=["bl", "date"], cursor="next"))
    assert list(body[SIXTY]["0"][0]) == ["bl", "date"]
    assert body["cursor"] == "next"


def test_no_record_is_an_empty_object() -> None:
    assert encode_answer(frames.empty(SIXTY), SIXTY) == b'{"standard_mode_logs":{},"cursor":null}'


def test_unknown_fields_of_any_name_go_along() -> None:
    frame = records(SIXTY, "2026-10-24", 2, missing=0).assign(**{"a b-c": ["x", None]})
    page_body = encode_answer(frame, SIXTY)
    with pytest.warns(el.EyelogWarning, match="a b-c"):
        joined = joined_pages([decode_page(page_body, SIXTY)], SIXTY)
    assert joined["a b-c"].iloc[0] == "x"
    assert joined["a b-c"].isna().tolist() == [False, True]


def _reference(table: pa.Table, log: str, names: list[str], offset_us: int) -> bytes:
    """Return what the answer of a table has to be, made value by value."""
    zone = dt.timezone(dt.timedelta(microseconds=offset_us))
    hours: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        stamp = row["date"].astimezone(zone)
        record: dict[str, Any] = {}
        for name in names:
            value = row.get(name)
            if name == "date":
                unit = "microseconds" if stamp.microsecond else "seconds"
                value = stamp.isoformat(timespec=unit)
            elif isinstance(value, float):
                field = catalogue(log).get(name)
                if not math.isfinite(value):
                    value = None
                elif field is not None and field.value_type == "int" and abs(value) < 2.0**53:
                    value = int(value) if value == int(value) else value
            record[name] = value
        hours.setdefault(str(stamp.hour), []).append(record)
    return msgspec.json.encode({log: hours, "cursor": None})


NUMBERS = st.one_of(
    st.none(),
    st.floats(),
    st.integers(-300, 300).map(float),
    st.sampled_from([-0.0, 2.0**53, -(2.0**53), 2.0**53 - 1, 2.0**63, -(2.0**63), 1e300, 0.5]),
)


@settings(deadline=None)
@given(data=st.data(), log=st.sampled_from(LOGS), n=st.integers(0, 12))
def test_every_answer_is_byte_for_byte_that_of_the_plain_way(
    data: st.DataObject, log: str, n: int
) -> None:
    numbers = [name for name, field in catalogue(log).items() if field.value_type != "datetime"]
    numbers = [name for name in numbers if schema_of(log).field(name).type == pa.float64()]
    names = data.draw(st.lists(st.sampled_from(numbers), max_size=5, unique=True))
    # Of one local day, or across two: both have the hours in the order in which they come.
    seconds = data.draw(st.lists(st.integers(0, 90_000), min_size=n, max_size=n, unique=True))
    parts = data.draw(st.lists(st.sampled_from([0, 0, 1, 250_000]), min_size=n, max_size=n))
    begin = 1_792_800_000 * 1_000_000
    stamps = [begin + s * 1_000_000 + us for s, us in zip(sorted(seconds), parts, strict=True)]
    columns: dict[str, Any] = {"date": pa.array(stamps, pa.timestamp("us", tz="UTC"))}
    for name in names:
        values = data.draw(st.lists(NUMBERS, min_size=n, max_size=n))
        missing = [math.nan if value is None else value for value in values]
        columns[name] = pa.array(missing, pa.float64())
    table = pa.table(columns)
    offset_us = data.draw(st.sampled_from([0, 9 * 60, -(3 * 60 + 30), 14 * 60])) * 60_000_000
    asked = data.draw(st.permutations(["date", *names]))
    made = encode_table(table, log, offset_us=offset_us, names=asked)
    assert made == _reference(table, log, list(asked), offset_us)
