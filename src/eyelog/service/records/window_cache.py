"""The windows whose pages are being requested: each is read from the archive once, not per page.

A day of the 15-second log is a dozen pages; reading it for each of them took five times as long.
A window is kept while its months are not written, so a page never shows an older state of the
archive than the disk has.
"""

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import columns
from eyelog.errors import ArchiveError
from eyelog.frame import empty
from eyelog.service.records.query import Query

__all__ = ["Windows"]

_KEPT = 16  # at most 3.5 MB each: one day of every field


class Windows:
    """Reads the window of a query from the archive, or gives the one it has kept."""

    def __init__(self, archive_path: str | os.PathLike[str]) -> None:
        self._archive = Archive(archive_path)
        self._kept: OrderedDict[Hashable, pd.DataFrame] = OrderedDict()
        self._lock = Lock()

    def read(self, query: Query, account: str, *, keep_above: int) -> pd.DataFrame:
        """Return the records of a query's window: its range and its fields, nothing else.

        It is kept for the pages to come if it has more than `keep_above` records.

        Raises
        ------
        ArchiveError
            If the archive is damaged. Nothing recorded yet is an empty frame.
        """
        state = self._archive.fingerprint(query.log, query.start, query.end, account=account)
        key = (query.log, account, query.start, query.end, query.names, state)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        frame = self._read(query, account)
        if len(frame) > keep_above:
            with self._lock:
                self._kept[key] = frame
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return frame

    def _read(self, query: Query, account: str) -> pd.DataFrame:
        # The archive reads no frame of stamps alone: any one column carries them.
        asked = [name for name in query.names if name != "date"] or [columns(query.log)[0]]
        try:
            frame = self._archive.read(
                query.log, query.start, query.end, account=account, fields=asked
            )
        except ArchiveError:
            if account in self._archive.accounts(query.log):
                raise
            return empty(query.log, names=asked)
        frame.attrs = {}  # pandas copies them deeply for every column that is taken
        return frame
