"""Columns as arrays: their types, runs of rows, what is near a row, and angles on the circle.

`scipy.stats.circmean` gives a direction even if angles cancel out, as 0 and 180 do; here such
angles have none (Fisher 1993).
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.errors import ConfigurationError

MISSING: Final = float("nan")

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def holds_numbers(column: pd.Series) -> bool:
    """Return whether the values of a column are numbers, which true and false are not."""
    kinds = pd.api.types
    return bool(kinds.is_numeric_dtype(column.dtype) and not kinds.is_bool_dtype(column.dtype))


def numbers(column: Any, name: object = None) -> Floats:
    """Return a column (a Series or its array) as float64 with NaN for missing; true is 1.

    Not a copy if it can be. A column with a `name` is refused by it unless it is numeric or
    boolean: true, false and missing values are, whatever dtype the reader of a file gave them.
    """
    if isinstance(column, np.ndarray):
        if column.dtype == np.float64:
            return column
        column = pd.Series(column, copy=False)
    elif column.dtype == np.float64:
        return np.asarray(column.to_numpy(), dtype=np.float64)
    if name is not None and not pd.api.types.is_numeric_dtype(column.dtype):
        kinds = ("boolean", "empty")
        if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) not in kinds:
            how = f"pd.to_numeric(frame[{name!r}], errors='coerce')"
            if {*map(str, column)} & {"True", "False"}:  # of which that would make missing values
                how = f"frame[{name!r}].map({{'True': True, 'False': False}})"
            raise ConfigurationError(
                f"column {name!r} holds {column.dtype}, not numbers: convert it with {how}"
            )
        column = pd.array(column, dtype="boolean")
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


# Runs: stretches in which a condition holds without a break. The one definition of a gap.

# How late a row may be and still follow the one before, in lengths of a row. With one missing
# record neighbours are two lengths apart, with none they are one apart; halfway leaves either case
# half a length for stamps that are rounded or drift.
LATEST: Final = 1.5
# Packets of a twentieth of a second are stamped when they arrive, unevenly: one that is held back
# by up to this time still follows.
HELD_BACK_US: Final = 1_000_000


def follows(us: Ints, step_us: float | Floats) -> Bools:
    """Return, for each row but the first, whether it follows the one before without a gap.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    step_us : float or array
        Length of one row, or of each row.
    """
    own = step_us[1:] if isinstance(step_us, np.ndarray) else step_us
    return np.asarray(np.diff(us) <= np.maximum(LATEST * own, HELD_BACK_US), dtype=np.bool_)


def changes(codes: Ints) -> Ints:
    """Return the first row of each run of equal codes."""
    return np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])


def runs(holds: Bools, us: Ints, step_us: float | Floats) -> tuple[Ints, Ints]:
    """Return the first and the last row of each run in which a condition holds.

    A run ends where the condition does not hold or is missing, and at a gap in the stamps: whether
    it held while nothing was recorded is unknown.

    Parameters
    ----------
    holds : array of bool
        Whether the condition holds in each row.
    us : array of int64
        Sorted stamps in microseconds.
    step_us : float or array
        Length of one row, or of each row.
    """
    goes_on = np.zeros(len(holds) + 1, dtype=bool)
    goes_on[1:-1] = holds[1:] & holds[:-1] & follows(us, step_us)
    return np.flatnonzero(holds & ~goes_on[:-1]), np.flatnonzero(holds & ~goes_on[1:])


def around(us: Ints, seen: Bools, before_us: int, after_us: int) -> Bools:
    """Return the rows near one in which something is seen, including that row.

    Parameters
    ----------
    us : array of int64
        Stamps in microseconds, in any order.
    seen : array of bool
        The rows in which it is seen.
    before_us, after_us : int
        How long before and after such a row it applies, both ends included.

    Examples
    --------
    >>> seen = np.array([False, False, True, False, False])
    >>> around(np.array([0, 40, 100, 150, 210]), seen, 60, 100).tolist()
    [False, True, True, True, False]
    """
    if not seen.any():
        return seen
    at = np.sort(us[seen])
    # The earliest stamp that may reach each row: it does if it is not later than allowed.
    first = np.searchsorted(at, us - after_us)
    reached = first < len(at)
    near = np.zeros(len(us), dtype=np.bool_)
    near[reached] = at[first[reached]] - us[reached] <= before_us
    return near


# Angles in degrees: wrapping, differences and means on the circle.

# A mean unit vector shorter than this is the rounding error of a zero vector.
NOWHERE: Final = 1e-12


def wrap(degrees: Floats) -> Floats:
    """Return angles on the branch [-180, 180)."""
    return np.asarray((degrees + 180.0) % 360.0 - 180.0, dtype=np.float64)


def difference(degrees: Floats, other: Floats | float) -> Floats:
    """Return the turn from `other` to `degrees`, in [-180, 180)."""
    return wrap(degrees - other)


def near(degrees: Floats, centre: Floats | float) -> Floats:
    """Return the same angles within half a turn of `centre`, for percentiles around it."""
    return np.asarray(centre + difference(degrees, centre), dtype=np.float64)


def unit_vectors(degrees: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine, both from the tangent of the half angle: half the work."""
    half = np.tan(degrees * (np.pi / 360.0))
    scale = 2.0 / (1.0 + half * half)
    return scale - 1.0, half * scale


def direction(east: Floats, north: Floats, weight: Floats) -> Floats:
    """Return the directions of sums of unit vectors in (-180, 180], NaN if they cancel out.

    Parameters
    ----------
    east, north : array of float64
        Sums of cosines and of sines, each angle times its weight.
    weight : array of float64
        Sums of the weights.
    """
    points = np.hypot(east, north) > NOWHERE * weight
    return np.where(points, np.rad2deg(np.arctan2(north, east)), np.nan)


def mean_direction(degrees: Floats) -> float:
    """Return the mean direction of angles in (-180, 180]; missing and infinite ones left out."""
    angles = degrees[np.isfinite(degrees)]
    east, north = (part.sum(keepdims=True) for part in unit_vectors(angles))
    return float(direction(east, north, np.array([float(angles.size)]))[0])
