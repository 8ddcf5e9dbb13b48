"""One warning per call about reasons that lack evidence in the frame."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from eyelog.analysis.series.arrays import Table
from eyelog.errors import EyelogWarning, argument
from eyelog.frame import STORED, is_resampled
from eyelog.provenance import history

__all__ = ["one_warning", "warn_unjudged"]

Lacking = dict[str, list[str]]

_gathered: Final[ContextVar[Lacking | None]] = ContextVar("unjudged", default=None)


@contextmanager
def one_warning() -> Iterator[None]:
    """Collect the reasons that a call and its inner calls could not judge; warn once at its end.

    Also a decorator, for public functions that judge more than once.
    """
    if _gathered.get() is not None:  # a call within one that already collects
        yield
        return
    lacking: Lacking = {}
    token = _gathered.set(lacking)
    try:
        yield
    finally:
        _gathered.reset(token)
    _warn(lacking)


def warn_unjudged(frame: Table, lacking: Mapping[str, Sequence[str]]) -> None:
    """Warn about reasons that could not be judged, with the fields that each lacks.

    Not for a frame without rows, nor for one that is masked or resampled: its values have been
    judged, with all the evidence of the frame that it was made from.
    """
    masked = any(step["step"] in ("mask", "select") for step in history(frame))
    if not len(frame) or masked or STORED in frame.columns or is_resampled(frame):
        return
    gathered = _gathered.get()
    if gathered is None:
        _warn(lacking)
        return
    for reason, names in lacking.items():
        fields = gathered.setdefault(reason, [])
        fields += [name for name in names if name not in fields]


def _warn(lacking: Mapping[str, Sequence[str]]) -> None:
    if not lacking:
        return
    reasons = ", ".join(f"{reason} ({', '.join(names)})" for reason, names in lacking.items())
    warnings.warn(
        f"not judged, since the frame lacks the fields in brackets: {reasons}. Add them, or ask"
        f" for all that a summary needs by its name, such as {argument('fields', 'daily')}"
        " (eyelog.needed lists the fields)",
        EyelogWarning,
        stacklevel=_callers(),
    )


def _callers() -> int:
    """Return how many calls up the package's caller is, for `warnings.warn` in `_warn`."""
    level, frame = 1, sys._getframe(1)
    own = ("eyelog", "contextlib")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(own):
        frame = frame.f_back
        level += 1
    return level
