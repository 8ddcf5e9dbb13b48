"""P values corrected for how many were examined."""

import numpy as np

from eyelog.analysis.series.arrays import Floats

__all__ = ["holm"]


def holm(p: Floats) -> Floats:
    """Return p values corrected for their number (Holm 1979); missing ones do not count."""
    out = np.full(len(p), np.nan)
    given = np.flatnonzero(np.isfinite(p))
    order = given[np.argsort(p[given], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out
