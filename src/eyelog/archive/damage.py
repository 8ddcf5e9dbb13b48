"""What is wrong with a month, in words: damage, or something merely unusual."""

from typing import Final

from eyelog.errors import ArchiveError

__all__ = ["FOREIGN", "NOT_PROTECTED", "damage", "is_damage", "is_of_damage", "problem_of"]

_REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"


FOREIGN: Final = "written by another program: its metadata names no log and no account"


NOT_PROTECTED: Final = "not protected yet: `eyelog archive protect` adds the checksum of its footer"


_NO_DAMAGE: Final = (FOREIGN, NOT_PROTECTED)


def damage(path: str, problem: str) -> ArchiveError:
    """Return the error of a file whose content has changed since it was written."""
    return ArchiveError(f"cannot read {path}: {problem.rstrip('.')}{_REMEDY}")


def is_of_damage(error: ArchiveError) -> bool:
    """Return whether an error is about the content of a file, not about its disk or store."""
    return str(error).endswith(_REMEDY)


def problem_of(error: ArchiveError, path: str) -> str:
    """Return what is wrong with a file, from the error of reading it."""
    return str(error).removeprefix(f"cannot read {path}: ").removesuffix(_REMEDY)


def is_damage(problem: str) -> bool:
    """Return whether a problem makes records wrong, not only their file unusual."""
    return problem not in _NO_DAMAGE
