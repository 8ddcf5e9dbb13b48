"""A sound month file without a seal, written again with one."""

from pathlib import Path

from eyelog.archive.arrow_tables import plain_schema
from eyelog.archive.parquet.month_file import MonthFile, open_file, read_groups
from eyelog.archive.parquet.new_month import new_month
from eyelog.archive.place import Place, open_place
from eyelog.errors import ArchiveError

__all__ = ["seal_again"]


def seal_again(place: Place, path: str, made: Path, log: str, account: str) -> None:
    """Write the records of a month file into the new file `made`, with a seal.

    Raises
    ------
    ArchiveError
        If the new file does not have the records of the old one.
    """
    with open_file(place, path) as old:
        _write_again(old, made, log, account)
        _compare(old, made)


def _write_again(old: MonthFile, made: Path, log: str, account: str) -> None:
    """Write what was read, group by group: the old footer, which nothing covers, is not copied."""
    schema = plain_schema(old.schema)
    with new_month(made, schema, log, account) as write_group:
        for number in range(len(old.groups)):
            write_group(read_groups(old, [number], schema.names).cast(schema))


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
