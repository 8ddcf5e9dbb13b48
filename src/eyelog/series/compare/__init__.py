"""Compare around events, despite uneven wear, and between logs, periods, persons and groups.

Every result shows how much data it is based on; with too little data it is missing, with a reason.
"""

from eyelog.series.compare.agreement import (
    AgreementLimits,
    agreement,
    limits_of_agreement,
    minute_pairs,
)
from eyelog.series.compare.event_comparison import events
from eyelog.series.compare.event_courses import event_courses
from eyelog.series.compare.fit_mixed import fit_mixed
from eyelog.series.compare.group_difference import GroupDifference, group_difference
from eyelog.series.compare.group_rates import group_rates
from eyelog.series.compare.mixed_table import mixed_table
from eyelog.series.compare.power import power
from eyelog.series.compare.rate_ratio import RateRatio, rate_ratio
from eyelog.series.compare.reliability import Reliability, reliability
from eyelog.series.compare.sensitivity import sensitivity
from eyelog.series.compare.standardised_mean import StandardisedMean, standardised_mean
from eyelog.series.compare.two_periods import TwoPeriods, two_periods

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
