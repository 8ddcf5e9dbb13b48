"""Which parts a cohort is cut into, and what a part answers."""

from datetime import UTC, datetime

import eyelog as el
from eyelog.cohort.wearer_months import Study, plan
from eyelog.cohort.wearers import Wearer
from support.cohorts import SIXTY


def study_of(archive: el.Archive) -> Study:
    return Study(archive, SIXTY, "UTC", {}, None, "1")


def test_a_range_cuts_parts_and_what_they_read(kept: el.Archive) -> None:
    first, last = (datetime(2026, 9, day, tzinfo=UTC) for day in (29, 30))
    (part,) = plan(study_of(kept), Wearer("ann", el.Zones("UTC")), first, last)
    assert part.own == part.around == (first, last)
    assert (
        plan(study_of(kept), Wearer("ann", el.Zones("UTC")), first.replace(year=2030), None) == []
    )
    assert plan(study_of(kept), Wearer("nobody", el.Zones("UTC")), None, None) == []
