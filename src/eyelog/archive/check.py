"""What an archive has, what is wrong with it, and damaged months set aside."""

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import date
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.packets import PAUSE_US
from eyelog.archive.account import small_file_problems, stored_zones, synced_days
from eyelog.archive.arrow_tables import schema_of
from eyelog.archive.damage import OF_OLD, is_damage, problem_of
from eyelog.archive.months import (
    JOURNAL,
    OLD,
    Listed,
    Month,
    Part,
    accounts,
    journal,
    list_path,
    listed,
    locked,
    months,
    opened,
    part_path,
    set_aside,
    stored_parts,
    write_lists,
)
from eyelog.archive.place import Place, everything, require_place
from eyelog.archive.utc_stamps import Stamps, days_of, month_edges, slot_edges
from eyelog.catalogue import known_logs, log_named
from eyelog.clock import DAY, DAY_US
from eyelog.errors import ArchiveError, EyelogWarning
from eyelog.home import progress_line

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
_REPAIRED: Final = (
    "account", "log", "month", "problem", "sync_again", "import_again", "aside"
)  # fmt: skip


def inventory(place: Place) -> pd.DataFrame:
    """Return one row per log and account; see `eyelog.Archive.inventory`."""
    require_place(place)
    present = sorted((account, log) for log in known_logs() for account in accounts(place, log))
    rows = [_row(place, account, log) for account, log in present]
    table = pd.DataFrame(rows, columns=list(_DTYPES))
    for name in ("first", "last"):  # all missing, if every month is damaged
        table[name] = pd.to_datetime(table[name], utc=True)
    return table.astype(_DTYPES)


def _row(place: Place, account: str, log: str) -> dict[str, Any]:
    parts: list[Stamps] = [np.empty(0, np.int64)]
    damaged, size, zones = 0, 0, None
    present: list[str] = []
    try:
        present, size = months(place, log, account), bytes_of_account(place, account, log)
    except ArchiveError as error:
        damaged = 1
        warnings.warn(str(error), EyelogWarning, stacklevel=4)
    for month in present:
        try:
            with opened(place, log, account, month_edges(month)) as files:
                parts += [file.stamps(*month_edges(month)) for file in files]
        except ArchiveError as error:
            damaged += 1
            warnings.warn(
                f"{log!r} of {account!r}: {month} is damaged and not counted"
                f" ({problem_of(error)}): `eyelog archive repair` sets it aside and lists the days"
                " to get again",
                EyelogWarning,
                stacklevel=4,
            )
    try:
        zones = stored_zones(place, account)
    except ArchiveError as error:
        warnings.warn(str(error), EyelogWarning, stacklevel=4)
    stamps, about = np.concatenate(parts), log_named(log)
    # The stamps of packets are uneven: only the end of a connection is sure to be a gap.
    longest = PAUSE_US if about.numbers_packets else about.interval_us * 3 // 2
    return {
        "account": account,
        "log": log,
        "first": pd.Timestamp(stamps[0], unit="us", tz="UTC") if len(stamps) else pd.NaT,
        "last": pd.Timestamp(stamps[-1], unit="us", tz="UTC") if len(stamps) else pd.NaT,
        "days": len(days_of(stamps)),
        "records": len(stamps),
        "gaps": int(np.count_nonzero(np.diff(stamps) > longest)),
        "bytes": size,
        "damaged": damaged,
        "tz": None if zones is None else str(zones),
    }


def bytes_of_account(place: Place, account: str, log: str | None = None) -> int:
    """Return the size of the files of months of an account, of one log or of all."""
    total = 0
    for (of, month), parts in listed(place, account).items():
        for part in parts if log in (None, of) else ():
            with suppress(FileNotFoundError):
                path = part_path(place, of, account, month, part.name)
                total += int(place.fs.size(path) or 0)
    return total


def contents(place: Place) -> str:
    """Describe an archive in a few words, from its lists.

    A remote archive is not listed: that takes a request per account.
    """
    if not place.local:
        return "remote"
    try:
        parts = []
        for log in known_logs():
            present = {name: months(place, log, name) for name in accounts(place, log)}
            every = sorted(month for each in present.values() for month in each)
            wearers = "1 account" if len(present) == 1 else f"{len(present):,} accounts"
            parts += [f"{log} of {wearers}, {every[0]} to {every[-1]}"] if every else []
    except Exception:  # noqa: BLE001 - a repr never fails; `verify` says what is wrong
        return "cannot be read: verify() says why"
    return "; ".join(parts) or "empty"


# What is wrong


def verify(place: Place) -> pd.DataFrame:
    """Read everything; return one row per problem; see `eyelog.Archive.verify`."""
    require_place(place)
    problems, parts = [], []
    for account in _every_account(place):
        found, problem = _listed_or_rebuilt(place, account)
        if problem:
            problems.append((account, "", "", list_path(place, account), problem))
        parts += [(account, *key, part) for key, each in found.items() for part in each]
    paths = set()
    with progress_line(len(parts), "verify", unit="file") as done:
        for account, log, month, part in sorted(parts, key=lambda each: each[1:3]):
            path = part_path(place, log, account, month, part.name)
            of_part = part_problems(place, log, account, month, part)
            problems += [(account, log, month, path, problem) for problem in of_part]
            paths.add(path)
            done()
    logs = {f"log={log}" for log in known_logs()}
    strays = [file for file in everything(place) if file.parts[0] in logs and not file.is_folder]
    strays = [file for file in strays if file.path not in paths]
    if place.local:  # what a kill has left is removed by whoever locks
        for account in {account for file in strays for account in file.accounts}:
            with suppress(ArchiveError, OSError), locked(place, account):
                pass
    for file in strays:
        if not (file.parts[-1].startswith(".") or (place.local and not os.path.lexists(file.path))):
            keys = dict(part.partition("=")[::2] for part in file.parts[:-1])
            account = next(iter(file.accounts), "")
            wrong = "the archive does not read this path: it reads the files that its lists name"
            problems.append((account, keys["log"], keys.get("month", ""), file.path, wrong))
    for account, path, problem in small_file_problems(place):
        problems.append((account, "", "", path, problem))
    return pd.DataFrame(problems, columns=list(_PROBLEM)).astype("string")


def _every_account(place: Place) -> list[str]:
    return sorted({name for log in known_logs() for name in accounts(place, log)})


def _listed_or_rebuilt(place: Place, account: str) -> tuple[Listed, str]:
    """Return the list of an account, or what it said, from its files, and what is wrong with it.

    Of each month and day the highest number counts.
    """
    try:
        return listed(place, account), ""
    except ArchiveError as error:
        found = {key: _newest(parts) for key, parts in stored_parts(place, account).items()}
        return found, problem_of(error, list_path(place, account))


def _newest(parts: Iterable[Part]) -> tuple[Part, ...]:
    newest = {part.slot: part for part in sorted(parts, key=lambda part: part.number)}
    since = max((part.number for part in newest.values() if not part.is_day), default=-1)
    return tuple(part for part in newest.values() if not part.is_day or part.number > since)


def part_problems(place: Place, log: str, account: str, month: str, part: Part) -> list[str]:
    """Return what is wrong with a file of a month, nothing if all is well."""
    path = part_path(place, log, account, month, part.name)
    problems = []
    try:
        with closing(Month(place, log, account, month, [part])) as file:
            (own,) = file.schemas()
            file.rows(*slot_edges(part.slot), own)  # which checks its stamps
            problems = [
                f"{field.name!r} is {own.field(field.name).type}, not {field.type}"
                for field in schema_of(log)
                if field.name in own.names and own.field(field.name).type != field.type
            ]
    except FileNotFoundError:
        problems = ["it is gone, and the list of months names it"]
    except ArchiveError as error:
        problems = [problem_of(error, path)]
    return problems or ([OF_OLD] if part.name == OLD else [])


# Damaged months set aside


def repair(place: Place) -> pd.DataFrame:
    """Set the damaged months aside; see `eyelog.Archive.repair`."""
    require_place(place)
    rows: list[tuple[str, ...]] = []
    try:
        journal(place)
    except ArchiveError as error:
        path = f"{place.root}/{JOURNAL}"
        rows.append(("", "", "", problem_of(error, path), "", "", set_aside(place, path)))
    for account in _every_account(place):
        with locked(place, account):
            rows += _repair(place, account)
    return pd.DataFrame(rows, columns=list(_REPAIRED)).astype("string")


def _repair(place: Place, account: str) -> Iterator[tuple[str, ...]]:
    before, problem = _listed_or_rebuilt(place, account)
    if problem:
        yield account, "", "", problem, "", "", ""
    stored, sound = stored_parts(place, account), {}
    for (log, month), parts in sorted(before.items()):
        kept = []
        for part in parts:
            wrong = part_problems(place, log, account, month, part)
            wrong = [each for each in wrong if is_damage(each)]
            if not wrong:
                kept.append(part)
                continue
            path, aside = part_path(place, log, account, month, part.name), ""
            with suppress(FileNotFoundError):
                aside = set_aside(place, path)
            synced = synced_days(place, log, account, part.slot)
            first, after = slot_edges(part.slot)
            every = np.arange(first, after, DAY_US).view("M8[us]").astype("M8[D]").tolist()
            rest = [day for day in every if day not in synced]
            told = "; ".join(wrong), _ranges(synced), _ranges(rest), aside
            yield account, log, month, *told
        if len(kept) < len(parts):  # a version that somebody has put back counts
            for part in _newest(set(stored.get((log, month), ())) - set(parts)):
                taken = {each.slot for each in kept}
                if part.slot not in taken and not part_problems(place, log, account, month, part):
                    kept.append(part)
        sound[log, month] = tuple(kept)
    left = {key: parts for key, parts in sound.items() if parts}
    if problem or left != before:
        write_lists(place, {account: left})


def _ranges(days: Iterable[date]) -> str:
    """Return days as a text, such as ``2026-10-01 to 2026-10-05, 2026-10-09``."""
    runs: list[list[date]] = []
    for day in sorted(days):
        if runs and day - runs[-1][-1] == DAY:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
