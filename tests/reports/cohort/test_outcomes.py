"""The percentiles of the wearers, topic by topic."""

import numpy as np
import pytest

from eyelog.analysis.sheet import NOTHING
from eyelog.reports.cohort.outcomes import section
from eyelog.reports.section_parts import Empty
from support.cohort_days import cohort_days, cohort_of


def test_each_outcome_has_a_sentence_about_the_wearers() -> None:
    table = cohort_days(9, 2)
    table["steps"] = np.repeat(np.arange(1000.0, 10_000.0, 1000), 2)
    said = section("walking")(cohort_of(table)).findings
    assert said[0] == (
        "Steps: 5,000 per day in the median wearer. Half of the wearers lie between 3,000 and"
        " 7,000, nine in ten between 1,400 and 8,600 (9 wearers, 18 days)."
    )
    assert [text.split(":")[0] for text in said] == ["Steps", "Walking", "Pace"]


def test_few_wearers_have_a_range_and_no_percentiles() -> None:
    table = cohort_days(2, 2)
    table["steps"] = [1000.0, 1000.0, 3000.0, 3000.0]
    part = section("walking")(cohort_of(table))
    assert part.findings[0] == (
        "Steps: from 1,000 to 3,000 per day (2 wearers, 4 days; too few wearers for percentiles)."
    )
    row = part.tables[0]().rows[0]
    assert row[:5] == ["Steps (per day)", "control", "1", "2", "1,000"]
    assert row[6:] == [NOTHING, NOTHING, "1,000", NOTHING, NOTHING]


def test_the_table_has_each_group_and_the_figures_only_days_that_count() -> None:
    table = cohort_days(12, 3)
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    part = section("eyes")(cohort_of(table))
    rows = part.tables[0]().rows
    assert [row[1] for row in rows] == ["control", "treated"] * 2
    assert rows[0][2:4] == ["6", "17"]
    assert [picture.title for picture in part.pictures] == [
        "Blink rate day by day",
        "Blink rate, wearer by wearer",
    ]


def test_a_topic_without_values_says_so() -> None:
    table = cohort_days(3, 2).assign(tilt_fore_aft_deg=np.nan, head_moves_yaw_per_h=np.nan)
    with pytest.raises(Empty, match="no day that counts has a value"):
        section("head")(cohort_of(table))
