"""The row groups read most recently: four days of a month are decoded once.

An archive's file can only be read by whole row groups of four days each. Without this cache, a
client that requests one day after the other would have each group decoded for each of its days.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Final

import pyarrow as pa

__all__ = ["GroupCache"]

_KEPT_BYTES: Final = 256 << 20
"""Groups of every field: of a hundred clients of the 60-second log (2 MB each), or twenty of the
15-second log (at most 13 MB each)."""


class GroupCache:
    """The most recently used tables by key; if several threads want one, it is read once.

    Parameters
    ----------
    processes : int
        How many processes keep groups, each with its share of the memory.
    """

    def __init__(self, *, processes: int = 1) -> None:
        self._most_bytes = _KEPT_BYTES // processes
        self._kept: OrderedDict[Hashable, Future[pa.Table]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable, read: Callable[[], pa.Table]) -> pa.Table:
        """Return the table of a key; `read` is called if there is none, and its error is raised."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
            else:
                mine = self._kept[key] = Future[pa.Table]()
        if kept is not None:
            return kept.result()  # the thread that put it there reads it
        try:
            table = read()
        except BaseException as error:
            with self._lock:
                del self._kept[key]
            mine.set_exception(error)
            raise
        mine.set_result(table)
        with self._lock:
            self._bytes += table.nbytes
            self._forget()
        return table

    def _forget(self) -> None:
        """Drop the tables used longest ago, except those being read."""
        for key in list(self._kept):
            if self._bytes <= self._most_bytes:
                return
            if self._kept[key].done():
                self._bytes -= self._kept.pop(key).result().nbytes
