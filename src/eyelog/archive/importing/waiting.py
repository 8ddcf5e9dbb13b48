"""Records that wait until all files are read: the first in memory, the others on the disk.

Nothing of an import is written before every file is known to belong to one wearer.
"""

import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
import zstandard

from eyelog.archive.importing.layers import Layer
from eyelog.archive.utc_stamps import Stamps

__all__ = ["Waiting"]

Source = TypeVar("Source")


@dataclass
class _Batch(Generic[Source]):
    """Some files, as layers in memory or in a file of this process; their stamps stay in memory."""

    sources: list[Source] = field(default_factory=list)
    stamps: list[Stamps] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)
    path: Path | None = None

    def within(self, first: int, after: int) -> list[int]:
        """Return the numbers of the files that have a record of [first, after)."""
        return [
            at
            for at, stamps in enumerate(self.stamps)
            if len(stamps)
            and stamps[0] < after
            and stamps[-1] >= first
            and np.searchsorted(stamps, first) < np.searchsorted(stamps, after)
        ]

    def load(self) -> list[Layer]:
        """Return the records of the files."""
        if self.path is None:
            return self.layers
        content = zstandard.decompress(self.path.read_bytes())
        layers: list[Layer] = pickle.loads(content)  # noqa: S301 - this process wrote it
        return layers


class Waiting(Generic[Source]):
    """The records of some files of one log, in the order in which they were added.

    Parameters
    ----------
    most : int
        The number of records that stay in memory. Beyond it they go into a private folder, which
        `close` removes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._batches: list[_Batch[Source]] = []
        self._open: _Batch[Source] = _Batch()
        self._records = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._last: tuple[_Batch[Source], list[Layer]] | None = None  # the batch loaded last
        self.extras: list[pa.Field] = []

    def add(self, source: Source, layer: Layer) -> None:
        """Add the records of one file, or of a part of it."""
        self._open.sources.append(source)
        self._open.stamps.append(layer.stamps)
        self._open.layers.append(layer)
        self.extras += [each for each in layer.extras if each not in self.extras]
        self._records += len(layer.stamps)
        if self._records >= self._most:
            self._put_aside()

    def drop(self, source: Source) -> None:
        """Remove the records of one file, which turned out to be damaged."""
        for batch in (*self._batches, self._open):
            empty = np.empty(0, np.int64)
            for at, each in enumerate(batch.sources):
                if each is source:
                    batch.stamps[at] = empty

    def _put_aside(self) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="eyelog-import-")
        batch = self._open
        batch.path = Path(self._folder.name) / f"{len(self._batches)}.zst"
        content = pickle.dumps(batch.layers, protocol=pickle.HIGHEST_PROTOCOL)
        batch.path.write_bytes(zstandard.compress(content, 1))
        batch.layers = []
        self._batches.append(batch)
        self._open, self._records = _Batch(), 0

    def by_source(self) -> Iterator[tuple[Source, Stamps]]:
        """Yield each file, or part of one, with its stamps."""
        for batch in (*self._batches, self._open):
            yield from zip(batch.sources, batch.stamps, strict=True)

    def stamps(self) -> Stamps:
        """Return the sorted stamps of all files; a stamp of two files occurs twice."""
        every = [stamps for _, stamps in self.by_source()]
        return np.sort(np.concatenate([np.empty(0, np.int64), *every]))

    def between(self, first: int, after: int) -> list[tuple[Source, Layer]]:
        """Return the records of [first, after), of the files that have any."""
        stretches = []
        for batch in (*self._batches, self._open):
            if not (inside := batch.within(first, after)):
                continue
            if self._last is None or self._last[0] is not batch:
                self._last = batch, batch.load()
            layers = self._last[1]
            stretches += [(batch.sources[at], layers[at].between(first, after)) for at in inside]
        return stretches

    def close(self) -> None:
        """Remove what was put aside."""
        self._last = None
        if self._folder is not None:
            self._folder.cleanup()
