"""Records of a wearer whose blinks and noise come at planted rates: Poisson, and nothing else."""

import numpy as np
import pandas as pd

from reference.rows import EYES, MINUTES
from support.frames import frame_of


def fifteen(
    rng: np.random.Generator,
    n: int,
    *,
    rate: float | np.ndarray,
    onsets: float = 0.0,
    noise_s: float = 20.0,
) -> pd.DataFrame:
    """Return records with blinks at `rate` and onsets of noise at `onsets` a quiet minute."""
    span = 15.0 * n
    # Blinks at rate 1 in a time that runs as fast as they come.
    due = np.r_[0.0, np.cumsum(np.broadcast_to(rate, n) / 4)]
    unit = np.cumsum(rng.exponential(1.0, int(due[-1] + 6 * np.sqrt(due[-1]) + 20)))
    blinks = np.interp(unit[unit < due[-1]], due, np.arange(n + 1) * 15.0)
    opens = np.empty(0)
    if onsets:
        quiet = rng.exponential(60 / onsets, int(span / 60 * onsets) + 100)
        opens = np.cumsum(quiet + noise_s) - noise_s
        opens = opens[opens < span]
    closes = np.minimum(opens + noise_s, span)
    before = np.searchsorted(opens, blinks)  # bouts of noise that began before each blink
    heard = (before == 0) | (blinks >= np.r_[0.0, closes][before])
    times, bout = blinks[heard], before[heard]
    whole = np.diff(bout) == 0  # no noise set in between the two
    gaps, ends = np.diff(times)[whole], (times[1:][whole] // 15).astype(int)
    edges = np.arange(n + 1) * 15.0
    noise_until = np.interp(
        edges,
        np.ravel(np.column_stack([opens, closes])) if len(opens) else [0.0],
        np.ravel(np.column_stack([np.arange(len(opens)), np.arange(1, len(opens) + 1)]))
        if len(opens)
        else [0.0],
    )
    noise = np.diff(noise_until) * noise_s if len(opens) else np.zeros(n)
    rows = {
        "bki_n": np.bincount(ends, minlength=n).astype(float),
        "bki_sum": np.bincount(ends, weights=gaps, minlength=n),
        "nis_time": noise.clip(0, 15),
        "vld": noise < 3,
    }
    return frame_of(EYES, {name: list(values) for name, values in rows.items()})


def sixty(
    rng: np.random.Generator, n: int, *, rate: float | np.ndarray, noise_s: float = 0.0
) -> pd.DataFrame:
    """Return minutes with blinks counted at `rate` in their usable seconds, and their gaps."""
    usable = 60.0 - noise_s
    counts = rng.poisson(np.asarray(rate) * usable / 60, n)
    gaps = [rng.exponential(60 / r, c) for r, c in zip(np.broadcast_to(rate, n), counts)]  # noqa: B905
    square = [float(np.sqrt(np.mean(g**2))) if len(g) else 0.0 for g in gaps]
    rows: dict[str, list[float]] = {"nis_s": [noise_s] * n}
    for prefix in ("lc_", "sc_"):
        rows |= {
            f"{prefix}bk_n": [float(c) for c in counts],
            f"{prefix}bki_n": [float(c) for c in counts],
            f"{prefix}bki_av": [min(x, 51.2) for x in square],
        }
    return frame_of(MINUTES, rows)
