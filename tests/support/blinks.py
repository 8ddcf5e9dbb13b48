"""Frames of blink gaps, by hand and from a wearer with constant rates."""

import numpy as np
import pandas as pd

from support.frames import EYES, MINUTES, frame_of


def gaps(sums: list[float], numbers: list[float]) -> pd.DataFrame:
    """Return a frame of the 15-second log with total and number of gaps."""
    return frame_of(EYES, {"bki_sum": sums, "bki_n": numbers})


def minutes(averages: list[float], numbers: list[float], prefix: str = "sc_") -> pd.DataFrame:
    """Return a frame of the 60-second log with mean and number of gaps of one cleansing."""
    return frame_of(MINUTES, {f"{prefix}bki_av": averages, f"{prefix}bki_n": numbers})


def poisson_wearer(rate: float, noise: float, minutes_: int, seed: int) -> pd.DataFrame:
    """Return blinks and onsets of momentary noise at constant rates per minute."""
    rng = np.random.default_rng(seed)
    end = minutes_ * 60.0
    blinks = np.cumsum(rng.exponential(60 / rate, int(2 * rate * minutes_) + 50))
    blinks = blinks[blinks < end]
    onsets = np.sort(rng.uniform(0, end, rng.poisson(noise * minutes_)))
    length = np.diff(blinks)
    kept = np.searchsorted(onsets, blinks[1:]) == np.searchsorted(onsets, blinks[:-1])
    row = (blinks[1:] // 15).astype(int)
    n = minutes_ * 4
    noisy = np.bincount((onsets // 15).astype(int), minlength=n) > 0
    return frame_of(
        EYES,
        {
            "bki_n": np.bincount(row[kept], minlength=n).tolist(),
            "bki_sum": np.bincount(row[kept], weights=length[kept], minlength=n).tolist(),
            "nis_time": (noisy * 0.5).tolist(),
        },
    )
