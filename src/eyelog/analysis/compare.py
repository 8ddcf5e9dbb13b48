"""Compare: around events, in spite of uneven wear, between logs, periods, persons and groups.

Every answer carries what it rests on, and is missing with a reason where it rests on too little.
"""

from eyelog.analysis.agreement import Limits, agreement, limits_of_agreement
from eyelog.analysis.eventlocked import events
from eyelog.analysis.standardise import StandardisedMean, standardised_mean

__all__ = [
    "Limits",
    "StandardisedMean",
    "agreement",
    "events",
    "limits_of_agreement",
    "standardised_mean",
]
