"""The array types of the analysis, and a column as numbers."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

MISSING: Final = float("nan")

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def numbers(column: Any) -> Floats:
    """Return a column (a Series or its array) as float64 with NaN for missing; true is 1.

    Not a copy if it can be.
    """
    if isinstance(column, np.ndarray):
        if column.dtype == np.float64:
            return column
        column = pd.Series(column, copy=False)
    elif column.dtype == np.float64:
        return np.asarray(column.to_numpy(), dtype=np.float64)
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values
