"""Quality: the reasons against each value, and the values left without them.

`flag` gives reasons, `mask` takes out the flagged values, `explain` counts them, `attrition` shows
how many records a recipe leaves, step by step, and `select` follows it. Nothing is dropped
silently: rows stay, and a value that is taken out leaves a missing value behind.
"""

from eyelog.analysis.quality.explain import explain
from eyelog.analysis.quality.flags import flag, mask
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.quality.recipes import RECIPES, attrition, select

__all__ = [
    "RECIPES",
    "Reason",
    "attrition",
    "explain",
    "flag",
    "mask",
    "select",
]


def __dir__() -> list[str]:
    return __all__
