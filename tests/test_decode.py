"""An answer becomes a page of typed columns, or an error that says what is wrong and where."""

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
from eyelog.decode import decode_page, joined_pages
from support.answers import (
    EYES,
    MINUTES,
    Record,
    answer,
    by_hour,
    records_of,
    stamp,
    walks,
)
from support.logs import LOGS, columns
from support.records import records as made_up


def frame_of(*bodies: bytes, log: str = EYES, **kw: Any) -> pd.DataFrame:
    fields = kw.get("fields")
    return joined_pages([decode_page(body, log, fields=fields) for body in bodies], log, **kw)


# What comes out


@pytest.mark.parametrize("log", LOGS)
def test_values_survive_the_round_trip_in_the_one_shape(log: str) -> None:
    frame = made_up(log, "2026-10-24", 700, tz="Asia/Tokyo")
    found = frame_of(answer(by_hour(records_of(frame)), log), log=log, tz="Asia/Tokyo")
    assert_frame_equal(found, frame)
    counts = {"step": "decode", "records": 700, "repeated": 0, "conflicts": 0}
    assert found.attrs["eyelog"] == {"log": log, "history": [counts]}


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("hours", [{}, {"0": []}, {"7": [], "8": []}])
def test_no_records_are_an_empty_frame_of_the_same_shape(log: str, hours: Any) -> None:
    empty = el.sample(log)[:0].tz_convert("Asia/Tokyo")
    found = frame_of(answer(hours, log), log=log, tz="Asia/Tokyo")
    assert_frame_equal(found, empty, check_freq=False)
    some = joined_pages([], log, fields=["hm_po"], tz="Asia/Tokyo")
    assert_frame_equal(some, empty[["hm_po"]], check_freq=False)


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
    assert_frame_equal(joined_pages([whole], EYES, fields=asked), expected)
    with pytest.raises(el.FieldError, match="did you mean 'stp'"):
        decode_page(body, EYES, fields=["stpp"])


# Dates


# Unknown fields


def test_unknown_fields_are_kept_last_as_they_are_with_one_warning() -> None:
    pages = [
        decode_page(answer({"0": [{"new": 1, "date": stamp(0), "stp": 1, "odd": [1, "a"]}]}), EYES),
        decode_page(answer({"0": [{"date": stamp(1), "new": 2.5}, {"date": stamp(2)}]}), EYES),
    ]
    with pytest.warns(el.EyelogWarning, match="unknown fields .*: new, odd") as caught:
        found = joined_pages(pages, EYES)
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


@pytest.mark.parametrize(
    "name", ["", "a b", "a.b[0]", 'a"b', "a\\b", "a\nb", "日", "class", "f0", "__0"]
)
@pytest.mark.parametrize("at", [0, 249])
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
    for name, row in zip(range(200), itertools.cycle(reversed(rows)), strict=False):
        row[f"new{name}"] = 1
    assert len(decode_page(answer({"0": rows}), EYES).unknown) == 200
    rows[0]["one more"] = 1
    with pytest.raises(el.AnswerError, match=r"^answer: its records have more than 200 fields"):
        decode_page(answer({"0": rows}), EYES)


def test_a_warning_names_ten_unknown_fields_and_counts_the_others() -> None:
    row = {"date": stamp(0)} | {f"new{n}": 1 for n in range(200)}
    with pytest.warns(el.EyelogWarning) as caught:
        found = frame_of(answer({"0": [row]}))
    assert str(caught[0].message).endswith("new8, new9 and 190 more")
    assert len(found.columns) == len(columns(EYES)) + 200


# What is wrong, and where

WHERE = "anna, computed_data, 2026-10-24"


def error_of(body: bytes, **options: Any) -> str:
    """Return what the error of a body says."""
    with pytest.raises(el.AnswerError) as caught:
        decode_page(body, EYES, where=WHERE, **options)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    said = str(caught.value)
    assert said.startswith(f"{WHERE}: ")
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    "date",
    [
        *("left out", "", "yesterday", "2026-10-24", "2026-10-24T00:00:00", "2026-10-24 00:00:00"),
        *("2026-02-29T00:00:00Z", "2026-10-24T24:00:00Z", "2026-10-24T00:60:00Z"),
        *("2026-13-01T00:00:00+09:00", "2026-10-24T00:00:00+24:00", "0000-01-01T00:00:00Z"),
        *("2026-10-24T00:00:0\u0665Z", "2026-10-24T00:00:00Z\0", 1792800000, None, True, {}),
    ],
)
def test_a_bad_date_is_named(date: Any) -> None:
    bad: Record = {"stp": 1} if date == "left out" else {"date": date, "stp": 1}
    hours = {"8": [{"date": stamp(0)}], "9": [{"date": stamp(1)}, bad]}
    assert f"{WHERE}: hour '9', record 2 of 2, field 'date': " in error_of(answer(hours))


@pytest.mark.parametrize(
    ("name", "written", "what"),
    [
        ("stp", '"12"', "Expected `float | null`, got `str`"),
        ("stp", "true", "Expected `float | null`, got `bool`"),
        ("tl_yav", "{}", "Expected `float | null`, got `object`"),
        ("tl_yav", "1e999", "Number out of range"),
        ("stp", "9" * 400, "Number out of range"),
        ("stp", "9" * 5000, "Number out of range"),
        ("new", "9" * 5000, "Integer value out of range"),
        ("isl", "1", "Expected `bool | null`, got `int`"),
        ("gw", "false", "Expected `str | null`, got `bool`"),
    ],
)
def test_a_wrong_value_is_named_with_its_hour_record_and_field(
    name: str, written: str, what: str
) -> None:
    hours: Any = by_hour(records_of(made_up(EYES, "2026-10-24", 600)))
    hours["1"][16][name] = "HERE"
    message = error_of(answer(hours).replace(b'"HERE"', written.encode()))
    assert message.startswith(f"{WHERE}: hour '1', record 17 of 240, field '{name}': {what}")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><html></html>", "HTML"),
        (b"null", "got `null`"),
        (b"[]", "got `array`"),
        (b"{}", "without 'computed_data'"),
        (b'{"computed_data": []}', "got `array` - at `$.computed_data`"),
        (b'{"computed_data": {"4": null}}', "hour '4': Expected `array`, got `null`"),
        (b'{"computed_data": {}, "cursor": 5}', "got `int` - at `$.cursor`"),
        (b'{"standard_mode_logs": {}, "cursor": null}', "the answer has 'standard_mode_logs'"),
        (b'{"computed_data": {}, "standard_mode_logs": {}}', "the answer has 'standard_mode_logs'"),
        (b'{"error": "invalid_token"}', "error object (invalid_token)"),
        (b'{"computed_data": {"4": [', "truncated"),
        (b'{"computed_data": {}} {}', "malformed"),
        (b'{"computed_data": {}, "cursor": nul}', "malformed"),
        (b'{"computed_data": {"4": [{"date": "2026-10-24T00:00:00Z", "stp": NaN}]}}', "malformed"),
        (b'{"computed_data": {"4": [{"date": "2026-10-24T00:00:00Z", "x": -Inf}]}}', "malformed"),
        (b'{"computed_data": {"4": ["\xff"]}}', "in position 26"),
        ('{"computed_data": {}}'.encode("utf-16"), "can't decode"),
        (b'{"computed_data": {"4": [{"date": ' + b"[" * 200_000, "recursion"),
        (b'{"computed_data": {"4": [{"date": "", "gw": "\\ud800"}]}}', ""),
    ],
)
def test_a_body_of_another_shape_is_refused(body: bytes, what: str) -> None:
    assert what in error_of(body)


def test_an_answer_cut_anywhere_is_refused() -> None:
    body = answer(by_hour(records_of(made_up(EYES, "2026-10-24", 3))), cursor=None)
    for end in range(0, len(body), 41):
        error_of(body[:end])


def test_an_error_does_not_repeat_free_text_of_the_server() -> None:
    body = json.dumps({"error": "no: s3cret", "error_description": "token s3cret"}).encode()
    assert "s3cret" not in error_of(body)


# An answer that says two things

ONE, TWO = (f'{{"date": "{stamp(n)}", "stp": {n}}}' for n in (1, 2))

TWICE = {
    "the log": (f'{{"{EYES}": {{"0": [{ONE}]}}, "{EYES}": {{}}}}', f"the key '{EYES}'"),
    "an hour": (f'{{"{EYES}": {{"9": [{ONE}], "9": [{TWO}]}}}}', "the key '9'"),
    "the cursor": (f'{{"{EYES}": {{}}, "cursor": "x", "cursor": null}}', "the key 'cursor'"),
    "a field": (
        f'{{"{EYES}": {{"9": [{TWO}, {{"date": "{stamp(1)}", "stp": 1, "stp": 2}}]}}}}',
        "the key 'stp'",
    ),
    "a field, spelt with an escape": (
        f'{{"{EYES}": {{"9": [{{"stp": 1, "date": "{stamp(1)}", "\\u0073tp": 2}}]}}}}',
        "the key 'stp'",
    ),
    "a field, and a blank before its colon": (
        f'{{"{EYES}": {{"9": [{{"stp" :1, "date": "{stamp(1)}", "stp":2}}]}}}}',
        "the key 'stp'",
    ),
    "a field beside a text with a colon as an escape": (
        f'{{"{EYES}": {{"9": [{{"stp": 1, "date": "{stamp(1)}", "stp": 2, "gw": "\\u003a"}}]}}}}',
        "the key 'stp'",
    ),
    "a text": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "gw": "a:b", "gw": null}}]}}}}',
        "the key 'gw'",
    ),
    "an unknown field": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "new": 1, "new": "a"}}]}}}}',
        "the key 'new'",
    ),
    "an unknown field with a quote": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "a\\"b": 1, "a\\"b": "a"}}]}}}}',
        "the key 'a\"b'",
    ),
    "a key within an unknown field": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "new": [{{"a": 1, "a": 2}}]}}]}}}}',
        "the key 'a'",
    ),
    "an unknown key of the answer": (f'{{"{EYES}": {{}}, "n": 1, "n": 2}}', "the key 'n'"),
}


@pytest.mark.parametrize(("body", "place"), TWICE.values(), ids=TWICE)
def test_a_key_that_is_given_twice_is_named(body: str, place: str) -> None:
    assert json.loads(body)
    message = error_of(body.encode())
    assert place in message
    assert "is given twice" in message
    if "the key 'stp'" in place:
        assert "hour '9'" in message


def test_a_field_that_was_not_asked_for_is_looked_at_for_that_alone() -> None:
    body = answer({"0": [{"date": stamp(0), "stp": 3, "cad": "fast", "new": {"a": 1}}]})
    assert decode_page(body, EYES, fields=["stp"]).columns["stp"].tolist() == [3.0]
    twice = body.replace(b'"cad": "fast"', b'"cad": 1, "cad": 2')
    with pytest.raises(el.AnswerError, match="'cad' is given twice"):
        decode_page(twice, EYES, fields=["stp"])


@given(walk=walks(), at=st.integers(0, 10**6), level=st.sampled_from(["top", "hours", "record"]))
@settings(max_examples=60)
def test_any_key_that_is_given_twice_is_found(
    walk: tuple[str, list[Record]], at: int, level: str
) -> None:
    log, rows = walk
    hours = by_hour(rows)
    page = decode_page(answer(hours, log, cursor="a:b"), log)
    assert page.n == len(rows)
    text = answer(hours, log, cursor="a:b").decode()
    if level == "top":
        text = '{"cursor": null, ' + text[1:]
    elif rows:
        key = next(iter(hours)) if level == "hours" else "date"
        places = [n for n in range(len(text)) if text.startswith(f'"{key}": ', n)]
        place = places[at % len(places)]
        text = text[:place] + f'"{key}": null, ' + text[place:]
    else:
        return
    with pytest.raises(el.AnswerError, match="twice"):
        decode_page(text.encode(), log)


SAME = {
    "a number": ({"stp": 1}, {"stp": 2}),
    "a number and none": ({"stp": 1}, {}),
    "a boolean": ({"isl": True}, {"isl": False}),
    "a text": ({"gw": ""}, {"gw": None}),
    "an unknown field": ({"new": [1]}, {"new": [2]}),
}


@pytest.mark.parametrize(("first", "again"), SAME.values(), ids=SAME)
def test_two_records_of_one_stamp_that_differ_are_named(first: Record, again: Record) -> None:
    name = next(iter(first))
    hours = {
        "9": [{"date": stamp(0)}, {"date": stamp(1), **first}],
        "10": [{"date": "2026-10-24T09:00:15+09:00", **again}],
    }
    assert (
        f"hour '10', record 1 of 1, field '{name}': it differs from hour '9', record 2 of 2, which"
        " has the same stamp"
    ) in error_of(answer(hours))


WIDE = ", ".join(f'"k{n}": 1' for n in range(30_000))
DEEP = '{"a":' * 400 + "1" + "}" * 400
MANY = {
    "keys of one record": f'{{"{EYES}": {{"0": [{{"date": "{stamp(0)}", {WIDE}}}]}}}}',
    "keys of the answer": f'{{"{EYES}": {{}}, {WIDE}}}',
    "hours": f'{{"{EYES}": {{{WIDE.replace("1,", "[],")}}}}}',
    "one key": f'{{"{EYES}": {{"0": [{{"date": "{stamp(0)}"{", " + chr(34) + "a" + chr(34) + ":1"}'
    + ',"a":1' * 30_000
    + "}]}}",
    "one field within a field": f'{{"{EYES}": {{"0": [{{"date": "{stamp(0)}", "new": {DEEP}}}]}}}}',
}


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
@pytest.mark.parametrize("body", MANY.values(), ids=MANY)
def test_an_answer_of_many_keys_is_read_or_refused_with_one_line(body: str) -> None:
    said = ""
    try:
        decode_page(body.encode(), EYES)
    except el.AnswerError as error:
        said = str(error)
    assert "\n" not in said


# Pages as one table


def test_the_same_record_on_two_pages_counts_once() -> None:
    rows = records_of(made_up(EYES, "2026-10-24", 20))
    pages = [answer(by_hour(rows[:12])), answer(by_hour(rows[9:]))]
    found = frame_of(*pages)
    assert_frame_equal(found, frame_of(answer(by_hour(rows))))
    assert found.attrs["eyelog"]["history"][-1] == {
        "step": "decode",
        "records": 20,
        "repeated": 3,
        "conflicts": 0,
    }


def test_of_different_records_on_one_stamp_the_one_on_the_later_page_wins() -> None:
    first = answer({"0": [{"date": stamp(1), "stp": 9}, {"date": stamp(0), "stp": 1, "gw": "x"}]})
    later = answer({"0": [{"date": stamp(0), "stp": 2}]})
    found = frame_of(first, later)
    assert found["stp"].tolist() == [2.0, 9.0]
    assert found["gw"].isna().all()
    assert found.attrs["eyelog"]["history"][-1] == {
        "step": "decode",
        "records": 2,
        "repeated": 1,
        "conflicts": 1,
    }
    assert frame_of(later, first)["stp"].tolist() == [1.0, 9.0]
    same = {"date": stamp(0), "stp": 1, "gw": "x", "new": [1]}
    again = same | {"date": "2026-10-24T09:00:00+09:00"}
    assert decode_page(answer({"0": [same, same], "1": [again]}), EYES).n == 3


def test_pages_of_the_other_log_are_refused() -> None:
    page = decode_page(answer({}, MINUTES), MINUTES)
    with pytest.raises(el.MixedLogsError, match="standard_mode_logs"):
        joined_pages([page], EYES)


def test_a_frame_does_not_share_memory_with_its_pages() -> None:
    page = decode_page(answer({"0": [{"date": stamp(0), "stp": 1, "isl": True}]}), EYES)
    found = joined_pages([page], EYES)
    found.loc[:, "stp"] = 5
    found.loc[:, "isl"] = False
    assert page.columns["stp"].tolist() == [1.0]
    assert joined_pages([page], EYES)["isl"].tolist() == [True]


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


@given(walks(), st.data())
@settings(max_examples=30)
def test_paged_and_shuffled_equals_whole_and_in_order(
    walk: tuple[str, list[Record]], data: st.DataObject
) -> None:
    log, rows = walk
    whole = frame_of(answer({"0": rows}, log), log=log, tz="Europe/Berlin")
    mixed = data.draw(st.permutations(rows))
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=3).map(sorted))
    pages = []
    for low, high in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        hours: dict[str, list[Record]] = {}
        for row in mixed[low:high]:
            hours.setdefault(data.draw(st.sampled_from(["0", "9", "10", "x"])), []).append(row)
        pages.append(answer(hours, log))
    found = frame_of(*pages, log=log, tz="Europe/Berlin")
    assert_frame_equal(found, whole)
    assert found.attrs == whole.attrs


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
