"""Compare around events, despite uneven wear, and between logs, periods, persons and groups.

Every result shows how much data it is based on; with too little data it is missing, with a reason.
"""

from eyelog.series.agreement import AgreementLimits, agreement, limits_of_agreement, minute_pairs
from eyelog.series.events import event_courses, events
from eyelog.series.groups import GroupDifference, group_difference, group_rates
from eyelog.series.mixed import fit_mixed, mixed_table
from eyelog.series.periods import RateRatio, TwoPeriods, rate_ratio, two_periods
from eyelog.series.profile import StandardisedMean, standardised_mean
from eyelog.series.reliability import Reliability, power, reliability, sensitivity

__all__ = [
    "AgreementLimits",
    "GroupDifference",
    "RateRatio",
    "Reliability",
    "StandardisedMean",
    "TwoPeriods",
    "agreement",
    "event_courses",
    "events",
    "fit_mixed",
    "group_difference",
    "group_rates",
    "limits_of_agreement",
    "minute_pairs",
    "mixed_table",
    "power",
    "rate_ratio",
    "reliability",
    "sensitivity",
    "standardised_mean",
    "two_periods",
]


def __dir__() -> list[str]:
    return __all__
