"""Compare: around events, in spite of uneven wear, between logs, periods, persons and groups.

Every answer carries what it rests on, and is missing with a reason where it rests on too little.
"""

from eyelog.analysis.agreement import Limits, agreement, limits_of_agreement
from eyelog.analysis.eventlocked import events
from eyelog.analysis.groups import GroupDifference, RateRatio, group_difference, rate_ratio
from eyelog.analysis.mixed import mixed_table
from eyelog.analysis.mixedfit import fit_mixed
from eyelog.analysis.periods import TwoPeriods, two_periods
from eyelog.analysis.standardise import StandardisedMean, standardised_mean
from eyelog.analysis.weardiag import WearDiagnostic, wear_diagnostic

__all__ = [
    "GroupDifference",
    "Limits",
    "RateRatio",
    "StandardisedMean",
    "TwoPeriods",
    "WearDiagnostic",
    "agreement",
    "events",
    "fit_mixed",
    "group_difference",
    "limits_of_agreement",
    "mixed_table",
    "rate_ratio",
    "standardised_mean",
    "two_periods",
    "wear_diagnostic",
]
