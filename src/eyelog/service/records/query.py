"""The query of a data request: which records are asked for, or which rule is broken."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from eyelog.catalogue import catalogue, near
from eyelog.service.responses import Problem

__all__ = ["DATE_PATTERN", "PARAMETERS", "Query", "parse_query"]

PARAMETERS = ("date_from", "date_to", "fields", "cursor")
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})$"
_DATE = re.compile(DATE_PATTERN)
_YEARS = (2, 9998)  # a day from either edge of the calendar, so that every offset can be had


@dataclass(frozen=True, slots=True)
class Query:
    """One range of one log, in the offset that was asked.

    ``names`` are the fields of each record in catalogue order, ``date`` among them only where it
    was asked for; ``stated`` is what a cursor is bound to.
    """

    log: str
    start: datetime
    end: datetime
    names: tuple[str, ...]
    cursor: str | None
    stated: tuple[str | None, ...]


def parse_query(log: str, pairs: Iterable[tuple[str, str]]) -> Query:
    """Return the query of a data request.

    Raises
    ------
    Problem
        400, if a parameter is unknown, repeated or missing, a date, the range or a field name
        breaks its rule.
    """
    given: dict[str, str] = {}
    for name, value in pairs:
        if name not in PARAMETERS:
            raise _bad(
                f"unknown parameter {name[:64]!r}{near(name[:64], PARAMETERS)}: they are"
                f" {', '.join(PARAMETERS)}"
            )
        if name in given:
            raise _bad(f"parameter {name!r} is given more than once")
        given[name] = value
    for name in ("date_from", "date_to"):
        if name not in given:
            raise _bad(f"parameter {name!r} is missing")
    start, end = (_date(name, given[name]) for name in ("date_from", "date_to"))
    _check_range(start, end)
    return Query(
        log=log,
        start=start,
        end=end,
        names=_fields(log, given.get("fields")),
        cursor=given.get("cursor"),
        stated=(log, given["date_from"], given["date_to"], given.get("fields")),
    )


def _bad(description: str) -> Problem:
    return Problem(400, "invalid_request", description)


def _date(name: str, text: str) -> datetime:
    found = None
    if _DATE.match(text) and not text.endswith("\n"):
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            found = None
    if found is None:
        # Unencoded, the + of an offset reaches the service as a space.
        hint = ": write the + of its offset as %2B in an address" if " " in text else ""
        raise _bad(
            f"{name} {text[:64]!r} is not a date and time YYYY-MM-DDThh:mm:ss with an offset"
            f" (Z or +hh:mm){hint}"
        )
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        raise _bad(f"{name} lies outside the years {_YEARS[0]} to {_YEARS[1]}")
    return found


def _check_range(start: datetime, end: datetime) -> None:
    if start.utcoffset() != end.utcoffset():
        raise _bad("date_from and date_to have different offsets: ask for each offset by itself")
    if start.date() != end.date():
        raise _bad(
            "the range spans days: date_from and date_to must lie on one local date, at most"
            " 23:59:59 apart"
        )
    if start > end:
        raise _bad("date_from is later than date_to")


def _fields(log: str, text: str | None) -> tuple[str, ...]:
    known = catalogue(log)
    if text is None:
        return tuple(known)
    wanted = set(text.split(","))
    for name in sorted(wanted):
        if name not in known:
            raise _bad(
                f"unknown field {name[:64]!r} in fields{near(name[:64], known)}: use names of"
                f" the {log} record, joined by commas without spaces"
            )
    return tuple(name for name in known if name in wanted)
