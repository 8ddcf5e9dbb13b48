"""The sections of a report, in the order in which they are read."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from eyelog.reports.logs import Logs
from eyelog.reports.section_parts import Part
from eyelog.reports.sections import (
    agreement,
    baseline,
    blinks,
    days,
    eyes,
    head,
    rhythm,
    trust,
    walking,
)

# Title and maker of each section; the method follows them in every report
SECTIONS: Final[Mapping[str, tuple[str, Callable[[Logs], Part]]]] = MappingProxyType(
    {
        "days": ("Days", days.section),
        "eyes": ("Eyes", eyes.section),
        "blinks": ("Blinks, one by one", blinks.section),
        "walking": ("Walking", walking.section),
        "head": ("Head and posture", head.section),
        "rhythm": ("Rhythm of the day", rhythm.section),
        "baseline": ("Against the own usual range", baseline.section),
        "agreement": ("Agreement of the two logs", agreement.section),
        "trust": ("How far to trust it", trust.section),
    }
)

# The sections that a reader looks up: folded on a screen, in full at the end of a print
APPENDIX: Final = ("trust", "method")
