"""The array types of the analysis, a column as numbers, and the columns of a frame as arrays."""

from collections.abc import Iterable, KeysView, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.errors import ConfigurationError

__all__ = ["MISSING", "Arrays", "Bools", "Floats", "Ints", "Table", "numbers"]

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


class Arrays:
    """The columns of a frame as arrays, each taken out of pandas once.

    For each column that is taken from a frame, pandas looks up a name in an index, makes a Series
    and copies the provenance; for a month of records that takes longer than most operations on the
    column. So a summary takes the frame apart once, and builds a table at the end.

    Parameters
    ----------
    columns : mapping
        Arrays of numpy or pandas by name; they are shared and never written to. A function without
        arguments instead of an array is called each time the column is requested, so that derived
        columns need not all be in memory at once.
    index : Index
        The stamps.
    attrs : mapping
        The provenance, as in ``attrs`` of the frame.
    """

    __slots__ = ("_columns", "attrs", "index")

    def __init__(
        self, columns: Mapping[Any, Any], index: pd.Index, attrs: Mapping[Any, Any]
    ) -> None:
        self._columns, self.index, self.attrs = dict(columns), index, dict(attrs)

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "Arrays":
        """Return the columns of a frame.

        Raises
        ------
        ConfigurationError
            If two columns have one name.
        """
        columns = {
            name: column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
            for name, column in frame.items()
        }
        if len(columns) < len(frame.columns):
            twice = frame.columns[frame.columns.duplicated()][0]
            raise ConfigurationError(
                f"the frame has several columns {twice!r}: keep one of them,"
                " frame.loc[:, ~frame.columns.duplicated()]"
            )
        return cls(columns, frame.index, frame.attrs)

    @property
    def columns(self) -> KeysView[Any]:
        """The names of the columns, in order."""
        return self._columns.keys()

    def __getitem__(self, name: Any) -> Any:
        column = self._columns[name]
        return column() if callable(column) else column

    def __len__(self) -> int:
        return len(self.index)

    def chosen(self, names: Iterable[Any]) -> "Arrays":
        """Return some of the columns."""
        return Arrays({name: self._columns[name] for name in names}, self.index, self.attrs)

    def frame(self, names: pd.Index | None = None) -> pd.DataFrame:
        """Return the columns as a frame, which shares them; `names` are their names as an index."""
        columns = {name: self[name] for name in self.columns}
        frame = pd.DataFrame(columns, index=self.index, copy=False)
        if names is not None:
            frame.columns = names
        frame.attrs = dict(self.attrs)
        return frame


Table: TypeAlias = pd.DataFrame | Arrays
