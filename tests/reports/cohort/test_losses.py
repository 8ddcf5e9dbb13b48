"""What was lost on the way, and why."""

import numpy as np

from eyelog.measure.sheet import NOTHING
from eyelog.reports.cohort import losses as section
from support.cohort_days import cohort_days, cohort_of
from support.reported import cells


def test_each_step_has_what_is_left_and_what_was_lost() -> None:
    table = cohort_days(5, 4, failed={"x": "broken"}, without_days=["y"])
    table.loc["w04", "group"] = None
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    table.loc["w01", "blink_rate_per_min"] = np.nan
    part = section(cohort_of(table))
    assert part.findings[0].startswith("1 of 7 wearers failed and is in none of the numbers")
    rows = cells(part.tables[0]())
    assert rows["Wearers asked for"] == ["7", NOTHING, ""]
    assert rows["Computed without a failure"] == ["6", NOTHING, "1 wearer failed"]
    assert rows["With days"] == ["5", "20", "1 wearer: no records in this range"]
    assert rows["In a group"] == ["4", "16", "1 wearer without a value of group"]
    assert rows["Days with at least 4 h of wear"] == ["4", "15", "1 day with less wear"]
    lost = "4 days: under 3 usable minutes, or no blink in 10"
    assert rows["of these, with blink rate"] == ["3", "11", lost]
    assert rows["of these, with steps"] == ["4", "15", ""]
    assert part.tables[1]().rows == [
        ["x", "failed", "broken"],
        ["y", "no days", "no records in this range"],
        ["w04", "in no group", "no value of group"],
    ]


def test_a_cohort_of_which_all_failed_is_listed() -> None:
    table = cohort_days(2, 2, failed={"a": "broken", "b": "broken"}).iloc[:0]
    part = section(cohort_of(table))
    assert part.findings[0].startswith("2 of 2 wearers failed")
    assert [row[0] for row in part.tables[1]().rows] == ["a", "b"]
