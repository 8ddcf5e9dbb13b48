"""How the groups differ, in words, figures and a table."""

import pytest

import eyelog as el
from eyelog.reports.contrast import contrast
from eyelog.reports.contrast import differences as section
from eyelog.reports.parts import Empty
from eyelog.reports.pictures import closing, figure_of
from support.cohort_days import cohort_days, cohort_of


def test_what_stands_out_is_said_with_its_interval() -> None:
    cohort = cohort_of(cohort_days(12, 6, effect=8.0))
    page, (said,) = contrast(cohort), section(cohort).findings
    row = cohort.differences.loc[("blink_rate_per_min", "treated")]
    assert page.looked == (
        "No outcome was named beforehand. Of 8 comparisons, 1 stands out at 5 % after correction"
        " (Holm)."
    )
    first = page.sentences[0]
    assert first.lead == "Treated wearers blinked more often than control wearers:"
    assert f"{row['difference']:.1f} per min (95 % interval {row['low']:.1f} to" in first.rest
    assert "comparisons excludes 0 would be 34 %" in said
    assert "the wearers' means" in said


def test_the_outcome_named_beforehand_has_the_verdict_of_page_one() -> None:
    cohort = cohort_of(cohort_days(24, 6, effect=-2.2), outcome="blink_rate_per_min")
    row = cohort.judged.loc[("blink_rate_per_min", "treated")]
    alone, corrected = row["p_decides"], cohort.differences["p_holm"].min()
    assert alone < 0.05 < corrected  # it stands out on its own only
    page, part = contrast(cohort), section(cohort)
    p = f"p = {alone:.3f}, permutation test"
    assert page.sentences[0].lead.startswith("Treated wearers blinked less often")
    assert p in page.sentences[0].rest
    assert "in all but the outcome named beforehand" in part.findings[0]
    made = part.tables[0]()
    assert made.rows[0][0].startswith("Blink rate")
    assert made.rows[0][6] == f"{alone:.3f}"
    assert "permutation test for blink rate, which was named beforehand" in made.caption
    assert "p_holm" not in made.csv


def test_a_named_outcome_that_shows_nothing_is_said_as_that() -> None:
    said = contrast(cohort_of(cohort_days(24, 6), outcome="steps")).sentences[0]
    assert said.lead.startswith("Whether the number of steps differs between treated and control")
    assert said.rest.endswith("permutation test).")
    few = contrast(cohort_of(cohort_days(4, 3), outcome="steps"))
    assert few.looked == "Named beforehand: number of steps, without a test."
    assert few.sentences[0].lead.startswith("Number of steps of treated and control: no test.")


def test_the_interval_of_a_difference_has_the_sign_of_its_words() -> None:
    cohort = cohort_of(cohort_days(24, 6, effect=-1.6), outcome="blink_rate_per_min")
    row = cohort.differences.loc[("blink_rate_per_min", "treated")]
    assert row["low"] < row["difference"] < 0 < row["high"]
    said = contrast(cohort).sentences[0].rest
    value = f"treated minus control {row['difference']:.1f} per min"
    assert f"{value} (95 % interval {row['low']:.1f} to {row['high']:.1f}, between" in said


def test_several_groups_are_each_compared_with_the_first() -> None:
    part = section(cohort_of(cohort_days(12, 3, groups=("a", "b", "c"))))
    made = part.tables[0]()
    assert made.caption.startswith(
        "Means of the wearers, and their difference, each group minus a."
    )
    assert [row[1] for row in made.rows[:2]] == ["b", "c"]
    assert made.csv.startswith("outcome,group,reference,difference,low,high,p,p_decides,decided_by")


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
