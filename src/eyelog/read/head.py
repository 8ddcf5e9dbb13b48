"""The only way from files to records: recognised, checked, of the chosen wearer and device.

`read` joins the records of all files into frames, `intake` writes them into an archive.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.archive.arrow_tables import frame_of, table_of
from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import columns, log_named, near
from eyelog.clock import FILE_ZONE, Zone, Zones, as_zones, microseconds
from eyelog.decode import Page, joined_pages
from eyelog.errors import ConfigurationError, EyelogError, listed
from eyelog.frame import OFFSET, STORED
from eyelog.overlap import utc
from eyelog.read.csv_dialect import check_encoding, recoded
from eyelog.read.csv_log import CsvLog
from eyelog.read.files import InputFile, Unzipped, opened
from eyelog.read.format import FIRST, LogFile, NotALog, Source, kind_of_bytes
from eyelog.read.saved import ParquetLog, SavedLog
from eyelog.read.socket_log import SocketLog
from eyelog.read.stamp_checks import CLOCKS, checked

# The first that recognises a file reads it. Any other text may be CSV.
FORMATS: Final[list[Any]] = [ParquetLog, SocketLog, SavedLog, CsvLog]

_CUT_OFF: Final = "it breaks off before its end, and the whole lines in it were read"
_UTF_16: Final = "it is not UTF-8 but UTF-16, and was read as that"
# {yyyymmdd}-{hhmmss}_{12 characters} on Android, with ({8 characters}) on iOS.
_NAME: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})?(?:\(([0-9A-Za-z]{8})\))?_")


@dataclass
class Records:
    """The records of one wearer in one file, in UTC, or why there are none.

    They remain pages, in the order of the file, until they are joined: joining the pages of all
    files at once saves a copy of each.

    Attributes
    ----------
    state : str
        "taken"; or "empty", "left out" (of another device), "other log", "beside" (of a log that is
        written beside others, and not read yet) or "nobody" (without rows of the wearer).
    wearer : str
        Empty where the records need no name: all are wanted, or they are of the only wanted wearer.
    names : frozenset of str
        The fields that the file has.
    left_out, rows : int
        The rows of the file that give no record, and all of them; those of several wearers are with
        the first.
    repeated, conflicts : int
        The records, once joined, that came again in the file, and those that had other values then.
    again : int
        The first stamp that comes again.
    """

    file: str
    log: str | None = None
    state: str = "taken"
    wearer: str = ""
    device: str = ""
    pages: list[Page] = field(default_factory=list)
    names: frozenset[str] = frozenset()
    zones: set[str] = field(default_factory=set)
    history: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    left_out: int = 0
    cells: int = 0
    repeated: int = 0
    conflicts: int = 0
    again: int = 0
    frame: pd.DataFrame | None = None  # None: not joined yet

    def __post_init__(self) -> None:
        of_pages = (page.stamps.view(np.int64) for page in self.pages)
        self.stamps: Stamps = np.concatenate([np.empty(0, np.int64), *of_pages])
        self.rows = len(self.stamps) + self.left_out

    def lines(self) -> npt.NDArray[np.int64]:
        """Return the line of each record before they are joined, 0 where a file has no lines."""
        none = np.empty(0, np.int64)
        of_pages = (np.zeros(p.n, np.int64) if p.lines is None else p.lines for p in self.pages)
        return np.concatenate([none, *of_pages])

    def join(self) -> pd.DataFrame:
        """Join the pages to one frame of the fields that the file has, sorted, each stamp once."""
        if self.frame is not None:
            return self.frame
        ordered, log = np.sort(self.stamps), cast(str, self.log)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        joined = joined_pages(self.pages, log, spend=True, fill=True)
        self.conflicts, self.repeated = joined.conflicts, joined.repeated - joined.conflicts
        self.again = int(twice[0]) if len(twice) else 0
        if self.conflicts:
            records = "1 record" if self.conflicts == 1 else f"{self.conflicts:,} records"
            self.notes.append(
                f"{self.file}: {records} with other values than a later one of the same stamp (the"
                f" first {utc(self.again):%Y-%m-%d %H:%M:%S} UTC), which was taken"
            )
        joined.frame.attrs = {}  # pandas copies them with every column
        index = cast(pd.DatetimeIndex, joined.frame.index)
        # A column with only missing values would look like evidence, such as of eyewear never worn.
        own = [name for name in joined.frame.columns if name in self.names or name == OFFSET]
        frame = joined.frame[own]
        if not set(own) <= {*columns(log), OFFSET}:  # unknown ones as an archive keeps them
            kept = frame_of(table_of(frame, log), "UTC").set_axis(index)
            frame = kept[[name for name in own if name in kept.columns]]
        self.frame, self.pages, self.stamps = frame, [], microseconds(index)
        return frame

    def keep(self, rows: npt.NDArray[np.bool_]) -> None:
        """Leave out the other records."""
        self.frame = self.join()[rows]
        self.stamps = self.stamps[rows]
        self.left_out += int((~rows).sum())


@dataclass
class Reader:
    """Files that are read one after another, and which of their records are wanted.

    Parameters
    ----------
    tz : str or Zones or None
        The zone of dates that have no offset, or ``"file"``.
    log, wearer, device : str, optional
        The only log, wearer or device that is wanted.
    split : bool
        Whether the records of each wearer are given under the wearer's name.
    clock, dayfirst, encoding
        As `eyelog.read` takes them.
    beside : bool
        Whether files of a log that the app writes beside the others are read even if not requested.
    """

    tz: str | Zones | None
    log: str | None = None
    wearer: str | None = None
    split: bool = False
    device: str | None = None
    clock: str | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    beside: bool = True
    names: list[str] = field(default_factory=list)
    wearers: set[str] = field(default_factory=set)  # whom the files name, if requested
    owners: set[str] = field(default_factory=set)  # those of whole files
    other_logs: set[str] = field(default_factory=set)
    devices: dict[str, str] = field(default_factory=dict)  # by the name of the file
    other_devices: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.clock not in (None, *CLOCKS):
            raise ConfigurationError(f"clock must be 'first' or 'last', not {self.clock!r}")
        if self.dayfirst not in (None, True, False):
            raise ConfigurationError(f"dayfirst must be True or False, not {self.dayfirst!r}")
        if self.encoding is not None:
            check_encoding(self.encoding)

    def take(self, file: InputFile) -> list[Records]:
        """Read one file, and return the records of each wanted wearer; at least one item.

        Raises
        ------
        EyelogError
            If it is not a log, cannot be read, or a choice is missing.
        """
        self.names.append(file.name)
        taken, also = self._read(file, self.log)
        for other in also if self.log is None else ():
            if self.beside or not log_named(other).beside:
                taken += self._read(file, other)[0]
        return taken

    def _read(self, file: InputFile, wanted: str | None) -> tuple[list[Records], tuple[str, ...]]:
        """Return the records of one log of a file, and its other logs."""
        with opened(file) as (kind, stream):
            packed, wide = stream.raw, kind.startswith("utf-16")
            if wide:
                stream = recoded(stream, kind)
                kind = kind_of_bytes(stream.peek(FIRST)[:FIRST])
            if kind == "empty":
                return [Records(file.name, state="empty")], ()
            start = stream.peek(FIRST)[:FIRST]
            form = next(form for form in FORMATS if form.recognises(start))
            if self.encoding is not None and not wide and form is CsvLog:
                stream = recoded(stream, self.encoding, errors="strict")
            log: LogFile = form(Source(stream, file.name, self.tz, wanted, self.dayfirst))
            if wide:
                log.notes.append(_UTF_16)
            made = "a masked frame" if STORED in log.names else "a table of eyelog.resample"
            shows = STORED if STORED in log.names else "coverage"
            if STORED in log.names or {"n", "coverage"} <= log.names:
                raise NotALog(
                    f"it holds {made}, not records (column {shows!r}): pandas.{log.pandas} reads it"
                )
            if self.log not in (None, log.log):
                self.other_logs.add(log.log)
                return [Records(file.name, log.log, "other log")], ()
            if wanted is None and not self.beside and log_named(log.log).beside:
                return [Records(file.name, log.log, "beside")], ()
            device, spellings = _device(file.name, log.history)
            if self.device is not None and self.device not in spellings:
                self.other_devices[device] += 1
                return [Records(file.name, log.log, "left out")], ()
            self.devices[file.name] = device
            self.owners |= {log.owner()} - {""}
            by_wearer: dict[str, list[Page]] = {}
            for name, page in self._owned(log):
                by_wearer.setdefault(name, []).append(page)
            log.refuse_unreadable()
            good = {name: checked(pages, log, self.clock) for name, pages in by_wearer.items()}
            state = "taken" if good or self.wearer is None else "nobody"
            if isinstance(packed, Unzipped) and packed.cut_off:
                log.notes.append(_CUT_OFF)
        about = log.names, log.zones, dict(log.history)
        taken = [  # a file without records has its fields
            Records(file.name, log.log, state, name, device, pages, *about)
            for name, pages in (good or {"": []}).items()
        ]
        taken[0].notes, taken[0].cells = log.report(file.name), log.cells.count
        taken[0].left_out = log.left_out
        taken[0].rows += log.left_out
        return taken, log.also

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

    def refuse_several_owners(self, advice: str) -> None:
        """Raise if whole files are of several wearers, and none was chosen."""
        if self.wearer is None and not self.split and len(self.owners) > 1:
            owners = ", ".join(sorted(self.owners))
            raise ConfigurationError(f"the files are of several accounts ({owners}): {advice}")

    def refuse_nobodys(self, *, any_rows: bool) -> str:
        """Raise if no file has rows of the wearer or is of the device; return a note.

        Files of other devices are left out because that was requested, so only those of no known
        device are said.
        """
        if self.wearer is not None and self.wearers and not any_rows:
            others = listed(map(repr, sorted(self.wearers)))
            raise ConfigurationError(
                f"no file has rows of the wearer {self.wearer!r}, only of {others}"
            )
        if self.device is None:
            return ""
        if self.other_devices and not self.devices:
            named = sorted(filter(None, self.other_devices))
            which = (
                f", only of {', '.join(named)}" if named else ": no name of a file states a device"
            )
            hint = near(self.device, named)
            raise ConfigurationError(f"no file is of the device {self.device!r}{which}{hint}")
        unknown = self.other_devices[""]
        files = "1 file" if unknown == 1 else f"{unknown:,} files"
        return f"left out {files} of no known device" if unknown else ""

    def several_devices(self) -> str:
        """Return the devices that the names of the files state, if there are several."""
        devices = sorted({_device(name)[0] for name in self.names} - {""})
        if self.device is not None or len(devices) < 2:
            return ""
        more = ", ..." if len(devices) > 4 else ""
        return f"the files come from {len(devices)} devices ({', '.join(devices[:4])}{more})"


def _device(name: str, history: Any = None) -> tuple[str, set[str]]:
    """Return the device that a file's name states, else its provenance, and what else it is called.

    A name may state a long and a short number; either stands for it, and so do both.
    """
    matches = [match for match in _NAME.findall(name) if any(match)]
    if matches:
        long, short = matches[-1]
        return long or short, {long, short, f"{long}({short})"} - {""}
    steps = history.get("history", []) if isinstance(history, dict) else []
    devices = [str(step["device"]) for step in steps if step.get("device")]
    return (devices[-1], {devices[-1]}) if devices else ("", set())


def asked_zones(tz: Zone | None) -> Zones | str | None:
    """Return the requested zones, "file", or None; a wrong zone is not the fault of a file."""
    return tz if tz is None or (isinstance(tz, str) and tz == FILE_ZONE) else as_zones(tz)


def reason_of(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which is shown beside it."""
    return str(error).removeprefix(name).lstrip(":, ")
