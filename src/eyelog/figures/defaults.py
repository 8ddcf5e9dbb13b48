"""The kinds of figure that a command draws, and the fields that each shows unless others are named.

This file imports nothing of eyelog: the command line lists the kinds before it draws anything.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# The kinds of file that a figure can be saved as
ENDINGS: Final = (".png", ".svg", ".pdf")

# A new kind has its name here, its fields below if it draws any, and its function in figures/.
KINDS: Final = (
    *("overview", "timeline", "day", "quality", "attrition", "heatmap", "daily"),
    *("profile", "rhythm", "distribution", "bouts", "week", "change", "actogram"),
)

# The column of states that a timeline ends with
STATE: Final = "state"

# The fields of each kind that draws fields; the other kinds take none
DEFAULT_FIELDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "computed_data": {
            "timeline": ("isl", "vld", "stp", "bk_n", "bki_av", "tl_yav", "hm_yo", "sc_fcs", STATE),
            "day": ("stp", "tl_yav"),
            "heatmap": ("stp", "hm_yo"),
            "profile": ("stp", "hm_yo"),
            "rhythm": ("stp",),
            "distribution": ("hm_yo", "tl_yav"),
            "daily": ("worn_h", "steps", "blink_rate_per_min"),
            "change": ("blink_rate_per_min",),
            "actogram": (),  # the state of the eyewear
        },
        "standard_mode_logs": {
            "timeline": (
                *("wea_s", "stp_s", "nis_s", "lc_bk_n", "ems_rl", "tl_yav", "hm_yo", "bl"),
                STATE,
            ),
            "day": ("hm_yo", "tl_yav"),
            "heatmap": ("steps", "hm_yo"),
            "profile": ("steps", "hm_yo"),
            "rhythm": ("hm_yo",),
            "distribution": ("hm_yo", "tl_yav"),
            "daily": ("worn_h", "steps", "pace_spm"),
            "change": ("blink_rate_per_min",),
            "actogram": (),  # the state of the eyewear
        },
        "current_data": {
            "timeline": (
                *("blinkStrength", "eyeMoveLeft", "eyeMoveRight", "pitch", "roll", "accZ"),
                *("walking", "noiseStatus", STATE),
            ),
            "day": ("pitch", "accZ"),
            "distribution": ("pitch", "roll"),
            "heatmap": ("walking",),
            "profile": ("walking",),
            "rhythm": ("walking",),
            "daily": ("worn_h", "steps", "blink_rate_per_min"),
            "change": ("blink_rate_per_min",),
            "actogram": (),  # the state of the eyewear
        },
    }
)

# The columns of a table of days that a week or a month at a glance shows
GLANCE: Final = ("worn_h", "blink_rate_per_min", "steps", "tilt_fore_aft_deg", "sc_fcs_mean")
