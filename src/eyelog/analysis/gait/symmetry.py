"""How alike the right and the left side are."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = [
    "Symmetry",
    "symmetry",
]


class Symmetry(NamedTuple):
    """How alike two sides are; each a number, or a Series where the sides were Series."""

    index: float | pd.Series  # type: ignore[assignment]  # the plain name hides tuple.index
    ratio: float | pd.Series
    angle: float | pd.Series


def symmetry(
    right: float | pd.Series, left: float | pd.Series, *, signed: bool = False
) -> Symmetry:
    """Return symmetry index, ratio and angle of right against left.

    Parameters
    ----------
    right, left : float or Series
        The same positive quantity of both sides, such as the landing strength of a walking bout.
        Series are compared row by row.
    signed : bool
        Keep the sign (positive where the right is larger). By default sizes only: the eyewear
        distinguishes the feet poorly, so do not rely on which side is larger.

    Returns
    -------
    Symmetry
        Named tuple of ``index`` (percent; 0 is symmetric), ``ratio`` (larger over smaller, or
        right over left where `signed`; 1 is symmetric) and ``angle`` (percent; 0 is symmetric).
        Missing where a side is missing, negative, or both are 0.

    Notes
    -----
    Index 200 (R - L) / (R + L) (Robinson et al. 1987). Angle (45 deg - atan(L / R)) / 90 deg in
    percent (Zifchock et al. 2008), which needs no reference side.

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.gait.symmetry(5.2, 4.6).index, 7)
    12.244898
    """
    r, l_ = np.broadcast_arrays(*(np.asarray(side, dtype=np.float64) for side in (right, left)))
    good = (r >= 0) & (l_ >= 0) & (r + l_ > 0)
    r, l_ = np.where(good, r, np.nan), np.where(good, l_, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = 200.0 * (r - l_) / (r + l_)
        quotient = r / l_ if signed else np.maximum(r, l_) / np.minimum(r, l_)
    angle = (45.0 - np.rad2deg(np.arctan2(l_, r))) / 90.0 * 100.0
    if not signed:
        index, angle = np.abs(index), np.abs(angle)
    like = next((side for side in (right, left) if isinstance(side, pd.Series)), None)

    def shaped(values: npt.NDArray[np.float64]) -> float | pd.Series:
        return float(values) if like is None else pd.Series(values, index=like.index)

    return Symmetry(shaped(index), shaped(quotient), shaped(angle))
