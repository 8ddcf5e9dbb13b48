"""The kinds of figure that a command draws, and the fields that each shows unless others are named.

This file imports nothing of eyelog: the command line lists the kinds before it draws anything.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

# The kinds of file that a figure can be saved as
ENDINGS: Final = (".png", ".svg", ".pdf")

# A new kind has its name here, its fields, if it draws any, in defaults.json, and its function in
# figures/.
KINDS: Final = (
    *("overview", "timeline", "day", "quality", "attrition", "heatmap", "daily"),
    *("profile", "rhythm", "distribution", "bouts", "week", "change", "actogram"),
)

# The column of states that a timeline ends with
STATE: Final = "state"

# The fields of each kind that draws fields; the other kinds take none. The state of the eyewear is
# what an actogram draws without a field.
DEFAULT_FIELDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        log: {kind: tuple(fields) for kind, fields in kinds.items()}
        for log, kinds in json.loads(
            files("eyelog").joinpath("figures", "defaults.json").read_text("utf-8")
        ).items()
    }
)

# The columns of a table of days that a week or a month at a glance shows
GLANCE: Final = ("worn_h", "blink_rate_per_min", "steps", "tilt_fore_aft_deg", "sc_fcs_mean")
