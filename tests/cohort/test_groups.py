"""Groups of wearers: percentiles, differences, and accounts behind pseudonyms."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

import eyelog as el
from support.cohort_days import cohort_days
from support.cohorts import SIXTY, damage

RATE = ("blink_rate_per_min", "treated")


def steps(table: pd.DataFrame, **options: Any) -> pd.DataFrame:
    return el.cohort.differences(table, by="group", outcomes="steps", **options)


# Differences.


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
    there, back = steps(table).iloc[0], steps(table, reference="treated").iloc[0]
    assert back[["difference", "low", "high"]].astype(float).tolist() == pytest.approx(
        (-there[["difference", "high", "low"]].astype(float)).tolist()
    )


def test_few_wearers_have_a_difference_and_neither_p_nor_interval() -> None:
    found = steps(cohort_days(9, 4, groups=("a", "a", "b", "b", "c")))  # c: one of nine
    alone = found.loc[("steps", "c")]
    assert np.isfinite(alone["difference"])
    assert np.isnan(alone["low"])
    assert alone["reason"].startswith("fewer than two wearers in a group")
    assert np.isfinite(found.loc[("steps", "b"), "low"])
    row = steps(cohort_days(9, 4)).iloc[0]
    assert (row["wearers_reference"], row["wearers_group"]) == (5, 4)
    assert row["low"] < row["difference"] < row["high"]
    assert np.isnan([row["p"], row["p_holm"], alone["p_holm"]]).all()
    assert row["reason"] == "fewer than 5 wearers in a group: no p"


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_wearers_without_a_group_and_infinite_values_are_left_out(infinite: float) -> None:
    table, every_third = cohort_days(8, 4), np.arange(32) % 3 == 0
    lost = table.assign(steps=table["steps"].astype("float64").mask(every_third, infinite))
    assert_frame_equal(steps(lost), steps(table[~every_third]))
    lost = table.assign(group=table["group"].mask(table.index.get_level_values(0) == "w00"))
    assert_frame_equal(steps(lost), steps(table.drop(index="w00")))


def test_the_usual_outcomes_are_compared_unless_others_are_named() -> None:
    found = el.cohort.differences(cohort_days(6, 2), by="group")
    assert found.index.get_level_values("outcome")[0] == "worn_h"
    assert "valid_h" not in found.index.get_level_values("outcome")
    chosen = el.cohort.differences(cohort_days(6, 2), by="group", outcomes=["valid_h", "steps"])
    assert list(chosen.index) == [("valid_h", "treated"), ("steps", "treated")]
    doses = cohort_days(6, 2).assign(dose=lambda t: t["age"] % 2 * 1.0)
    found = el.cohort.differences(doses, by="dose", outcomes="steps")
    assert (found["reference"].iloc[0], found.index[0][1]) == ("0", "1")  # as they were written


@pytest.mark.parametrize(
    ("change", "arguments", "error", "says"),
    [
        ({}, {"by": "sex"}, el.ConfigurationError, "nor a column of the frame"),
        ({}, {"by": "steps"}, el.ConfigurationError, "not the same in all rows of 'w00'"),
        ({}, {"by": "age"}, el.ConfigurationError, "'age' has 9: make a column of a few groups"),
        ({}, {"by": "group", "reference": "x"}, el.ConfigurationError, "is in the group 'x'"),
        ({}, {"by": "group", "outcomes": "speed"}, el.FieldError, "no column 'speed'"),
        ({}, {"by": "age", "outcomes": "group"}, el.ConfigurationError, "takes 2 to 8 groups"),
        ({}, {"by": "group", "outcomes": []}, el.FieldError, "to compare"),
        ({"group": "a"}, {"by": "group"}, el.ConfigurationError, "'group' has 1"),
        (
            {"site": "x"},
            {"by": "group", "outcomes": "site"},
            el.ConfigurationError,
            "compares numbers",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line(change, arguments, error, says) -> None:
    with pytest.raises(error, match=says):
        el.cohort.differences(cohort_days(9, 2).assign(**change), **arguments)


# Summaries.


@pytest.fixture
def table(kept: el.Archive, wearers: pd.DataFrame) -> pd.DataFrame:
    return el.cohort.daily(kept, SIXTY, wearers=wearers.drop(columns="tz"), workers=1)


def test_each_wearer_counts_once(table: pd.DataFrame) -> None:
    uneven = table.drop(index=table.loc[["ann"]].index[:4])
    means = uneven["worn_h"].groupby(level="account").mean()
    row = el.cohort.summary(uneven).groups.loc["worn_h"]
    assert row["wearers"] == 3
    assert row["n"] == len(uneven)
    assert row["mean"] == pytest.approx(means.mean())
    low, high = stats.t.interval(0.95, 2, means.mean(), means.sem())
    assert row[["low", "high"]].tolist() == pytest.approx([low, high])
    assert row["p50"] == pytest.approx(means.median())


def test_groups_have_their_own_rows(table: pd.DataFrame) -> None:
    groups, attrition, _ = el.cohort.summary(table, by="group")
    assert groups.index.names == ["group", "outcome"]
    assert groups.loc[[("a", "steps"), ("b", "steps")], "wearers"].tolist() == [2, 1]
    assert np.isnan(groups.loc[("b", "steps"), "low"])  # one wearer has no interval
    assert attrition.loc["rows in a group", "wearers"] == 3
    twice = el.cohort.summary(table, by=["group", "age"]).groups
    assert twice.index.names == ["group", "age", "outcome"]


def test_an_age_is_summarised_where_it_is_named_and_a_seed_never_by_itself(
    table: pd.DataFrame,
) -> None:
    seeded = table.assign(seed=range(len(table)), my_score=range(len(table)))
    seeded["seed"] = seeded.groupby(level="account")["seed"].transform("first")
    groups, attrition, _ = el.cohort.summary(seeded)
    assert not {"age", "seed"} & {*groups.index, *attrition.index}
    assert {"steps", "my_score"} <= {*groups.index}  # what varies within a wearer is an outcome
    named = el.cohort.summary(seeded, covariates="age").groups
    ages = table["age"].groupby(level="account").first()
    assert named.loc["age", "mean"] == pytest.approx(ages.mean())
    assert "seed" not in named.index
    with pytest.raises(el.FieldError, match=r"names columns of the table of wearers \(group, age"):
        el.cohort.summary(seeded, covariates=["steps"])


def test_what_was_lost_is_named(archive: el.Archive, wearers: pd.DataFrame) -> None:
    damage(archive, "ann")
    wearers.loc[2, "group"] = None
    wearers.loc[3] = ["eve", "UTC", "b", 60]
    with pytest.warns(el.EyelogWarning, match="1 of 4 wearers failed"):
        table = el.cohort.daily(archive, SIXTY, wearers=wearers, workers=1)
    table.loc[table.index[0], "steps"] = np.nan
    with pytest.warns(el.EyelogWarning, match="of the wearers asked for, 2 have no"):
        unasked = el.cohort.summary(table, by="group").attrition
    assert unasked.index[0] == "wearers with rows"
    table.attrs = {}
    _, attrition, excluded = el.cohort.summary(table, by="group", wearers=wearers)
    assert attrition["wearers"].iloc[:3].tolist() == [4, 2, 1]
    assert attrition["n"].iloc[1:3].tolist() == [len(table), len(table.loc["../bob"])]
    assert attrition.loc["steps", "n"] == len(table.loc["../bob"]) - 1
    assert list(excluded.index) == ["Ann", "ann", "eve"]
    assert excluded.loc["Ann", "reason"] == "no value of group"
    assert excluded.loc[["ann", "eve"], "reason"].eq("no rows in this table").all()


def test_results_of_any_function_are_summarised(kept: el.Archive) -> None:
    people = pd.DataFrame({"account": ["ann", "Ann"], "seed": [11, 12]})
    seeded = el.cohort.apply(
        kept, len, log=SIXTY, workers=1, wearers=people, accounts=["ann", "Ann"]
    )
    groups = el.cohort.summary(seeded).groups
    assert groups.index.tolist() == ["value"]
    assert groups.loc["value", ["wearers", "n"]].tolist() == [2, 2]
    seeded.attrs = {}
    assert el.cohort.summary(seeded, wearers=people).groups.index.tolist() == ["value"]


def test_what_cannot_be_summarised_is_one_line(table: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="nor a column of the frame"):
        el.cohort.summary(table, by="sex")
    with pytest.raises(el.ConfigurationError, match="indexed by account"):
        el.cohort.summary(table.reset_index())
    with pytest.raises(el.ArchiveError, match="no whole result"):
        el.cohort.summary(tmp_path / "nothing")
    with pytest.raises(el.ConfigurationError, match="no rows"):
        el.cohort.differences(table.iloc[:0], by="group")


# Pseudonyms.


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "study.key"


def test_tables_can_still_be_joined(
    table: pd.DataFrame, wearers: pd.DataFrame, key: Path, tmp_path: Path
) -> None:
    days = table[["steps", "worn_h"]]
    hidden = el.cohort.pseudonymise(days, key_file=key)
    people = el.cohort.pseudonymise(wearers, key_file=key).set_index("account")
    assert hidden.join(people)["group"].notna().all()
    for account, name in zip(wearers["account"], people.index, strict=True):
        assert_frame_equal(hidden.loc[name], days.loc[account], check_freq=False)
    assert hidden.index.is_monotonic_increasing
    other = el.cohort.pseudonymise(wearers, key_file=tmp_path / "other.key")
    assert not set(people.index) & set(other["account"])
    assert people.index.str.fullmatch("[0-9a-f]{16}").all()
    assert key.stat().st_mode & 0o077 == 0


def test_no_account_is_left_anywhere(archive: el.Archive, tmp_path: Path, key: Path) -> None:
    damage(archive, "ann")
    with pytest.warns(el.EyelogWarning, match="failed"):
        table = el.cohort.daily(archive, SIXTY, workers=1)
    report = el.cohort.daily(archive, SIXTY, workers=1, out=tmp_path / "out")
    for each in (table, report):
        hidden = el.cohort.pseudonymise(each, key_file=key)
        text = hidden.reset_index().to_csv() + repr(hidden.attrs)
        for account in ("account=ann", "bob", "Ann", "'ann'"):
            assert account not in text


def test_what_cannot_be_hidden_is_one_line(wearers: pd.DataFrame, key: Path) -> None:
    named = "key_file names the file of the key"
    for given, file, says in (
        (wearers[["group"]], key, "no 'account'"),
        ("ann", key, "takes a table"),
        (wearers, key.parents[1], "key_file is a folder"),
        *((wearers, text, named) for text in ("account", "a secret", "0123456789abcdef", "")),
    ):
        with pytest.raises(el.ConfigurationError, match=says):
            el.cohort.pseudonymise(given, key_file=file)
    key.parent.mkdir()
    for text in ("short", "account,group\nann,a\nbob,b\n", "a note of more than 16 bytes"):
        key.write_text(text)
        with pytest.raises(el.ConfigurationError, match="does not hold a key"):
            el.cohort.pseudonymise(wearers, key_file=key)
        assert key.read_text() == text
