"""Dates of files become instants however they are written, or are reported by their line."""

import pytest

import eyelog as el
from support.loggerfiles import (
    Put,
)


@pytest.mark.parametrize("date", ["2026.10.24 9:00", "24. 10. 2026, 9:00", "2026/10/24 09:00:00,0"])
def test_a_date_may_be_written_as_in_a_diary(put: Put, date: str) -> None:
    frame = el.read(put(f"date;stp\n{date};3\n"), tz="Asia/Tokyo")
    assert str(frame.index[0]) == "2026-10-24 09:00:00+09:00"


def test_an_hour_that_comes_twice_is_resolved_by_the_order_of_the_rows(put: Put) -> None:
    clock = ["01:59", "02:00", "02:30", "02:59", "02:00", "02:30", "02:59", "03:00"]
    rows = [f"2026-10-25T{each}:00,60" for each in clock]
    frame = el.read(put("\n".join(["date,fitDuration", *rows])), tz="Europe/Berlin")
    assert len(frame) == 8
    assert frame.index.is_unique
