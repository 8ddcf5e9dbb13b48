"""Blinks: rate with its exposure and exact interval, strength, duration, bursts.

Rates are computed from noise-free gaps between blinks, never from counts over clock time, because
blinks under noise are lost. Gaps are pooled as their sum and their number, never as rates.
"""

from eyelog.analysis.blinks.effective_n import effective_n
from eyelog.analysis.blinks.rate import cleansings, rate
from eyelog.analysis.blinks.shape import bursts, duration, strength

__all__ = [
    "bursts",
    "cleansings",
    "duration",
    "effective_n",
    "rate",
    "strength",
]


def __dir__() -> list[str]:
    return __all__
