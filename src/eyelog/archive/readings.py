"""One file, whatever it is, as pages of records of one log."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from eyelog.access.columns import Page
from eyelog.archive.bundles import Source, opened
from eyelog.archive.csvlog import CsvLog, Faults
from eyelog.archive.saved import answer_pages
from eyelog.errors import ArchiveError

__all__ = ["UNFINISHED", "SavedLog", "reading"]

UNFINISHED: Final = "its last answer has a cursor: the pages that follow are not in the file"

LARGEST_ANSWER: Final = 512 << 20


@dataclass
class SavedLog:
    """A file of answers that was read; the same members as `CsvLog`."""

    _pages: list[Page]
    faults: Faults = field(default_factory=Faults)

    @property
    def log(self) -> str:
        """The log of the records."""
        return self._pages[0].log

    @property
    def rows(self) -> int:
        """How many records there are."""
        return sum(page.n for page in self._pages)

    @property
    def unfinished(self) -> bool:
        """Whether the last page says that more pages follow."""
        return self._pages[-1].cursor is not None

    def pages(self) -> Iterator[Page]:
        """Give the records page by page."""
        yield from self._pages


@contextmanager
def reading(source: Source, *, tz: str | None) -> Iterator[CsvLog | SavedLog | None]:
    """Open a file for reading; None where it holds nothing at all.

    Raises
    ------
    EyelogError
        If it holds no log, or cannot be read.
    """
    with opened(source) as (kind, stream):
        if kind == "json":
            yield SavedLog(answer_pages(_whole(stream), where=source.name))
        else:
            yield CsvLog(stream, tz=tz) if kind == "text" else None


def _whole(stream: BinaryIO) -> bytes:
    content = stream.read(LARGEST_ANSWER + 1)
    if len(content) > LARGEST_ANSWER:
        raise ArchiveError(
            f"it is larger than {LARGEST_ANSWER >> 20} MB: split it into files of fewer answers"
        )
    return content
