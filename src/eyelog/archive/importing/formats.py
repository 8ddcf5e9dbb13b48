"""The formats that a log may be saved in, each recognised from how a file begins."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from eyelog.archive.importing.csv_log import CsvLog
from eyelog.archive.importing.encodings import recoded
from eyelog.archive.importing.kinds import NotALog, kind_of_bytes
from eyelog.archive.importing.log_file import LogFile, Source
from eyelog.archive.importing.parquet_log import ParquetLog
from eyelog.archive.importing.saved_log import SavedLog
from eyelog.archive.importing.socket_log import SocketLog
from eyelog.archive.importing.sources import InputFile, Unzipped, opened
from eyelog.clock import Zones
from eyelog.frame import BIN_WIDTH, STORED

__all__ = ["FORMATS", "reading"]


class Format(Protocol):
    """A subclass of `LogFile`, as a function that makes one."""

    def recognises(self, start: bytes, /) -> bool:
        """Return whether a file that begins like this is of the format."""

    def __call__(self, source: Source, /) -> LogFile:
        """Open a file."""


# The first that recognises a file reads it. Any other text may be CSV.
FORMATS: Final[list[Format]] = [ParquetLog, SocketLog, SavedLog, CsvLog]

_HEAD: Final = 64  # bytes that show the format
_CUT_OFF: Final = "it breaks off before its end, and the whole lines in it were read"
_UTF_16: Final = "it is not UTF-8 but UTF-16, and was read as that"


@contextmanager
def reading(
    file: InputFile, *, tz: str | Zones | None, log: str | None = None
) -> Iterator[LogFile | None]:
    """Open a file for reading; return None if it is empty.

    `log` is the log of a file whose fields are in both.

    Raises
    ------
    EyelogError
        If it is not a log, or cannot be read.
    """
    with opened(file) as (kind, stream):
        packed, wide = stream.raw, kind.startswith("utf-16")
        if wide:
            stream = recoded(stream, kind)
            kind = kind_of_bytes(stream.peek(_HEAD)[:_HEAD])
        if kind == "empty":
            yield None
            return
        start = stream.peek(_HEAD)[:_HEAD]
        form = next(form for form in FORMATS if form.recognises(start))
        log_file = form(Source(stream, file.name, tz, log))
        _refuse_made(log_file)
        if wide:
            log_file.notes.append(_UTF_16)
        yield log_file
        if isinstance(packed, Unzipped) and packed.cut_off:
            log_file.notes.append(_CUT_OFF)


def _refuse_made(log: LogFile) -> None:
    """Raise if a file holds a table that was made from records, not the records themselves."""
    made = {BIN_WIDTH: "a table of eyelog.resample", STORED: "a masked frame"}
    for name, what in made.items():
        if name in log.names:
            raise NotALog(
                f"it holds {what}, not records (column {name!r}): pandas.{log.pandas} reads it"
            )
