"""The first steps of every table of single events: rows of the 20 Hz log, sorted, with evidence."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Never, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouped.opening import Opened, open_frame
from eyelog.analysis.limits import Limits
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.quality.unjudged import warn_unjudged
from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.packets import Packets, packets
from eyelog.analysis.shared_parameters import ERRORS, shared_parameters
from eyelog.catalogue import CURRENT_DATA, log_named, role_field
from eyelog.clock import microseconds
from eyelog.docstrings import add_errors
from eyelog.errors import ConfigurationError
from eyelog.frame import require, require_single_intervals
from eyelog.keywords import hands_on_to, refuse_unknown
from eyelog.provenance import derived

__all__ = [
    "RowOptions",
    "SingleRows",
    "between_events",
    "first_word",
    "has_single_rows",
    "single_rows",
    "with_row_options",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_CONNECTION: Final = "a new connection"
_LOST: Final = "packets lost"


@dataclass(frozen=True, slots=True)
class SingleRows:
    """The rows of a frame, their stamps, also in microseconds, and their evidence."""

    opened: Opened
    index: pd.DatetimeIndex
    us: Ints
    known: Evidence

    def part(self, part: str) -> Floats:
        """Return the values of the field with a role; those out of range are missing."""
        values = self.known.part(part)
        return np.full(len(self.us), np.nan) if values is None else values

    def packets(self) -> Packets:
        """Return where connections begin, and how many packets were lost before each row."""
        return packets(self.us, self.known.part("sequence"))

    def table(self, data: Mapping[str, Any], rows: Ints, **details: Any) -> pd.DataFrame:
        """Return the columns `data` about some of the rows, with the step in the provenance."""
        opened = self.opened
        table = pd.DataFrame(dict(data), index=self.index[rows])
        details = {"limits": opened.limits.details(), **details}
        return derived(
            table, opened.frame, opened.purpose, log=opened.log, interval_s=None, **details
        )


def has_single_rows(log: str) -> bool:
    """Return whether a log has a row for each packet, so that its events are single."""
    return log_named(log).numbers_packets


class RowOptions(TypedDict, total=False):
    """The keywords of `single_rows`, which a table of single events passes on unchanged."""

    limits: Limits | None
    log: str | None


def single_rows(
    frame: pd.DataFrame,
    purpose: str,
    parts: Iterable[str],
    *,
    instead: str,
    wanted: Reason,
    limits: Limits | None = None,
    log: str | None = None,
    **unknown: Never,
) -> SingleRows:
    """Return the rows of a frame of the 20 Hz log that has the fields with these roles.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    purpose : str
        The function that asks, by its public name.
    parts : iterable of str
        The roles of the fields that are needed.
    instead : str
        What to do with a frame of another log.
    wanted : Reason
        The reasons that are judged; a warning names those without evidence.
    limits, log
        What the caller gave.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    ConfigurationError
        If the log has no such rows, or the frame is resampled, or holds the records of several
        devices.
    """
    refuse_unknown(unknown, purpose)
    opened = open_frame(frame, purpose, limits=limits, log=log)
    frame, which = opened.frame, opened.log
    if not has_single_rows(which):
        raise ConfigurationError(
            f"{purpose} needs the {log_named(CURRENT_DATA).words}: the {log_named(which).words}"
            f" {instead}"
        )
    require_single_intervals(frame, purpose)
    require(frame, [role_field(which, part) for part in parts], purpose=purpose)
    index, evidence = opened.index(), opened.evidence()
    warn_unjudged(frame, evidence.unchecked(wanted))
    return SingleRows(opened, index, microseconds(index), evidence)


# The errors of every table of single events.
_ERRORS: Final = {
    "FieldError": ERRORS["FieldError"],
    "ConfigurationError": """\
ConfigurationError
    If the frame is not one of the 20 Hz log, is resampled, or holds the records of several
    devices.""",
}


def with_row_options(function: Function) -> Function:
    """Complete the signature and the docstring of a table of single events with what all share."""
    return add_errors(shared_parameters(hands_on_to(single_rows)(function)), _ERRORS)


def first_word(
    against: Mapping[str, npt.NDArray[np.bool_]], number: int
) -> npt.NDArray[np.object_]:
    """Return for each row the first of the words that apply to it, or an empty text."""
    words: npt.NDArray[np.object_] = np.full(number, "", dtype=object)
    for word in reversed([*against]):  # what is named first is written last
        words[against[word]] = word
    return words


def between_events(
    packets: Packets,
    at: Ints,
    rows: Mapping[str, npt.NDArray[np.bool_]],
    gaps: Mapping[str, npt.NDArray[np.bool_]] = MappingProxyType({}),
) -> npt.NDArray[np.object_]:
    """Return what comes between each of the rows `at` and the one before it, except for the first.

    A new connection is named first and lost packets last; an empty text where there is nothing.

    Parameters
    ----------
    packets : Packets
        Where connections begin, and how many packets were lost before each row.
    at : array of int64
        The rows of the events, in order of time.
    rows : mapping of str to array of bool
        The rows that count if one of them is there, by their word.
    gaps : mapping of str to array of bool
        What applies to the time between two events itself, for each but the first.
    """
    of_rows = {_CONNECTION: packets.opens, **rows}, {_LOST: packets.lost > 0}
    first, last = (
        {word: np.diff(np.cumsum(marked)[at]) > 0 for word, marked in each.items()}
        for each in of_rows
    )
    return first_word({**first, **gaps, **last}, max(len(at) - 1, 0))
