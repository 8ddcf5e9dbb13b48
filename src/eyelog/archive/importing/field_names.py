"""The fields of the catalogue behind the column names of files.

A column has the short name of its field (``stp``) or the long one (``stepCount``), in upper or
lower case: the vendor's own tables write both ``yMean`` and ``YMean``. Spellings that are not in
the catalogue (older names, corrected misprints) are in ``othernames.csv``.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from eyelog.archive.csv_text import text_of
from eyelog.catalogue import LOGS, catalogue
from eyelog.errors import ArchiveError

__all__ = ["UNIX_TIME", "fields_of", "fold", "own_fields", "spellings"]

UNIX_TIME: Final = "ut"  # seconds since 1970, where a file has no ``date``

# Every version of the vendor's table prints the left foot's name for both feet, the right first.
_TWICE: Final = ("zleftstepamplitudecal", "sa_zrc", "sa_zlc")


def fold(name: str) -> str:
    """Return a column's name in the form in which names are compared: stripped, lower case."""
    return name.strip().casefold()


@cache
def spellings(log: str) -> Mapping[str, str]:
    """Return the field of each folded spelling that a file of `log` may use."""
    names = {
        fold(spelling): field.name
        for field in catalogue(log).values()
        for spelling in (field.long_name, field.name)
        if spelling
    }
    table = files("eyelog.archive.importing").joinpath("othernames.csv").read_text("utf-8")
    for row in csv.DictReader(table.splitlines()):
        if row["log"] == log:
            names[fold(row["spelling"])] = row["name"]
    return MappingProxyType({**names, UNIX_TIME: UNIX_TIME})


@cache
def own_fields(log: str) -> frozenset[str]:
    """Return the folded spellings that only `log` has: one of them identifies the log of a file."""
    others = (set(spellings(other)) for other in LOGS if other != log)
    return frozenset(set(spellings(log)).difference(*others))


def fields_of(cells: Sequence[str], log: str) -> list[str]:
    """Return the field of each column of a header; an unknown name stays as it is.

    A column without a name is an empty text.

    Raises
    ------
    ArchiveError
        If two columns are the same field.
    """
    by_spelling = spellings(log)
    folded = [fold(cell) for cell in cells]
    names = [
        by_spelling.get(key, text_of(cell.strip())) for key, cell in zip(folded, cells, strict=True)
    ]
    spelling, right, left = _TWICE
    at = [i for i, key in enumerate(folded) if key == spelling]
    if right not in names and (len(at) == 2 or (len(at) == 1 and f"{spelling}.1" in folded)):
        names[at[0]] = right
        if len(at) == 2:
            names[at[1]] = left
    for i, name in enumerate(names):
        if name and name in names[:i]:
            first = cells[names.index(name)].strip()
            raise ArchiveError(
                f"two columns are the same field {name!r} ({first!r} and {cells[i].strip()!r}):"
                " remove one of them"
            )
    return names
