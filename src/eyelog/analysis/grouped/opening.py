"""The frame that a summary opens: which log it is, in order of time, and how it is to be read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Never, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.limits import Limits, chosen_limits
from eyelog.analysis.quality.evidence import Evidence, lacking_evidence
from eyelog.analysis.quality.unjudged import warn_unjudged
from eyelog.analysis.series.arrays import Arrays
from eyelog.analysis.shared_parameters import ERRORS, shared_parameters
from eyelog.clock import LocalClock, check_stamp
from eyelog.docstrings import add_errors
from eyelog.errors import ConfigurationError
from eyelog.frame import clock_of, is_resampled, log_of, one_source, refuse_lost_stored, stamps
from eyelog.keywords import hands_on_to, refuse_unknown
from eyelog.provenance import history

__all__ = ["FrameOptions", "Opened", "open_frame", "with_frame_options"]

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Opened:
    """A frame of one log in order of time, with what holds for all of its rows.

    Attributes
    ----------
    frame : DataFrame
        Its rows, in order of time.
    order : array of int or None
        The order in which the rows were given; None if they were in order of time.
    purpose : str
        The summary by its public name, such as ``gait.pace``: for messages and the provenance.
    log : str
        Its log.
    limits : Limits
        The limits by which its values and its time are judged.
    judge : bool
        Whether its values are to be judged first.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    """

    frame: pd.DataFrame
    order: npt.NDArray[np.intp] | None
    purpose: str
    log: str
    limits: Limits
    judge: bool
    stamp: str

    def evidence(self) -> Evidence:
        """Return the evidence in its rows."""
        return Evidence(Arrays.of(self.frame), self.log, self.limits)

    def index(self) -> pd.DatetimeIndex:
        """Return its stamps."""
        return stamps(self.frame, what=self.purpose)

    def clock(self) -> LocalClock:
        """Return the wearer's clock."""
        return clock_of(self.frame, log=self.log, stamp=self.stamp)

    def warn_of_lacking(self) -> None:
        """Warn about the reasons for which the frame has no evidence."""
        warn_unjudged(self.frame, lacking_evidence(self.frame, self.log))


class FrameOptions(TypedDict, total=False):
    """The keywords of `open_frame`, which a summary passes on unchanged."""

    limits: Limits | None
    judge: bool
    stamp: str
    log: str | None


def open_frame(
    frame: pd.DataFrame,
    purpose: str,
    *,
    limits: Limits | None = None,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
    **unknown: Never,
) -> Opened:
    """Return a frame as a summary takes it, from the arguments that all summaries share.

    Raises
    ------
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If nothing shows which log it is, `stamp` or `limits` cannot be used, it was masked or
        resampled with other limits, the index holds no aware stamps, a missing one, or the same
        stamp twice; if the rows overlap (two sources of records); if the bins were made with the
        other `stamp`; or if a masked frame has lost the column that shows stored eyewear.
    """
    refuse_unknown(unknown, purpose)
    which = log_of(frame, log)
    check_stamp(stamp)
    chosen = chosen_limits(limits, frame)
    frame, order = _in_order(frame, stamp)
    return Opened(frame, order, purpose, which, chosen, judge, stamp)


def with_frame_options(function: Function) -> Function:
    """Complete the signature and the docstring of a summary with what all summaries share."""
    return add_errors(shared_parameters(hands_on_to(open_frame)(function)), ERRORS)


def _in_order(frame: pd.DataFrame, stamp: str) -> tuple[pd.DataFrame, npt.NDArray[np.intp] | None]:
    """Return the frame in order of time, and the order (None if it already was)."""
    if isinstance(frame.index, pd.MultiIndex):
        one_source(frame, what="a summary")
    index = stamps(frame, what="a summary")
    order = None
    if not index.is_monotonic_increasing:
        order = np.argsort(index.asi8, kind="stable")
        frame, index = frame.iloc[order], index[order]
    one_source(frame, what="a summary", stamp=stamp)
    if frame.index.hasnans or not frame.index.is_unique:
        raise ConfigurationError(
            "the frame has a missing stamp or several rows with one stamp: keep the last row of"
            " each, frame[frame.index.notna() & ~frame.index.duplicated(keep='last')]"
        )
    refuse_lost_stored(frame)
    made = [step["stamp"] for step in history(frame) if step["step"] == "resample"]
    if is_resampled(frame) and made and made[-1] != stamp:
        raise ConfigurationError(
            f"the bins were made with stamp={made[-1]!r}: pass stamp={made[-1]!r} here too"
        )
    if index.unit != "us":
        frame = frame.set_axis(index.as_unit("us"))
    return frame, order
