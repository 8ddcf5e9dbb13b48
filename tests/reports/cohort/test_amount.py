"""How much was measured."""

import numpy as np
import pytest

from eyelog.reports.cohort.amount import section
from eyelog.reports.section_parts import Empty
from support.cohort_days import cohort_days, cohort_of
from support.reported import cells


def test_hours_and_days_that_count_are_in_the_first_sentence() -> None:
    table = cohort_days(6, 4)
    table["worn_h"] = np.repeat([6.0, 7, 8, 9, 10, 11], 4)
    table.iloc[0, table.columns.get_loc("worn_h")] = 2.0
    said = section(cohort_of(table)).findings[0]
    assert "the median wearer had the eyewear on for 8.5 h (middle half" in said
    assert "23 of 24 days (96 %) have at least 4 h of wear" in said


def test_the_groups_have_their_days_and_hours() -> None:
    table = cohort_days(4, 3)
    table["worn_h"] = np.repeat([6.0, 7, 8, 9], 3)
    rows = cells(section(cohort_of(table)).tables[0]())
    assert rows["control"][:5] == ["2", "6", "6", "3 (3 to 3)", "7.0 (6.5 to 7.5)"]
    assert rows["All wearers"][0] == "4"


def test_one_group_or_none_has_a_sentence_in_place_of_a_table_of_one_row() -> None:
    table = cohort_days(4, 3).assign(worn_h=np.repeat([6.0, 7, 8, 9], 3), valid_h=5.0)
    for one in (cohort_of(table, by=None), cohort_of(table.assign(group="desk"))):
        part = section(one)
        assert part.findings[1] == (
            "The median wearer has 3 days with records and 5.0 h usable a day; 90 h were worn in"
            " all."
        )
        assert [make().file for make in part.tables] == ["wear-by-wearer.csv"]


def test_the_hours_worn_in_all_are_those_of_every_day() -> None:
    table = cohort_days(4, 3)
    table["worn_h"] = np.repeat([6.0, 7, 8, 9], 3)
    by_group, by_wearer = (cells(make()) for make in section(cohort_of(table)).tables[:2])
    assert {name: row[-1] for name, row in by_group.items()} == {
        "control": "42",
        "treated": "48",
        "All wearers": "90",
    }
    assert {name: row[-1] for name, row in by_wearer.items()} == {
        "w00": "18",
        "w01": "21",
        "w02": "24",
        "w03": "27",
    }


def test_the_wearers_with_the_least_come_first_and_the_file_has_all() -> None:
    table = cohort_days(40, 3).drop(index=("w17", "2026-10-20"))
    made = section(cohort_of(table)).tables[1]()
    assert len(made.rows) == 30
    assert made.rows[0][0] == "w17"
    assert len(made.csv.splitlines()) == 41


def test_records_without_evidence_of_wear_say_so() -> None:
    with pytest.raises(Empty, match="whether the eyewear was worn"):
        section(cohort_of(cohort_days(3, 2).assign(worn_h=np.nan)))
