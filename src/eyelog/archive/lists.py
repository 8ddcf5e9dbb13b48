"""Which files of an archive count: the months of each account, put in force by one rename.

::

    ROOT/.months/account=me.v1.csv                                        the list
    ROOT/log=computed_data/account=me/month=2026-10/2026-10.7.SUM.parquet
    ROOT/log=computed_data/account=me/month=2026-10/2026-10-24.8.SUM.parquet

A file has one month of one log of one account, or one day (of UTC) that counts in place of what the
month has of it. Its name has a number that rises with each version, and the CRC-32 of the whole
file. The list of an account says which files count, for all of its logs: it is replaced
by one rename, so a reader meets the months before a change or after it. What is on the disk beside
them was left by a process that was killed.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, cast

from filelock import FileLock, Timeout

from eyelog import errors
from eyelog.archive.place import Found, Place, account_of, archive_errors, check_account, damage
from eyelog.arrow_tables import Span, overlap
from eyelog.catalogue import check_log, known_logs, near
from eyelog.errors import ArchiveError
from eyelog.home import make_folders, put_in_place

LISTS: Final = ".months"
ASIDE: Final = ".damaged"  # hidden: Parquet tools and the archive itself skip it
OLD: Final = "data.parquet"  # of eyelog 0.3 and before
WAIT_S: Final = 300
JOURNAL: Final = f"{LISTS}/.import-journal"  # while the lists of several accounts change
_FILE: Final = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)\.([1-9]\d*)\.([0-9a-f]{8})\.parquet", re.ASCII)
_HEADER: Final = "log,month,file"


class Part(NamedTuple):
    """A file of an account: its log, the month or the day that it has, and its version.

    A file of an older eyelog has the number 0, and no checksum in its name.
    """

    log: str
    slot: str
    number: int = 0
    checksum: str = ""

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"{self.slot}.{self.number}.{self.checksum}.parquet" if self.number else OLD

    @property
    def month(self) -> str:
        """The month that it is of."""
        return self.slot[: len("2026-10")]

    @property
    def is_day(self) -> bool:
        """Whether it has one day."""
        return self.slot != self.month


Parts = frozenset[Part]


@lru_cache(maxsize=4096)  # those of an account are looked at again whenever it is locked
def part_of(log: str, month: str, name: str) -> Part | None:
    """Return what a name in the folder of a month says; None if the archive reads no such file."""
    if name == OLD:
        return Part(log, month)
    match = _FILE.fullmatch(name)
    if match is None or not match[1].startswith(month):
        return None
    return Part(log, match[1], int(match[2]), match[3])


def of_month(parts: Iterable[Part], log: str, month: str) -> Parts:
    """Return the files of one month of one log."""
    return frozenset(part for part in parts if (part.log, part.month) == (log, month))


def checksum(body: bytes) -> str:
    """Return the checksum (CRC-32) of a file as it stands in its name."""
    return f"{zlib.crc32(body):08x}"


def part_path(place: Place, account: str, part: Part) -> str:
    """Return the path of a file of a month."""
    return f"{place.folder(part.log, account)}/month={part.month}/{part.name}"


# The lists


def listed(place: Place, account: str) -> Parts:
    """Return the files that count, of all logs and months of an account.

    Raises
    ------
    ArchiveError
        If the list is damaged or gone. An account that an older eyelog wrote has none yet.
    """
    path = place.small_file(LISTS, account)
    body = journal(place).get(path) or place.read(path)
    if body is not None:
        try:
            return _parsed(body)
        except ValueError:
            raise damage(path, "the list of the months of an account is damaged") from None
    found = stored_parts(place, account)
    if any(part.number for part in found):
        raise damage(path, "the list of the months of an account is gone")
    return found


@lru_cache(maxsize=64)
def _parsed(body: bytes) -> Parts:
    parts = [part_of(*line.split(",")[:3]) for line in _unsigned(body).splitlines()[1:]]
    if None in parts:
        raise ValueError("a name of no file of a month")
    return cast(Parts, frozenset(parts))


def _signed(text: str) -> bytes:
    body = f"{text}\n".encode()
    return body + f"# {checksum(body)}\n".encode()


def _unsigned(body: bytes) -> str:
    text, _, stated = body.rpartition(b"# ")
    if checksum(text) != stated.decode().strip():
        raise ValueError("not the text that was written")
    return text.decode()


def write_lists(place: Place, lists: Mapping[str, Parts]) -> None:
    """Replace the lists of some accounts, all or none: this is when a change comes into force.

    On a local disk, the lists of several accounts are first written as one file, the journal. While
    it is there it counts in place of the lists, and whoever locks an account carries it out.
    """
    bodies = {}
    for account, parts in lists.items():
        lines = [f"{part.log},{part.month},{part.name}" for part in sorted(parts)]
        bodies[place.small_file(LISTS, account)] = _signed("\n".join([_HEADER, *lines]))
    if len(bodies) < 2 or not place.local:
        for path, body in bodies.items():
            place.write(path, body)
        return
    with _journal_lock(place):
        _carry_out(place)
        texts = {path.removeprefix(place.root): body.decode() for path, body in bodies.items()}
        place.write(f"{place.root}/{JOURNAL}", _signed(json.dumps(texts)))
        with suppress(ArchiveError):  # what cannot be written now counts all the same
            _carry_out(place)


def _journal_lock(place: Place) -> FileLock:
    path = Path(place.root, f"{JOURNAL}.lock")
    make_folders(path.parent)
    return FileLock(path, timeout=WAIT_S, mode=0o600)


def journal(place: Place) -> dict[str, bytes]:
    """Return the lists, by path, that count in place of the files of their names."""
    path = f"{place.root}/{JOURNAL}"
    body = place.read(path) if place.local else None
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
        place.write(path, body)
    place.remove(f"{place.root}/{JOURNAL}")


def stored_parts(place: Place, account: str) -> Parts:
    """Return the files of months in the folders of an account, whether they count or not."""
    return frozenset(part for _, part in _files_of(place, account) if part is not None)


def _files_of(place: Place, account: str) -> Iterator[tuple[Found, Part | None]]:
    """Yield each file in the folders of an account, and what it is as a file of a month."""
    for log in known_logs():
        home = place.folder(log, account).removeprefix(f"{place.root}/")
        for file in place.everything(home):
            month = "" if file.is_folder or file.leads_to else file.month
            is_part = month and len(file.parts) == 4
            yield file, part_of(log, month, file.parts[-1]) if is_part else None


# A change, one process at a time

# The parts that stay, and the files that are not in their places yet: by account, log and month
Staged = dict[tuple[str, str, str], tuple[Iterable[Part], Mapping[str, Path]]]  # by slot


def commit_all(place: Place, staged: Staged) -> None:
    """Put the new files of months in place, under the locks of the caller.

    On a local disk the months of all accounts come into force together; in an object store, those
    of one account after those of another, and an error says which are written.
    """
    before = {account: listed(place, account) for account, _, _ in staged}
    lists, written = dict(before), list[str]()
    try:
        with archive_errors(f"write to {place.name}"):
            for account, counting in before.items():
                if place.read(place.small_file(LISTS, account)) is None:
                    # From now on, what no list names does not count.
                    write_lists(place, {account: counting})
            for (account, log, month), (kept, made) in staged.items():
                old = of_month(before[account], log, month)
                number = max((part.number for part in old), default=0) + 1
                lists[account] = lists[account] - old | set(kept)
                for slot, file in made.items():
                    body = file.read_bytes()
                    part = Part(log, slot, number, checksum(body))
                    lists[account] |= {part}
                    path = part_path(place, account, part)
                    if place.local:
                        put_in_place(file, Path(path))
                    else:
                        place.write(path, body)
            for together in [[*lists]] if place.local else [[account] for account in lists]:
                write_lists(place, {account: lists[account] for account in together})
                written += map(repr, together)
    except ArchiveError as error:
        if not written:
            raise
        raise ArchiveError(
            f"{error}; the records of {errors.listed(written)} are written: import again, which"
            " adds the others"
        ) from error
    finally:
        for account, parts in lists.items():
            # A store may have taken a list although it says that it has not.
            with suppress(ArchiveError), archive_errors(f"write to {place.name}"):
                for part in (before[account] | parts) - listed(place, account):
                    place.remove(part_path(place, account, part), may_stay=True)


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
    make_folders(path.parent)
    try:
        with FileLock(path, timeout=WAIT_S, mode=0o600, is_singleton=True) as lock:
            if lock.lock_counter == 1:  # a thread may lock an account that it has locked
                _sweep(place, account)
            yield
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
    found = list(_files_of(place, account))
    for file, _ in found:
        if file.parts[-1].startswith(".") and file.parts[-1].endswith(".tmp"):
            place.remove(file.path)
    try:
        counting = listed(place, account)
    except ArchiveError:  # `repair` makes the list again
        return
    stored = {part for _, part in found}
    for file, part in found:
        if part is None or part in counting:
            continue
        instead = of_month(counting, part.log, part.month)
        if not instead:
            place.set_aside(file.path, ASIDE)
        elif instead <= stored:
            place.remove(file.path, may_stay=True)


# Which months there are


def accounts(place: Place, *logs: str) -> list[str]:
    """Return the accounts that have records of some logs, by default of any, sorted."""
    logs = tuple(map(check_log, logs)) or known_logs()
    homes = (LISTS, *(f"log={log}" for log in logs))
    names = [name for home in homes for name in place.names(f"{place.root}/{home}")]
    found = set()
    for account in {account for name in names if (account := account_of(name)) is not None}:
        with suppress(ArchiveError):  # whoever reads the account is told why
            if not any(part.log in logs for part in listed(place, account)):
                continue
        found.add(account)
    return sorted(found)


def months(place: Place, log: str, account: str) -> list[str]:
    """Return the months (``2026-10``, by UTC) of one log of one account, in order."""
    check_log(log)
    return sorted({part.month for part in listed(place, account) if part.log == log})


def present_months(place: Place, log: str, account: str) -> list[str]:
    """Return the months; if there are none, raise an `ArchiveError` that lists what there is."""
    if present := months(place, log, account):
        return present
    every = accounts(place)
    if not every:
        raise ArchiveError(f"the archive {place.name} is empty: write, import or sync into it")
    if account not in every:
        names = ", ".join(map(repr, every[:10])) + (", ..." if len(every) > 10 else "")
        raise ArchiveError(
            f"no account {account!r} in the archive {place.name}{near(account, every)};"
            f" it has {names}"
        )
    logs = ", ".join(repr(name) for name in known_logs() if months(place, name, account))
    raise ArchiveError(f"the archive {place.name} has no {log!r} of {account!r}, only {logs}")


def fingerprint(place: Place, log: str, account: str, span: Span) -> tuple[tuple[str, str], ...]:
    """Return the files of the months in a half-open range with their checksums; none is read.

    For a file of an older eyelog, whose name has no checksum, its size and time stand.
    """
    return tuple(
        (part.slot, part.checksum or place.fs.ukey(part_path(place, account, part)))
        for part in sorted(listed(place, account))
        if part.log == log and overlap(part.month, span)
    )
