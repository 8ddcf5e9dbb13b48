"""How much was measured."""

import numpy as np

from eyelog.reports.cohort import who as section
from support.cohort_days import cohort_days, cohort_of


def test_the_wearers_with_the_least_come_first_and_the_file_has_all() -> None:
    table = cohort_days(40, 3).drop(index=("w17", "2026-10-20"))
    made = section(cohort_of(table)).tables[1]()
    assert len(made.rows) == 30
    assert made.rows[0][0] == "w17"
    assert len(made.csv.splitlines()) == 41


def test_records_without_evidence_of_wear_say_so() -> None:
    part = section(cohort_of(cohort_days(3, 2).assign(worn_h=np.nan)))
    assert part.findings[1] == "Nothing in the records shows whether the eyewear was worn."
    assert part.pictures == []
