"""The kinds of composed figure, and the fields that each shows unless others are named.

This file imports nothing of eyelog: the command line lists the kinds before it draws anything.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["DEFAULT_FIELDS", "KINDS"]

KINDS: Final = ("timeline", "quality", "heatmap", "daily")

DEFAULT_FIELDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "computed_data": {
            "timeline": ("isl", "vld", "stp", "bk_n", "bki_av", "tl_yav", "hm_yo", "sc_fcs"),
            "quality": (),
            "heatmap": ("stp", "hm_yo"),
            "daily": ("worn_h", "steps", "blink_rate_per_min"),
        },
        "standard_mode_logs": {
            "timeline": ("wea_s", "stp_s", "nis_s", "lc_bk_n", "ems_rl", "tl_yav", "hm_yo", "bl"),
            "quality": (),
            # No duration here: durations are evidence and are not masked, so a heatmap of one
            # would show unworn time as rest.
            "heatmap": ("stp_slw", "hm_yo"),
            "daily": ("worn_h", "steps", "pace_spm"),
        },
    }
)
