"""Cohorts: the same functions on every wearer of an archive, in processes or on a Dask cluster.

Memory does not grow with the cohort, and the same call runs on this machine and on a cluster.
Needs the extra ``cohort``: ``pip install 'eyelog[cohort]'``.
"""

from eyelog.cohort.groups import Summary, differences, summary
from eyelog.cohort.pseudonymise import pseudonymise
from eyelog.cohort.run import apply, daily
from eyelog.cohort.simulate import simulate

__all__ = ["Summary", "apply", "daily", "differences", "pseudonymise", "simulate", "summary"]


def __dir__() -> list[str]:
    return __all__
