"""What a cohort's report is about: days, groups, pseudonyms."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.cohort_days import cohort_days, cohort_of


def test_days_with_little_wear_keep_their_wear_alone() -> None:
    table = cohort_days(4, 3)
    table.iloc[0, table.columns.get_loc("worn_h")] = 3.9
    cohort = cohort_of(table)
    assert cohort.counted_days == 11
    assert cohort.counted["worn_h"].notna().all()
    assert np.isnan(cohort.counted["steps"].iloc[0])
    assert cohort.means("steps").iloc[0] == pytest.approx(table.loc["w00", "steps"].iloc[1:].mean())


def test_wearers_without_a_group_are_in_no_table_of_groups() -> None:
    table = cohort_days(5, 2)
    table.loc["w04", "group"] = None
    cohort = cohort_of(table)
    assert cohort.groups == ["control", "treated"]
    assert len(cohort.accounts) == 5
    assert len(cohort.group_of) == 4
    assert "w04" not in cohort.grouped.index.get_level_values("account")


def test_a_table_of_wearers_adds_groups_and_names_who_is_not_there() -> None:
    people = pd.DataFrame({"account": ["w00", "w01", "w09"], "arm": ["x", "y", "x"]})
    cohort = cohort_of(cohort_days(3, 2), by="arm", wearers=people)
    assert cohort.group_of.to_dict() == {"w00": "x", "w01": "y"}
    assert cohort.without == {"w09": "in the table of wearers, but not in the result"}
    assert cohort.covariates == ["group", "age", "arm"]
    clash = people.rename(columns={"arm": "steps"})
    with pytest.raises(el.ConfigurationError, match="a column 'steps', which days have too"):
        cohort_of(cohort_days(3, 2), by=None, wearers=clash)


def test_pseudonyms_replace_accounts_everywhere(tmp_path: Path) -> None:
    reason = "cannot read /home/study/log=standard_mode_logs/account=w07/data.parquet"
    table = cohort_days(3, 2, failed={"w07": reason}, without_days=["w08"])
    cohort = cohort_of(table, key_file=tmp_path / "key")
    code = el.cohort.pseudonymise(pd.DataFrame({"account": ["w07"]}), key_file=tmp_path / "key")
    code = code["account"].iloc[0]
    where = f"log=standard_mode_logs/account={code}/data.parquet"
    assert cohort.failed == {code: f"cannot read {where}"}
    assert not {"w00", "w08"} & {*cohort.accounts, *cohort.without}
    assert cohort.log == "standard_mode_logs"
    assert not {"accounts", "archive", "wearers"} & set(cohort.recipe)


def test_names_that_no_page_can_hold_are_escaped() -> None:
    table = cohort_days(2, 2, failed={"a\u202eb": "broken"})
    table = table.rename(index={"w00": "n\x01"}, level="account")
    cohort = cohort_of(table)
    assert cohort.accounts == ["n\\x01", "w01"]
    assert list(cohort.failed) == ["a\\u202eb"]


def test_only_days_can_be_reported() -> None:
    table = cohort_days(3, 2)
    for wrong in (table.droplevel("day"), table.drop(columns="worn_h")):
        with pytest.raises(el.ConfigurationError, match="takes the days of eyelog"):
            cohort_of(wrong, by=None)
    with pytest.raises(el.FieldError, match="the wearers have no column 'sex'"):
        cohort_of(table, by="sex")
    table["group"] = None
    with pytest.raises(el.ConfigurationError, match="'group' has 0"):
        cohort_of(table)
