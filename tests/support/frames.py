"""Small frames of either log, by hand and at random."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from support.logs import INTERVAL_SECONDS, columns, fields

EYES = "computed_data"
MINUTES = "standard_mode_logs"

# A worn, quiet, resting interval of each log: nothing speaks against what is measured in it.
CALM: Mapping[str, Mapping[str, Any]] = {
    EYES: {"isl": False, "vld": True, "stp": 0, "cad": 0, "nis_time": 0, "tl_xav": 0, "tl_yav": 10},
    MINUTES: {"val_s": 60, "wea_s": 60, "nis_s": 0, "stp_s": 0, "tl_xav": 0, "tl_yav": 10},
}


def shaped(
    table: pd.DataFrame | Mapping[str, Any],
    log: str,
    *,
    index: pd.DatetimeIndex | None = None,
    tz: str | None = None,
) -> pd.DataFrame:
    """Return columns as a frame of a log: order of columns, dtypes and index; unknown ones last.

    Of rows with the same stamp the last one is kept. Its history says which log it is.
    """
    index = (table.index if isinstance(table, pd.DataFrame) else index).as_unit("us")
    index = (index if tz is None else index.tz_convert(tz)).rename("date")
    index.freq = None
    dtypes = dtypes_of(log)
    names = [*(name for name in dtypes if name in table)]
    names += [name for name in table if name not in dtypes]
    data = {name: _typed(table[name], dtypes.get(name)) for name in names}
    frame = pd.DataFrame(data, index=index, copy=False)
    if not (index.is_monotonic_increasing and index.is_unique):
        frame = frame.sort_index(kind="stable")
        frame = frame[~frame.index.duplicated(keep="last")]
    frame.attrs = {"eyelog": {"log": log, "history": [{"step": "test"}]}}
    return frame


@cache
def dtypes_of(log: str) -> dict[str, str]:
    return dict(fields(log)["dtype"])


def _typed(values: Any, dtype: str | None) -> Any:
    """Return values in the dtype of their field, or in the one that pandas finds for them."""
    if dtype == "float64" and isinstance(values, list | np.ndarray):
        return np.array(values, dtype=dtype)
    column = pd.Series(values) if not isinstance(values, pd.Series) else values
    return (column.convert_dtypes() if dtype is None else column.astype(dtype)).array


def frame_of(
    log: str,
    rows: Mapping[str, Sequence[Any]],
    *,
    calm: bool = True,
    start: str = "2026-10-20T10:00:00Z",
    tz: str = "UTC",
) -> pd.DataFrame:
    """Return a frame with the given columns, neighbouring stamps, and a calm rest."""
    n = len(next(iter(rows.values())))
    first = pd.Timestamp(start) + pd.Timedelta(INTERVAL_SECONDS[log], "s")
    index = pd.date_range(first, periods=n, freq=f"{INTERVAL_SECONDS[log]}s", unit="us")
    data = {name: [value] * n for name, value in CALM[log].items()} if calm else {}
    return shaped(data | dict(rows), log, index=index, tz=tz)


def at(frame: pd.DataFrame, stamps: Sequence[str]) -> pd.DataFrame:
    """Return the frame with these stamps instead of its own, in its own zone."""
    index = pd.DatetimeIndex(pd.to_datetime(list(stamps), utc=True)).as_unit("us")
    moved = frame.set_axis(index.tz_convert(frame.index.tz).rename("date"))
    moved.attrs = dict(frame.attrs)
    return moved


@cache
def _choices(log: str, name: str) -> list[Any]:
    """Return the values that a field is most likely to break on."""
    field = fields(log).loc[name]
    if field["dtype"] == "boolean":
        return [True, False, None]
    if field["dtype"] == "string":
        return ["", "x", None]
    edges = [0.0, 0.0, 1.0, 2.5, 12.0, 40.0, -50.0, -1.0, 1e9, np.nan, np.inf, -np.inf]
    return edges + field[["min", "max", "invalid_value"]].dropna().tolist()


@st.composite
def frames(
    draw: st.DrawFn, log: str | None = None, *, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Draw a frame of either log: any columns (or those of `names`), any values, some gaps."""
    log = log or draw(st.sampled_from([EYES, MINUTES]))
    if names is None:
        every = st.sampled_from(columns(log))
        names = draw(st.lists(every, min_size=1, max_size=12, unique=True))
    n = draw(st.integers(0, 6))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, 7]), min_size=n, max_size=n))
    millis = np.cumsum(steps, dtype=np.int64) * INTERVAL_SECONDS[log] * 1000
    index = pd.Timestamp("2026-10-25T00:00:00Z") + pd.to_timedelta(millis, unit="ms")
    choices = {name: _choices(log, name) for name in names}
    pick = draw(st.lists(st.integers(0, 59), min_size=n * len(names), max_size=n * len(names)))
    data = {
        name: [choices[name][pick[i * n + row] % len(choices[name])] for row in range(n)]
        for i, name in enumerate(names)
    }
    return shaped(data, log, index=pd.DatetimeIndex(index), tz="Europe/Berlin")
