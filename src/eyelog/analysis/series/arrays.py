"""The array types of the analysis, and a column as numbers."""

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Bools", "Floats", "Ints", "numbers"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def numbers(column: pd.Series) -> Floats:
    """Return a column as float64 with NaN for missing; true is 1."""
    if column.dtype == np.float64:
        return column.to_numpy()
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
