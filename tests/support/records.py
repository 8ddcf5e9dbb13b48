"""Frames of made-up records: every field of the catalogue, no likeness to a day of a life."""

import numpy as np
import pandas as pd

from support.logs import INTERVAL_SECONDS, rows


def records(
    log: str, start: str, n: int, *, seed: int = 0, tz: str = "UTC", missing: float = 0.1
) -> pd.DataFrame:
    """Return `n` records at the log's own interval, a share of the values missing."""
    draw = np.random.default_rng(seed)
    step = INTERVAL_SECONDS[log]
    stamps = pd.date_range(start, periods=n, freq=f"{step}s", tz=tz).as_unit("us")
    data = {}
    for name, field in list(rows(log).items())[1:]:
        gone = draw.random(n) < missing
        if field["value_type"] == "bool":
            data[name] = pd.array(np.where(gone, None, draw.random(n) < 0.5), "boolean")
        elif field["value_type"] == "str":
            data[name] = pd.array(np.where(gone, None, ""), "string")
        else:
            data[name] = np.where(gone, np.nan, draw.integers(-1, 100, n) / 4)
    return pd.DataFrame(data, index=pd.DatetimeIndex(stamps, freq=None, name="date"))
