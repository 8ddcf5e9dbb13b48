"""A recording, sent as the app sends it."""

import asyncio
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, InvalidURI, WebSocketException

from eyelog.catalogue import known_logs, log_named
from eyelog.decode import UNFIT
from eyelog.errors import ConfigurationError, EyelogError
from eyelog.read.files import input_files, opened
from eyelog.read.format import find_header
from eyelog.read.socket_log import RECEIVED, SocketLog, kind_of_keys
from eyelog.read.stamps import NEVER, StampReader
from eyelog_service.live.recording import MOST_PER_SECOND

_TIMES: Final = ("date", RECEIVED)
_TRUTH: Final = {"true": True, "false": False}

Message = dict[str, Any]


def messages_of(path: Path) -> tuple[list[Message], "np.ndarray"]:
    """Return the messages of a recording without their stamps, and when each was made.

    Parameters
    ----------
    path : Path
        A CSV file of the app, or JSON lines of its WebSocket; either may be packed with gzip.

    Returns
    -------
    messages : list of dict
        In the order of the file.
    seconds : ndarray of float
        Since the first of them. A message without a stamp follows the one before by one interval of
        its log.

    Raises
    ------
    EyelogError
        If the file cannot be read, or is neither.
    """
    content = _content(path)
    if SocketLog.recognises(content[:256]):
        rows = list(_from_lines(content, path))
    else:
        rows = list(_from_csv(content))
    if not rows:
        raise ConfigurationError(f"{path} has no messages to send")
    dates = [
        next((row[key] for key in _TIMES if isinstance(row.get(key), str)), None) for row in rows
    ]
    stamps, _ = StampReader("UTC").read(pa.chunked_array([pa.array(dates, pa.string())]))
    kind = kind_of_keys(rows[0])
    interval = log_named(kind).interval_s if kind in known_logs() else 0.05
    stamped = stamps != NEVER
    steps = np.where(stamped[1:] & stamped[:-1], np.diff(stamps) / 1e6, interval)
    seconds = np.cumsum(np.append(0.0, np.maximum(steps, 0)))
    return [{key: row[key] for key in row if key not in _TIMES} for row in rows], seconds


def _content(path: Path) -> bytes:
    files = list(input_files([path]))
    if len(files) != 1:
        raise ConfigurationError(f"replay takes one file, and {path} has {len(files)}")
    with opened(files[0]) as (_, stream):
        return bytes(stream.read()).removeprefix(b"\xef\xbb\xbf")


def _from_lines(content: bytes, path: Path) -> Iterator[Message]:
    decode = msgspec.json.Decoder(Message).decode
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield decode(line)
        except UNFIT:
            if number <= content.count(b"\n"):  # otherwise the last line is truncated
                raise ConfigurationError(
                    f"{path}, line {number}: it is not a JSON object"
                ) from None


def _from_csv(content: bytes) -> Iterator[Message]:
    header = find_header(content[: 1 << 20], whole=len(content) <= 1 << 20)
    text = content[header.end :].decode("utf-8", "replace")
    for cells in csv.reader(io.StringIO(text), delimiter=header.delimiter):
        row = dict(zip(header.cells, map(str.strip, cells), strict=False))
        if any(row.values()):
            yield {
                key: cell if key in _TIMES else _value(cell) for key, cell in row.items() if cell
            }


def _value(cell: str) -> Any:
    """Return what a cell says: a number, true or false, otherwise its text."""
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    for number in (int, float):
        try:
            value = number(cell)
        except ValueError:
            continue
        return value if np.isfinite(value) else cell
    return cell


async def replay(
    path: Path,
    to: str,
    *,
    speed: float = 1.0,
) -> int:
    """Send the messages of a recording to a server, with their original pauses.

    Parameters
    ----------
    path : Path
        As `messages_of` takes it.
    to : str
        The address, ``ws://`` or ``wss://``.
    speed : float
        How many times faster than they were made; at most 200 per second, which is what `eyelog
        listen` accepts.

    Returns
    -------
    int
        The number of messages.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or the speed or the address is not valid.
    EyelogError
        If the server does not answer, or ends the connection.
    """
    if not 0 < speed < float("inf"):
        raise ConfigurationError(f"a speed is a number above 0, not {speed:g}")
    messages, seconds = await asyncio.to_thread(messages_of, path)
    try:
        # The end of the connection waits until the server has taken everything.
        async with connect(
            to, compression=None, proxy=None, ping_interval=None, close_timeout=None
        ) as connection:
            clock = asyncio.get_running_loop().time
            start = clock()
            soonest = np.arange(len(messages)) / MOST_PER_SECOND
            due = start + np.maximum(seconds / speed, soonest)
            for message, at in zip(messages, due.tolist(), strict=True):
                await asyncio.sleep(max(0.0, at - clock()))
                await connection.send(msgspec.json.encode(message).decode())
    except InvalidURI as error:
        raise ConfigurationError(f"{to!r} is not an address such as ws://127.0.0.1:5000") from error
    except (OSError, InvalidHandshake, WebSocketException) as error:
        raise EyelogError(
            f"cannot send to {to} ({error}): is eyelog listen running there?"
        ) from error
    return len(messages)
