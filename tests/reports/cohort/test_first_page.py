"""Page one of a study: the contrast."""

import numpy as np
import pytest

import eyelog as el
from eyelog.reports.contrast import contrast
from eyelog.reports.parts import Empty
from eyelog.reports.pictures import closing, figure_of
from support.cohort_days import cohort_days, cohort_of

BLINKS = "blink_rate_per_min"


def test_the_outcome_named_beforehand_is_the_first_sentence_with_its_own_p() -> None:
    cohort = cohort_of(cohort_days(24, 6, effect=-5.0), outcome=BLINKS)
    page = contrast(cohort)
    (said,) = page.sentences
    row = cohort.differences.loc[(BLINKS, "treated")]
    assert said.lead == "Treated wearers blinked less often than control wearers:"
    assert said.rest.startswith(f"by {-row['difference']:.1f} per min (95 % interval ")
    assert f"{-row['high']:.1f} to {-row['low']:.1f}, between wearers" in said.rest
    assert "12 and 12 wearers; p < 0.001, permutation test)." in said.rest
    assert page.looked == (
        "Named beforehand: blink rate, at 5 % by a permutation test. Of 7 other comparisons, none"
        " stands out after correction (Holm)."
    )


def test_an_outcome_that_was_named_is_told_also_if_it_shows_nothing() -> None:
    page = contrast(cohort_of(cohort_days(24, 6), outcome="steps"))
    assert page.sentences[0].lead == (
        "Whether the number of steps differs between treated and control cannot be told:"
    )
    assert "95 % interval" in page.sentences[0].rest


def test_without_a_named_outcome_all_are_corrected_and_the_strongest_is_drawn() -> None:
    cohort = cohort_of(cohort_days(24, 6, effect=6.0))
    page = contrast(cohort)
    assert page.pictures[0].title == "Blink rate"
    assert page.sentences[0].lead.startswith("Treated wearers blinked more often")
    assert page.sentences[0].rest.endswith("corrected (Holm)).")
    assert page.looked.startswith(
        "No outcome was named beforehand. Of 8 comparisons, 1 stands out at 5 %"
    )
    nothing = contrast(cohort_of(cohort_days(24, 6)))
    assert nothing.sentences[0].lead == (
        "No difference between the groups stands out among 8 comparisons."
    )


def test_too_few_wearers_have_a_reason_in_place_of_a_test() -> None:
    (said,) = contrast(cohort_of(cohort_days(4, 3), outcome=BLINKS)).sentences
    assert said.lead == "Blink rate of treated and control: no test."
    assert said.rest.startswith("Fewer than three wearers in a group")


def test_facts_count_wearers_and_days_by_group_and_what_was_lost_is_said() -> None:
    table = cohort_days(12, 6, failed={"eve": "broken"}, without_days=["zoe"])
    table.iloc[:3, table.columns.get_loc("worn_h")] = 1.0
    page = contrast(cohort_of(table, outcome=BLINKS))
    assert [(fact.name, fact.value) for fact in page.facts] == [
        ("Wearers", "12 of 14"),
        ("Days with records", "72 of 72"),
        ("Days that count (4 h worn)", "69"),
    ]
    assert page.facts[0].remark == "control 6, treated 6"
    assert page.facts[2].remark == "control 33, treated 36"
    assert "3 of 72 days (4 %) have less than 4 h of wear and do not count." in page.trust
    assert "Not in the numbers: 1 wearer without days and 1 wearer failed." in page.trust


def test_days_that_nobody_has_are_counted_where_trust_is() -> None:
    table = cohort_days(12, 6)
    table.iloc[:3, table.columns.get_loc("blink_rate_per_min")] = 104.0
    table.iloc[0, table.columns.get_loc("worn_h")] = 1.0
    trust = contrast(cohort_of(table)).trust
    assert "The blink rate is not plausible on 2 days, which are in the numbers." in trust
    assert "plausible" not in contrast(cohort_of(cohort_days(12, 6))).trust


def test_without_a_named_outcome_the_intervals_drawn_together_hold_for_all_comparisons() -> None:
    cohort = cohort_of(cohort_days(24, 6))
    page = contrast(cohort)
    beside = page.pictures[1]
    assert "(Welch), not corrected for the number" in page.pictures[0].description
    assert "hold for all 8 comparisons together (Bonferroni)" in beside.description


def test_three_groups_are_tested_by_permutation_and_corrected_for_their_number() -> None:
    table = cohort_days(21, 4, groups=("a", "b", "c"), effect=6.0)
    cohort = cohort_of(table, outcome=BLINKS)
    rows = cohort.judged.loc[BLINKS]
    of_pair = {
        group: el.compare.group_difference(
            cohort.means(BLINKS).to_frame(BLINKS),
            {name: of for name, of in cohort.group_of.items() if of in ("a", group)},
            outcome=BLINKS,
        ).p_permutation
        for group in "bc"
    }
    assert rows["p_decides"].tolist() == pytest.approx(
        [max(of_pair["b"], 2 * of_pair["c"]), 2 * of_pair["c"]]
    )
    assert "permutation test, corrected (Holm))." in contrast(cohort).sentences[0].rest


def test_each_wearer_has_the_interval_of_that_wearer() -> None:
    cohort = cohort_of(cohort_days(10, 8, effect=3.0), outcome=BLINKS)
    with closing(figure_of(contrast(cohort).pictures[0].draw())) as figure:
        left, right = figure.axes
        dots = np.vstack([c.get_offsets() for c in left.collections if c.get_label() == "_wearers"])
        bars = np.vstack(
            [c.get_segments() for c in left.collections if c.get_label() == "_intervals"]
        ).reshape(-1, 2, 2)
        assert np.allclose(sorted(dots[:, 1]), sorted(cohort.means(BLINKS)))
        assert np.allclose(dots[:, 0], bars[:, 0, 0])
        assert (bars[:, 0, 1] < dots[:, 1]).all()
        assert (dots[:, 1] < bars[:, 1, 1]).all()
        assert right.get_ylabel().startswith("Difference")


def test_the_other_outcomes_have_wider_intervals_than_alone() -> None:
    cohort = cohort_of(cohort_days(24, 6), outcome=BLINKS)
    beside = contrast(cohort).pictures[1]
    assert "hold for these 7 comparisons together (Bonferroni)" in beside.description
    assert "decided by p, corrected after Holm" in beside.description
    with closing(figure_of(beside.draw())) as figure:
        (ax,) = figure.axes
        (bars,) = (c for c in ax.collections if c.get_label() == "_interval")
        row = cohort.differences.loc[("worn_h", "treated")]
        low, high = bars.get_segments()[0][:, 0]
        alone = (row["high"] - row["low"]) / row["sd_wearers"]
        assert len(ax.get_yticks()) == 7
        assert 1.2 * alone < high - low < 1.6 * alone


def test_several_groups_are_each_drawn_beside_the_first() -> None:
    page = contrast(
        cohort_of(cohort_days(21, 4, groups=("a", "b", "c"), effect=6.0), outcome=BLINKS)
    )
    assert len(page.pictures) == 1
    with closing(figure_of(page.pictures[0].draw())) as figure:
        assert [text.get_text() for text in figure.axes[1].get_xticklabels()] == ["b", "c"]


def test_what_cannot_be_shown_is_said() -> None:
    table = cohort_days(6, 3)
    table["worn_h"] = 1.0
    with pytest.raises(Empty, match="no day that counts has a value of steps"):
        contrast(cohort_of(table, outcome="steps"))
    with pytest.raises(el.FieldError, match="outcome= is one of worn_h"):
        cohort_of(table, outcome="stepz")
