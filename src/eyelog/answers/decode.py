"""One answer of the service: from bytes to a page of typed columns.

The hours of an answer are decoded one after another, into records whose type is made for the order
of the keys in this answer. The values of an hour go straight into number columns, so that little
garbage is alive at a time. `eyelog.answers.careful` reads an answer that does not fit.

The hours are never used as times: only ``date`` counts.
"""

import math
import struct
import sys
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np

from eyelog.answers.arrow import MOST_RECORDS, decode_stream, is_stream
from eyelog.answers.careful import careful_records, check_unknown, fault, hour_order
from eyelog.answers.page import Page, join_pages
from eyelog.catalogue import LOGS, catalogue, check_fields, check_log
from eyelog.rfc3339 import parse_stamps

__all__ = ["Page", "decode_page", "join_pages"]

Hours = dict[str, msgspec.Raw]

# How many records of the first hour show the order of the keys: more than one, because a service
# may leave out nulls.
SAMPLED: Final = 12

# A full day is 7 MB of JSON with 5,760 records. A larger answer is counted before it is decoded,
# because each object or list in it takes many times its bytes in memory.
LARGE: Final = 8 << 20

# The errors of an answer that is malformed, or has other types, bad UTF-8, a text that is not a
# stamp, or a key that a struct cannot have (the last three are ValueErrors).
UNFIT: Final = (msgspec.DecodeError, RecursionError, ValueError)


def decode_page(
    body: bytes, log: str, *, fields: Sequence[str] | None = None, where: str = "answer"
) -> Page:
    """Decode one answer into typed columns.

    Parameters
    ----------
    body : bytes
        The answer: JSON in UTF-8, or an Arrow stream.
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
        If the answer does not have the documented shape: the message names `where`, the hour, the
        record (counted from 1) and the field. Numbers must be numbers and booleans booleans
        (not 0 and 1); values outside the catalogue's range are not errors. Also if it is large and
        has more records than a day has seconds, or if more than 200 fields of its records are not
        in the catalogue.
    """
    names = check_fields(log, fields)
    if is_stream(body):
        return decode_stream(body, log, names, whole=fields is None, where=where)
    if len(body) > LARGE and max(body.count(b"{"), body.count(b"[")) > MOST_RECORDS:
        raise fault(where, f"the answer has more than {MOST_RECORDS:,} objects or lists")
    whole = fields is None
    hours, cursor = _envelope(body, log, where)
    raws = [hours[key] for key in sorted(hours, key=hour_order)]
    first = [raw for raw in raws if len(raw) > len("[]")][:1]
    # The second try knows the keys of all records: some may be neither in the catalogue nor in
    # the first records.
    for sample, most in ((first, SAMPLED), (raws, sys.maxsize)):
        with suppress(*UNFIT):
            order = _learn(sample, most, catalogue(log), whole=whole, where=where)
            return _fast(raws, order, cursor, log, names, whole=whole)
    records = careful_records(body, log, None if whole else names, where)
    return _careful(records, cursor, log, names, whole=whole, where=where)


@lru_cache
def _envelope_decoder(log: str) -> msgspec.json.Decoder[Any]:
    other = next(name for name in LOGS if name != log)
    envelope = msgspec.defstruct(
        "Envelope",
        [
            ("hours", Hours),
            ("cursor", str | None, None),
            ("error", Any, None),
            ("other", Any, msgspec.UNSET),
        ],
        rename={"hours": log, "other": other},
    )
    return msgspec.json.Decoder(envelope)


def _envelope(body: bytes, log: str, where: str) -> tuple[Hours, str | None]:
    """Return the undecoded hours and the cursor."""
    check_log(log)
    try:
        if not body.isascii():
            body.decode("utf-8")  # the decoder does not check what it skips
        envelope = _envelope_decoder(log).decode(body)
        if envelope.error is None and envelope.other is msgspec.UNSET:
            return envelope.hours, envelope.cursor or None
        reason = "an error object"
    except UNFIT as error:
        reason = str(error)
    careful_records(body, log, None, where)
    raise fault(where, f"the answer is not readable ({reason})")


def _fast(
    raws: Sequence[msgspec.Raw],
    order: Sequence[str],
    cursor: str | None,
    log: str,
    names: Sequence[str],
    *,
    whole: bool,
) -> Page:
    """Return the page of hours whose records have only the keys of `order`."""
    specs = catalogue(log)
    unknown = tuple(name for name in order if name not in specs) if whole else ()
    wanted = {"date", *names, *unknown}
    ordered = tuple(dict.fromkeys(name for name in (*order, "date", *names) if name in wanted))
    decoder = _record_decoder(log, ordered, whole)
    numbers, others = _kinds(log, ordered)

    blocks: list[np.ndarray] = []
    with_gaps: set[int] = set()
    objects: dict[str, list[Any]] = {name: [] for name in others}
    for raw in raws:
        columns = list(zip(*map(msgspec.structs.astuple, decoder.decode(raw)), strict=True))
        if columns:
            blocks.append(_block([columns[at] for at in numbers.values()], with_gaps))
            for name, at in others.items():
                objects[name].extend(columns[at])
    block = np.concatenate(blocks, axis=1) if blocks else np.empty((len(numbers), 0))
    by_name = dict(zip(numbers, block, strict=True))
    stamps = parse_stamps(objects.pop("date"))
    by_name |= {name: _objects(values) for name, values in objects.items()}
    return Page(log, cursor, stamps, {name: by_name[name] for name in (*names, *unknown)}, unknown)


def _block(columns: Sequence[Sequence[float | None]], with_gaps: set[int]) -> np.ndarray:
    """Return number columns as the rows of one array, None as NaN.

    Packing is three times faster than `numpy.fromiter`, but does not accept None. `with_gaps`
    remembers from hour to hour which columns contain None, so that packing is not tried in vain.
    """
    length = len(columns[0])
    block = np.empty((len(columns), length))
    packer = struct.Struct(f"{length}d")
    for at, column in enumerate(columns):
        if at not in with_gaps:
            try:
                packer.pack_into(block.data, at * packer.size, *column)
                continue
            except struct.error:
                with_gaps.add(at)
        block[at] = np.fromiter(column, np.float64, length)
    return block


def _learn(
    raws: Iterable[msgspec.Raw], most: int, documented: Container[str], *, whole: bool, where: str
) -> list[str]:
    """Return the keys in the order in which up to `most` records per hour have them.

    Keys that are not `documented` only if all fields are decoded (`whole`); of those few are
    allowed, so that their places in the order are found in bounded time.
    """
    order: list[str] = []
    seen: set[str] = set()
    unknown = 0
    for raw in raws:
        records = msgspec.json.decode(raw, type=list[msgspec.Raw])
        for record in records[:: max(1, len(records) // most)]:
            keys = msgspec.json.decode(record, type=dict[str, msgspec.Raw])
            if seen.issuperset(keys):
                continue
            at = 0
            for name in keys:
                if name not in seen:
                    if name not in documented:
                        if not whole:
                            continue
                        unknown += 1
                        check_unknown(unknown, where)
                    order.insert(at, name)
                    seen.add(name)
                at = order.index(name) + 1
    return order


@lru_cache(maxsize=64)
def _record_decoder(log: str, ordered: tuple[str, ...], whole: bool) -> msgspec.json.Decoder[Any]:
    specs = catalogue(log)
    types: dict[str, Any] = {"bool": bool | None, "str": str | None}
    numbers, _ = _kinds(log, ordered)
    attributes: list[tuple[str, Any, Any]] = []
    for at, name in enumerate(ordered):
        if name == "date":
            attributes.append((f"f{at}", str, ""))  # "" is not a stamp: read with care
        elif name in specs:
            kind = types.get(specs[name].value_type, float | None)
            attributes.append((f"f{at}", kind, math.nan if name in numbers else None))
        else:
            attributes.append((f"f{at}", Any, None))
    record = msgspec.defstruct(
        "Record",
        attributes,
        rename={f"f{at}": name for at, name in enumerate(ordered)},
        forbid_unknown_fields=whole,
        gc=False,
    )
    return msgspec.json.Decoder(list[record])  # type: ignore[valid-type] # made at run time


def _kinds(log: str, ordered: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the positions of number (and boolean) columns, and of the other columns."""
    specs = catalogue(log)
    numbers: dict[str, int] = {}
    others: dict[str, int] = {}
    for at, name in enumerate(ordered):
        number = name in specs and specs[name].dtype in ("float64", "boolean")
        (numbers if number else others)[name] = at
    return numbers, others


def _careful(
    records: list[dict[str, Any]],
    cursor: str | None,
    log: str,
    names: Sequence[str],
    *,
    whole: bool,
    where: str,
) -> Page:
    """Return the page of records that were checked one by one."""
    specs = catalogue(log)
    keys = dict.fromkeys(key for record in records for key in record)
    unknown = tuple(key for key in keys if key not in specs) if whole else ()
    check_unknown(len(unknown), where)
    numbers, _ = _kinds(log, names)
    columns: dict[str, np.ndarray] = {}
    for name in (*names, *unknown):
        values = [record.get(name) for record in records]
        columns[name] = np.array(values, np.float64) if name in numbers else _objects(values)
    stamps = parse_stamps([record["date"] for record in records])
    return Page(log, cursor, stamps, columns, unknown)


def _objects(values: Sequence[Any]) -> np.ndarray:
    """Return the values as an object array, even if they are lists."""
    column = np.empty(len(values), object)
    column[:] = values
    return column
