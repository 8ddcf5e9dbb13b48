"""Quality: which values can be trusted, and why the others cannot.

`flag` gives the reasons against each value, `mask` replaces the flagged values with missing ones,
and `explain` counts them. `select` follows a recipe, and `attrition` counts the records that each
of its steps leaves. `states` gives the state of the eyewear in each row. Nothing is dropped
silently: rows stay.
"""

from eyelog.analysis.quality.explain import explain
from eyelog.analysis.quality.flags import flag, mask
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.quality.recipes import RECIPES, attrition, select
from eyelog.analysis.quality.states import STATES, states

__all__ = [
    "RECIPES",
    "STATES",
    "Reason",
    "attrition",
    "explain",
    "flag",
    "mask",
    "select",
    "states",
]


def __dir__() -> list[str]:
    return __all__
