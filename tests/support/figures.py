"""Tables to draw."""

import numpy as np
import pandas as pd


def counted_minutes(days: list[str]) -> pd.DataFrame:
    """Every minute of some local days, as if masked; stp_mid counts the rows."""
    index = pd.DatetimeIndex(
        [stamp for day in days for stamp in pd.date_range(f"{day} 00:01", periods=1440, freq="min")]
    )
    index = index.tz_localize("Asia/Tokyo").as_unit("us").rename("date")
    counts = np.arange(len(index), dtype="float64")
    return pd.DataFrame({"stored": False, "stp_mid": counts}, index=index)


def notes(number: int, first: str = "2026-10-19 07:00", days: float = 6.5) -> pd.DataFrame:
    """Notes of a diary, which are moments at even distances over some days."""
    step = pd.Timedelta(days=days) / number
    start = pd.date_range(first, periods=number, freq=step.floor("min"), tz="Asia/Tokyo")
    label = [f"note number {place} about something" for place in range(number)]
    end = pd.DatetimeIndex([pd.NaT] * number, tz="Asia/Tokyo")
    return pd.DataFrame({"start": start, "end": end, "label": label})
