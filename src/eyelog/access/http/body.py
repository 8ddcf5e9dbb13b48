"""The body of an answer, read completely, decompressed, and never larger than an answer can be."""

import gzip
import io
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import requests
import zstandard
from requests.exceptions import ContentDecodingError, ReadTimeout

__all__ = ["ACCEPT_ENCODING", "BODY_SECONDS", "MOST_BYTES", "TooLarge", "decoded", "read_body"]

ACCEPT_ENCODING: Final = "gzip, zstd"

BODY_SECONDS = 180.0
"""Seconds after which a body that trickles in is given up."""

MOST_BYTES: Final = 64 << 20
"""Bytes of a body, as received and as decompressed. A full day of a log takes 7 MB of JSON."""

_PIECE: Final = 1 << 18
_ZSTD_PIECE: Final = 1 << 10
"""Compressed bytes at a time: a kilobyte becomes 32 MB at most."""


class TooLarge(requests.RequestException):
    """The answer is larger than any answer of the service: it is not read to its end."""


def read_body(response: requests.Response) -> bytes:
    """Return the body as received; one that is short, too large or too slow raises."""
    ends = time.monotonic() + BODY_SECONDS
    pieces = []
    size = 0
    while piece := response.raw.read1(_PIECE, decode_content=False):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise TooLarge
        if time.monotonic() > ends:
            raise ReadTimeout(f"the body was not complete after {BODY_SECONDS:.0f} s")
    return b"".join(pieces)


def decoded(body: bytes, codings: str) -> bytes:
    """Undo the content codings; unlike in urllib3, a gzip body that was cut short raises."""
    for coding in reversed(codings.lower().split(",")) if body else ():
        decode = _DECODERS.get(coding.strip())
        if decode is None:
            raise ContentDecodingError(
                f"the body has the coding {coding!r}, which was not requested"
            )
        try:
            body = decode(body)
        except (EOFError, OSError, zlib.error, zstandard.ZstdError) as fault:
            # The exceptions of requests are OSErrors too.
            if isinstance(fault, TooLarge):
                raise
            raise ContentDecodingError(f"the {coding} body is cut short or damaged") from fault
    return body


def _gunzip(body: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
        plain = file.read(MOST_BYTES + 1)
    if len(plain) > MOST_BYTES:
        raise TooLarge
    return plain


def _unzstd(body: bytes) -> bytes:
    stated = zstandard.frame_content_size(body)
    if stated > MOST_BYTES:
        raise TooLarge
    if stated > 0:  # the decoder rejects a frame that grows larger than it states
        with suppress(zstandard.ZstdError):
            return zstandard.ZstdDecompressor().decompress(body, allow_extra_data=False)
    # Nothing is stated, or there are several frames.
    pieces = []
    size = 0
    for piece in _zstd_pieces(memoryview(body)):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise TooLarge
    return b"".join(pieces)


def _zstd_pieces(body: memoryview) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    start = 0
    while start < len(body):
        if frame.eof:
            frame = zstandard.ZstdDecompressor().decompressobj()
        piece = body[start : start + _ZSTD_PIECE]
        yield frame.decompress(piece)
        start += len(piece) - len(frame.unused_data)
    if not frame.eof:
        raise EOFError


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "zstd": _unzstd,
    "identity": bytes,
    "": bytes,
}
