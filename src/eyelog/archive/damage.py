"""What is wrong with a month, in words: damage, or something merely unusual."""

from typing import Final

from eyelog.errors import ArchiveError, EyelogError

_REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"
OF_OLD: Final = "of an older eyelog: it is written anew at the next change of its month"


def damage(path: str, problem: str) -> ArchiveError:
    """Return the error of a file whose content has changed since it was written."""
    return ArchiveError(f"cannot read {path}: {problem.rstrip('.')}{_REMEDY}")


def is_of_damage(error: ArchiveError) -> bool:
    """Return whether an error is about the content of a file, not about its disk or store."""
    return str(error).endswith(_REMEDY)


def problem_of(error: EyelogError, path: str = "") -> str:
    """Return what is wrong with a file, from the error of reading it."""
    return str(error).removeprefix(f"cannot read {path}: ").removesuffix(_REMEDY)


def is_damage(problem: str) -> bool:
    """Return whether a problem makes records wrong, not only their file unusual."""
    return problem != OF_OLD
