"""Cohorts: the same functions on every wearer of an archive, in processes or on a Dask cluster.

Memory does not grow with the cohort, and the same call runs on this machine and on a cluster.
Needs the extra ``cohort``: ``pip install 'eyelog[cohort]'``.
"""

from eyelog.cohort.apply import apply
from eyelog.cohort.daily import daily
from eyelog.cohort.differences import differences
from eyelog.cohort.group_summary import Summary, summary
from eyelog.cohort.pseudonymise import pseudonymise
from eyelog.cohort.simulate import simulate

__all__ = ["Summary", "apply", "daily", "differences", "pseudonymise", "simulate", "summary"]


def __dir__() -> list[str]:
    return __all__
