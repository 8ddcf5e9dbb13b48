"""The days, and the weeks where there are too many days to read."""

import pytest

from eyelog.reports.parts import Empty
from eyelog.reports.sections.days import section
from support.reported import FIFTEEN, SIXTY, logs, unworn


def test_it_says_how_long_the_eyewear_was_worn_on_a_usual_day() -> None:
    found = logs().usual(SIXTY, "worn_h")
    assert (
        section(logs())
        .findings[0]
        .startswith(f"On a usual day the eyewear was worn for {found.value:.1f} h (95 % interval")
    )


def test_both_logs_have_their_table_of_days() -> None:
    usual, *days = (make() for make in section(logs()).tables)
    assert usual.file == "usual-wear.csv"
    assert [len(table.rows) for table in days] == [
        len(logs().days(log)) for log in (SIXTY, FIFTEEN)
    ]


def test_many_days_are_shown_as_weeks_and_kept_as_days() -> None:
    many = logs(SIXTY, days=33)
    table = section(many).tables[1]()
    assert table.caption.startswith("The weeks")
    assert len(table.rows) == 5
    assert len(table.csv.splitlines()) == 1 + 33


def test_without_a_day_of_wear_it_says_so() -> None:
    with pytest.raises(Empty, match="0 of 3 days"):
        section(unworn())
