"""The state of the eyewear in each row: usable, walking, noisy, off pose or not worn."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.limits import Limits, chosen_limits
from eyelog.analysis.quality.evidence import Evidence, blink_evidence
from eyelog.analysis.quality.reasons import CONTEXT, Reason, evidence_for
from eyelog.analysis.quality.unjudged import warn_unjudged
from eyelog.analysis.series.arrays import Arrays, Floats
from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.catalogue import role
from eyelog.frame import (
    OFFSET,
    log_of,
    one_source,
    refuse_lost_stored,
    require,
    require_single_intervals,
)
from eyelog.provenance import derived

__all__ = ["STATES", "states"]

STATES: Final = ("usable", "walking", "noisy", "off pose", "not worn")
# The later ones take precedence over the earlier ones.
STATE_OF: Final = {Reason.INVALID: "noisy", Reason.NOISY: "noisy", Reason.MOVING: "walking"}


@shared_parameters
def states(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.Series:
    """Return the state of the eyewear in each row.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    Series of category
        Same index, named ``state``. The first of these that holds: ``not worn``; ``off pose`` (the
        tilt of stored eyewear); ``walking``; ``noisy`` (too many seconds of noise, or, in the
        15-second log, not valid by the eyewear's own verdict); otherwise ``usable``. The categories
        are ordered from ``usable`` to ``not worn``. Missing if the evidence is missing, as in a
        record without values. Time without records has no row.

    Raises
    ------
    ConfigurationError
        If the frame is resampled, its records overlap (two sources), it was masked with other
        limits, or nothing shows which log it is.
    FieldError
        If the frame lacks the field that shows wear.
    MixedLogsError
        If the frame has fields of both logs.

    Warns
    -----
    EyelogWarning
        If other evidence is not in the frame: once per call, with the fields to add.

    Notes
    -----
    The usable rows are those
    whose worn time `eyelog.coverage` counts in ``valid_h``. A masked frame has the same states as
    the frame it was made from.

    Examples
    --------
    >>> import eyelog as el
    >>> state = el.states(el.sample())
    >>> list(state.cat.categories)
    ['usable', 'walking', 'noisy', 'off pose', 'not worn']
    >>> bool((state == "usable").mean() > 0.3)
    True
    """
    which = log_of(frame, log)
    chosen = chosen_limits(limits, frame)
    require_single_intervals(frame, "states")
    require(frame, role(which, "worn"), purpose="states")
    warn_unjudged(frame, _lacking(frame, which, chosen))
    one_source(frame, what="states")
    refuse_lost_stored(frame)
    evidence = Evidence(Arrays.of(frame), which, chosen)
    rows, values = evidence.against, cast(Floats, evidence.worn)  # its field is there
    codes = np.zeros(len(frame), dtype=np.int8)
    unknown = np.isnan(values)
    for reason, state in STATE_OF.items():
        if reason in rows:
            codes[rows[reason]] = STATES.index(state)
            of_reason = evidence.part(evidence.rules[CONTEXT[reason][0]].role)
            unknown |= np.isnan(cast(Floats, of_reason))
    codes[(unknown & (codes == 0)) | np.isnan(values)] = -1
    codes[rows[Reason.OFF_POSE]] = STATES.index("off pose")
    codes[rows[Reason.UNWORN]] = STATES.index("not worn")
    kinds = pd.CategoricalDtype(list(STATES), ordered=True)
    series = pd.Series(
        pd.Categorical.from_codes(codes, dtype=kinds), index=frame.index, name="state"
    )
    # A Series has no room for the wearer's clock.
    details: dict[str, Any] = {"limits": chosen.details()}
    if OFFSET in frame.columns:
        details["zones_vary"] = True
    return derived(series, frame, "states", log=which, **details)


def _lacking(frame: pd.DataFrame, log: str, limits: Limits) -> dict[str, list[str]]:
    """Return the evidence, by reason, for which the frame has no column."""
    evidence = {
        str(reason.name): fields
        for reason, fields in evidence_for(log).items()
        if reason not in (Reason.UNWORN, Reason.STILL)
    }
    if limits.wear == "blinks":
        evidence[str(Reason.UNWORN.name)] = blink_evidence(log)
    lacking = {
        reason: [name for name in fields if name not in frame.columns]
        for reason, fields in evidence.items()
    }
    return {reason: fields for reason, fields in lacking.items() if fields}
