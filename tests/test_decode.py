"""An answer becomes a page of typed columns."""

import itertools
import json
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.decode import MOST_UNKNOWN, decode_page, joined_pages
from eyelog.frame import empty, history, stated_log
from support.answers import (
    EYES,
    MINUTES,
    Record,
    answer,
    by_hour,
    frame_of,
    records_of,
    stamp,
    walks,
)
from support.logs import LOGS, columns
from support.records import records as made_up

# What comes out


@pytest.mark.parametrize("log", LOGS)
def test_values_survive_the_round_trip_in_the_one_shape(log: str) -> None:
    frame = made_up(log, "2026-10-24", 700, tz="Asia/Tokyo")
    found = frame_of(answer(by_hour(records_of(frame)), log), log=log, tz="Asia/Tokyo")
    assert_frame_equal(found, frame)
    assert stated_log(found) == log
    assert history(found) == [{"step": "decode", "records": 700, "repeated": 0, "conflicts": 0}]


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("hours", [{}, {"0": []}, {"7": [], "8": []}])
def test_no_records_are_an_empty_frame_of_the_same_shape(log: str, hours: Any) -> None:
    found = frame_of(answer(hours, log), log=log, tz="Asia/Tokyo")
    assert_frame_equal(found, empty(log, tz="Asia/Tokyo"))
    assert_frame_equal(joined_pages([], log, tz="Asia/Tokyo").frame, empty(log, tz="Asia/Tokyo"))
    some = joined_pages([], log, fields=["hm_po"]).frame
    assert_frame_equal(some, empty(log, names=["hm_po"]))


def test_dtypes_do_not_depend_on_the_values_of_the_day() -> None:
    found = frame_of(answer({"0": [{"date": stamp(0)}]}))
    assert found.dtypes.to_dict() == empty(EYES).dtypes.to_dict()
    assert found.isna().all(axis=None)


def test_null_and_left_out_are_both_missing_and_an_empty_text_is_not() -> None:
    hours = {"0": [{"date": stamp(0), "stp": None, "gw": "", "isl": None}, {"date": stamp(1)}]}
    found = frame_of(answer(hours))
    assert found["gw"].iloc[0] == ""
    assert found["gw"].isna().tolist() == [False, True]
    assert found[["stp", "isl"]].isna().all(axis=None)


def test_values_outside_the_documented_range_or_kind_of_number_are_kept() -> None:
    odd = {"stp": 1e6, "bk_n": 2.5, "sc_fcs": -1, "lat": 400, "cum_time": 2**53 + 1}
    found = frame_of(answer({"0": [{"date": stamp(0), **odd, "bl": 10**30}]}))
    for name, value in (odd | {"bl": 10**30}).items():
        assert found[name].iloc[0] == float(value)


def test_a_key_may_be_written_with_escapes() -> None:
    body = f'{{"{EYES}": {{"0": [{{"d\\u0061te": "{stamp(0)}", "\\u0073tp": 1}}]}}}}'.encode()
    assert frame_of(body)["stp"].tolist() == [1.0]


def test_the_hours_are_never_used_as_times() -> None:
    found = frame_of(answer({"23": [{"date": stamp(0)}], "x": [{"date": stamp(1)}]}))
    assert found.index.tolist() == [pd.Timestamp(stamp(0)), pd.Timestamp(stamp(1))]


def test_the_requested_fields_are_exactly_the_columns_in_catalogue_order() -> None:
    frame = made_up(EYES, "2026-10-24", 50)
    body = answer(by_hour(records_of(frame)))
    asked = ["gw", "date", "vld", "stp"]
    expected = frame[["stp", "vld", "gw"]]
    assert_frame_equal(frame_of(body, fields=asked), expected)
    whole = decode_page(body, EYES)
    assert_frame_equal(joined_pages([whole], EYES, fields=asked).frame, expected)
    with pytest.raises(el.FieldError, match="did you mean 'stp'"):
        decode_page(body, EYES, fields=["stpp"])


def test_fields_not_requested_are_neither_kept_nor_checked() -> None:
    body = answer({"0": [{"date": stamp(0), "stp": 3, "cad": "fast", "new": 1}]})
    assert frame_of(body, fields=["stp"]).to_dict("list") == {"stp": [3.0]}


# Dates


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-24T00:00:15Z",
        "2026-10-24T09:00:15+09:00",
        "2026-10-24T09:00:15+0900",
        "2026-10-23T20:30:15-03:30",
        "2026-10-24T00:00:15.000Z",
        "2026-10-24t00:00:15z",
    ],
)
def test_dates_are_read_in_every_spelling(text: str) -> None:
    found = frame_of(answer({"0": [{"date": text}]}), tz="Asia/Tokyo")
    assert [at.isoformat() for at in found.index] == ["2026-10-24T09:00:15+09:00"]


def test_spellings_may_be_mixed_in_one_answer() -> None:
    dates = ["2026-10-24T00:00:00Z", "2026-10-24T09:00:15+09:00", "2026-10-24T00:00:30.25Z"]
    found = frame_of(answer({"0": [{"date": date} for date in dates]}))
    assert (found.index - found.index[0]).total_seconds().tolist() == [0, 15, 30.25]


def test_dates_at_the_ends_of_the_calendar_do_no_harm() -> None:
    dates = ["0001-01-01T00:00:00+09:00", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-09:00"]
    found = frame_of(answer({"0": [{"date": date} for date in dates]}))
    assert len(found) == 3
    assert found.index.is_monotonic_increasing


def test_a_walk_ends_if_the_cursor_is_null_missing_or_empty() -> None:
    assert decode_page(answer({}, cursor="abc"), EYES).cursor == "abc"
    for end in ({}, {"cursor": None}, {"cursor": ""}):
        assert decode_page(answer({}, **end), EYES).cursor is None


def test_an_unknown_log_is_a_configuration_error() -> None:
    with pytest.raises(el.ConfigurationError, match="unknown log"):
        decode_page(b"{}", "computed")


# Unknown fields


def test_unknown_fields_are_kept_last_as_they_are_with_one_warning() -> None:
    pages = [
        decode_page(answer({"0": [{"new": 1, "date": stamp(0), "stp": 1, "odd": [1, "a"]}]}), EYES),
        decode_page(answer({"0": [{"date": stamp(1), "new": 2.5}, {"date": stamp(2)}]}), EYES),
    ]
    with pytest.warns(el.EyelogWarning, match="unknown fields .*: new, odd") as caught:
        found = joined_pages(pages, EYES).frame
    assert len(caught) == 1
    assert tuple(found.columns) == (*columns(EYES), "new", "odd")
    assert found["new"].dtype == np.float64
    assert found["new"].tolist()[:2] == [1.0, 2.5]
    assert np.isnan(found["new"].iloc[2])
    assert found["odd"].tolist() == [[1, "a"], None, None]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([1, None], "float64"), ([True, 1], "object"), (["1", 2], "object"), ([10**399, 1], "object")],
)
def test_an_unknown_field_is_a_number_only_where_all_its_values_are(
    values: list[Any], dtype: str
) -> None:
    hours = {"0": [{"date": stamp(n), "new": value} for n, value in enumerate(values)]}
    with pytest.warns(el.EyelogWarning):
        found = frame_of(answer(hours))["new"]
    assert found.dtype == dtype
    if dtype == "object":
        assert found.tolist() == values


@pytest.mark.parametrize("name", ["", "a b", 'a"b', "a\\b", "a\nb", "日", "class", "f0"])
@pytest.mark.parametrize("at", [0, 17, 249])
def test_an_unknown_field_may_be_in_one_record_and_have_any_name(name: str, at: int) -> None:
    frame = made_up(EYES, "2026-10-24", 250)[["stp", "isl", "gw"]]
    rows = records_of(frame)
    rows[at][name] = {"a": 1}
    with pytest.warns(el.EyelogWarning):
        found = frame_of(answer(by_hour(rows)))
    assert found[name].iloc[at] == {"a": 1}
    assert found[name].notna().sum() == 1
    assert_frame_equal(found[frame.columns], frame)


@pytest.mark.parametrize("records", [1, 100, 3_000])
def test_an_answer_with_more_than_200_unknown_fields_in_all_is_refused(records: int) -> None:
    rows: list[Record] = [{"date": stamp(n)} for n in range(records)]
    for name, row in zip(range(MOST_UNKNOWN), itertools.cycle(reversed(rows)), strict=False):
        row[f"new{name}"] = 1
    assert len(decode_page(answer({"0": rows}), EYES).unknown) == MOST_UNKNOWN
    rows[0]["one more"] = 1
    with pytest.raises(el.AnswerError, match=r"^answer: its records have more than 200 fields"):
        decode_page(answer({"0": rows}), EYES)


def test_a_record_of_20_000_unknown_fields_is_refused() -> None:
    body = answer({"0": [{"date": stamp(0)} | dict.fromkeys(map(str, range(20_000)), 1)]})
    with pytest.raises(el.AnswerError, match="more than 200 fields") as caught:
        decode_page(body, EYES)
    assert "\n" not in str(caught.value)
    assert decode_page(body, EYES, fields=["stp"]).n == 1


def test_a_warning_names_ten_unknown_fields_and_counts_the_others() -> None:
    row = {"date": stamp(0)} | {f"new{n}": 1 for n in range(MOST_UNKNOWN)}
    with pytest.warns(el.EyelogWarning) as caught:
        found = frame_of(answer({"0": [row]}))
    assert str(caught[0].message).endswith("new8, new9 and 190 more")
    assert len(found.columns) == len(columns(EYES)) + MOST_UNKNOWN


# Laws


@given(walks())
@settings(max_examples=30)
def test_every_value_comes_back_as_it_was_sent(walk: tuple[str, list[Record]]) -> None:
    log, rows = walk
    found = frame_of(answer({"0": rows}, log), log=log)
    assert len(found) == len(rows)
    for row in rows:
        kept = found.loc[pd.Timestamp(row["date"])]
        for name in columns(log):
            sent = row.get(name)
            assert (pd.isna(kept[name]) and sent is None) or kept[name] == sent


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([EYES, MINUTES, "cursor", "0", "date", "stp", "isl"]), inner
            )
        ),
        max_leaves=8,
    )
)
@settings(max_examples=80)
def test_any_json_is_a_page_or_an_answer_error(value: Any) -> None:
    for body in (value, {EYES: value}, {EYES: {"0": value}}, {EYES: {"0": [value]}}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", el.EyelogWarning)
            try:
                frame_of(json.dumps(body).encode())
            except el.AnswerError:
                continue


@given(st.binary(max_size=60))
def test_any_bytes_are_a_page_or_an_answer_error(noise: bytes) -> None:
    for body in (noise, b'{"computed_data": {"0": [{"date": "' + noise + b'"}]}}'):
        try:
            decode_page(body, EYES)
        except el.AnswerError:
            continue


# What is too much


@pytest.mark.parametrize(
    "records",
    [b"{},", b"[],", b'{"date":"2026-10-24T00:00:00Z"},'],
    ids=["objects", "lists", "same"],
)
def test_a_large_answer_with_more_records_than_a_day_has_seconds_is_refused_unread(
    records: bytes,
) -> None:
    many = records * (9_000_000 // len(records))
    body = b'{"computed_data": {"0": [' + many[:-1] + b'], "1": []}, "cursor": null}'
    tracemalloc.start()
    try:
        with pytest.raises(el.AnswerError, match="more than 100,000 objects or lists"):
            decode_page(body, "computed_data", where="log of 'anna'")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20
