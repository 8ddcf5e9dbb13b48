"""An answer becomes the one frame, or an error that says what is wrong and where."""

import json
import warnings
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.decode import decode_page
from eyelog.answers.page import Page, join_pages
from eyelog.catalogue import INTERVAL_SECONDS, LOGS, catalogue, columns
from eyelog.frame import empty
from eyelog.provenance import history, stated_log
from support.records import records as made_up

EYES, MINUTES = LOGS
WHERE = "anna, computed_data, 2026-10-24"
OPENS = datetime(2026, 10, 24, tzinfo=UTC)
Record = dict[str, Any]


def stamp(n: int, log: str = EYES) -> str:
    return (OPENS + timedelta(seconds=n * INTERVAL_SECONDS[log])).isoformat()


def answer(hours: Any, log: str = EYES, **more: Any) -> bytes:
    return json.dumps({log: hours, **more}, allow_nan=True).encode()


def frame_of(*bodies: bytes, log: str = EYES, **kw: Any) -> pd.DataFrame:
    fields = kw.get("fields")
    return join_pages([decode_page(body, log, fields=fields) for body in bodies], log, **kw)


def records_of(frame: pd.DataFrame) -> list[Record]:
    """Return the records of the service for a frame: missing values are null."""
    plain = frame.astype(object).where(frame.notna(), None)
    rows = plain.to_dict("records")
    return [{"date": at.isoformat(), **row} for at, row in zip(frame.index, rows, strict=True)]


def by_hour(records: list[Record]) -> dict[str, list[Record]]:
    hours: dict[str, list[Record]] = {}
    for record in records:
        hours.setdefault(str(int(record["date"][11:13])), []).append(record)
    return hours


def said(body: bytes, **kw: Any) -> str:
    """Return what the error of a body says."""
    with pytest.raises(el.AnswerError) as caught:
        decode_page(body, EYES, where=WHERE, **kw)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


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
    assert_frame_equal(join_pages([], log, tz="Asia/Tokyo"), empty(log, tz="Asia/Tokyo"))
    some = join_pages([], log, fields=["hm_po"])
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


def test_a_key_given_twice_counts_as_given_last() -> None:
    body = f'{{"{EYES}": {{"0": [{{"date": "{stamp(0)}", "stp": 1, "stp": 2}}]}}}}'.encode()
    assert frame_of(body)["stp"].tolist() == [2.0]


def test_a_key_may_be_written_with_escapes() -> None:
    body = f'{{"{EYES}": {{"0": [{{"d\\u0061te": "{stamp(0)}", "\\u0073tp": 1}}]}}}}'.encode()
    assert frame_of(body)["stp"].tolist() == [1.0]


def test_the_hour_keys_never_tell_the_time() -> None:
    found = frame_of(answer({"23": [{"date": stamp(0)}], "x": [{"date": stamp(1)}]}))
    assert found.index.tolist() == [pd.Timestamp(stamp(0)), pd.Timestamp(stamp(1))]


def test_asked_fields_are_exactly_the_columns_in_catalogue_order() -> None:
    frame = made_up(EYES, "2026-10-24", 50)
    body = answer(by_hour(records_of(frame)))
    asked = ["gw", "date", "vld", "stp"]
    expected = frame[["stp", "vld", "gw"]]
    assert_frame_equal(frame_of(body, fields=asked), expected)
    whole = decode_page(body, EYES)
    assert_frame_equal(join_pages([whole], EYES, fields=asked), expected)
    with pytest.raises(el.FieldError, match="did you mean 'stp'"):
        decode_page(body, EYES, fields=["stpp"])


def test_what_was_not_asked_is_neither_kept_nor_checked() -> None:
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
    message = said(answer({"9": [*before, {"date": date, "stp": 1}]}))
    place = f"record {len(before) + 1} of {len(before) + 1}"
    assert message.startswith(f"{WHERE}: hour '9', {place}, field 'date': ")


def test_a_missing_date_is_named() -> None:
    message = said(answer({"0": [{"date": stamp(0)}], "9": [{"date": stamp(1)}, {"stp": 1}]}))
    assert f"{WHERE}: hour '9', record 2 of 2, field 'date': it is missing" in message


def test_dates_at_the_ends_of_the_calendar_do_no_harm() -> None:
    dates = ["0001-01-01T00:00:00+09:00", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-09:00"]
    found = frame_of(answer({"0": [{"date": date} for date in dates]}))
    assert len(found) == 3
    assert found.index.is_monotonic_increasing


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
    message = said(answer(hours).replace(b'"HERE"', written.encode()))
    assert message.startswith(f"{WHERE}: hour '1', record 17 of 240, field '{name}': ")
    assert what in message


@pytest.mark.parametrize("record", [5, None, "x", [], True])
def test_a_record_that_is_no_object_is_named(record: Any) -> None:
    message = said(answer({"3": [{"date": stamp(0)}, record]}))
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


def test_an_error_repeats_no_free_text_of_the_server() -> None:
    body = json.dumps({"error": "no: s3cret", "error_description": "token s3cret"}).encode()
    assert "s3cret" not in said(body)


def test_a_walk_ends_where_the_cursor_is_null_missing_or_empty() -> None:
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
        found = join_pages(pages, EYES)
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


# Joining


def test_the_same_record_on_two_pages_counts_once() -> None:
    rows = records_of(made_up(EYES, "2026-10-24", 20))
    pages = [answer(by_hour(rows[:12])), answer(by_hour(rows[9:]))]
    found = frame_of(*pages)
    assert_frame_equal(found, frame_of(answer(by_hour(rows))))
    assert history(found)[-1] == {"step": "decode", "records": 20, "repeated": 3, "conflicts": 0}


def test_of_different_records_on_one_stamp_the_one_on_the_later_page_wins() -> None:
    first = answer({"0": [{"date": stamp(1), "stp": 9}, {"date": stamp(0), "stp": 1, "gw": "x"}]})
    later = answer({"0": [{"date": stamp(0), "stp": 2}]})
    found = frame_of(first, later)
    assert found["stp"].tolist() == [2.0, 9.0]
    assert found["gw"].isna().all()
    assert history(found)[-1] == {"step": "decode", "records": 2, "repeated": 1, "conflicts": 1}
    assert frame_of(later, first)["stp"].tolist() == [1.0, 9.0]


def test_within_a_page_the_later_in_its_list_wins_hours_taken_by_number() -> None:
    same = [{"date": stamp(0), "stp": n} for n in range(4)]
    assert frame_of(answer({"0": same}))["stp"].tolist() == [3.0]
    assert frame_of(answer({"10": same[:1], "9": same[1:2]}))["stp"].tolist() == [0.0]
    assert history(frame_of(answer({"0": same})))[-1]["conflicts"] == 1


def test_a_difference_in_a_text_or_an_unknown_field_is_a_conflict_too() -> None:
    for name, values in {"gw": ["", None], "new": [[1], [2]]}.items():
        hours = {"0": [{"date": stamp(0), name: value} for value in values]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", el.EyelogWarning)
            found = frame_of(answer(hours))
        assert history(found)[-1]["conflicts"] == 1


def test_one_instant_in_two_offsets_is_one_record() -> None:
    dates = ["2026-10-24T00:00:00Z", "2026-10-24T09:00:00+09:00"]
    found = frame_of(answer({"0": [{"date": date, "stp": 4} for date in dates]}))
    assert history(found)[-1] == {"step": "decode", "records": 1, "repeated": 1, "conflicts": 0}


def test_pages_of_the_other_log_are_refused() -> None:
    page = decode_page(answer({}, MINUTES), MINUTES)
    with pytest.raises(el.MixedLogsError, match="standard_mode_logs"):
        join_pages([page], EYES)


def test_a_frame_does_not_share_memory_with_its_pages() -> None:
    page = decode_page(answer({"0": [{"date": stamp(0), "stp": 1, "isl": True}]}), EYES)
    found = join_pages([page], EYES)
    found.loc[:, "stp"] = 5
    found.loc[:, "isl"] = False
    assert page.columns["stp"].tolist() == [1.0]
    assert join_pages([page], EYES)["isl"].tolist() == [True]


def test_a_page_tells_how_many_records_it_holds() -> None:
    page = decode_page(answer({"0": [{"date": stamp(0)}], "1": []}, cursor="next"), EYES)
    assert isinstance(page, Page)
    assert (page.log, page.cursor, page.n, page.unknown) == (EYES, "next", 1, ())


# Laws


def _value(name: str, log: str) -> st.SearchStrategy[Any]:
    kind = catalogue(log)[name].value_type
    if kind == "bool":
        return st.booleans() | st.none()
    if kind == "str":
        return st.text(max_size=3) | st.none()
    numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)
    return numbers | st.none()


@st.composite
def walks(draw: st.DrawFn) -> tuple[str, list[Record]]:
    """Draw records of either log: distinct stamps, any keys in any order, any values."""
    log = draw(st.sampled_from(LOGS))
    places = draw(st.lists(st.integers(0, 5000), max_size=12, unique=True))
    names = st.lists(st.sampled_from(columns(log)), max_size=6, unique=True)
    rows = []
    for place in places:
        row: Record = {name: draw(_value(name, log)) for name in draw(names)}
        items = draw(st.permutations([("date", stamp(place, log)), *row.items()]))
        rows.append(dict(items))
    return log, rows


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
def test_whatever_json_comes_is_a_page_or_an_answer_error(value: Any) -> None:
    for body in (value, {EYES: value}, {EYES: {"0": value}}, {EYES: {"0": [value]}}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", el.EyelogWarning)
            try:
                frame_of(json.dumps(body).encode())
            except el.AnswerError:
                continue


@given(st.binary(max_size=60))
def test_whatever_bytes_come_are_a_page_or_an_answer_error(noise: bytes) -> None:
    for body in (noise, b'{"computed_data": {"0": [{"date": "' + noise + b'"}]}}'):
        try:
            decode_page(body, EYES)
        except el.AnswerError:
            continue
