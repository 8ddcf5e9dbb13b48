"""Text that is not UTF-8: UTF-16, and cp932 (Shift JIS), made UTF-8 before anything reads it.

Spreadsheet programs save both. UTF-16 shows in the first bytes. cp932 differs from UTF-8 only where
a text is not ASCII, which in a log can only be the name or the cells of an added column.
"""

import codecs
import io
import re
from typing import Any, BinaryIO, Final, cast

__all__ = ["is_cp932", "recoded"]

_LINE_END: Final = re.compile(rb"[\r\n]+")
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")


class _Recoded(io.RawIOBase):
    """A stream of UTF-16 read as UTF-8."""

    def __init__(self, inner: BinaryIO, encoding: str) -> None:
        self._inner = inner
        # A character that is cut off at the end makes its line invalid, which is then reported.
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            read = self._inner.read(1 << 20)
            text = self._decoder.decode(read, final=not read)
            self._ready = text.encode("utf-8", "replace")
            if not read:
                break
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


def recoded(stream: BinaryIO, encoding: str) -> "io.BufferedReader[io.RawIOBase]":
    """Return a stream of UTF-16 as a stream of UTF-8."""
    return io.BufferedReader(cast(io.RawIOBase, _Recoded(stream, encoding)), 1 << 20)


def is_cp932(lines: bytes) -> bool:
    """Return whether whole lines are cp932 rather than UTF-8 with some damaged lines in it.

    They are if all of them can be decoded without private-use characters (which other encodings
    give), and most of the lines that are not ASCII are not UTF-8.
    """
    if lines.isascii():
        return False
    try:
        if _PRIVATE.search(lines.decode("cp932")):
            return False
    except UnicodeDecodeError:
        return False
    special = [line for line in _LINE_END.split(lines) if not line.isascii()]
    return 2 * sum(map(_is_utf8, special)) < len(special)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
