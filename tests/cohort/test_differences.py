"""Differences between groups: their method, their intervals, and how many there are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from eyelog.cohort.differences import group_labels, holm
from support.cohort_days import cohort_days

RATE = ("blink_rate_per_min", "treated")


def test_balanced_days_give_the_t_test_of_the_wearers_means() -> None:
    table = cohort_days(10, 6, effect=3.0)
    row = el.cohort.differences(table, by="group").loc[RATE]
    means = table["blink_rate_per_min"].groupby(level="account").mean()
    first, second = means.iloc[::2], means.iloc[1::2]
    assert (row["reference"], row["method"], row["reason"]) == ("control", "mixed model", "")
    assert (row["wearers_reference"], row["wearers_group"], row["n"]) == (5, 5, 60)
    assert row["difference"] == pytest.approx(second.mean() - first.mean())
    test = stats.ttest_ind(second, first)
    interval = test.confidence_interval(0.95)
    assert row[["low", "high"]].tolist() == pytest.approx([interval.low, interval.high], rel=1e-4)
    assert row["p"] == pytest.approx(test.pvalue, rel=1e-4)
    pooled = np.sqrt((first.var() + second.var()) / 2)
    assert row["sd_wearers"] == pytest.approx(pooled)


def test_one_row_per_wearer_gives_welchs_interval() -> None:
    table = cohort_days(9, 1, effect=3.0)
    row = el.cohort.differences(table, by="group", outcomes="blink_rate_per_min").loc[RATE]
    values = table["blink_rate_per_min"].to_numpy()
    test = stats.ttest_ind(values[1::2], values[::2], equal_var=False)
    assert row["method"] == "Welch"
    assert row["p"] == pytest.approx(test.pvalue)
    assert row["low"] == pytest.approx(test.confidence_interval().low)


def test_what_does_not_vary_within_wearers_is_compared_by_their_means() -> None:
    table = cohort_days(8, 4).assign(score=lambda t: t["age"] ** 2 / 7)
    row = el.cohort.differences(table, by="group", outcomes="score").iloc[0]
    assert row["method"] == "Welch"
    assert np.isfinite(row["low"])


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
    assert alone["reason"] == "no interval: 1 of the 3 wearers needed in c"
    assert np.isfinite(found.loc[("steps", "b"), "low"])
    assert np.isnan(alone["p_holm"])


def test_a_smaller_group_that_spreads_more_is_a_doubt_about_the_interval() -> None:
    table = cohort_days(20, 6, groups=("a", "b", "b", "b", "b"))  # a: four of twenty
    alike = el.cohort.differences(table, by="group", outcomes="steps").iloc[0]
    assert (alike["wearers_reference"], alike["wearers_group"], alike["reason"]) == (4, 16, "")
    means = table["steps"].groupby(level="account").transform("mean")
    of_a = (table["group"] == "a").to_numpy()
    table.loc[of_a, "steps"] += 4 * (means[of_a] - means[of_a].mean())
    row = el.cohort.differences(table, by="group", outcomes="steps").iloc[0]
    assert row["method"] == "mixed model"
    assert row["reason"] == (
        "a is the smaller group and its wearers differ more: the interval may be too narrow"
    )
    # The same wearers in groups of one size: the interval is that of Welch, whatever they spread.
    first = table[of_a]
    few = pd.concat([first, table.loc[["w01", "w02", "w03", "w04"]]])
    few.attrs = table.attrs
    assert el.cohort.differences(few, by="group", outcomes="steps").iloc[0]["reason"] == ""


def test_the_mixed_model_of_unequal_days_weighs_them_as_generalised_least_squares() -> None:
    table = cohort_days(9, 12, effect=2.0)
    rng = np.random.default_rng(4)
    table = table[rng.uniform(size=len(table)) < np.repeat([1.0, 0.2, 0.5] * 3, 12)]
    row = el.cohort.differences(table, by="group", outcomes="blink_rate_per_min").loc[RATE]
    fit = el.compare.fit_mixed(table, "blink_rate_per_min", predictors="group")["estimate"]
    by = table["blink_rate_per_min"].groupby(level="account")
    weights = 1 / (fit["sd_wearers"] ** 2 + fit["sd_residual"] ** 2 / by.size())
    treated = table["group"].groupby(level="account").first() == "treated"
    sides = [np.average(by.mean()[of], weights=weights[of]) for of in (~treated, treated)]
    errors = [1 / weights[of].sum() for of in (~treated, treated)]
    reach = stats.t.ppf(0.975, 9 - 2) * np.sqrt(sum(errors))
    assert row["difference"] == pytest.approx(sides[1] - sides[0], rel=1e-6)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(reach, rel=1e-3)


def test_wearers_without_a_group_are_left_out() -> None:
    table = cohort_days(8, 4)
    table.loc["w00", "group"] = None
    found = el.cohort.differences(table, by="group", outcomes="steps")
    without = el.cohort.differences(table.drop(index="w00"), by="group", outcomes="steps")
    pd.testing.assert_frame_equal(found, without)


def test_the_usual_outcomes_are_compared_unless_others_are_named() -> None:
    found = el.cohort.differences(cohort_days(6, 2), by="group")
    assert found.index.get_level_values("outcome")[0] == "worn_h"
    assert "valid_h" not in found.index.get_level_values("outcome")
    chosen = el.cohort.differences(cohort_days(6, 2), by="group", outcomes=["valid_h", "steps"])
    assert list(chosen.index) == [("valid_h", "treated"), ("steps", "treated")]


def test_holms_p_are_those_of_his_procedure() -> None:
    found = holm(np.array([0.01, np.nan, 0.04, 0.03, 0.005]))
    np.testing.assert_allclose(found, [0.03, np.nan, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=9))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    corrected = holm(raw)
    assert (corrected >= raw).all()
    assert (corrected <= 1).all()
    order = np.argsort(raw, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()


def test_groups_of_numbers_are_text_as_they_were_written() -> None:
    table = cohort_days(4, 2).assign(dose=lambda t: t["age"] % 2 * 1.0)
    assert group_labels(table, "dose", what="f").tolist() == ["0", "1", "0", "1"]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"by": "sex"}, el.FieldError, "no column 'sex'"),
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
