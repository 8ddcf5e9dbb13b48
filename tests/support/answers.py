"""Answers for tests: records, bodies, and whole walks of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from support.logs import INTERVAL_SECONDS, LOGS, columns, rows

EYES, MINUTES = LOGS


OPENS = datetime(2026, 10, 24, tzinfo=UTC)


Record = dict[str, Any]


def stamp(n: int, log: str = EYES) -> str:
    return (OPENS + timedelta(seconds=n * INTERVAL_SECONDS[log])).isoformat()


def answer(hours: Any, log: str = EYES, **more: Any) -> bytes:
    return json.dumps({log: hours, **more}, allow_nan=True).encode()


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


def _value(name: str, log: str) -> st.SearchStrategy[Any]:
    kind = rows(log)[name]["value_type"]
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


def encode_answer(frame: pd.DataFrame, log: str, *, cursor: str | None = None) -> bytes:
    """Return records as the body of one answer of the service."""
    records = records_of(frame)
    for name in {name for name, row in rows(log).items() if row["value_type"] == "int"}:
        for record in records:
            if isinstance(record.get(name), float) and record[name].is_integer():
                record[name] = int(record[name])
    return answer(by_hour(records), log, cursor=cursor)
