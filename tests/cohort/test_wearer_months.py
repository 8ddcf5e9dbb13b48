"""Which parts a cohort is cut into, and what a part answers."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest

import eyelog as el
from eyelog.cohort.wearer_months import Study, WearerMonth, compute, plan
from eyelog.cohort.wearers import Wearer
from support.cohorts import SIXTY, damage


def study_of(archive: el.Archive) -> Study:
    return Study(archive, SIXTY, "UTC", {}, None, "1")


@pytest.mark.parametrize(
    ("tz", "months"),
    [
        ("UTC", ["2026-09", "2026-10"]),
        ("America/New_York", ["2026-08", "2026-09", "2026-10"]),
        ("Asia/Tokyo", ["2026-09", "2026-10", "2026-11"]),
    ],
)
def test_a_part_is_a_local_month(kept: el.Archive, tz: str, months: list[str]) -> None:
    parts = plan(study_of(kept), Wearer("ann", el.Zones(tz)), None, None)
    assert [part.month for part in parts] == months
    for part, following in pairwise(parts):
        assert part.own[1] == following.own[0]
        assert part.around[0] < part.own[0] < part.own[1] < part.around[1]


def test_a_range_cuts_parts_and_what_they_read(kept: el.Archive) -> None:
    first, last = (datetime(2026, 9, day, tzinfo=UTC) for day in (29, 30))
    (part,) = plan(study_of(kept), Wearer("ann", el.Zones("UTC")), first, last)
    assert part.own == part.around == (first, last)
    assert (
        plan(study_of(kept), Wearer("ann", el.Zones("UTC")), first.replace(year=2030), None) == []
    )
    assert plan(study_of(kept), Wearer("nobody", el.Zones("UTC")), None, None) == []


def test_a_part_answers_with_an_outcome_and_never_with_an_error(archive: el.Archive) -> None:
    def outcomes() -> list[str]:
        parts: list[WearerMonth] = plan(
            study_of(archive), Wearer("ann", el.Zones("UTC")), None, None
        )
        return [compute(part).state for part in parts]

    assert outcomes() == ["done", "done"]
    damage(archive, "ann")
    assert outcomes() == ["failed", "failed"]  # October needs the last minutes of September
