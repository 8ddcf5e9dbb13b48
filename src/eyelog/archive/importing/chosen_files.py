"""The only way from files to records: recognised, of the chosen wearer and device, in groups.

`together` puts the records of all files into frames, `intake` into an archive.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eyelog.answers.page import Page
from eyelog.archive.importing.formats import reading
from eyelog.archive.importing.log_file import LogFile
from eyelog.archive.importing.mixture import Devices, device_of
from eyelog.archive.importing.sources import InputFile
from eyelog.archive.importing.stamps import possible
from eyelog.catalogue import log_named
from eyelog.clock import FILE_ZONE, Zone, Zones, as_zones
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, marked

__all__ = ["ChosenFiles", "Taken", "asked_zones", "reason_of"]

Keep = Callable[[LogFile, str, list[Page]], None]


class Taken(NamedTuple):
    """What became of a file: "taken", "empty", "left out", "beside" or "other log"; and its log."""

    state: str
    log: LogFile | None = None


@dataclass
class ChosenFiles:
    """Files that are read one after another, and which of their records are wanted.

    Parameters
    ----------
    tz : str or Zones or None
        The zone of dates that have no offset, or ``"file"``.
    log : str, optional
        The only log that is wanted.
    wearer : str, optional
        The only wearer that is wanted.
    split : bool
        Whether the records of each wearer are given under the wearer's name.
    device : Devices, optional
        The only device that is wanted.
    most : int
        The number of records after which a group is given.
    reader : str
        The only public function whose format is wanted; any if empty.
    beside : bool
        Whether files of a log that the app writes beside the others are read even if not requested.
    """

    tz: str | Zones | None
    log: str | None = None
    wearer: str | None = None
    split: bool = False
    device: Devices | None = None
    most: int = sys.maxsize
    reader: str = ""
    beside: bool = True
    names: list[str] = field(default_factory=list)
    wearers: set[str] = field(default_factory=set)  # whom the files name, if requested
    owners: set[str] = field(default_factory=set)  # those of whole files
    left_out: set[str] = field(default_factory=set)  # the logs of files of other logs
    devices: dict[str, str] = field(default_factory=dict)  # by the name of the file

    def take(self, file: InputFile, keep: Keep) -> Taken:
        """Read one file, and give `keep` the pages of each group of its records with its wearer.

        The wearer is empty where the records need no name: all are wanted, or they are of the only
        wanted wearer.

        Raises
        ------
        EyelogError
            If it is not a log, cannot be read, or a choice is missing.
        """
        self.names.append(file.name)
        taken = self._take(file, keep, self.log)
        if taken.state == "taken" and self.log is None:
            for also in taken.log.also if taken.log is not None else ():
                if self.beside or not log_named(also).beside:
                    self._take(file, keep, also)
        return taken

    def _take(self, file: InputFile, keep: Keep, wanted: str | None) -> Taken:
        with reading(file, tz=self.tz, log=wanted) as log:
            if log is None:
                return Taken("empty")
            if self.reader not in ("", log.reader):
                raise ArchiveError(f"it is {log.what}: {log.reader} reads it")
            if self.log not in (None, log.log):
                self.left_out.add(log.log)
                return Taken("other log", log)
            if wanted is None and not self.beside and log_named(log.log).beside:
                return Taken("beside", log)
            if self.device is not None and not self.device.takes(file.name, log.history):
                return Taken("left out", log)
            self.devices[file.name] = device_of(file.name, log.history)
            self.owners |= {log.owner()} - {""}
            given = False
            for wearer, pages in _groups(self._owned(log), self.most):
                _refuse_impossible(pages)
                keep(log, wearer, pages)
                given = True
            if not given and self.wearer is None:  # a file without records has its fields
                keep(log, "", [])
            return Taken("taken", log)

    def refuse_several_owners(self, advice: str) -> None:
        """Raise if whole files are of several wearers, and none was chosen."""
        if self.wearer is None and not self.split and len(self.owners) > 1:
            owners = ", ".join(sorted(self.owners))
            raise ConfigurationError(f"the files are of several accounts ({owners}): {advice}")

    def _owned(self, log: LogFile) -> Iterator[tuple[str, Page]]:
        """Yield the wanted pages of a file and the wearer of each."""
        if self.wearer is None and not (self.split and log.names_wearers):
            yield from (("", page) for page in log.pages())
            return
        for name, page in log.pages_by_wearer():
            self.wearers.add(name)
            if self.wearer is None:
                yield name, page
            elif name == self.wearer:
                yield "", page


def asked_zones(tz: Zone | None) -> Zones | str | None:
    """Return the requested zones, "file", or None; a wrong zone is not the fault of a file."""
    return tz if tz is None or (isinstance(tz, str) and tz == FILE_ZONE) else as_zones(tz)


def reason_of(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which is shown beside it."""
    return marked(error).removeprefix(name).lstrip(":, ")


def _refuse_impossible(pages: list[Page]) -> None:
    if not all(possible(page.stamps.view(np.int64)).all() for page in pages):
        raise ArchiveError("a date in it lies outside the years 1 to 9999")


def _groups(owned: Iterator[tuple[str, Page]], most: int) -> Iterator[tuple[str, list[Page]]]:
    """Yield the pages of each wearer in groups of a bounded number of records."""
    groups: dict[str, list[Page]] = {}
    records: dict[str, int] = {}
    for wearer, page in owned:
        groups.setdefault(wearer, []).append(page)
        records[wearer] = records.get(wearer, 0) + page.n
        if records[wearer] >= most:
            yield wearer, groups.pop(wearer)
            records[wearer] = 0
    yield from groups.items()
