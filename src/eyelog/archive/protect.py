"""Month files that an older eyelog wrote, sealed as new ones are."""

import tempfile
from pathlib import Path
from typing import Final

import pandas as pd

from eyelog.archive.account_folders import locked
from eyelog.archive.arrow_tables import plain_schema
from eyelog.archive.ledger import problems_of_month
from eyelog.archive.parquet.damage import NOT_PROTECTED
from eyelog.archive.parquet.layout import FILE, accounts, month_path, months
from eyelog.archive.parquet.month_writer import commit, parquet_writer
from eyelog.archive.parquet.rows import MonthFile, open_file, read_groups
from eyelog.archive.parquet.seal import note_seal, sealed
from eyelog.archive.place import Place, open_place, require_place
from eyelog.catalogue import known_logs
from eyelog.disk.files import new_file, temporary_name
from eyelog.errors import ArchiveError
from eyelog.progress import progress_line

__all__ = ["protect"]

_COLUMNS: Final = ("account", "log", "month", "file")


def protect(place: Place) -> pd.DataFrame:
    """Seal the sound files that have no seal; see `eyelog.Archive.protect`."""
    require_place(place)
    present = [
        (account, log, month)
        for log in known_logs()
        for account in accounts(place, log)
        for month in months(place, log, account)
    ]
    rows = []
    with progress_line(len(present), "protect", unit="file") as done:
        for account, log, month in present:
            if _protect(place, log, account, month):
                rows.append((account, log, month, month_path(place, log, account, month)))
            done()
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype("string")


def _protect(place: Place, log: str, account: str, month: str) -> bool:
    """Seal one month; return whether it had to be done and could be."""
    path = month_path(place, log, account, month)
    with locked(place, log, account):
        # A seal would make damage look sound, so only what passes every check gets one.
        if problems_of_month(place, log, account, month) != [NOT_PROTECTED]:
            return False
        folder = Path(path).parent if place.local else Path(tempfile.gettempdir())
        made = temporary_name(folder / FILE)
        try:
            with open_file(place, path) as old:
                _write_again(old, made, log, account)
                _compare(old, made)
            commit(place, made, path)
        finally:
            made.unlink(missing_ok=True)
    return True


def _write_again(old: MonthFile, made: Path, log: str, account: str) -> None:
    """Write what was read, group by group: the old footer, which nothing covers, is not copied."""
    schema = plain_schema(old.schema)
    with (
        new_file(made) as sink,
        sealed(sink, made),
        parquet_writer(sink, schema, log, account) as writer,
    ):
        note_seal(writer)
        for number, group in enumerate(old.groups):
            table = read_groups(old, [number], schema.names).cast(schema)
            writer.write_table(table.combine_chunks(), row_group_size=group.rows)


def _compare(old: MonthFile, made: Path) -> None:
    """Raise if a file that was written does not have the records of the old one."""
    with open_file(open_place(made.parent), str(made)) as new:
        same = len(new.groups) == len(old.groups) and all(
            read_groups(new, [number], old.schema.names).equals(
                read_groups(old, [number], old.schema.names)
            )
            for number in range(len(old.groups))
        )
    if not same:
        raise ArchiveError(f"cannot protect {old.path}: two reads of it differ: check the disk")
