"""An answer of the contract: from bytes to a page of typed columns, and pages to one table.

The hours of an answer are decoded one after another, into records whose type is made for the order
of the keys in this answer. The values of an hour go straight into number columns, so that little
garbage is alive at a time. The hours are never used as times: only ``date`` counts.

A decoder keeps the last of two equal keys and does not say so. But in JSON a colon follows each key
and stands nowhere else outside texts, so an answer has a key twice exactly if it has more colons
than its page accounts for.
"""

import json
import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd

from eyelog import frame
from eyelog.catalogue import LOGS, catalogue, check_fields, columns
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
TOO_MANY: Final = "its records have more than 200 fields that are not in the catalogue"

# How many records of the first hour show the order of the keys: more than one, because a service
# may leave out nulls.
SAMPLED: Final = 12

# The errors of an answer that is malformed, or has other types, bad UTF-8, a text that is not a
# stamp, or a key that a struct cannot have (the last three are ValueErrors).
UNFIT: Final = (msgspec.DecodeError, RecursionError, ValueError)

# A missing value by default, told apart from a null, which becomes another NaN.
ABSENT_BITS: Final = 0x7FF8_0000_0000_0E1E
ABSENT: Final[float] = struct.unpack("<d", struct.pack("<Q", ABSENT_BITS))[0]


Counts = Sequence[tuple[str, int]]  # the hours of an answer, each with how many records it has


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
    hours: Counts = ()

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
        from 1) and the field; of a key twice, the hour and the key. Numbers must be numbers and
        booleans booleans (not 0 and 1); values outside the catalogue's range are not errors. Also
        if it is large and has more than 100,000 objects or lists, or if more than 200 fields of its
        records are not in the catalogue.
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
    # The second try knows the keys of all records: some may be neither in the catalogue nor in
    # the first records.
    for sampled in (True, False):
        try:
            order = _order(hours, log, names, where, sampled=sampled)
            # Fields that nobody wants are checked only in so far as that makes reading fast.
            checked = order if sampled or names is None else names
            page, accounted = _columns(hours, cursor, log, names, order, checked, where)
            break
        except AnswerError:
            if not sampled:
                _refuse_a_key_twice(body, hours, where)
                raise
    # A colon within a text may be written as an escape.
    if accounted + told != colons or (b"\\" in body and b"\\u003" in body):
        _refuse_a_key_twice(body, hours, where)
    refuse_conflicts([page], where)
    return page


def fault(where: str, what: str) -> AnswerError:
    """Return the error that says what is wrong with an answer, and where."""
    return AnswerError(f"{where}: {what}; {ADVICE}")


def _envelope(body: bytes, log: str, where: str) -> tuple[dict[str, msgspec.Raw], str | None, int]:
    """Return the undecoded hours, the cursor, and the colons outside the hours."""
    if not body.strip():
        raise fault(where, "the answer is empty")
    if body[:512].lstrip().startswith(b"<"):
        raise fault(where, "the answer is an HTML or XML page, not JSON")
    try:
        if not body.isascii():
            body.decode("utf-8")  # the decoder does not check what it skips
        envelope = _ENVELOPE.decode(body)
    except UNFIT as error:
        raise fault(where, f"the answer is not readable ({error})") from None
    if envelope.error is not None:
        # Only a plain code is repeated: a server's free text may contain anything.
        code = re.fullmatch(r"\w{1,40}", str(envelope.error))
        raise fault(where, f"the answer is an error object{f' ({code[0]})' if code else ''}")
    logs = [name for name in LOGS if getattr(envelope, name) is not msgspec.UNSET]
    if others := [name for name in logs if name != log]:
        raise fault(where, f"the answer has {others[0]!r}, but {log!r} was requested")
    if not logs:
        raise fault(where, f"the answer is an object without {log!r}")
    hours, cursor = getattr(envelope, log), envelope.cursor
    given = cursor is not msgspec.UNSET
    cursor = (cursor or None) if given else None
    return hours, cursor, 1 + given + len(hours) + "".join((*hours, cursor or "")).count(":")


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


def _order(
    hours: Mapping[str, msgspec.Raw],
    log: str,
    names: Sequence[str] | None,
    where: str,
    *,
    sampled: bool,
) -> list[str]:
    """Return the keys of the records of an answer, or of some of its first hour, in their order.

    If `names` are asked for, those that are not in the catalogue are left out.
    """
    order: list[str] = []
    filled = [raw for raw in hours.values() if len(raw) > len("[]")]
    for raw in filled[:1] if sampled else filled:
        with suppress(*UNFIT):  # what does not fit is named when the columns are made
            records = msgspec.json.decode(raw, type=list[msgspec.Raw])
            for raw_record in records[:: max(1, len(records) // SAMPLED) if sampled else 1]:
                keys = msgspec.json.decode(raw_record, type=dict[str, msgspec.Raw])
                if names is not None:
                    keys = {name: value for name, value in keys.items() if name in catalogue(log)}
                if set(order).issuperset(keys):
                    continue
                if len({*order, *keys} - catalogue(log).keys()) > MOST_UNKNOWN:
                    raise fault(where, TOO_MANY)
                at = 0
                for name in keys:
                    if name not in order:
                        order.insert(at, name)
                    at = order.index(name) + 1
    return order


def _columns(
    hours: Mapping[str, msgspec.Raw],
    cursor: str | None,
    log: str,
    names: Sequence[str] | None,
    order: Sequence[str],
    checked: Sequence[str],
    where: str,
) -> tuple[Page, int]:
    """Return the page of hours whose records have the keys of `order`, and their colons."""
    wanted = columns(log) if names is None else names
    unknown = tuple(name for name in order if name not in catalogue(log)) if names is None else ()
    # The fields that nobody wants are decoded too: no key of theirs may be there twice.
    ordered = tuple(dict.fromkeys((*order, "date", *wanted)))
    typed = {"date", *checked, *wanted} & catalogue(log).keys()
    kinds = tuple(catalogue(log)[name].value_type if name in typed else "" for name in ordered)
    # A struct cannot have a name that JSON escapes: another stands for it, longer than any key.
    longer = "_" * max(map(len, ordered))
    odd = {key: f"{longer}{at}" for at, key in enumerate(ordered) if _ESCAPED.search(key)}
    decoder = _record_decoder(tuple(odd.get(key, key) for key in ordered), kinds, names is None)
    numbers = [at for at, kind in enumerate(kinds) if _TYPES[kind][1] is ABSENT]
    others = {at: list[Any]() for at in range(len(ordered)) if at not in numbers}
    blocks: list[np.ndarray] = [np.empty((len(numbers), 0))]
    with_gaps: set[int] = set()  # columns with None, where packing is not tried again
    for hour, raw in hours.items():
        try:
            if odd:
                read = msgspec.json.decode(raw, type=list[dict[str, Any]])
                read = [{odd.get(key, key): value for key, value in each.items()} for each in read]
                raw = msgspec.Raw(msgspec.json.encode(read))
            rows = decoder.decode(raw)
        except UNFIT as error:
            raise _misfit(error, f"{where}: hour {hour!r}", raw) from None
        by_field = list(zip(*map(msgspec.structs.astuple, rows), strict=True))
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
        values = [None if value is msgspec.UNSET else value for value in values]
        found[ordered[at]] = pd.Series(values, dtype="object").to_numpy()
    chosen = {name: found[name] for name in (*wanted, *unknown)}
    try:
        stamps = parse_stamps(dates)  # an absent one is empty, which is not a stamp
    except ConfigurationError:
        raise _no_stamp(dates, counts, where) from None
    return Page(log, cursor, stamps, chosen, unknown, hours=counts), int(colons)


@lru_cache(maxsize=64)
def _record_decoder(
    ordered: tuple[str, ...], kinds: tuple[str, ...], whole: bool
) -> msgspec.json.Decoder[Any]:
    record_type = msgspec.defstruct(
        "Record",
        [(f"f{at}", *_TYPES[kind]) for at, kind in enumerate(kinds)],
        rename={f"f{at}": name for at, name in enumerate(ordered)},
        forbid_unknown_fields=whole,
        gc=False,
    )
    return msgspec.json.Decoder(list[record_type])  # type: ignore[valid-type] # made at run time


# What a field of a type holds in JSON, and what stands for an absent one. A field that is not in
# the catalogue may hold anything.
_NUMBER: Final = (float | None, ABSENT)
_TYPES: Final[Mapping[str, tuple[Any, Any]]] = {
    "bool": (bool | None, ABSENT),
    "str": (str | None, msgspec.UNSET),
    "int": _NUMBER,
    "float": _NUMBER,
    "datetime": (str, ""),
    "": (Any, msgspec.UNSET),
}


_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')  # in JSON


# What is wrong, and where


def _misfit(error: Exception, where: str, raw: msgspec.Raw) -> AnswerError:
    """Return the error for an hour whose records do not fit, from what the decoder says of it."""
    reason, _, path = str(error).partition(" - at `$")
    if place := re.match(r"\[(\d+)\](?:\.([^[`]+))?", path):
        count = len(msgspec.json.decode(raw, type=list[msgspec.Raw]))
        where += f", record {int(place[1]) + 1} of {count}"
        where += f", field {place[2][:64]!r}" if place[2] else ""
    return fault(where, reason)


def _no_stamp(dates: Sequence[str], counts: Counts, where: str) -> AnswerError:
    """Return the error for the first of the dates that is not a stamp."""
    for at, text in enumerate(dates):
        try:
            parse_rfc3339(text)
        except ConfigurationError:
            what = f"{text[:40]!r} is not an RFC 3339 stamp with an offset" if text else "missing"
            return fault(f"{where}: {_place(counts, at)}, field 'date'", what)
    raise AssertionError


def _refuse_a_key_twice(body: bytes, hours: Mapping[str, msgspec.Raw], where: str) -> None:
    """Raise if an object of an answer has a key twice; an hour with one is named."""

    def once(place: str, pairs: list[tuple[str, Any]]) -> None:
        (key, count), *_ = Counter(key for key, _ in pairs).most_common(1) or [("", 0)]
        if count > 1:
            raise fault(place, f"the key {key[:64]!r} is given twice")

    try:
        json.loads(body, parse_int=float, object_pairs_hook=partial(once, where))
        return
    except AnswerError as error:
        twice = error
    except RecursionError:
        raise fault(where, "the answer is nested too deeply") from None
    for hour, raw in hours.items():
        place = f"{where}: hour {hour!r}"
        json.loads(bytes(raw), parse_int=float, object_pairs_hook=partial(once, place))
    raise twice


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
            counts = [count for page in pages for count in page.hours]
            first, again = (_place(counts, at) for at in pairs[:, differ][:, 0].tolist())
            raise fault(
                f"{where}: {again}, field {name!r}",
                f"it differs from {first}, which has the same stamp",
            )


def _place(counts: Counts, at: int) -> str:
    """Return the place of a record: its hour, and its number there."""
    for hour, count in counts:
        if at < count:
            return f"hour {hour!r}, record {at + 1} of {count}"
        at -= count
    return "a record"


def joined_pages(
    pages: Sequence[Page],
    log: str,
    *,
    tz: str = "UTC",
    fields: Sequence[str] | None = None,
) -> pd.DataFrame:
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

    Returns
    -------
    DataFrame
        Index ``date`` (aware in `tz`, sorted, unique); columns in catalogue order with the
        catalogue's dtypes. Unknown fields are float64 if all their values are numbers, else object.
        Its history counts the records that were left out because their stamp was repeated, and how
        many of them differ from the one that is kept or lies between.

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
            differ |= _differ(column, pairs)
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
    index = pd.DatetimeIndex(stamps if kept is None else stamps[kept], name="date")
    joined = pd.DataFrame(data, index=index.tz_localize("UTC").tz_convert(zone(tz)), copy=False)
    repeated, conflicts = len(stamps) - len(joined), int(differ.sum())
    counts: dict[str, Any] = {"repeated": repeated, "conflicts": conflicts}
    return record(joined, "decode", log=log, records=len(joined), **counts)


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
