"""The fields of the catalogue behind the column names of files.

The catalogue resolves the spellings; this module adds the columns that a file may have besides.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from eyelog import catalogue
from eyelog.archive.csv_text import text_of
from eyelog.catalogue import fold, known_logs
from eyelog.errors import ArchiveError

__all__ = ["UNIX_TIME", "WEARER", "fields_of", "own_fields", "spellings"]

UNIX_TIME: Final = "ut"  # seconds since 1970, in a file without ``date``
# Columns that name the wearer of each row in tables of several wearers; no log has them.
WEARER: Final = frozenset(
    {"user_id", "userid", "wearer", "wearer_id", "wearerid", "participant_id", "subject_id"}
)

# Every version of the vendor's table prints the left foot's name for both feet, the right first.
_TWICE: Final = ("zleftstepamplitudecal", "sa_zrc", "sa_zlc")


@cache
def spellings(log: str) -> Mapping[str, str]:
    """Return the field of each folded spelling that a file of `log` may use, and ``ut``."""
    return MappingProxyType({**catalogue.spellings(log), UNIX_TIME: UNIX_TIME})


@cache
def own_fields(log: str) -> frozenset[str]:
    """Return the folded spellings that only `log` has: one of them identifies the log of a file."""
    others = (set(spellings(other)) for other in known_logs() if other != log)
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
