"""One message of the app's WebSocket as a line of a file, with the receiver's stamp in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from eyelog.archive.importing.socket_log import MOST_KEYS, RECEIVED, kind_of_keys
from eyelog.catalogue import known_logs
from eyelog.errors import ArchiveError
from eyelog.rfc3339 import format_rfc3339

__all__ = ["MOST_PER_SECOND", "OTHER", "MalformedMessage", "MessageLine", "Messages"]

OTHER: Final = "other"
"""The kind of messages that belong to no log: head motion, the phone's activity, and others."""

MOST_PER_SECOND: Final = 200
"""Messages per second of a connection, read no faster: the sender waits and no row is lost."""

# The reader of the files decodes a line in the same way, so what passes here passes there.
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_as_sent: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class MalformedMessage(ArchiveError):
    """A message that is not a JSON object of an app."""


class MessageLine(msgspec.Struct, frozen=True):
    """A message: its kind (a log, or `OTHER`), its values, when it arrived, and its line."""

    kind: str
    values: dict[str, Any]
    received: datetime
    line: bytes


class Messages:
    """The messages of one connection.

    Each has a stamp of its own, later than the one before, because the records of a log are
    distinguished by their stamps.
    """

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._last = datetime.min.replace(tzinfo=UTC)
        self._kinds: dict[tuple[str, ...], str] = {}

    def take(self, data: bytes) -> MessageLine | None:
        """Return the line of a message, or None for a heartbeat.

        Raises
        ------
        MalformedMessage
            If it is not a JSON object, or has more keys than a reader accepts, or other ones.
        """
        try:
            values = _decode(data)
            kept = {name: each for name, each in _as_sent(data).items() if name != RECEIVED}
        except (ValueError, RecursionError) as fault:
            raise MalformedMessage("it is not a JSON object") from fault
        values.pop(RECEIVED, None)
        kind = self._kind(tuple(values))
        if not kind:
            return None
        received = self._last = max(self._now(), self._last + timedelta(microseconds=1))
        stamp = msgspec.Raw(msgspec.json.encode(format_rfc3339(received)))
        # The values stay as they were sent; line ends in JSON are only white space.
        line = msgspec.json.encode({RECEIVED: stamp, **kept})
        line = line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
        return MessageLine(kind, values, received, line)

    def _kind(self, keys: tuple[str, ...]) -> str:
        if keys not in self._kinds:
            # With its stamp, a message has one key more.
            if not keys or len(keys) >= MOST_KEYS or len(self._kinds) >= MOST_KEYS:
                raise MalformedMessage("it has no keys, or too many different ones")
            kind = kind_of_keys(keys)
            self._kinds[keys] = kind if not kind or kind in known_logs() else OTHER
        return self._kinds[keys]
