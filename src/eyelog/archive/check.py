"""What an archive has, what is wrong with it, and damaged months set aside."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.archive.account import small_file_problems, stored_zones, synced_days
from eyelog.archive.lists import (
    ASIDE,
    JOURNAL,
    LISTS,
    Part,
    Parts,
    accounts,
    journal,
    listed,
    locked,
    part_path,
    stored_parts,
    write_lists,
)
from eyelog.archive.months import Stored, readable_stamps
from eyelog.archive.place import OF_OLD, Place, problem_of
from eyelog.arrow_tables import NO_STAMPS, days_of, month_edges, schema_of
from eyelog.catalogue import known_logs, log_named
from eyelog.clock import DAY_US
from eyelog.errors import ArchiveError, warn
from eyelog.home import progress_line
from eyelog.judge.packets import PAUSE_US

_DTYPES: Final = {
    "account": "string",
    "log": "string",
    "first": "datetime64[us, UTC]",
    "last": "datetime64[us, UTC]",
    "days": "int64",
    "records": "int64",
    "gaps": "int64",
    "bytes": "int64",
    "damaged": "int64",
    "tz": "string",
}
_PROBLEM: Final = ("account", "log", "month", "file", "problem")
_ROUNDS: Final = 3  # in which the files that another process writes meanwhile are read too
_REPAIRED: Final = ("account", "log", "month", "problem", "sync_again", "import_again", "aside")


def inventory(place: Place) -> pd.DataFrame:
    """Return one row per log and account; see `eyelog.Archive.inventory`."""
    place.require()
    present = sorted((account, log) for log in known_logs() for account in accounts(place, log))
    rows = [(account, log, *_summary(place, account, log)) for account, log in present]
    table = pd.DataFrame(rows, columns=list(_DTYPES))
    for name in ("first", "last"):  # all missing, if every month is damaged
        table[name] = pd.to_datetime(table[name], utc=True)
    return table.astype(_DTYPES)


def _summary(place: Place, account: str, log: str) -> tuple[Any, ...]:
    """Return what `inventory` says of a log of an account."""
    stamps, damaged, size, zones = NO_STAMPS, 0, 0, None
    try:
        size = bytes_of_account(place, account, log)
        stamps, wrong = readable_stamps(place, log, account)
        damaged = len(wrong)
        for month, problem in wrong.items():
            warn(
                f"{log!r} of {account!r}: {month} is damaged and not counted ({problem}):"
                " `eyelog archive repair` sets it aside and lists the days to get again"
            )
    except ArchiveError as error:
        damaged = 1
        warn(str(error))
    try:
        zones = stored_zones(place, account)
    except ArchiveError as error:
        warn(str(error))
    about = log_named(log)
    first, last = stamps[[0, -1]].view("M8[us]") if len(stamps) else [None, None]
    # The stamps of packets are uneven: only the end of a connection is sure to be a gap.
    longest = PAUSE_US if about.numbers_packets else about.interval_us * 3 // 2
    gaps = int(np.count_nonzero(np.diff(stamps) > longest))
    known = None if zones is None else str(zones)
    return first, last, len(days_of(stamps)), len(stamps), gaps, size, damaged, known


def bytes_of_account(place: Place, account: str, log: str | None = None) -> int:
    """Return the size of the files of months of an account, of one log or of all."""
    total = 0
    for part in listed(place, account):
        if log in (None, part.log):
            with suppress(FileNotFoundError):
                total += int(place.fs.size(part_path(place, account, part)) or 0)
    return total


# What is wrong


def verify(place: Place) -> pd.DataFrame:
    """Read everything; return one row per problem; see `eyelog.Archive.verify`."""
    place.require()
    problems: list[tuple[str, ...]] = []
    lists = {account: _listed_or_rebuilt(place, account) for account in accounts(place)}
    paths, files = set[str](), sum(len(found) for found, _ in lists.values())
    with progress_line(files, "verify", unit="file") as done:
        for account, (found, problem) in lists.items():
            problems_of: dict[Part, list[str]] = {}
            for _ in range(_ROUNDS):
                for part in sorted(found - problems_of.keys()):
                    problems_of[part] = part_problems(place, account, part)
                    done()
                found, problem = _listed_or_rebuilt(place, account)
            if problem:
                problems.append((account, "", "", place.small_file(LISTS, account), problem))
            for part in sorted(found):
                path = part_path(place, account, part)
                paths.add(path)
                of_part = problems_of.get(part, ())
                problems += [(account, part.log, part.month, path, each) for each in of_part]
    strays = [
        (log, file)
        for log in known_logs()
        for file in place.everything(f"log={log}")
        if file.path not in paths and not file.is_folder
    ]
    for account in {account for _, file in strays for account in file.accounts}:
        with suppress(ArchiveError, OSError), locked(place, account):
            pass  # whoever locks removes what a kill has left
        with suppress(ArchiveError):
            paths |= {part_path(place, account, part) for part in listed(place, account)}
    wrong = "the archive does not read this path: it reads the files that its lists name"
    problems += [
        (next(iter(file.accounts), ""), log, file.month, file.path, wrong)
        for log, file in strays
        if file.path not in paths
        and not file.parts[-1].startswith(".")
        and (not place.local or os.path.lexists(file.path))
    ]
    problems += [(account, "", "", *problem) for account, *problem in small_file_problems(place)]
    return pd.DataFrame(problems, columns=list(_PROBLEM)).astype("string")


def _listed_or_rebuilt(place: Place, account: str) -> tuple[Parts, str]:
    """Return the list of an account, or what it said, from its files, and what is wrong with it."""
    try:
        return listed(place, account), ""
    except ArchiveError as error:
        found = _newest(stored_parts(place, account))
        return found, problem_of(error, place.small_file(LISTS, account))


def _newest(parts: Iterable[Part]) -> Parts:
    """Return the files with the highest numbers; a day that is older than its month has no say."""
    newest = {(part.log, part.slot): part for part in sorted(parts)}
    return frozenset(
        part
        for part in newest.values()
        if part.number >= newest.get((part.log, part.month), part).number
    )


def part_problems(place: Place, account: str, part: Part) -> list[str]:
    """Return what is wrong with a file of a month, nothing if all is well."""
    problems = []
    try:
        with closing(Stored(place, part.log, account, [part])) as file:
            (own,) = file.schemas()
            file.rows(*month_edges(part.slot), own)  # which checks its stamps
            problems = [
                f"{field.name!r} is {own.field(field.name).type}, not {field.type}"
                for field in schema_of(part.log)
                if field.name in own.names and own.field(field.name).type != field.type
            ]
    except FileNotFoundError:
        problems = ["it is gone, and the list of months names it"]
    except ArchiveError as error:
        problems = [problem_of(error, part_path(place, account, part))]
    return problems or ([] if part.number else [OF_OLD])


# Damaged months set aside


def repair(place: Place) -> pd.DataFrame:
    """Set the damaged months aside; see `eyelog.Archive.repair`."""
    place.require()
    rows: list[tuple[str, ...]] = []
    try:
        journal(place)
    except ArchiveError as error:
        path = f"{place.root}/{JOURNAL}"
        rows.append(("", "", "", problem_of(error, path), "", "", place.set_aside(path, ASIDE)))
    for account in accounts(place):
        with locked(place, account):
            rows += _repair(place, account)
    return pd.DataFrame(rows, columns=list(_REPAIRED)).astype("string")


def _repair(place: Place, account: str) -> Iterator[tuple[str, ...]]:
    before, problem = _listed_or_rebuilt(place, account)
    if problem:
        yield account, "", "", problem, "", "", ""
    sound, damaged = set(before), set()
    for part in sorted(before):
        wrong = [each for each in part_problems(place, account, part) if each != OF_OLD]
        if wrong:
            sound.remove(part)
            damaged.add((part.log, part.month))
            aside = ""
            with suppress(FileNotFoundError):
                aside = place.set_aside(part_path(place, account, part), ASIDE)
            every = np.arange(*month_edges(part.slot), DAY_US).view("M8[us]").astype("M8[D]")
            synced = np.array(sorted(synced_days(place, part.log, account, part.slot)), every.dtype)
            rest = np.setdiff1d(every, synced)
            days = _ranges(synced), _ranges(rest)
            yield account, part.log, part.month, "; ".join(wrong), *days, aside
    taken = {(part.log, part.slot) for part in sound}
    for part in _newest(stored_parts(place, account) - before):
        instead = (part.log, part.month) in damaged and (part.log, part.slot) not in taken
        if instead and not part_problems(place, account, part):
            sound.add(part)  # a version that somebody has put back counts
    if problem or sound != before:
        write_lists(place, {account: frozenset(sound)})


def _ranges(days: npt.NDArray[np.datetime64]) -> str:
    """Return sorted days as a text, such as ``2026-10-01 to 2026-10-05, 2026-10-09``."""
    runs = np.split(days, np.flatnonzero(np.diff(days.astype(int)) > 1) + 1)
    texts = (f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if len(run))
    return ", ".join(texts)
