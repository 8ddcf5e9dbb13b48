"""Who took part: wearers, groups, covariates."""

import pytest

import eyelog as el
from eyelog.reports.cohort import who as section
from support.cohort_days import cohort_days, cohort_of
from support.reported import cells


def test_covariates_have_mean_and_sd_or_counts() -> None:
    table = cohort_days(4, 2)
    table["sex"] = ["f", "f", "m", "m", "f", "f", None, None]
    made = section(cohort_of(table, covariates="age")).tables[0]()
    rows = cells(made)
    assert rows["Wearers"] == ["2", "2", "4"]
    assert rows["age, mean (SD)"] == ["21.0 (1.41)", "22.0 (1.41)", "21.5 (1.29)"]
    assert rows["sex: f"] == ["2 (100 %)", "0 (0 %)", "2 (50 %)"]
    assert rows["sex: not stated"] == ["0 (0 %)", "1 (50 %)", "1 (25 %)"]
    assert made.csv.startswith("account,group,age,sex,days,days_counted,worn_h,")
    assert rows["Days that count"] == ["4", "4", "8"]


def test_a_number_that_nobody_named_is_counted_and_never_averaged() -> None:
    table = cohort_days(12, 2)
    table["seed"] = [7_000_000 + int(name[1:]) for name in table.index.get_level_values("account")]
    table["site"] = [1.0, 1.0, 2.0, 2.0] * 6
    rows = cells(section(cohort_of(table)).tables[0]())
    assert rows["seed, different values"] == ["6", "6", "12"]
    assert rows["site: 1"] == ["6 (100 %)", "0 (0 %)", "6 (50 %)"]
    assert rows["age, different values"] == ["6", "6", "12"]
    with pytest.raises(el.FieldError, match="'sed' is none of them"):
        cohort_of(table, covariates=["sed"])
    with pytest.raises(el.ConfigurationError, match="'group' does not hold numbers"):
        cohort_of(table, covariates=["group"])


def test_a_group_may_be_called_all() -> None:
    cohort = cohort_of(cohort_days(5, 2, groups=("all", "none")))
    made = section(cohort).tables[0]()
    assert [label for label, _ in made.headers] == ["", "all", "none", "All wearers"]
    assert cells(made)["Wearers"] == ["3", "2", "5"]


def test_wearers_in_no_group_are_said_to_be_left_out() -> None:
    table = cohort_days(3, 2)
    table.loc["w02", "group"] = None
    (first, _) = section(cohort_of(table)).findings
    assert first.endswith("1 wearer without a value of group is in no group and left out below.")
