"""What every format of a file offers: the log, its fields, and its records as pages.

A new format is one file with a subclass of `LogFile`, and one line in `formats.FORMATS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar, Final, cast

import pandas as pd

from eyelog.answers.page import Page
from eyelog.archive.arrow_tables import frame_of, table_of
from eyelog.catalogue import columns
from eyelog.clock import Zones
from eyelog.errors import ArchiveError, ConfigurationError, argument
from eyelog.frame import OFFSET

__all__ = ["Faults", "LogFile", "Source", "own_columns", "whole_of"]

LARGEST: Final = 512 << 20  # bytes of a file that is read as a whole
_SHOWN: Final = 5  # lines that a report shows; the others are counted


@dataclass
class Faults:
    """The lines of a file that are not records: their number, and the faults of the first few."""

    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, what: str) -> None:
        """Count one line."""
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append((line, what))

    def shown(self) -> str:
        """Return the faults of the first lines, and how many more there are."""
        lines = "; ".join(f"line {line}: {what}" for line, what in self.first)
        more = self.count - len(self.first)
        return lines + (f"; and {more:,} more" if more else "")

    def report(self, name: str, rows: int) -> str:
        """Return one sentence about which lines of a file were left out, and why."""
        return (
            f"{name}: left out {self.count:,} of {rows:,} lines that are not records"
            f" ({self.shown()})"
        )


@dataclass(frozen=True)
class Source:
    """What a format needs to read a file.

    Parameters
    ----------
    stream : binary file
        At its beginning.
    name : str
        The file, for messages.
    tz : str or Zones, optional
        The zone of dates that have no offset. With ``"file"`` the pages have the offset that each
        date is written in (``utc_offset_min``).
    log : str, optional
        The log of a file whose fields are in both.
    """

    stream: BinaryIO
    name: str = ""
    tz: str | Zones | None = None
    log: str | None = None


class LogFile(ABC):
    """One file of a log that is being read.

    A subclass is one format. It is made from a `Source`, and raises `NotALog` if it is not a log.

    Attributes
    ----------
    log : str
        The log of the records.
    names : frozenset of str
        The fields that the file has.
    rows : int
        Rows read so far; all of them after `pages`.
    faults : Faults
        Those of them that are not records.
    zones : set of str
        The zones, or the offsets such as ``+09:00``, of the dates read so far.
    notes : list of str
        What a user should know about the file, besides its faults.
    history : mapping
        The provenance that was saved with the records; may be empty.
    names_wearers : bool
        Whether the file says whose records they are.
    also : tuple of str
        Other logs of which the file has records too.
    """

    what: ClassVar[str]  # as a message calls the format
    reader: ClassVar[str]  # the public function that reads one such file
    pandas: ClassVar[str]  # the function of pandas that reads any table of the format

    names: frozenset[str]
    rows: int
    names_wearers: bool = False
    also: tuple[str, ...] = ()

    def __init__(self, log: str) -> None:
        self.log = log
        self.faults = Faults()
        self.zones: set[str] = set()
        self.notes: list[str] = []
        self.history: Mapping[str, Any] = {}

    @staticmethod
    @abstractmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file that begins like this has the format."""

    @abstractmethod
    def pages(self) -> Iterator[Page]:
        """Yield the records of the only wearer, in the order of the file; raise if of several."""

    def pages_by_wearer(self) -> Iterator[tuple[str, Page]]:
        """Yield the records with the name of the wearer, as the file states it."""
        raise ConfigurationError(
            f"it has no column that names each row's wearer (user_id, wearer): leave"
            f" out {argument('wearer')}"
        )

    def owner(self) -> str:
        """Return the wearer whom the file states for all its records; empty if it does not."""
        return ""

    def report(self, name: str) -> list[str]:
        """Return what a user should know about the file, under its name, after it was read."""
        notes = [f"{name}: {note}" for note in self.notes]
        return [*notes, self.faults.report(name, self.rows)] if self.faults.count else notes


def whole_of(stream: BinaryIO) -> bytes:
    """Return the content of a file of a format that is read as a whole."""
    content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ArchiveError(f"it is larger than {LARGEST >> 20} MB: split it")
    return content


def own_columns(frame: pd.DataFrame, log: LogFile) -> pd.DataFrame:
    """Return the columns of a frame that its file has, unknown ones as an archive keeps them.

    A column with only missing values would look like evidence, such as that the eyewear was never
    worn.
    """
    # Also the offset of each date, if that was requested.
    chosen = frame[[name for name in frame.columns if name in log.names or name == OFFSET]]
    if set(chosen.columns) <= {*columns(log.log), OFFSET}:
        return chosen
    index = cast(pd.DatetimeIndex, frame.index)
    kept = frame_of(table_of(chosen, log.log), "UTC").set_axis(index)
    kept = kept[[name for name in chosen.columns if name in kept.columns]]
    kept.attrs = frame.attrs
    return kept
