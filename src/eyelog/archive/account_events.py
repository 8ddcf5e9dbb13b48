"""The events of each account: a small file that a person can read, beside the logs.

::

    ROOT/.events/account=me.v1.csv

Its columns are those of `eyelog.read_events`, its times are in UTC. The folder is hidden, so
Parquet tools skip it.
"""

import csv
import io
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.archive.account_folders import SMALL_FILE, account_of, check_account
from eyelog.archive.place import Place, read_small_file, walk, write_small_file
from eyelog.errors import ArchiveError, ConfigurationError

__all__ = [
    "DIARY",
    "add_events",
    "events_in_utc",
    "events_path",
    "events_problems",
    "events_table",
    "prune_events",
    "stored_events",
]

EVENT_COLUMNS: Final = ("start", "end", "label", "kind", "value")
DIARY: Final = "diary"
FOLDER: Final = ".events"
# Two events with these the same are one; the later file has its end and value.
_SAME: Final = ["start", "kind", "label"]


def events_table(
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    labels: Sequence[str],
    kind: str | Sequence[str],
    values: Sequence[float] | npt.NDArray[np.float64],
) -> pd.DataFrame:
    """Return a table of events in order of time, in UTC.

    Parameters
    ----------
    starts, ends : array of int64
        Microseconds of UTC; the smallest integer (NaT) for the end of a moment.
    labels : sequence of str
        What each is called.
    kind : str or sequence of str
        Where they come from.
    values : sequence of float
        The number that goes with each; NaN without one.
    """
    kinds = [kind] * len(labels) if isinstance(kind, str) else list(kind)
    table = pd.DataFrame(
        {
            "start": pd.DatetimeIndex(starts.view("M8[us]"), tz="UTC"),
            "end": pd.DatetimeIndex(ends.view("M8[us]"), tz="UTC"),
            "label": pd.array(list(labels), dtype="string"),
            "kind": pd.array(kinds, dtype="string"),
            "value": np.asarray(values, dtype=np.float64),
        }
    )
    return table.sort_values("start", kind="stable", ignore_index=True)


def events_path(place: Place, account: str) -> str:
    """Return the file of the events of an account."""
    return f"{place.root}/{FOLDER}/account={check_account(account)}{SMALL_FILE}"


def stored_events(place: Place, account: str) -> pd.DataFrame:
    """Return the events of an account in UTC, in order of time; without rows if it has none.

    Raises
    ------
    ArchiveError
        If the file is damaged, or cannot be read.
    """
    return _read(place, events_path(place, account))


def _read(place: Place, path: str) -> pd.DataFrame:
    body = read_small_file(place, path)
    if body is None:
        none = np.zeros(0, dtype=np.int64)
        return events_table(none, none, [], [], [])
    try:
        table = pd.read_csv(
            io.BytesIO(body),
            dtype={"label": "string", "kind": "string", "value": "float64"},
            keep_default_na=False,
            na_values={"end": [""], "value": [""]},
        )
        if tuple(table.columns) != EVENT_COLUMNS:
            raise ValueError(f"its first line is not {','.join(EVENT_COLUMNS)}")
        starts, ends = (
            pd.to_datetime(table[name], format="ISO8601", utc=True).astype("datetime64[us, UTC]")
            for name in ("start", "end")
        )
        if starts.isna().any():
            raise ValueError("an event has no start")
    except (ValueError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0]
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({why}): remove it, and import the files of events"
            " again"
        ) from None
    return table.assign(start=starts, end=ends)


def events_in_utc(events: pd.DataFrame) -> pd.DataFrame:
    """Return a table of events in UTC, as `events_table` does.

    Raises
    ------
    ConfigurationError
        If it lacks a column, or a time has no zone.
    """
    if not isinstance(events, pd.DataFrame) or not {"start", "end", "label"} <= {*events.columns}:
        raise ConfigurationError(
            "events must be a table with the columns start, end and label, as eyelog.read_events"
            " returns it"
        )
    if not events.columns.is_unique:
        twice = events.columns[events.columns.duplicated()][0]
        raise ConfigurationError(f"the events have the column {twice!r} twice: keep one of them")
    for name in ("start", "end"):
        if not isinstance(events[name].dtype, pd.DatetimeTZDtype):
            raise ConfigurationError(
                f"the column {name!r} of the events needs times with a zone:"
                f" events[{name!r}].dt.tz_localize('Asia/Tokyo')"
            )
    if events["start"].isna().any() or events["label"].isna().any():
        raise ConfigurationError("an event has no start or no label: give it one, or remove it")
    starts, ends = (
        pd.DatetimeIndex(events[name]).tz_convert("UTC").as_unit("us").asi8
        for name in ("start", "end")
    )
    n = len(events)
    kinds = [DIARY] * n
    if "kind" in events:
        kinds = ["" if pd.isna(kind) else str(kind) for kind in events["kind"]]
    try:
        given = events["value"] if "value" in events else [float("nan")] * n
        values = pd.to_numeric(pd.Series(given)).to_numpy(np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(
            f"the column 'value' of the events needs numbers: {error}"
        ) from None
    labels = events["label"].astype(str).tolist()
    return events_table(starts, ends, labels, kinds, values)


def add_events(place: Place, account: str, events: pd.DataFrame, *, keep: bool = True) -> int:
    """Add events to those of an account; return how many are new or changed.

    Parameters
    ----------
    place : Place
        The archive.
    account : str
        Whose they are.
    events : DataFrame
        As `events_table` returns them.
    keep : bool
        Whether to write them.
    """
    before = stored_events(place, account)
    merged = pd.concat([before, events], ignore_index=True).drop_duplicates(_SAME, keep="last")
    merged = merged.sort_values("start", kind="stable", ignore_index=True)
    new = len(merged) - len(before.merge(merged, how="inner").drop_duplicates(_SAME))
    if new and keep:
        _write(place, events_path(place, account), merged)
    return new


def _write(place: Place, path: str, events: pd.DataFrame) -> None:
    # All cells are quoted: a lone carriage return in a label would end its line otherwise.
    text = events.to_csv(
        index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", quoting=csv.QUOTE_ALL, lineterminator="\n"
    )
    write_small_file(place, path, text.encode("utf-8", "replace"))


def prune_events(
    place: Place, before: datetime, concerned: Callable[[str], bool], *, dry_run: bool = False
) -> list[tuple[str, int]]:
    """Remove the events that began before an instant, even from files that a restore set aside.

    Returns each file and by how many bytes it shrank.

    Parameters
    ----------
    place, before, dry_run
        As for `eyelog.archive.prune.prune`.
    concerned : callable
        Returns whether a file is one of those to examine.
    """
    removed = []
    for path in filter(concerned, _files(place)):
        events = _read(place, path)
        left = events[events["start"] >= before]
        if len(left) == len(events):
            continue
        size = int(place.fs.size(path) or 0)
        removed.append((path, round(size * (1 - len(left) / len(events)))))
        if dry_run:
            continue
        if len(left):
            _write(place, path, left)
        else:
            place.fs.rm_file(path)
    return removed


def _files(place: Place) -> list[str]:
    """Return the files of events in the archive, with those that lie in folders beside it."""
    if place.local:
        paths = []
        for parent, folders, names in walk(place.root):
            folders[:] = [name for name in folders if account_of(name) is None]
            paths += [f"{parent}/{name}" for name in names]
    else:
        place.fs.invalidate_cache(place.root)
        paths = [str(path) for path in place.fs.find(place.root)]
    return sorted(
        path for path in paths if path.endswith(SMALL_FILE) and f"/{FOLDER}/account=" in path
    )


def _accounts(place: Place) -> list[str]:
    """Return the accounts that have events."""
    root = f"{place.root}/{FOLDER}"
    place.fs.invalidate_cache(root)
    names = [str(path).rsplit("/", 1)[-1] for path in place.fs.find(root)]
    return sorted(str(account_of(name)) for name in names if name.endswith(SMALL_FILE))


def events_problems(place: Place) -> list[tuple[str, str, str]]:
    """Return account, file and problem of each file of events that cannot be read."""
    problems = []
    for account in _accounts(place):
        try:
            path = events_path(place, account)
            stored_events(place, account)
        except (ArchiveError, ConfigurationError) as error:
            problems.append((account, path, str(error).removeprefix(f"cannot read {path}: ")))
    return problems
