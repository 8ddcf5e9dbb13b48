"""A person against themselves: usual values, deviations from them, trends and changes of level.

Each function takes a table and the name of a column, most often of `eyelog.daily`, or one Series. A
Series does not carry the worn hours and the coverage of its days, so take the table where these
matter. Missing values are left out, never counted as 0. Scores are already
relative to the wearer's last hours, so compare within one person only.
"""

from eyelog.series.baseline.deviation import personal
from eyelog.series.baseline.new_levels import new_levels
from eyelog.series.baseline.trend import Trend, trend
from eyelog.series.baseline.typical import TypicalValue, typical_value

__all__ = [
    "Trend",
    "TypicalValue",
    "new_levels",
    "personal",
    "trend",
    "typical_value",
]


def __dir__() -> list[str]:
    return __all__
