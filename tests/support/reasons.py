"""The reasons against one value, given its interval's evidence."""

import warnings
from typing import Any

import pandas as pd

import eyelog as el
from support.frames import CALM, EYES, MINUTES, frame_of

R = el.Reason
# One field of each kind, and the evidence of walking and noise.
STATIC = {EYES: "re_u", MINUTES: "ems_rl"}
MOTION = {EYES: "hm_po", MINUTES: "hm_po"}
GAIT = {EYES: "sa_xr", MINUTES: "sa_xr"}
STEPS = {EYES: "stp", MINUTES: "stp_fst"}
WALK = {EYES: "stp", MINUTES: "stp_s"}
NOISE = {EYES: "nis_time", MINUTES: "nis_s"}
# What a masked frame has besides
KEPT = ["stored", "state", "worn_s", "valid_s", "walking_s", "limits"]
CONTEXT = R.INVALID | R.MOVING | R.STILL | R.UNWORN | R.NOISY | R.OFF_POSE


def reason(frame: pd.DataFrame, name: str, row: int = 0, **limits: Any) -> el.Reason:
    """Return the reasons against one value."""
    return R(int(el.flag(frame, limits=el.Limits(**limits))[name].iloc[row]))


def against(log: str, evidence: dict[str, Any], field: str, **limits: Any) -> el.Reason:
    """Return the reasons from the context against one field, given one piece of evidence."""
    row = dict(CALM[log]) | {STATIC[log]: 3, MOTION[log]: 3, GAIT[log]: 3.0, STEPS[log]: 0}
    row |= evidence
    frame = frame_of(log, {name: [value] for name, value in row.items()}, calm=False)
    return reason(frame, field, **limits) & CONTEXT


def judged(frame: pd.DataFrame, *, allow: R | None = None, **options: Any) -> pd.DataFrame:
    """Return the frame without the values that a reason is against."""
    return el.mask(frame, el.flag(frame, **options), allow=allow)


def seconds(frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Return the seconds of each record that were recorded, worn, valid and walked, by stamp."""
    nouns = ["recorded_s", "worn_s", "valid_s", "walking_s"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        table = el.intervals(frame, **options)
    return table.reindex(columns=nouns).set_axis(frame.sort_index().index)
