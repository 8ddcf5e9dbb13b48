"""Blinks: rate with its exposure and interval, strength, duration, bursts.

Blinks under noise are lost, so rates are computed from noise-free gaps between blinks (15-second
log) or from blinks counted over the seconds free of noise (60-second log), never from counts over
clock time. Sums are pooled, never rates.
"""

from eyelog.analysis.blinks.each_blink import blinks
from eyelog.analysis.blinks.rate import cleansings, rate
from eyelog.analysis.blinks.shape import bursts, duration, strength

__all__ = [
    "blinks",
    "bursts",
    "cleansings",
    "duration",
    "rate",
    "strength",
]


def __dir__() -> list[str]:
    return __all__
