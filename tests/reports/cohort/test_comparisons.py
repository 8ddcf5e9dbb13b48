"""The rule for what stands out between groups, in the words of page one and of the methods."""

import numpy as np
import pytest

from eyelog.reports.words import sentence
from eyelog.series.inference import holm
from support.cohort_days import cohort_days, cohort_of

BLINKS = "blink_rate_per_min"


def test_the_others_are_corrected_without_the_outcome_that_was_named() -> None:
    cohort = cohort_of(cohort_days(24, 4), outcome=BLINKS)
    others = cohort.judged[~cohort.is_named]
    assert cohort.looks["others"] == len(others) == 7
    assert np.allclose(others["p_decides"], holm(others["p"].to_numpy()))
    assert set(others["decided_by"]) == {"corrected (Holm)"}
    assert cohort.judged.loc[(BLINKS, "treated"), "decided_by"] == "permutation test"


def test_without_a_named_outcome_all_are_corrected_together() -> None:
    cohort = cohort_of(cohort_days(24, 4))
    assert cohort.looks["others"] == cohort.looks["together"] == 8
    assert np.allclose(cohort.judged["p_decides"], cohort.differences["p_holm"])


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, "No outcome was named beforehand. No comparison has a p: each needs five wearers"),
        (BLINKS, "Named beforehand: blink rate, without a test."),
    ],
)
def test_too_few_wearers_for_a_test_are_not_said_to_show_nothing(
    outcome: str | None, words: str
) -> None:
    cohort = cohort_of(cohort_days(6, 4), outcome=outcome)
    looked = sentence("looked_between", cohort=cohort)
    assert looked.startswith(words)
    assert "stands out" not in looked
    assert "corrected" not in sentence("methods_between", cohort=cohort)


def test_a_named_outcome_of_three_groups_is_corrected_for_its_groups() -> None:
    cohort = cohort_of(cohort_days(21, 4, groups=("a", "b", "c")), outcome=BLINKS)
    assert "corrected for 2 groups [@holm1979]" in sentence("methods_between", cohort=cohort)
