"""An error says what is wrong with an answer, and where."""

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings

import eyelog as el
from eyelog.decode import decode_page
from support.answers import (
    EYES,
    Record,
    answer,
    by_hour,
    records_of,
    stamp,
    walks,
)
from support.records import records as made_up

WHERE = "anna, computed_data, 2026-10-24"


def error_of(body: bytes, **kw: Any) -> str:
    """Return what the error of a body says."""
    with pytest.raises(el.AnswerError) as caught:
        decode_page(body, EYES, where=WHERE, **kw)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize(
    "date",
    [
        *("", "yesterday", "2026-10-24", "2026-10-24T00:00:00", "2026-10-24 00:00:00"),
        *("2026-02-29T00:00:00Z", "2026-10-24T24:00:00Z", "2026-10-24T00:60:00Z"),
        *("2026-13-01T00:00:00+09:00", "2026-10-24T00:00:00+24:00", "0000-01-01T00:00:00Z"),
        *("2026-10-24T00:00:0\u0665Z", "2026-10-24T00:00:00Z\0", 1792800000, None, True, {}),
    ],
)
@pytest.mark.parametrize("company", [True, False])
def test_a_bad_date_is_named(date: Any, company: bool) -> None:
    before = [{"date": stamp(0)}] if company else []
    message = error_of(answer({"9": [*before, {"date": date, "stp": 1}]}))
    place = f"record {len(before) + 1} of {len(before) + 1}"
    assert message.startswith(f"{WHERE}: hour '9', {place}, field 'date': ")


def test_a_missing_date_is_named() -> None:
    message = error_of(answer({"0": [{"date": stamp(0)}], "9": [{"date": stamp(1)}, {"stp": 1}]}))
    assert f"{WHERE}: hour '9', record 2 of 2, field 'date': it is missing" in message


# What is wrong, and where


@pytest.mark.parametrize(
    ("name", "written", "what"),
    [
        ("stp", '"12"', "the text '12' instead of a number"),
        ("stp", "true", "true instead of a number"),
        ("stp", "[]", "a list instead of a number"),
        ("tl_yav", "{}", "an object instead of a number"),
        ("tl_yav", "NaN", "NaN"),
        ("tl_yav", "Infinity", "NaN, infinite"),
        ("tl_yav", "-Infinity", "NaN, infinite"),
        ("tl_yav", "1e999", "too large"),
        ("stp", "9" * 350, "too large"),
        ("stp", "9" * 400, "too large"),
        ("stp", "9" * 5000, "too large"),
        ("new", "NaN", "NaN"),
        ("isl", "1", "the number 1 instead of true or false"),
        ("vld", '"true"', "the text 'true' instead of true or false"),
        ("gw", "5", "the number 5 instead of a text"),
        ("gw", "false", "false instead of a text"),
    ],
)
def test_a_wrong_value_is_named_with_its_hour_record_and_field(
    name: str, written: str, what: str
) -> None:
    hours: Any = by_hour(records_of(made_up(EYES, "2026-10-24", 600)))
    hours["1"][16][name] = "HERE"
    message = error_of(answer(hours).replace(b'"HERE"', written.encode()))
    assert message.startswith(f"{WHERE}: hour '1', record 17 of 240, field '{name}': ")
    assert what in message


@pytest.mark.parametrize("record", [5, None, "x", [], True])
def test_a_record_that_is_not_an_object_is_named(record: Any) -> None:
    message = error_of(answer({"3": [{"date": stamp(0)}, record]}))
    assert message.startswith(f"{WHERE}: hour '3', record 2 of 2: ")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"<!DOCTYPE html><html></html>", "HTML"),
        (b"null", "null, not an object"),
        (b"[]", "a list, not an object"),
        (b'"computed_data"', "the text 'computed_data', not an object"),
        (b"{}", "without 'computed_data'"),
        (b'{"computed_data": []}', "a list, not an object of hours"),
        (b'{"computed_data": null}', "null, not an object of hours"),
        (b'{"computed_data": {"4": null}}', "hour '4' is null, not a list"),
        (b'{"computed_data": {"4": {}}}', "hour '4' is an object, not a list"),
        (b'{"computed_data": {"4": ""}}', "hour '4' is the text '', not a list"),
        (b'{"computed_data": {"4": 12}}', "hour '4' is the number 12, not a list"),
        (b'{"computed_data": {}, "cursor": 5}', "the cursor is the number 5"),
        (b'{"computed_data": {}, "cursor": {}}', "the cursor is an object"),
        (b'{"standard_mode_logs": {}, "cursor": null}', "the answer has 'standard_mode_logs'"),
        (b'{"computed_data": {}, "standard_mode_logs": {}}', "the answer has 'standard_mode_logs'"),
        (b'{"error": "invalid_token"}', r"error object \(invalid_token\)"),
        (b'{"error": {"code": 5}, "computed_data": {}}', "error object;"),
        (b'{"computed_data": {"4": [', "breaks off"),
        (b'{"computed_data": {"4": [{"date": "2026-', "breaks off"),
        (b'{"computed_data": {}', "breaks off"),
        (b'{"computed_data": {}} {}', "damaged"),
        (b'{"computed_data": {}, "cursor": nul}', "damaged"),
        (b'{"computed_data": {"4": [{"date": 01}]}}', "damaged"),
        (b'{"computed_data": {"4": ["\xff"]}}', r"not UTF-8 \(byte 26\)"),
        ('{"computed_data": {}}'.encode("utf-16"), "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"computed_data": {"4": [{"date": ' + b"[" * 200_000, "nested too deeply"),
        (b'{"computed_data": {"4": [{"date": "", "gw": "\\ud800"}]}}', "date|readable"),
    ],
)
def test_a_body_of_another_shape_is_refused(body: bytes, what: str) -> None:
    with pytest.raises(el.AnswerError, match=what) as caught:
        decode_page(body, EYES, where=WHERE)
    assert str(caught.value).startswith(f"{WHERE}: ")


def test_an_answer_cut_anywhere_is_refused() -> None:
    body = answer(by_hour(records_of(made_up(EYES, "2026-10-24", 3))), cursor=None)
    for end in range(0, len(body), 41):
        with pytest.raises(el.AnswerError):
            decode_page(body[:end], EYES)


def test_an_error_does_not_repeat_free_text_of_the_server() -> None:
    body = json.dumps({"error": "no: s3cret", "error_description": "token s3cret"}).encode()
    assert "s3cret" not in error_of(body)


# Laws


@given(walks())
@settings(max_examples=30)
def test_reading_with_care_gives_the_same_page(walk: tuple[str, list[Record]]) -> None:
    log, rows = walk
    # No struct can have a field of this name, so its record sends the page the careful way.
    odd = {"date": stamp(9999, log), 'a"b': 1}
    fast = decode_page(answer({"0": rows, "1": [{"date": odd["date"]}]}, log), log)
    careful = decode_page(answer({"0": rows, "1": [odd]}, log), log)
    assert careful.unknown == ('a"b',)
    assert (careful.stamps == fast.stamps).all()
    for name, column in fast.columns.items():
        assert careful.columns[name].dtype == column.dtype
        assert pd.Series(careful.columns[name]).equals(pd.Series(column))
