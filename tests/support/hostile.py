"""Sixty and more answers that no service should give, as bodies of a day of the 60-second log."""

import json
from typing import Any

LOG, OTHER = "standard_mode_logs", "computed_data"
DATE = "2024-03-01T01:00:00Z"
NEXT = "2024-03-01T01:01:00Z"


def _answer(hours: str, more: str = "") -> bytes:
    return f'{{"{LOG}": {hours}{more}}}'.encode()


def _record(fields: str, date: str = json.dumps(DATE)) -> bytes:
    return _answer(f'{{"1": [{{"date": {date}, {fields}}}]}}')


SHAPES: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \r\n\t",
    "a page": b"<!DOCTYPE html><html>log in</html>",
    "XML": b'<?xml version="1.0"?><a/>',
    "a BOM and nothing": b"\xef\xbb\xbf",
    "null": b"null",
    "a number": b"12",
    "a text": b'"standard_mode_logs"',
    "a list": b"[]",
    "an empty object": b"{}",
    "the other log": f'{{"{OTHER}": {{}}}}'.encode(),
    "both logs": f'{{"{LOG}": {{}}, "{OTHER}": {{}}}}'.encode(),
    "an error": b'{"error": "invalid_token", "error_description": "no"}',
    "an error beside records": _answer("{}", ', "error": "busy"'),
    "an error that is an object": b'{"error": {"code": 1}}',
    "hours as a list": _answer("[]"),
    "hours as null": _answer("null"),
    "hours as a text": _answer('"9"'),
    "an hour as null": _answer('{"1": null}'),
    "an hour as an object": _answer('{"1": {}}'),
    "an hour as a record": _answer(f'{{"1": {{"date": "{DATE}"}}}}'),
    "a record as null": _answer('{"1": [null]}'),
    "a record as a number": _answer('{"1": [5]}'),
    "a record as a list": _answer('{"1": [[]]}'),
    "a cursor that is a number": _answer("{}", ', "cursor": 5'),
    "a cursor that is an object": _answer("{}", ', "cursor": {}'),
    "a cursor that is false": _answer("{}", ', "cursor": false'),
    "cut in an hour": _answer('{"1": [')[:-1],
    "cut in a text": b'{"standard_mode_logs": {"1": [{"date": "2024-',
    "cut at the end": _answer("{}")[:-1],
    "two answers": _answer("{}") + b" " + _answer("{}"),
    "a comma too many": _answer('{"1": [],}'),
    "a comment": _answer("{} /* none */"),
    "single quotes": b"{'standard_mode_logs': {}}",
    "a NUL": _answer("{}") + b"\0",
    "UTF-16": _answer("{}").decode().encode("utf-16"),
    "Latin-1": _answer('{"\xe9": []}').decode().encode("latin-1"),
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "deep in a field": _record('"new": ' + "[" * 100_000),
}

VALUES: dict[str, bytes] = {
    f"stp_s is {what}": _record(f'"stp_s": {what}')
    for what in ('"12"', "true", "[]", "{}", "NaN", "Infinity", "-Infinity", "1e999", "9" * 400)
}

_DATES: list[Any] = ["", "yesterday", "2024-03-01", "2024-03-01T01:00:00", "2024-02-30T01:00:00Z"]
_DATES += ["2024-03-01T24:00:00Z", "2024-03-01T01:00:00+24:00", 1_700_000_000, None, True, []]
DATES: dict[str, bytes] = {
    f"the date {date!r}": _record('"stp_s": 1', json.dumps(date)) for date in _DATES
} | {"no date": _answer('{"1": [{"stp_s": 1}]}')}

TWICE: dict[str, bytes] = {
    "the log twice": f'{{"{LOG}": {{"1": [{{"date": "{DATE}"}}]}}, "{LOG}": {{}}}}'.encode(),
    "an hour twice": _answer(f'{{"1": [{{"date": "{DATE}"}}], "1": []}}'),
    "a cursor and none": _answer("{}", ', "cursor": "x", "cursor": null'),
    "two cursors": _answer("{}", ', "cursor": null, "cursor": "x"'),
    "a field twice": _record('"stp_s": 1, "stp_s": 2'),
    "the date twice": _record(f'"date": "{NEXT}"'),
    "two records of one stamp": _answer(
        f'{{"1": [{{"date": "{DATE}", "stp_s": 1}}, {{"date": "{DATE}", "stp_s": 2}}]}}'
    ),
    "two records of one instant": _answer(
        f'{{"1": [{{"date": "{DATE}", "stp_s": 1}}],'
        ' "10": [{"date": "2024-03-01T10:00:00+09:00", "stp_s": 2}]}'
    ),
}

MANY: dict[str, bytes] = {
    "201 unknown fields": _record(", ".join(f'"k{n}": 1' for n in range(201))),
    "100,000 unknown fields": _record(", ".join(f'"k{n}": 1' for n in range(100_000))),
    "one key 500,000 times": _record('"stp_s": 1' + ', "stp_s": 1' * 500_000),
    "3 million keys": _record('"a":1' + ',"a":1' * 3_000_000),
    "4 million records": _answer('{"1": [' + "{}," * 4_000_000 + "{}]}"),
    "4 million lists": _answer('{"1": [' + "[]," * 4_000_000 + "[]]}"),
}

BODIES = SHAPES | VALUES | DATES | TWICE | MANY
assert len(BODIES) >= 60
