"""Damage in an archive: every page of every file is read and checked."""

from collections.abc import Iterator
from urllib.parse import unquote

import pandas as pd

from eyelog.archive.account_events import events_problems
from eyelog.archive.account_folders import complete_interrupted
from eyelog.archive.account_zones import zones_problems
from eyelog.archive.ledger import problems_of_month
from eyelog.archive.months import FILE, month_path
from eyelog.archive.place import Place, require_place
from eyelog.archive.utc_stamps import is_month
from eyelog.catalogue import known_logs
from eyelog.progress import progress_line

__all__ = ["verify"]

_COLUMNS = ("account", "log", "month", "file", "problem")


def verify(place: Place) -> pd.DataFrame:
    """Return one row per problem."""
    require_place(place)
    interrupted = complete_interrupted(place)
    files = [(log, *file) for log in known_logs() for file in _files(place, log)]
    problems = [("", "", "", place.root, problem) for problem in interrupted]
    with progress_line(len(files), "verify", unit="file") as done:
        for log, account, month, path in files:
            problems_of_file = _problems(place, log, account, month, path)
            problems += [(account, log, month, path, problem) for problem in problems_of_file]
            done()
    for account, path, problem in (*zones_problems(place), *events_problems(place)):
        problems.append((account, "", "", path, problem))
    return pd.DataFrame(problems, columns=list(_COLUMNS)).astype("string")


def _files(place: Place, log: str) -> Iterator[tuple[str, str, str]]:
    """Yield (account, month, path) of each file that is not hidden, according to its folders."""
    root = f"{place.root}/log={log}"
    place.fs.invalidate_cache(root)
    for path in sorted(map(str, place.fs.find(root))):
        parts = path[path.index(f"log={log}") :].split("/")
        if not parts[-1].startswith("."):
            keys = dict(part.partition("=")[::2] for part in parts[:-1])
            yield unquote(keys.get("account", "")), keys.get("month", ""), path


def _problems(place: Place, log: str, account: str, month: str, path: str) -> list[str]:
    if not account or not is_month(month) or path != month_path(place, log, account, month):
        return [f"the archive does not read this path: it reads one {FILE} per month"]
    return problems_of_month(place, log, account, month)
