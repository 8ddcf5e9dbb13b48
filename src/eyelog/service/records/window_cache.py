"""The windows whose pages are being requested: each is read from the archive once, not per page.

A day of the 15-second log is a dozen pages; reading it for each of them took five times as long.
A window is kept while its months are not written, so a page never shows an older state of the
archive than the disk has.
"""

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

import numpy as np
import pyarrow as pa

from eyelog.archive.parquet.layout import schema_of
from eyelog.archive.store import Archive
from eyelog.catalogue import columns
from eyelog.errors import ArchiveError
from eyelog.service.records.query import Query

__all__ = ["Windows"]

_KEPT_BYTES = 256 << 20
"""Some hundred days of every field: 2 MB of the 15-second log, 0.5 MB of the 60-second log."""


class Windows:
    """Reads the window of a query from the archive, or gives the one it has kept.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    processes : int
        How many processes keep windows, each its share of the memory.
    """

    def __init__(self, archive_path: str | os.PathLike[str], *, processes: int = 1) -> None:
        self._most_bytes = _KEPT_BYTES // processes
        self._archive = Archive(archive_path)
        self._kept: OrderedDict[Hashable, pa.Table] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, query: Query, account: str, *, keep_above: int) -> pa.Table:
        """Return the records of a query's window: ``date`` in UTC, and the fields asked for.

        It is kept for the pages to come if it has more than `keep_above` records.

        Raises
        ------
        ArchiveError
            If the archive is damaged. Nothing recorded yet is an empty table.
        """
        state = self._archive.fingerprint(query.log, query.start, query.end, account=account)
        key = (query.log, account, query.start, query.end, query.names, state)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        table = self._read(query, account)
        if table.num_rows > keep_above:
            self._keep(key, table)
        return table

    def _keep(self, key: Hashable, table: pa.Table) -> None:
        with self._lock:
            if key in self._kept:  # another thread has read it meanwhile
                return
            self._kept[key] = table
            self._bytes += table.nbytes
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes

    def _read(self, query: Query, account: str) -> pa.Table:
        # The archive reads no stamps alone: any one column carries them.
        asked = [name for name in query.names if name != "date"] or [columns(query.log)[0]]
        try:
            table = self._archive.read_arrow(
                query.log, query.start, query.end, account=account, fields=asked
            )
        except ArchiveError:
            if account in self._archive.accounts(query.log):
                raise
            schema = schema_of(query.log)
            return pa.schema([schema.field(name) for name in ("date", *asked)]).empty_table()
        # A slice would keep the days around it in memory.
        return table.take(pa.array(np.arange(table.num_rows)))
