"""The query of a data request: the records it asks for, or the rule it breaks."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from eyelog.catalogue import catalogue, near
from eyelog.service.parameters import by_name
from eyelog.service.responses import Problem

__all__ = ["DATE_PATTERN", "Query", "parse_query"]

_PARAMETERS = ("date_from", "date_to", "fields", "cursor")
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})$"
_DATE = re.compile(DATE_PATTERN)
_YEARS = (2, 9998)  # a day from either end of the calendar, so that every offset is possible


@dataclass(frozen=True, slots=True)
class Query:
    """One range of one log, in the offset of the request.

    ``names`` are the fields of each record in catalogue order, ``date`` among them only if
    requested; ``bound`` is the part of the request that a cursor is bound to.
    """

    log: str
    start: datetime
    end: datetime
    names: tuple[str, ...]
    cursor: str | None
    bound: tuple[str | None, ...]


def parse_query(log: str, pairs: Iterable[tuple[str, str]]) -> Query:
    """Return the query of a data request.

    Raises
    ------
    Problem
        400, if a parameter is unknown, repeated or missing, or a date, the range or a field name
        breaks its rule.
    """
    parameters = by_name(pairs)
    for name in parameters:
        if name not in _PARAMETERS:
            raise _bad(
                f"unknown parameter {name[:64]!r}{near(name[:64], _PARAMETERS)}: use"
                f" {', '.join(_PARAMETERS)}"
            )
    for name in ("date_from", "date_to"):
        if name not in parameters:
            raise _bad(f"parameter {name!r} is missing")
    start, end = (_date(name, parameters[name]) for name in ("date_from", "date_to"))
    _check_range(start, end)
    return Query(
        log=log,
        start=start,
        end=end,
        names=_fields(log, parameters.get("fields")),
        cursor=parameters.get("cursor"),
        bound=(log, parameters["date_from"], parameters["date_to"], parameters.get("fields")),
    )


def _bad(description: str) -> Problem:
    return Problem(400, "invalid_request", description)


def _date(name: str, text: str) -> datetime:
    date = None
    if _DATE.match(text) and not text.endswith("\n"):
        with suppress(ValueError):
            date = datetime.fromisoformat(text)
    if date is None:
        # Unencoded, the + of an offset reaches the service as a space.
        hint = ": in an address, write the + of its offset as %2B" if " " in text else ""
        raise _bad(
            f"{name} {text[:64]!r} is not a date and time YYYY-MM-DDThh:mm:ss with an offset"
            f" (Z or +hh:mm){hint}"
        )
    if not _YEARS[0] <= date.year <= _YEARS[1]:
        raise _bad(f"{name} lies outside the years {_YEARS[0]} to {_YEARS[1]}")
    return date


def _check_range(start: datetime, end: datetime) -> None:
    if start.utcoffset() != end.utcoffset():
        raise _bad("date_from and date_to have different offsets: send one request per offset")
    if start.date() != end.date():
        raise _bad(
            "the range spans days: date_from and date_to must lie on the same local date, at most"
            " 23:59:59 apart"
        )
    if start > end:
        raise _bad("date_from is later than date_to")


def _fields(log: str, text: str | None) -> tuple[str, ...]:
    names = tuple(catalogue(log))
    if text is None:
        return names
    requested = set(text.split(","))
    for name in sorted(requested):
        if name not in names:
            raise _bad(
                f"unknown field {name[:64]!r} in fields{near(name[:64], names)}: use names of"
                f" the {log} record, joined by commas without spaces"
            )
    return tuple(name for name in names if name in requested)
