"""A person against themselves: usual values, deviations from them, trends and changes of level.

Each function takes a table and the name of a column, most often of `eyelog.daily`, or one Series. A
Series does not carry the worn hours and the coverage of its days, so take the table where these
matter. Missing values are left out, never counted as 0. Scores are already
relative to the wearer's last hours, so compare within one person only.
"""

from eyelog.series.levels import new_levels
from eyelog.series.trend import Trend, trend
from eyelog.series.usual import TypicalValue, personal, typical_value

__all__ = ["Trend", "TypicalValue", "new_levels", "personal", "trend", "typical_value"]


def __dir__() -> list[str]:
    return __all__
