"""Differences between groups: their method, their intervals, and how many there are."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el
from eyelog.cohort.differences import group_labels
from support.cohort_days import cohort_days

RATE = ("blink_rate_per_min", "treated")


def test_each_row_is_the_difference_of_the_wearers_means_that_compare_gives() -> None:
    table = cohort_days(11, 6, effect=3.0)
    row = el.cohort.differences(table, by="group").loc[RATE]
    groups = table["group"].groupby(level="account").first().to_dict()
    one = el.compare.group_difference(table, groups, outcome="blink_rate_per_min")
    assert (row["reference"], row["reason"]) == ("control", "")
    assert (row["wearers_reference"], row["wearers_group"], row["n"]) == (6, 5, 66)
    for name in ("difference", "low", "high", "p"):
        assert row[name] == getattr(one, name)
    means = table["blink_rate_per_min"].groupby(level="account").mean()
    first, second = means.iloc[::2], means.iloc[1::2]
    test = stats.ttest_ind(second, first, equal_var=False)
    assert row["p"] == pytest.approx(test.pvalue)
    assert row["low"] == pytest.approx(test.confidence_interval().low)
    assert row["sd_wearers"] == pytest.approx(np.sqrt((first.var() * 5 + second.var() * 4) / 9))


def test_the_reference_can_be_another_group() -> None:
    table = cohort_days(8, 4, effect=3.0)
    there = el.cohort.differences(table, by="group", outcomes="steps").iloc[0]
    back = el.cohort.differences(table, by="group", outcomes="steps", reference="treated").iloc[0]
    assert back[["difference", "low", "high"]].astype(float).tolist() == pytest.approx(
        (-there[["difference", "high", "low"]].astype(float)).tolist()
    )
    with pytest.raises(el.ConfigurationError, match="no wearer is in the group 'x'"):
        el.cohort.differences(table, by="group", reference="x")


def test_a_group_of_few_wearers_has_a_difference_and_no_interval() -> None:
    table = cohort_days(9, 4, groups=("a", "a", "b", "b", "c"))  # c: one of nine
    found = el.cohort.differences(table, by="group", outcomes="steps")
    alone = found.loc[("steps", "c")]
    assert np.isfinite(alone["difference"])
    assert np.isnan(alone["low"])
    assert alone["reason"].startswith("fewer than two wearers in a group")
    assert np.isfinite(found.loc[("steps", "b"), "low"])
    assert np.isnan(alone["p_holm"])


def test_a_group_of_four_has_an_interval_and_no_p() -> None:
    row = el.cohort.differences(cohort_days(9, 4), by="group", outcomes="steps").iloc[0]
    assert (row["wearers_reference"], row["wearers_group"]) == (5, 4)
    assert row["low"] < row["difference"] < row["high"]
    assert np.isnan([row["p"], row["p_holm"]]).all()
    assert row["reason"] == "fewer than 5 wearers in a group: no p"


def test_wearers_without_a_group_are_left_out() -> None:
    table = cohort_days(8, 4)
    table.loc["w00", "group"] = None
    found = el.cohort.differences(table, by="group", outcomes="steps")
    without = el.cohort.differences(table.drop(index="w00"), by="group", outcomes="steps")
    pd.testing.assert_frame_equal(found, without)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_values_are_left_out(infinite: float) -> None:
    table = cohort_days(8, 4)
    every_third = np.arange(len(table)) % 3 == 0
    table["steps"] = table["steps"].astype("float64").mask(every_third, infinite)
    found = el.cohort.differences(table, by="group", outcomes="steps")
    without = el.cohort.differences(table[~every_third], by="group", outcomes="steps")
    pd.testing.assert_frame_equal(found, without)


def test_the_usual_outcomes_are_compared_unless_others_are_named() -> None:
    found = el.cohort.differences(cohort_days(6, 2), by="group")
    assert found.index.get_level_values("outcome")[0] == "worn_h"
    assert "valid_h" not in found.index.get_level_values("outcome")
    chosen = el.cohort.differences(cohort_days(6, 2), by="group", outcomes=["valid_h", "steps"])
    assert list(chosen.index) == [("valid_h", "treated"), ("steps", "treated")]


def test_groups_of_numbers_are_text_as_they_were_written() -> None:
    table = cohort_days(4, 2).assign(dose=lambda t: t["age"] % 2 * 1.0)
    assert group_labels(table, "dose", what="f").tolist() == ["0", "1", "0", "1"]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"by": "sex"}, el.ConfigurationError, "nor a column of the frame"),
        ({"by": "steps"}, el.ConfigurationError, "not the same in all rows of 'w00'"),
        ({"by": "age"}, el.ConfigurationError, "'age' has 9: make a column of a few groups"),
        ({"by": "group", "outcomes": "speed"}, el.FieldError, "no column 'speed'"),
        ({"by": "age", "outcomes": "group"}, el.ConfigurationError, "takes 2 to 8 groups"),
        ({"by": "group", "outcomes": "sex"}, el.FieldError, "'sex'"),
        ({"by": "group", "outcomes": []}, el.FieldError, "to compare"),
    ],
)
def test_what_cannot_be_compared_is_one_line(arguments, error, says) -> None:
    with pytest.raises(error, match=says):
        el.cohort.differences(cohort_days(9, 2), **arguments)


def test_one_group_or_no_rows_cannot_be_compared() -> None:
    with pytest.raises(el.ConfigurationError, match="'group' has 1"):
        el.cohort.differences(cohort_days(4, 2, groups=("a",)), by="group")
    with pytest.raises(el.ConfigurationError, match="no rows"):
        el.cohort.differences(cohort_days(4, 2).iloc[:0], by="group")
    labelled = cohort_days(4, 2).assign(site="x")
    with pytest.raises(el.ConfigurationError, match="compares numbers"):
        el.cohort.differences(labelled, by="group", outcomes="site")
