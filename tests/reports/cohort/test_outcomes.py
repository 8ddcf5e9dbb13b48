"""The percentiles of the wearers, each outcome."""

import pytest

from eyelog.reports.cohort import outcomes
from eyelog.reports.parts import Empty
from support.cohort_days import cohort_days, cohort_of


def test_the_table_has_each_group_and_the_figures_only_days_that_count() -> None:
    table = cohort_days(12, 3)
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    part = outcomes(cohort_of(table))
    rows = part.tables[0]().rows
    assert [row[1] for row in rows] == ["control", "treated"] * 7
    assert rows[0][:4] == ["Blink rate (per min)", "control", "6", "17"]
    titles = [picture.title for picture in part.pictures]
    assert titles[0] == "Blink rate day by day"
    assert titles[-1] == "Tilt fore-aft, wearer by wearer"


def test_days_that_are_all_thin_say_so() -> None:
    with pytest.raises(Empty, match="no day that counts has a value"):
        outcomes(cohort_of(cohort_days(3, 2).assign(worn_h=1.0)))
