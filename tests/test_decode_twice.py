"""An answer that says two things is refused: the message names the hour, the record, the field."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.decode import decode_page
from support.answers import EYES, MINUTES, Record, answer, by_hour, records_of, stamp, walks
from support.records import records as made_up

ONE, TWO = (f'{{"date": "{stamp(n)}", "stp": {n}}}' for n in (1, 2))

TWICE = {
    "the log": (f'{{"{EYES}": {{"0": [{ONE}]}}, "{EYES}": {{}}}}', f"the key '{EYES}'"),
    "an hour": (f'{{"{EYES}": {{"9": [{ONE}], "9": [{TWO}]}}}}', "hour '9'"),
    "an empty hour": (f'{{"{EYES}": {{"9": [{ONE}], "9": []}}}}', "hour '9'"),
    "the cursor": (f'{{"{EYES}": {{}}, "cursor": "x", "cursor": null}}', "the key 'cursor'"),
    "the cursor, an hour apart": (
        f'{{"cursor": "x", "{EYES}": {{"0": [{ONE}]}}, "cursor": null}}',
        "the key 'cursor'",
    ),
    "a field": (
        f'{{"{EYES}": {{"9": [{TWO}, {{"date": "{stamp(1)}", "stp": 1, "stp": 2}}]}}}}',
        "hour '9', record 2 of 2: field 'stp'",
    ),
    "a field, the same again": (
        f'{{"{EYES}": {{"9": [{{"stp": 1, "date": "{stamp(1)}", "stp": 1}}]}}}}',
        "hour '9', record 1 of 1: field 'stp'",
    ),
    "a field, spelt with an escape": (
        f'{{"{EYES}": {{"9": [{{"stp": 1, "date": "{stamp(1)}", "\\u0073tp": 2}}]}}}}',
        "hour '9', record 1 of 1: field 'stp'",
    ),
    "a field, and a blank before its colon": (
        f'{{"{EYES}": {{"9": [{{"stp" :1, "date": "{stamp(1)}", "stp":2}}]}}}}',
        "hour '9', record 1 of 1: field 'stp'",
    ),
    "a field beside a text with a colon as an escape": (
        f'{{"{EYES}": {{"9": [{{"stp": 1, "date": "{stamp(1)}", "stp": 2, "gw": "\\u003a"}}]}}}}',
        "hour '9', record 1 of 1: field 'stp'",
    ),
    "a field beside one that is left out": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(0)}", "stp": 1, "cad": 1}},'
        f' {{"date": "{stamp(1)}", "stp": 1, "stp": 2}}]}}}}',
        "hour '9', record 2 of 2: field 'stp'",
    ),
    "a text": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "gw": "a:b", "gw": null}}]}}}}',
        "hour '9', record 1 of 1: field 'gw'",
    ),
    "the date": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "date": "{stamp(2)}"}}]}}}}',
        "hour '9', record 1 of 1: field 'date'",
    ),
    "an unknown field": (
        f'{{"{EYES}": {{"9": [{{"date": "{stamp(1)}", "new": 1, "new": "a"}}]}}}}',
        "hour '9', record 1 of 1: field 'new'",
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
    with pytest.raises(el.AnswerError, match="is given twice") as caught:
        decode_page(body.encode(), EYES, where="log of 'anna'")
    assert place in str(caught.value)
    assert str(caught.value).startswith("log of 'anna'")


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


# Two records of one stamp

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
    with pytest.raises(el.AnswerError) as caught:
        decode_page(answer(hours), EYES, where="log of 'anna'")
    assert str(caught.value).startswith(
        f"log of 'anna': hour '10', record 1 of 1, field '{name}': it differs from hour '9',"
        " record 2 of 2, which has the same stamp"
    )


def test_the_same_record_again_says_nothing_new() -> None:
    record = {"date": stamp(0), "stp": 1, "gw": "x", "new": [1]}
    assert decode_page(answer({"0": [record, record], "1": [record]}), EYES).n == 3


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


def test_the_hours_of_an_answer_may_be_counted_in_any_way() -> None:
    hours: Any = by_hour(records_of(made_up(MINUTES, "2026-10-24", 200)))
    odd = {f"{int(key):02d}:00": rows for key, rows in hours.items()}
    assert decode_page(answer(odd, MINUTES), MINUTES).n == 200
