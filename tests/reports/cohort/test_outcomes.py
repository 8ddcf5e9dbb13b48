"""The percentiles of the wearers, topic by topic."""

import numpy as np
import pytest

from eyelog.reports.cohort import outcomes
from eyelog.reports.parts import Empty
from support.cohort_days import cohort_days, cohort_of


def test_the_table_has_each_group_and_the_figures_only_days_that_count() -> None:
    table = cohort_days(12, 3)
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    part = outcomes("eyes", cohort_of(table))
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
        outcomes("head", cohort_of(table))
