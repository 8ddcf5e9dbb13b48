"""Tables to draw."""

import numpy as np
import pandas as pd


def counted_minutes(days: list[str]) -> pd.DataFrame:
    """Every minute of some local days; stp_mid counts the rows."""
    index = pd.DatetimeIndex(
        [stamp for day in days for stamp in pd.date_range(f"{day} 00:01", periods=1440, freq="min")]
    )
    index = index.tz_localize("Asia/Tokyo").as_unit("us").rename("date")
    return pd.DataFrame({"stp_mid": np.arange(len(index), dtype="float64")}, index=index)
