"""Frames of the 20 Hz log by hand: packets with uneven stamps, nothing against any of them."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from support.frames import shaped

CURRENT: Final = "current_data"
PACKET_US: Final = 50_000


def packets(
    n: int = 1200,
    columns: Mapping[str, Any] | None = None,
    *,
    seed: int = 1,
    jitter_us: int = 10_000,
    start: str = "2026-10-20T10:00:00Z",
    tz: str = "UTC",
) -> pd.DataFrame:
    """Return packets of one connection with every field; `columns` replaces some of them."""
    draws = np.random.default_rng(seed)
    late = draws.integers(-jitter_us, jitter_us + 1, n)
    us = np.arange(1, n + 1) * PACKET_US + late // 1000 * 1000
    index = pd.DatetimeIndex(pd.Timestamp(start) + pd.to_timedelta(us, unit="us")).as_unit("us")
    speed = np.where(draws.random(n) < 0.015, draws.integers(90, 250, n), 0)
    data: dict[str, Any] = {
        "blinkSpeed": speed,
        "blinkStrength": np.where(speed > 0, draws.integers(35, 250, n), 0),
        "eyeMoveUp": np.zeros(n),
        "eyeMoveDown": np.zeros(n),
        "eyeMoveLeft": (draws.random(n) < 0.01) * 2,
        "eyeMoveRight": (draws.random(n) < 0.01) * 3,
        "roll": np.round(draws.normal(2, 0.3, n), 2),
        "pitch": np.round(draws.normal(12, 0.3, n), 2),
        "yaw": np.round(draws.normal(180, 0.3, n), 2),
        "accX": np.rint(draws.normal(0, 0.7, n)),
        "accY": np.rint(draws.normal(3, 0.7, n)),
        "accZ": np.rint(draws.normal(16, 0.7, n)),
        "walking": np.zeros(n, dtype=bool),
        "noiseStatus": np.zeros(n, dtype=bool),
        "fitError": np.zeros(n),
        "powerLeft": np.full(n, 4),
        "sequenceNumber": np.arange(n) % 256,
    }
    return shaped(data | dict(columns or {}), CURRENT, index=index, tz=tz)


def flagged_at(n: int, *rows: int) -> np.ndarray:
    """Return a flag that is up in some rows."""
    flag = np.zeros(n, dtype=bool)
    flag[list(rows)] = True
    return flag
