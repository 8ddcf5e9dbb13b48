"""Symmetry of the right and the left side."""

import numbers
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.results import shown
from eyelog.errors import ConfigurationError

__all__ = [
    "Symmetry",
    "symmetry",
]


@shown("Symmetry of right and left")
class Symmetry(NamedTuple):
    """Symmetry of two sides: numbers, or Series if the sides were Series."""

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
        Two Series are compared label by label, whatever their order; labels found in only one of
        them are left out.
    signed : bool
        Keep the sign (positive if the right is larger). By default sizes only: the eyewear
        distinguishes the feet poorly, so do not rely on which side is larger.

    Returns
    -------
    Symmetry
        Named tuple of ``index`` (percent; 0 is symmetric), ``ratio`` (larger over smaller, or
        right over left if `signed`; 1 is symmetric) and ``angle`` (percent; 0 is symmetric).
        Missing if a side is missing or negative, or both are 0. For Series: Series in the order of
        the first.

    Raises
    ------
    ConfigurationError
        If a side is neither a number nor a Series of numbers, or two Series have no label in
        common, or their labels differ and one occurs twice.

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
    for side in (right, left):
        _check_side(side)
    if isinstance(right, pd.Series) and isinstance(left, pd.Series):
        right, left = _aligned(right, left)
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


def _check_side(side: object) -> None:
    numeric = (
        pd.api.types.is_numeric_dtype(side.dtype)
        if isinstance(side, pd.Series)
        else isinstance(side, numbers.Real)
    )
    if not numeric:
        kind = side.dtype if isinstance(side, pd.Series) else type(side).__name__
        raise ConfigurationError(
            f"gait.symmetry takes two numbers, or two Series of numbers, not {kind}"
        )


def _aligned(right: pd.Series, left: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return both sides at the labels that they share."""
    if right.index.equals(left.index):
        return right, left
    if right.index.has_duplicates or left.index.has_duplicates:
        raise ConfigurationError(
            "gait.symmetry pairs right and left by their labels, and a label comes twice:"
            " use groupby(level=0).mean()"
        )
    shared = right.index[right.index.isin(left.index)]
    if shared.empty:
        raise ConfigurationError(
            "gait.symmetry pairs right and left by their labels, and they share none:"
            " give both the same index"
        )
    return right.loc[shared], left.reindex(shared)
