"""How the groups differ, in words, figures and a table."""

import pytest

import eyelog as el
from eyelog.analysis.sheet import NOTHING
from eyelog.reports.cohort.group_differences import section
from eyelog.reports.pictures import closing, figure_of
from eyelog.reports.section_parts import Empty
from support.cohort_days import cohort_days, cohort_of


def test_what_stands_out_is_said_with_its_interval() -> None:
    cohort = cohort_of(cohort_days(12, 6, effect=8.0))
    said = section(cohort).findings
    row = cohort.differences.loc[("blink_rate_per_min", "treated")]
    assert said[0].startswith("Of 8 comparisons, 1 stands out after correction for their number:")
    assert (
        f"blink rate is {row['difference']:.1f} per min higher in treated than in control"
        in (said[0])
    )
    assert f"95 % interval {row['low']:.1f} to {row['high']:.1f}" in said[0]
    assert "comparisons excludes 0 would be 34 %" in said[1]
    assert "the wearers' means" in said[2]


def test_no_difference_is_said_as_that() -> None:
    said = section(cohort_of(cohort_days(12, 6))).findings
    assert said[0] == (
        "Of 8 comparisons, no difference stands out after correction for their number."
    )


def test_a_group_of_one_wearer_is_compared_without_an_interval() -> None:
    table = cohort_days(4, 3)
    table.loc["w03", "group"] = "control"
    part = section(cohort_of(table))
    assert part.findings[0].startswith("No comparison has a p: each needs five wearers")
    assert part.findings[-1].startswith("Fewer than two wearers in a group have the outcome")
    made = part.tables[0]()
    assert [label for label, _ in made.headers][:3] == ["Quantity", "control", "treated"]
    assert made.rows[0][4:7] == [NOTHING, NOTHING, NOTHING]


def test_several_groups_are_each_compared_with_the_first() -> None:
    part = section(cohort_of(cohort_days(12, 3, groups=("a", "b", "c"))))
    made = part.tables[0]()
    assert made.caption.startswith("Each group less a")
    assert [row[1] for row in made.rows[:2]] == ["b", "c"]
    assert made.csv.startswith("outcome,group,reference,difference,low,high,p,p_holm")


def test_each_outcome_has_a_panel_with_a_row_for_each_group() -> None:
    part = section(cohort_of(cohort_days(8, 3)))
    assert len(part.pictures) == 2
    with closing(figure_of(part.pictures[0].draw())) as figure:
        assert len(figure.axes) == 4
        names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert names == ["control  n = 4", "treated  n = 4"]
    many = section(cohort_of(cohort_days(16, 3, groups=tuple("abcdefgh"))))
    assert len(many.pictures) > 1


def test_one_group_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(Empty, match="all wearers are in one group, a"):
        section(cohort_of(cohort_days(4, 2, groups=("a",))))


def test_the_table_is_that_of_the_library() -> None:
    cohort = cohort_of(cohort_days(8, 4))
    table = el.cohort.differences(cohort.counted, by="group")
    assert cohort.differences.equals(table)
