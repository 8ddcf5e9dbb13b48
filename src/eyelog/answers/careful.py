"""Read an answer record by record: slow, but exact about what is wrong with it.

The fast decoder calls this only for an answer that it does not expect. Either the answer is wrong,
and the error names the hour, the record and the field; or it is merely unusual (a few records have
a field that is not in the catalogue), and its checked records are returned.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from eyelog.catalogue import catalogue, known_logs
from eyelog.errors import AnswerError, ConfigurationError
from eyelog.rfc3339 import parse_rfc3339

__all__ = ["MOST_UNKNOWN", "careful_records", "check_unknown", "fault", "hour_order"]

ADVICE: Final = (
    "nothing of it was kept; try again, and if the error stays, report it to the operator of the"
    " service"
)
# Fields that are not in the catalogue, over all records of an answer: far more than a version of
# the service would add, and few enough for a column each.
MOST_UNKNOWN: Final = 200
# Longer than any number of a log; Python refuses to read integers of many thousand digits.
LONGEST_NUMBER: Final = 400


def fault(where: str, what: str) -> AnswerError:
    """Return the error that says what is wrong with an answer, and where."""
    return AnswerError(f"{where}: {what}; {ADVICE}")


def check_unknown(count: int, where: str) -> None:
    """Raise if an answer has more unknown fields than a service would add."""
    if count > MOST_UNKNOWN:
        raise fault(
            where,
            f"its records have more than {MOST_UNKNOWN} fields that are not in the catalogue",
        )


def hour_order(key: str) -> tuple[int, str]:
    """Sort hours by number, and other keys after them. The hours are not used as times."""
    return (int(key) if key.isdecimal() and len(key) < 10 else 10**10, key)


def careful_records(
    body: bytes, log: str, names: Sequence[str] | None, where: str
) -> list[dict[str, Any]]:
    """Return the checked records of an answer, hours in numeric order.

    `names` are the fields to check besides ``date``; None means all.

    Raises
    ------
    AnswerError
        If the answer does not have the documented shape.
    """
    hours = _hours(_object(body, where), log, where)
    return [
        record
        for hour in sorted(hours, key=hour_order)
        for record in _records(hours[hour], log, names, f"{where}: hour {hour!r}")
    ]


def _object(body: bytes, where: str) -> dict[str, Any]:
    start = body[:512].lstrip()
    if not body.strip():
        raise fault(where, "the answer is empty")
    if start.startswith(b"<"):
        raise fault(where, "the answer is an HTML or XML page, not JSON")
    try:
        top = json.loads(body.decode("utf-8"), parse_int=_integer)
    except UnicodeDecodeError as error:
        raise fault(where, f"the answer is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        short = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        state = "breaks off" if short else "is damaged"
        raise fault(
            where, f"the answer {state} at character {error.pos} of {len(error.doc)} ({error.msg})"
        ) from None
    except RecursionError:
        raise fault(where, "the answer is nested too deeply") from None
    if not isinstance(top, dict):
        raise fault(where, f"the answer is {_kind(top)}, not an object")
    return top


def _integer(text: str) -> int | float:
    return int(text) if len(text) < LONGEST_NUMBER else math.inf


def _hours(top: dict[str, Any], log: str, where: str) -> dict[str, Any]:
    error = top.get("error")
    if error is not None:
        # Only a plain code is repeated: a server's free text may contain anything.
        code = error if isinstance(error, str) and error.replace("_", "").isalnum() else ""
        raise fault(where, f"the answer is an error object{f' ({code[:40]})' if code else ''}")
    for other in known_logs():
        if other != log and other in top:
            raise fault(where, f"the answer has {other!r}, but {log!r} was requested")
    if log not in top:
        raise fault(where, f"the answer is an object without {log!r}")
    hours = top[log]
    if not isinstance(hours, dict):
        raise fault(where, f"{log!r} is {_kind(hours)}, not an object of hours")
    for hour, records in hours.items():
        if not isinstance(records, list):
            raise fault(where, f"hour {hour!r} is {_kind(records)}, not a list of records")
    cursor = top.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise fault(where, f"the cursor is {_kind(cursor)}, not a text")
    return hours


def _records(
    records: Sequence[Any], log: str, names: Sequence[str] | None, where: str
) -> list[dict[str, Any]]:
    types = {name: field.value_type for name, field in catalogue(log).items() if name != "date"}
    wanted = None if names is None else frozenset(names)
    for number, record in enumerate(records, 1):
        place = f"{where}, record {number} of {len(records)}"
        if not isinstance(record, dict):
            raise fault(place, f"{_kind(record)} instead of a record")
        _check_date(record, place)
        _check_values(record, types, wanted, place)
    return list(records)


def _check_date(record: Mapping[str, Any], place: str) -> None:
    if "date" not in record:
        raise fault(f"{place}, field 'date'", "it is missing")
    date = record["date"]
    try:
        parse_rfc3339(date)
    except ConfigurationError:
        raise fault(
            f"{place}, field 'date'", f"{_kind(date)} is not an RFC 3339 stamp with an offset"
        ) from None


def _check_values(
    record: Mapping[str, Any],
    types: Mapping[str, str],
    wanted: frozenset[str] | None,
    place: str,
) -> None:
    for name, value in record.items():
        if value is None or name == "date" or (wanted is not None and name not in wanted):
            continue
        at = f"{place}, field {name!r}"
        expected = types.get(name)
        if isinstance(value, float) and not math.isfinite(value):
            raise fault(
                at, "a number that JSON or a float cannot hold (NaN, infinite or too large)"
            )
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if expected == "bool" and not isinstance(value, bool):
            raise fault(at, f"{_kind(value)} instead of true or false")
        if expected == "str" and not isinstance(value, str):
            raise fault(at, f"{_kind(value)} instead of a text")
        if expected in ("int", "float") and not number:
            raise fault(at, f"{_kind(value)} instead of a number")


def _kind(value: object) -> str:
    """Return a JSON value in words, short values in full."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a long text"
    return f"the number {value!r}"
