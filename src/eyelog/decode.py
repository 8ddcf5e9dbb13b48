"""An answer of the contract: from bytes to a page of typed columns, and pages to one table.

The hours of an answer are decoded one after another, into records whose type is made for the order
of the keys in this answer. The values of an hour go straight into number columns, so that little
garbage is alive at a time. An answer that does not fit is read again record by record: slow, but
exact about what is wrong with it. The hours are never used as times: only ``date`` counts.

A decoder keeps the last of two equal keys and does not say so. But in JSON a colon follows each key
and stands nowhere else outside texts, so an answer has a key twice exactly if it has more colons
than its page accounts for.
"""

import json
import math
import re
import struct
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog import frame
from eyelog.catalogue import LOGS, catalogue, check_fields, columns, known_logs
from eyelog.clock import parse_rfc3339, parse_stamps, zone
from eyelog.errors import AnswerError, ConfigurationError, MixedLogsError
from eyelog.frame import record

ADVICE: Final = (
    "nothing of it was kept; try again, and if the error stays, report it to the operator of the"
    " service"
)

# A full day is 7 MB of JSON with 5,760 records. A larger answer is counted before it is decoded,
# because each object, list or key in it takes many times its bytes in memory.
LARGE: Final = 8 << 20
MOST_RECORDS: Final = 100_000
MOST_KEYS: Final = 2_000_000

# Fields that are not in the catalogue, over all records of an answer: far more than a version of
# the service would add, and few enough for a column each.
MOST_UNKNOWN: Final = 200

# How many records of the first hour show the order of the keys: more than one, because a service
# may leave out nulls.
SAMPLED: Final = 12

# The errors of an answer that is malformed, or has other types, bad UTF-8, a text that is not a
# stamp, or a key that a struct cannot have (the last three are ValueErrors).
UNFIT: Final = (msgspec.DecodeError, RecursionError, ValueError)

# A missing value by default, told apart from a null, which becomes another NaN.
ABSENT_BITS: Final = 0x7FF8_0000_0000_0E1E
ABSENT: Final[float] = struct.unpack("<d", struct.pack("<Q", ABSENT_BITS))[0]

_MANY_RECORDS: Final = 250_000


@dataclass(frozen=True, eq=False)
class Page:
    """One decoded answer: columns in the order of its records.

    Numbers and booleans are float64 with NaN for missing, texts and unknown fields objects with
    None for missing. `stamps` are UTC instants, datetime64[us]. `lines` are the lines of the file
    from which the records come, if it has lines, and `hours` the keys of an answer, each with the
    number of its records.
    """

    log: str
    cursor: str | None
    stamps: np.ndarray
    columns: Mapping[str, Any]
    unknown: tuple[str, ...]
    lines: np.ndarray | None = None
    hours: tuple[tuple[str, int], ...] = ()

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.stamps)


def decode_page(
    body: bytes, log: str, *, fields: Sequence[str] | None = None, where: str = "answer"
) -> Page:
    """Decode one answer into typed columns.

    Parameters
    ----------
    body : bytes
        The answer: JSON in UTF-8.
    log : {"computed_data", "standard_mode_logs"}
        The log of the request.
    fields : sequence of str, optional
        The fields to decode; the others are skipped, unchecked. By default all fields of the
        catalogue and all others that the records have.
    where : str
        The request (account, log, window), for messages.

    Returns
    -------
    Page
        A column per field; null and absent values are missing.

    Raises
    ------
    AnswerError
        If the answer does not have the documented shape, or says two things (a key twice, two
        records of one stamp that differ): the message names `where`, the hour, the record (counted
        from 1) and the field. Numbers must be numbers and booleans booleans (not 0 and 1); values
        outside the catalogue's range are not errors. Also if it is large and has more than 100,000
        objects or lists, or if more than 200 fields of its records are not in the catalogue.
    """
    wanted = columns(log) if fields is None else check_fields(log, fields)
    names = None if fields is None else wanted
    if len(body) > LARGE and max(body.count(b"{"), body.count(b"[")) > MOST_RECORDS:
        raise fault(where, f"the answer has more than {MOST_RECORDS:,} objects or lists")
    # An eighth of the time of `bytes.count`.
    colons = int(np.count_nonzero(np.frombuffer(body or b" ", np.uint8) == ord(":")))
    if colons > MOST_KEYS:
        raise fault(where, f"the answer has more than {MOST_KEYS:,} keys")
    hours, cursor, told = _envelope(body, log, where)
    page = None
    # The second try knows the keys of all records: some may be neither in the catalogue nor in
    # the first records.
    for sampled in (True, False):
        with suppress(*UNFIT):
            page, accounted = _fast(hours, cursor, log, names, _order(hours, log, sampled=sampled))
            break
    # A colon within a text may be written as an escape.
    if page is None or accounted + told != colons or (b"\\" in body and b"\\u003" in body):
        records = what_is_wrong(body, log, names, where)
        page = page or _slow(records, cursor, log, names, where)
    refuse_conflicts([page], where)
    return page


def _envelope(body: bytes, log: str, where: str) -> tuple[dict[str, msgspec.Raw], str | None, int]:
    """Return the undecoded hours, the cursor, and the colons outside the hours."""
    try:
        if not body.isascii():
            body.decode("utf-8")  # the decoder does not check what it skips
        envelope = _ENVELOPE.decode(body)
        logs = [name for name in LOGS if getattr(envelope, name) is not msgspec.UNSET]
        if logs == [log] and envelope.error is None:
            hours, cursor = getattr(envelope, log), envelope.cursor
            given = cursor is not msgspec.UNSET
            cursor = (cursor or None) if given else None
            return (
                hours,
                cursor,
                1 + given + len(hours) + "".join((*hours, cursor or "")).count(":"),
            )
        reason = "an error object, or of another log"
    except UNFIT as error:
        reason = str(error)
    what_is_wrong(body, log, None, where)
    raise fault(where, f"the answer is not readable ({reason})")


_Hours = dict[str, msgspec.Raw] | msgspec.UnsetType
_ENVELOPE: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(
    msgspec.defstruct(
        "Envelope",
        [
            *((log, _Hours, msgspec.UNSET) for log in LOGS),
            ("cursor", str | None | msgspec.UnsetType, msgspec.UNSET),
            ("error", Any, None),
        ],
    )
)


def _order(hours: Mapping[str, msgspec.Raw], log: str, *, sampled: bool) -> list[str]:
    """Return the keys of the records of an answer, or of some of its first hour, in their order.

    Raises
    ------
    ValueError
        If there are more than can be put in order in bounded time.
    """
    order: list[str] = []
    filled = [raw for raw in hours.values() if len(raw) > len("[]")]
    for raw in filled[:1] if sampled else filled:
        records = msgspec.json.decode(raw, type=list[msgspec.Raw])
        for raw_record in records[:: max(1, len(records) // SAMPLED) if sampled else 1]:
            keys = msgspec.json.decode(raw_record, type=dict[str, msgspec.Raw])
            if set(order).issuperset(keys):
                continue
            if len({*order, *keys} - catalogue(log).keys()) > MOST_UNKNOWN:
                raise ValueError("too many unknown fields")
            at = 0
            for name in keys:
                if name not in order:
                    order.insert(at, name)
                at = order.index(name) + 1
    return order


def _fast(
    hours: Mapping[str, msgspec.Raw],
    cursor: str | None,
    log: str,
    names: Sequence[str] | None,
    order: Sequence[str],
) -> tuple[Page, int]:
    """Return the page of hours whose records have the keys of `order`, and their colons."""
    wanted = columns(log) if names is None else names
    unknown = tuple(name for name in order if name not in catalogue(log)) if names is None else ()
    # The fields that nobody wants are decoded too: no key of theirs may be there twice.
    ordered = tuple(dict.fromkeys((*order, "date", *wanted)))
    decoder = _record_decoder(log, ordered, names is None)
    numbers = [at for at, name in enumerate(ordered) if name in _numbers(log)]
    others = {at: list[Any]() for at, name in enumerate(ordered) if name not in _numbers(log)}
    blocks: list[np.ndarray] = [np.empty((len(numbers), 0))]
    with_gaps: set[int] = set()  # columns with None, where packing is not tried again
    for raw in hours.values():
        by_field = list(zip(*map(msgspec.structs.astuple, decoder.decode(raw)), strict=True))
        block = np.empty((len(numbers), len(by_field[0]) if by_field else 0))
        blocks.append(block)
        if not by_field:
            continue
        # Packing is three times faster than `numpy.fromiter`, but does not accept None.
        packer = struct.Struct(f"{block.shape[1]}d")
        for row, at in enumerate(numbers):
            if at not in with_gaps:
                try:
                    packer.pack_into(block.data, row * packer.size, *by_field[at])
                    continue
                except struct.error:
                    with_gaps.add(at)
            block[row] = np.fromiter(by_field[at], np.float64, block.shape[1])
        for at, values in others.items():
            values.extend(by_field[at])
    counts = tuple(zip(hours, (block.shape[1] for block in blocks[1:]), strict=True))
    block = np.concatenate(blocks, axis=1)
    left_out = block.view(np.uint64) == ABSENT_BITS
    dates = others.pop(ordered.index("date"))
    colons = len(dates) * len(ordered) + "".join(dates).count(":") - np.count_nonzero(left_out)
    block[left_out] = np.nan
    found = {ordered[at]: row for at, row in zip(numbers, block, strict=True)}
    for at, values in others.items():
        colons -= values.count(msgspec.UNSET)
        colons += "".join([text for text in values if isinstance(text, str)]).count(":")
        found[ordered[at]] = _objects([None if v is msgspec.UNSET else v for v in values])
    chosen = {name: found[name] for name in (*wanted, *unknown)}
    stamps = parse_stamps(dates)  # an absent one is empty, which is not a stamp
    return Page(log, cursor, stamps, chosen, unknown, hours=counts), int(colons)


@lru_cache(maxsize=64)
def _record_decoder(log: str, ordered: tuple[str, ...], whole: bool) -> msgspec.json.Decoder[Any]:
    specs = catalogue(log)
    types = [_TYPES[specs[name].value_type if name in specs else ""] for name in ordered]
    record = msgspec.defstruct(
        "Record",
        [(f"f{at}", kind, absent) for at, (kind, absent, *_) in enumerate(types)],
        rename={f"f{at}": name for at, name in enumerate(ordered)},
        forbid_unknown_fields=whole,
        gc=False,
    )
    return msgspec.json.Decoder(list[record])  # type: ignore[valid-type] # made at run time


# What a field of a type holds in JSON: as msgspec reads it, what stands for an absent one, as
# Python reads it, and in words. A field that is not in the catalogue may hold anything.
_NUMBER: Final = (float | None, ABSENT, (int, float), "a number")
_TYPES: Final[Mapping[str, tuple[Any, Any, Any, str]]] = {
    "bool": (bool | None, ABSENT, bool, "true or false"),
    "str": (str | None, msgspec.UNSET, str, "a text"),
    "int": _NUMBER,
    "float": _NUMBER,
    "datetime": (str, "", str, "a text"),
    "": (Any, msgspec.UNSET, object, "anything"),
}


@lru_cache
def _numbers(log: str) -> frozenset[str]:
    """Return the columns of numbers and booleans."""
    specs = catalogue(log)
    return frozenset(name for name in specs if specs[name].dtype in ("float64", "boolean"))


def _objects(values: Sequence[Any]) -> np.ndarray:
    """Return the values as an object array, even if they are lists."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


# Read with care: what is wrong, and where


def fault(where: str, what: str) -> AnswerError:
    """Return the error that says what is wrong with an answer, and where."""
    return AnswerError(f"{where}: {what}; {ADVICE}")


def check_unknown(count: int, where: str) -> None:
    """Raise if an answer has more unknown fields than a service would add."""
    if count > MOST_UNKNOWN:
        what = f"its records have more than {MOST_UNKNOWN} fields that are not in the catalogue"
        raise fault(where, what)


class _Object(dict[str, Any]):
    """A JSON object that remembers a duplicate key."""

    twice: str | None = None


def what_is_wrong(
    body: bytes, log: str, names: Sequence[str] | None, where: str
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the checked records of an answer by hour.

    `names` are the fields to check besides ``date``; None means all.

    Raises
    ------
    AnswerError
        If the answer does not have the documented shape, or has a key twice.
    """
    deep: list[str] = []  # every key that some object has twice

    def as_object(pairs: list[tuple[str, Any]]) -> _Object:
        found = _Object(pairs)
        if len(found) < len(pairs):
            found.twice = Counter(key for key, _ in pairs).most_common(1)[0][0][:64]
            deep.append(found.twice)
        return found

    def integer(text: str) -> int | float:
        # Longer than any number of a log; Python refuses to read integers of many thousand digits.
        return int(text) if len(text) < 400 else math.inf

    if not body.strip():
        raise fault(where, "the answer is empty")
    if body[:512].lstrip().startswith(b"<"):
        raise fault(where, "the answer is an HTML or XML page, not JSON")
    try:
        top = json.loads(body.decode("utf-8"), parse_int=integer, object_pairs_hook=as_object)
    except UnicodeDecodeError as error:
        raise fault(where, f"the answer is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        what = f"the answer {'breaks off' if cut else 'is damaged'} at character {error.pos}"
        raise fault(where, f"{what} of {len(error.doc)} ({error.msg})") from None
    except RecursionError:
        raise fault(where, "the answer is nested too deeply") from None
    if not isinstance(top, _Object):
        raise fault(where, f"the answer is {_kind(top)}, not an object")
    if top.get("error") is not None:
        # Only a plain code is repeated: a server's free text may contain anything.
        code = re.fullmatch(r"\w{1,40}", str(top["error"]))
        raise fault(where, f"the answer is an error object{f' ({code[0]})' if code else ''}")
    for other in known_logs():
        if other != log and other in top:
            raise fault(where, f"the answer has {other!r}, but {log!r} was requested")
    if log not in top:
        raise fault(where, f"the answer is an object without {log!r}")
    if top.twice is not None:
        raise fault(where, f"the key {top.twice!r} is given twice")
    hours = top[log]
    if not isinstance(hours, _Object):
        raise fault(where, f"{log!r} is {_kind(hours)}, not an object of hours")
    if hours.twice is not None:
        raise fault(where, f"hour {hours.twice!r} is given twice")
    cursor = top.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise fault(where, f"the cursor is {_kind(cursor)}, not a text")
    for hour, records in hours.items():
        if not isinstance(records, list):
            raise fault(where, f"hour {hour!r} is {_kind(records)}, not a list of records")
        for number, given in enumerate(records, 1):
            place = f"{where}: hour {hour!r}, record {number} of {len(records)}"
            _check_record(given, log, names, place)
    if deep:  # inside the value of a field
        raise fault(where, f"the key {deep[0]!r} is given twice")
    return list(hours.items())


def _check_record(record: Any, log: str, names: Sequence[str] | None, place: str) -> None:
    if not isinstance(record, _Object):
        raise fault(place, f"{_kind(record)} instead of a record")
    if record.twice is not None:
        raise fault(place, f"field {record.twice!r} is given twice")
    if "date" not in record:
        raise fault(f"{place}, field 'date'", "it is missing")
    try:
        parse_rfc3339(record["date"])
    except ConfigurationError:
        what = f"{_kind(record['date'])} is not an RFC 3339 stamp with an offset"
        raise fault(f"{place}, field 'date'", what) from None
    specs = catalogue(log)
    for name, value in record.items():
        if value is None or name == "date" or (names is not None and name not in names):
            continue
        *_, holds, words = _TYPES[specs[name].value_type if name in specs else ""]
        of_numbers = holds == (int, float)
        if not isinstance(value, holds) or (of_numbers and isinstance(value, bool)):
            raise fault(f"{place}, field {name!r}", f"{_kind(value)} instead of {words}")
        if (of_numbers or isinstance(value, float)) and not abs(value) <= sys.float_info.max:
            what = "a number that JSON or a float cannot hold (NaN, infinite or too large)"
            raise fault(f"{place}, field {name!r}", what)


def _kind(value: object) -> str:
    """Return a JSON value in words, short values in full."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a long text"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return f"the number {value!r}"


def _slow(
    hours: Sequence[tuple[str, list[dict[str, Any]]]],
    cursor: str | None,
    log: str,
    names: Sequence[str] | None,
    where: str,
) -> Page:
    """Return the page of records that were checked one by one."""
    records = [record for _, part in hours for record in part]
    keys = dict.fromkeys(key for record in records for key in record)
    unknown = tuple(key for key in keys if key not in catalogue(log)) if names is None else ()
    check_unknown(len(unknown), where)
    found: dict[str, np.ndarray] = {}
    for name in (*(columns(log) if names is None else names), *unknown):
        values = [record.get(name) for record in records]
        number = name in _numbers(log)
        found[name] = np.array(values, np.float64) if number else _objects(values)
    stamps = parse_stamps([record["date"] for record in records])
    counts = tuple((hour, len(part)) for hour, part in hours)
    return Page(log, cursor, stamps, found, unknown, hours=counts)


# Pages as one table


def refuse_conflicts(pages: Sequence[Page], where: str) -> None:
    """Raise `AnswerError` if two records of one stamp differ; the same record again does not."""
    stamps = [page.stamps for page in pages]
    _, pairs = rows_kept(np.concatenate([np.empty(0, "M8[us]"), *stamps]))
    if not pairs.size:
        return
    specs = catalogue(pages[0].log)
    for name in dict.fromkeys(name for page in pages for name in page.columns):
        column = joined_column(pages, name, specs[name].dtype if name in specs else "")
        differ = _differ(column, pairs)
        if differ.any():
            first, again = pairs[:, differ][:, 0].tolist()
            raise fault(
                f"{where}: {_place(pages, again)}, field {name!r}",
                f"it differs from {_place(pages, first)}, which has the same stamp",
            )


def _place(pages: Sequence[Page], at: int) -> str:
    """Return the place of a record: its hour, and its number there."""
    for page in pages:
        for hour, count in page.hours:
            if at < count:
                return f"hour {hour!r}, record {at + 1} of {count}"
            at -= count
    return "a record"


class Joined(NamedTuple):
    """One table of some pages, and what had to be left out.

    `repeated` is the number of records left out because their stamp was repeated, `conflicts` how
    many of them differ from the one that is kept or lies between.
    """

    frame: pd.DataFrame
    repeated: int
    conflicts: int


def joined_pages(
    pages: Sequence[Page],
    log: str,
    *,
    tz: str = "UTC",
    fields: Sequence[str] | None = None,
    spend: bool = False,
    fill: bool = False,
) -> Joined:
    """Join the pages of a walk into one table, and count the repeated records.

    The same record on two pages counts once. If different records have one stamp, the one on the
    later page is kept, or the later one in its list.

    Parameters
    ----------
    pages : sequence of Page
        In the order of the walk.
    log : {"computed_data", "standard_mode_logs"}
        The log of all pages.
    tz : str
        Zone of the index.
    fields : sequence of str, optional
        The columns of the table; by default all fields of the catalogue, and after them the
        unknown fields of the pages, with an `EyelogWarning`.
    spend : bool
        Take each column out of the pages once it is joined, so that the pages of a large file and
        its table are not in memory at once.
    fill : bool
        Whether a value that is missing in the later of two records of one stamp leaves that of the
        earlier one, and is no conflict with it, as between files.

    Returns
    -------
    Joined
        Its ``frame``: index ``date`` (aware in `tz`, sorted, unique); columns in catalogue order
        with the catalogue's dtypes. Unknown fields are float64 if all their values are numbers,
        else object. Its history has the same counts, for people.

    Raises
    ------
    MixedLogsError
        If a page is of the other log.
    """
    for page in pages:
        if page.log != log:
            raise MixedLogsError(f"a page of {page.log!r} among pages of {log!r}")
    names = columns(log) if fields is None else check_fields(log, fields)
    unknown = dict.fromkeys(name for page in pages for name in page.unknown if fields is None)
    if unknown:
        frame.warn_unknown(log, list(unknown))
    stamps = np.concatenate([np.empty(0, "M8[us]"), *(page.stamps for page in pages)])
    kept, pairs = rows_kept(stamps)
    differ = np.zeros(pairs.shape[1], bool)
    specs = catalogue(log)
    data: dict[str, Any] = {}
    for name in (*names, *unknown):
        dtype = specs[name].dtype if name in specs else ""
        column = joined_column(pages, name, dtype)
        if pairs.size:
            if fill and (missing := pd.isna(column[pairs[1]])).any():
                column = column.copy()
                for before, after in pairs[:, missing].T.tolist():
                    column[after] = column[before]
            differ |= _differ(column, pairs) & ~(fill & pd.isna(column[pairs[0]]))
        column = column if kept is None else column[kept]
        if dtype == "boolean":
            data[name] = pd.arrays.BooleanArray(column == 1, np.isnan(column))
        elif dtype == "string":
            data[name] = pd.array(column, dtype="string")
        else:
            data[name] = column
        if not dtype and all(v is None or type(v) in (int, float) for v in column.tolist()):
            with suppress(OverflowError):  # an integer beyond any float is kept as it is
                data[name] = column.astype(np.float64)
        if spend:
            for page in pages:
                cast(dict[str, Any], page.columns).pop(name, None)
            if len(stamps) > _MANY_RECORDS:
                pa.default_memory_pool().release_unused()  # it would keep it for later tables
    index = pd.DatetimeIndex(stamps if kept is None else stamps[kept], name="date")
    joined = pd.DataFrame(data, index=index.tz_localize("UTC").tz_convert(zone(tz)), copy=False)
    repeated, conflicts = len(stamps) - len(joined), int(differ.sum())
    record(joined, "decode", log=log, records=len(joined), repeated=repeated, conflicts=conflicts)
    return Joined(joined, repeated, conflicts)


def rows_kept(stamps: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the rows that are kept of some stamps, and the pairs of rows with one stamp.

    The rows are in order of time; None means all, as they are. Of several records with one stamp
    the last is kept; each row of one is paired with the next, so `pairs` has two rows.
    """
    if (stamps[1:] > stamps[:-1]).all():
        return None, np.empty((2, 0), np.int64)
    take = np.argsort(stamps, kind="stable")
    again = stamps[take][1:] == stamps[take][:-1]
    return take[np.append(~again, True)], np.stack([take[:-1][again], take[1:][again]])


def _differ(column: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return for each pair of rows whether their values differ; missing ones are equal."""
    left, right = column[pairs]
    if column.dtype == object:
        both = zip(left.tolist(), right.tolist(), strict=True)
        return np.fromiter((a is not b and not bool(a == b) for a, b in both), bool, len(left))
    return np.asarray((left != right) & ~(np.isnan(left) & np.isnan(right)))


def joined_column(pages: Sequence[Page], name: str, dtype: str) -> np.ndarray:
    """Return the values of a field of all pages; `dtype` "": an unknown field."""
    number = dtype in ("float64", "boolean")
    kind, missing = (np.float64, np.nan) if number else (object, None)
    parts = (p.columns[name] if name in p.columns else np.full(p.n, missing, kind) for p in pages)
    # One allocation per column, of its final length: the cost is linear in the days.
    return np.concatenate([np.empty(0, kind), *parts])
