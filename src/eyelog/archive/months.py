"""The months of an archive: the list of their files, and the one way in which a file is read.

::

    ROOT/.months/account=me.v1.csv                                        the list
    ROOT/log=computed_data/account=me/month=2026-10/2026-10.7.SUM.parquet
    ROOT/log=computed_data/account=me/month=2026-10/2026-10-24.8.SUM.parquet

A file has one month of one log of one account, or one day (of UTC) that counts in place of what the
month has of it. Its name has a number that rises with each version, and the CRC-32 of the whole
file. The list of an account says which files count, for all of its logs: it is replaced
by one rename, so a reader meets the months before a change or after it. What is on the disk beside
them was left by a process that was killed.

Whoever reads records comes through `open_months`: a file is opened without following a link, must
have the checksum of its name, and must say that it is of this account, log and month.
"""

import json
import re
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from eyelog.archive.arrow_tables import STAMP, joined, schema_of, stamps_of
from eyelog.archive.damage import damage
from eyelog.archive.place import (
    SMALL_FILE,
    Found,
    Place,
    account_of,
    archive_errors,
    check_account,
    everything,
    folder,
    names_inside,
    open_regular,
    read_small_file,
    read_whole,
    remove_file,
    write_small_file,
)
from eyelog.archive.sealed import open_sealed
from eyelog.archive.utc_stamps import Span, Stamps, is_month, overlap, slot_edges
from eyelog.catalogue import check_log, known_logs, near
from eyelog.errors import ArchiveError, EyelogError
from eyelog.home import make_folders, move_file, sync_folder

LISTS: Final = ".months"
ASIDE: Final = ".damaged"  # hidden: Parquet tools and the archive itself skip it
OLD: Final = "data.parquet"  # of eyelog 0.3 and before
WAIT_S: Final = 300
_FILE: Final = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)\.(\d+)\.([0-9a-f]{8})\.parquet", re.ASCII)
_HEADER: Final = "log,month,file"
JOURNAL: Final = (
    f"{LISTS}/.import-journal"  # beside the lists, while those of several accounts change
)
_KEYS: Final = (b"eyelog.log", b"eyelog.account", b"eyelog.slot")


class Part(NamedTuple):
    """A file of a month: the month or the day that it has, and its name."""

    slot: str
    name: str

    @property
    def number(self) -> int:
        """The number of the version; 0 for a file of an older eyelog."""
        return 0 if self.name == OLD else int(self.name.split(".")[1])

    @property
    def is_day(self) -> bool:
        """Whether it has one day."""
        return len(self.slot) > len("2026-10")


Listed = dict[tuple[str, str], tuple[Part, ...]]  # by log and month


def part_of(name: str, month: str) -> Part | None:
    """Return what a name in the folder of a month says; None if the archive reads no such file."""
    if name == OLD:
        return Part(month, OLD)
    match = _FILE.fullmatch(name)
    return Part(match[1], name) if match and match[1].startswith(month) else None


def checksum(body: bytes) -> str:
    """Return the checksum (CRC-32) of a file as it stands in its name."""
    return f"{zlib.crc32(body):08x}"


def part_path(place: Place, log: str, account: str, month: str, name: str) -> str:
    """Return the path of a file of a month."""
    return f"{folder(place, log, account)}/month={month}/{name}"


# The lists


def list_path(place: Place, account: str) -> str:
    """Return the path of the list of the months of an account."""
    return f"{place.root}/{LISTS}/account={check_account(account)}{SMALL_FILE}"


def listed(place: Place, account: str) -> Listed:
    """Return the months of an account, of all logs, with their files.

    Raises
    ------
    ArchiveError
        If the list is damaged or gone. An account that an older eyelog wrote has none yet.
    """
    path = list_path(place, account)
    body = journal(place).get(path) or read_small_file(place, path)
    if body is not None:
        try:
            return dict(_parsed(body))
        except ValueError:
            raise damage(path, "the list of the months of an account is damaged") from None
    found = stored_parts(place, account)
    if any(part.name != OLD for parts in found.values() for part in parts):
        raise damage(path, "the list of the months of an account is gone")
    return found


@lru_cache(maxsize=64)
def _parsed(body: bytes) -> Listed:
    months: Listed = {}
    for line in _unsigned(body).decode().splitlines()[1:]:
        log, month, name, *_ = line.split(",")
        part = part_of(name, month)
        if part is None:
            raise ValueError(name)
        months[log, month] = (*months.get((log, month), ()), part)
    return months


def _signed(text: str) -> bytes:
    body = f"{text}\n".encode()
    return body + f"# {checksum(body)}\n".encode()


def _unsigned(body: bytes) -> bytes:
    text, _, stated = body.rpartition(b"# ")
    if checksum(text) != stated.decode().strip():
        raise ValueError("not the text that was written")
    return text


def write_lists(place: Place, lists: Mapping[str, Listed]) -> None:
    """Replace the lists of some accounts, all or none: this is when a change comes into force.

    On a local disk, the lists of several accounts are first written as one file, the journal. While
    it is there it counts in place of the lists, and whoever locks an account carries it out.
    """
    bodies = {}
    for account, months in lists.items():
        lines = [
            f"{log},{month},{part.name}"
            for (log, month), parts in sorted(months.items())
            for part in parts
        ]
        bodies[list_path(place, account)] = _signed("\n".join([_HEADER, *lines]))
    if len(bodies) < 2 or not place.local:
        for path, body in bodies.items():
            write_small_file(place, path, body)
        return
    with _journal_lock(place):
        _carry_out(place)
        told = {path.removeprefix(place.root): body.decode() for path, body in bodies.items()}
        write_small_file(place, f"{place.root}/{JOURNAL}", _signed(json.dumps(told)))
        with suppress(ArchiveError):  # what cannot be written now counts all the same
            _carry_out(place)


def _journal_lock(place: Place) -> FileLock:
    path = Path(place.root, f"{JOURNAL}.lock")
    make_folders(path.parent)
    return FileLock(path, timeout=WAIT_S, mode=0o600)


def journal(place: Place) -> dict[str, bytes]:
    """Return the lists, by path, that count in place of the files of their names."""
    path = f"{place.root}/{JOURNAL}"
    body = read_small_file(place, path) if place.local else None
    if body is None:
        return {}
    try:
        told = json.loads(_unsigned(body))
    except ValueError:
        raise damage(path, "the lists that an import left are damaged") from None
    return {f"{place.root}{inside}": text.encode() for inside, text in told.items()}


def _carry_out(place: Place) -> None:
    """Put the lists of a journal in their places, if there is one."""
    for path, body in journal(place).items():
        write_small_file(place, path, body)
    remove_file(place, f"{place.root}/{JOURNAL}")


def stored_parts(place: Place, account: str) -> Listed:
    """Return the files of months that are in the folders of an account, whether listed or not."""
    found: Listed = {}
    for key, _, part in _files_of(place, account):
        if part is not None:
            found[key] = (*found.get(key, ()), part)
    return found


def _files_of(place: Place, account: str) -> Iterator[tuple[tuple[str, str], Found, Part | None]]:
    """Yield log, month and path of each file in the folders of an account, and if it is a part."""
    for log in known_logs():
        home = folder(place, log, account).removeprefix(f"{place.root}/")
        for file in everything(place, home):
            month = file.parts[2].removeprefix("month=") if len(file.parts) == 4 else ""
            of_month = is_month(month) and not (file.is_folder or file.leads_to)
            yield (log, month), file, part_of(file.parts[-1], month) if of_month else None


# One process at a time writes an account

_held = threading.local()


@contextmanager
def locked(place: Place, account: str) -> Iterator[None]:
    """Let one process at a time write the records of an account, and remove what a killed one left.

    Only a local disk can lock. On an object store a list is still old or new, but of two processes
    that write the same account at the same moment the later one wins.
    """
    if not place.local:
        bucket = place.root.partition("/")[0]
        if bucket and not place.fs.exists(bucket):  # fsspec would create it, even if it is misspelt
            raise ArchiveError(
                f"cannot write to {place.name}: there is no {bucket!r}, create it first"
            )
        yield
        return
    path = Path(place.root, LISTS, f"account={check_account(account)}.lock")
    held: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in held:
        yield
        return
    make_folders(path.parent)
    try:
        with FileLock(path, timeout=WAIT_S, mode=0o600):
            held.add(path)
            try:
                _sweep(place, account)
                yield
            finally:
                held.discard(path)
    except Timeout:
        raise ArchiveError(
            f"another process has been writing the records of {account!r} for {WAIT_S} s:"
            " try again when it has finished"
        ) from None


def _sweep(place: Place, account: str) -> None:
    """Remove unfinished files and versions that do not count; set aside months of no list."""
    with suppress(ArchiveError):  # `repair` removes a damaged one
        if journal(place):
            with _journal_lock(place):
                _carry_out(place)
    stored: dict[tuple[str, str], list[Part]] = {}
    for key, file, part in list(_files_of(place, account)):
        if part is not None:
            stored.setdefault(key, []).append(part)
        elif file.parts[-1].startswith(".") and file.parts[-1].endswith(".tmp"):
            remove_file(place, file.path)
    if not Path(list_path(place, account)).exists():
        return
    try:
        months = listed(place, account)
    except ArchiveError:  # `repair` makes the list again
        return
    for (log, month), parts in stored.items():
        counting = set(months.get((log, month), ()))
        for part in set(parts) - counting if counting <= set(parts) else ():
            path = part_path(place, log, account, month, part.name)
            if counting:
                remove_file(place, path, if_possible=True)
            else:
                set_aside(place, path)


def set_aside(place: Place, path: str) -> str:
    """Move a file into the hidden folder of damaged files, for its owner alone; return where to."""
    inside, name = path.removeprefix(f"{place.root}/").rsplit("/", 1)
    aside = f"{place.root}/{ASIDE}/{inside}/{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{name}"
    if not place.local:
        place.fs.makedirs(aside.rsplit("/", 1)[0], exist_ok=True)
        place.fs.mv(path, aside)
        return aside
    file = Path(path)
    if not file.is_symlink():
        file.chmod(0o600)
    move_file(file, Path(aside))
    sync_folder(file.parent)
    with suppress(OSError):  # something else is in the folder
        file.parent.rmdir()
    return aside


# Which months there are


def accounts(place: Place, log: str) -> list[str]:
    """Return the accounts that have records of a log, sorted."""
    found: set[str] = set()
    for home in (f"log={check_log(log)}", LISTS):
        for name in names_inside(place, f"{place.root}/{home}"):
            account = account_of(name)
            if account is None or account in found:
                continue
            with suppress(ArchiveError):  # whoever reads the account is told why
                if not months(place, log, account):
                    continue
            found.add(account)
    return sorted(found)


def months(place: Place, log: str, account: str) -> list[str]:
    """Return the months (``2026-10``, by UTC) of one log of one account, in order."""
    check_log(log)
    return sorted(month for of, month in listed(place, account) if of == log)


def present_months(place: Place, log: str, account: str) -> list[str]:
    """Return the months; if there are none, raise an `ArchiveError` that lists what there is."""
    present = months(place, log, account)
    if present:
        return present
    by_log = {name: accounts(place, name) for name in known_logs()}
    every = sorted(set().union(*by_log.values()))
    if not every:
        raise ArchiveError(f"the archive {place.name} is empty: write, import or sync into it")
    if account not in every:
        names = ", ".join(map(repr, every[:10])) + (", ..." if len(every) > 10 else "")
        raise ArchiveError(
            f"no account {account!r} in the archive {place.name}{near(account, every)};"
            f" it has {names}"
        )
    logs = ", ".join(repr(name) for name in known_logs() if account in by_log[name])
    raise ArchiveError(f"the archive {place.name} has no {log!r} of {account!r}, only {logs}")


def fingerprint(place: Place, log: str, account: str, span: Span) -> tuple[tuple[str, ...], ...]:
    """Return each month in a half-open range with the checksums of its files; none is read.

    Of a month of an older eyelog, whose name has no checksum, the file is read once.
    """
    found = sorted(listed(place, account).items())
    return tuple(
        (month, *(_stated_checksum(place, log, account, month, part) for part in parts))
        for (of, month), parts in found
        if of == log and overlap(month, span)
    )


def _stated_checksum(place: Place, log: str, account: str, month: str, part: Part) -> str:
    if part.name != OLD:
        return part.name.split(".")[-2]
    path = part_path(place, log, account, month, OLD)
    if not place.local:
        return str(place.fs.ukey(path))
    status = Path(path).stat()
    return _read_checksum(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1024)
def _read_checksum(path: str, *_state: int) -> str:
    return checksum(Path(path).read_bytes())


# Records


class _File:
    """An open file of a month: what is taken from it has passed all checks."""

    def __init__(self, place: Place, log: str, account: str, month: str, part: Part) -> None:
        self.part = part
        self.path = part_path(place, log, account, month, part.name)
        self.edges = slot_edges(part.slot)
        self.schema = pa.schema([])  # its columns, once it was read
        self._of = log, account
        # An open file can be read to the end even if the next version takes its place.
        self._source: BinaryIO | None = open_regular(place, self.path) if place.local else None
        self._body = b"" if place.local else read_whole(place, self.path)
        self._kept: pq.ParquetFile | None = None

    def close(self) -> None:
        """Close the file."""
        if self._source is not None:
            self._source.close()

    def open(self, *, keep: bool = False) -> pq.ParquetFile:
        """Return the file, read and checked; with `keep` it stays in memory, for a writer.

        Raises
        ------
        ArchiveError
            If it is damaged, or of another account, log or month.
        """
        if self._kept is not None:
            return self._kept
        with damage_errors(self.path):
            body = self._body
            if self._source is not None:
                self._source.seek(0)
                body = self._source.read()
            if self.part.name == OLD:
                file = open_sealed(body, self.path)
            elif checksum(body) != self.part.name.split(".")[-2]:
                raise damage(self.path, "it is not as it was written: its checksum differs")
            else:
                file = pq.ParquetFile(pa.BufferReader(body))
            self.schema = file.schema_arrow
            if ("date", STAMP) not in zip(self.schema.names, self.schema.types, strict=True):
                raise damage(self.path, f"not a file of an archive (its 'date' is not {STAMP})")
            stated = [(file.metadata.metadata or {}).get(key, b"").decode() for key in _KEYS]
        log, account, slot = stated
        if not log or not account:
            raise damage(self.path, "its metadata names no log and no account, as if of another")
        is_ours = log == self._of[0] and check_account(account) == check_account(self._of[1])
        if not is_ours or (slot != self.part.slot and self.part.name != OLD):  # an old says none
            raise damage(
                self.path,
                f"its metadata says that it is {log!r} of {account!r}, {slot or self.part.slot}",
            )
        self._kept = file if keep else None
        return file

    def rows(self, first: int, after: int, names: Sequence[str] | None) -> pa.Table:
        """Return the rows of [first, after), in those of its columns that are among `names`."""
        with damage_errors(self.path):
            file = self.open()
            own = self.schema.names
            names = own if names is None else [name for name in names if name in own]
            at, wanted = file.metadata.schema.names.index("date"), []
            for number in range(file.num_row_groups):
                stamps = file.metadata.row_group(number).column(at).statistics
                low, high = self.edges[0], self.edges[1] - 1
                if stamps is not None and stamps.has_min_max:
                    low, high = stamps.min_raw, stamps.max_raw
                if low < self.edges[0] or high >= self.edges[1]:
                    raise damage(self.path, "it has stamps of another month")
                if low < after and high >= first:
                    wanted.append(number)
            if not wanted:
                return self.schema.empty_table().select(names)
            # A thread of pyarrow can still hold the memory that Python owns when the program ends,
            # and to give it back then aborts the process. Threads read a month no faster.
            table = file.read_row_groups(wanted, columns=names, use_threads=False)
            stamps = stamps_of(table)
            if not bool(np.all(stamps[1:] > stamps[:-1])):
                raise damage(self.path, "its stamps are not in order")
            low, high = np.searchsorted(stamps, [first, after]).tolist()
            return table.select(names).slice(low, high - low)


class Month:
    """The open files of one month of one log of one account; ranges are half open."""

    def __init__(self, place: Place, log: str, account: str, month: str, parts: Sequence[Part]):
        self.log = log
        self.month = month
        self.parts = tuple(parts)
        self._files: list[_File] = []
        with ExitStack() as opening:
            for part in sorted(parts):
                file = _File(place, log, account, month, part)
                opening.callback(file.close)
                self._files.append(file)
            self._opened = opening.pop_all()

    def close(self) -> None:
        """Close the files."""
        self._opened.close()

    def schemas(self, slots: Sequence[str] = (), *, keep: bool = False) -> Iterator[pa.Schema]:
        """Yield the columns of each file (or of some months and days), as they were written."""
        for file in self._files:
            if not slots or file.part.slot in slots:
                file.open(keep=keep)
                yield file.schema

    def rows(self, first: int, after: int, schema: pa.Schema | None = None) -> pa.Table:
        """Return the rows of [first, after), in the columns of `schema`, or in all.

        Only the row groups and columns that are needed are taken. A column that a file lacks
        (because an older catalogue did) is missing in every row.

        Raises
        ------
        ArchiveError
            If a file is damaged, or of another place.
        """
        names = None if schema is None else schema.names
        within = [each for each in self._files if each.edges[0] < after and each.edges[1] > first]
        days = [file for file in within if file.part.is_day]
        whole = [file for file in within if not file.part.is_day]
        if any(day.edges[0] <= first and day.edges[1] >= after for day in days):
            whole = []  # nothing of the month counts
        tables, at = [], 0
        base = joined([file.rows(first, after, names) for file in whole], self.log, schema)
        for day in days:
            low, high = np.searchsorted(stamps_of(base), day.edges).tolist()
            tables += [base.slice(at, low - at), day.rows(first, after, names)]
            at = high
        return joined([*tables, base.slice(at)], self.log, schema)

    def stamps(self, first: int, after: int) -> Stamps:
        """Return the stamps of [first, after); no other column is read."""
        return stamps_of(self.rows(first, after, pa.schema([("date", STAMP)])))


@contextmanager
def opened(
    place: Place, log: str, account: str, span: Span, found: Listed | None = None
) -> Iterator[list[Month]]:
    """Open the months of a range, as they are after the same change.

    Whoever has locked the account may give what is listed.

    Raises
    ------
    ArchiveError
        If a file is gone, or cannot be opened.
    """
    found = listed(place, account) if found is None else found
    while True:
        with ExitStack() as opening:
            try:
                months = [
                    opening.enter_context(closing(Month(place, log, account, month, parts)))
                    for (of, month), parts in sorted(found.items())
                    if of == log and overlap(month, span)
                ]
            except FileNotFoundError as gone:
                before, found = found, listed(place, account)
                if found == before:
                    path = str(gone.filename or gone)
                    raise damage(path, "it is gone, and the list of months names it") from None
                continue  # another process has written meanwhile
            opening = opening.pop_all()
        with opening:
            yield months
        return


def read_table(
    place: Place, log: str, account: str, span: Span, fields: Sequence[str] | None
) -> pa.Table:
    """Return the records of a half-open range, sorted; without `fields`, unknown columns come last.

    Raises
    ------
    ArchiveError
        If the archive has no records of this log and account, or a file cannot be read.
    """
    present_months(place, log, account)
    schema = None
    if fields is not None:
        schema = pa.schema([schema_of(log).field(name) for name in ("date", *fields)])
    with opened(place, log, account, span) as months:
        return joined([month.rows(*span, schema) for month in months], log, schema)


@contextmanager
def damage_errors(path: str) -> Iterator[None]:
    """Turn whatever a Parquet reader raises on unchecked bytes into `damage`.

    Errors of the disk or of the store are left as they are.
    """
    with archive_errors(f"read {path}"):
        try:
            yield
        except (EyelogError, Warning):
            raise
        except Exception as error:  # a wrong bit can affect anything: text, sizes, types, names
            module = type(error).__module__.partition(".")[0]
            of_the_disk = isinstance(error, ConnectionError | TimeoutError) or (
                isinstance(error, OSError) and error.errno is not None
            )
            if of_the_disk or module not in ("builtins", "pyarrow", "json"):
                raise
            raise damage(path, " ".join(str(error).split()) or type(error).__name__) from error
