"""The window of a request, cut from the row groups of the archive that hold it.

A day of the 15-second log is a dozen pages; reading its file for each of them took five times as
long. So groups are kept, until their month is written: a page never shows an older state of the
archive than the disk has. Windows are not kept beside them: cutting one costs a tenth of a page.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa

from eyelog.archive.arrow_tables import schema_of, stamps_of
from eyelog.archive.store import Archive
from eyelog.archive.utc_stamps import group_edges, months_of, span_of
from eyelog.catalogue import columns
from eyelog.errors import ArchiveError
from eyelog.service.records.group_cache import GroupCache
from eyelog.service.records.query import Query

__all__ = ["Windows"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Windows:
    """Reads the window of a query from the archive, whose row groups it keeps for a while.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    processes : int
        How many processes keep groups, each with its share of the memory.
    """

    def __init__(self, archive_path: str | os.PathLike[str], *, processes: int = 1) -> None:
        self._archive = Archive(archive_path)
        self._groups = GroupCache(processes=processes)

    def read(self, query: Query, account: str) -> pa.Table:
        """Return the records of a query's window: ``date`` in UTC, and the requested fields.

        Raises
        ------
        ArchiveError
            If the archive is damaged. Nothing recorded yet is an empty table.
        """
        state = self._archive.fingerprint(query.log, query.start, query.end, account=account)
        # The archive cannot read stamps alone: any column comes with them.
        fields = [name for name in query.names if name != "date"] or [columns(query.log)[0]]
        first, after = span_of(query.start, query.end, "UTC")
        parts = []
        for edges in _groups_of(first, after):
            table = self._groups.get(
                (query.log, account, query.names, edges, state),
                partial(self._read_group, query.log, account, fields, edges),
            )
            low, high = np.searchsorted(stamps_of(table), [first, after]).tolist()
            parts.append(table.slice(low, high - low))
        return parts[0] if len(parts) == 1 else pa.concat_tables(parts)

    def _read_group(
        self, log: str, account: str, fields: Sequence[str], edges: tuple[int, int]
    ) -> pa.Table:
        begin, end = (_EPOCH + timedelta(microseconds=edge) for edge in edges)
        try:
            table = self._archive.read_arrow(
                log, begin, end - timedelta(seconds=1), account=account, fields=fields
            )
        except ArchiveError:
            if account in self._archive.accounts(log):
                raise
            schema = schema_of(log)
            return pa.schema([schema.field(name) for name in ("date", *fields)]).empty_table()
        return _in_one_piece(table)


def _groups_of(first: int, after: int) -> list[tuple[int, int]]:
    """Return the edges of the row groups that contain a window, which is at most a day."""
    months = months_of(np.array([first, after - 1]))
    return [
        (opens, closes)
        for month in months
        for opens, closes in pairwise(group_edges(month))
        if opens < after and closes > first
    ]


def _in_one_piece(table: pa.Table) -> pa.Table:
    """Return a copy of a table to keep, in its own block of memory.

    A slice would keep the table that it was cut from, and a hundred pieces of columns would keep
    the memory around each. The block comes from the system's pool, which releases it as soon as it
    is free.
    """
    if not table.num_rows:
        return table
    (batch,) = table.combine_chunks().to_batches()
    piece = batch.serialize(memory_pool=pa.system_memory_pool())
    return pa.Table.from_batches([pa.ipc.read_record_batch(piece, table.schema)])
