"""Groups, percentiles of wearers, and what was lost."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

import eyelog as el
from support.cohorts import SIXTY, damage


@pytest.fixture
def table(kept: el.Archive, wearers: pd.DataFrame) -> pd.DataFrame:
    return el.cohort.daily(kept, SIXTY, wearers=wearers.drop(columns="tz"), workers=1)


def test_each_wearer_counts_once(table: pd.DataFrame) -> None:
    uneven = table.drop(index=table.loc[["ann"]].index[:4])
    groups, _, _ = el.cohort.summary(uneven)
    means = uneven["worn_h"].groupby(level="account").mean()
    row = groups.loc["worn_h"]
    assert row["wearers"] == 3
    assert row["n"] == len(uneven)
    assert row["mean"] == pytest.approx(means.mean())
    low, high = stats.t.interval(0.95, 2, means.mean(), means.sem())
    assert row[["low", "high"]].tolist() == pytest.approx([low, high])
    assert row["p50"] == pytest.approx(means.median())


def test_groups_have_their_own_rows(table: pd.DataFrame) -> None:
    groups, attrition, _ = el.cohort.summary(table, by="group")
    assert groups.index.names == ["group", "outcome"]
    assert groups.loc[("a", "steps"), "wearers"] == 2
    assert groups.loc[("b", "steps"), "wearers"] == 1
    assert np.isnan(groups.loc[("b", "steps"), "low"])  # one wearer has no interval
    assert attrition.loc["rows in a group", "wearers"] == 3
    twice, _, _ = el.cohort.summary(table, by=["group", "age"])
    assert twice.index.names == ["group", "age", "outcome"]


def test_an_age_is_summarised_where_it_is_named_and_a_seed_never_by_itself(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    seeded = table.assign(seed=range(len(table)))
    seeded["seed"] = seeded.groupby(level="account")["seed"].transform("first")
    groups, attrition, _ = el.cohort.summary(seeded)
    assert not {"age", "seed"} & {*groups.index, *attrition.index}
    assert "steps" in groups.index
    named, _, _ = el.cohort.summary(seeded, covariates="age")
    ages = table["age"].groupby(level="account").first()
    assert named.loc["age", "mean"] == pytest.approx(ages.mean())
    assert "seed" not in named.index
    with pytest.raises(el.FieldError, match=r"names columns of the table of wearers \(group, age"):
        el.cohort.summary(seeded, covariates=["steps"])


def test_a_column_that_varies_within_a_wearer_is_an_outcome(table: pd.DataFrame) -> None:
    own = table.assign(my_score=range(len(table)))
    assert "my_score" in el.cohort.summary(own).groups.index


def test_what_was_lost_is_named(archive: el.Archive, wearers: pd.DataFrame) -> None:
    damage(archive, "ann")
    wearers.loc[2, "group"] = None
    wearers.loc[3] = ["eve", "UTC", "b", 60]
    with pytest.warns(el.EyelogWarning, match="1 of 4 wearers failed"):
        table = el.cohort.daily(archive, SIXTY, wearers=wearers, workers=1)
    table.loc[table.index[0], "steps"] = np.nan
    with pytest.warns(el.EyelogWarning, match="of the wearers asked for, 2 have no"):
        _, unasked, _ = el.cohort.summary(table, by="group")
    assert unasked.index[0] == "wearers with rows"
    table.attrs = {}
    _, attrition, excluded = el.cohort.summary(table, by="group", wearers=wearers)
    assert attrition["wearers"].iloc[:3].tolist() == [4, 2, 1]
    assert attrition["n"].iloc[1:3].tolist() == [len(table), len(table.loc["../bob"])]
    assert attrition.loc["steps", "n"] == len(table.loc["../bob"]) - 1
    assert list(excluded.index) == ["Ann", "ann", "eve"]
    assert excluded.loc["Ann", "reason"] == "no value of group"
    assert excluded.loc[["ann", "eve"], "reason"].eq("no rows in this table").all()


def test_a_dataset_is_summarised_like_its_table(
    kept: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    people = wearers.drop(columns="tz")
    people.loc[3] = ["eve", "b", 60]
    el.cohort.daily(kept, SIXTY, wearers=people, out=tmp_path / "out", workers=1)
    table = el.cohort.daily(kept, SIXTY, wearers=people, workers=1)
    of_table = el.cohort.summary(table, by="group", wearers=people)
    of_place = el.cohort.summary(tmp_path / "out", by="group")
    assert_frame_equal(of_place.groups, of_table.groups)
    assert_frame_equal(of_place.attrition, of_table.attrition)
    assert list(of_place.excluded.index) == ["eve"]


def test_results_of_any_function_are_summarised(kept: el.Archive) -> None:
    table = el.cohort.apply(kept, len, log=SIXTY, workers=1)
    groups, _, _ = el.cohort.summary(table)
    assert groups.loc["value", ["wearers", "n"]].tolist() == [3, 3]
    people = pd.DataFrame({"account": ["ann", "Ann"], "seed": [11, 12]})
    seeded = el.cohort.apply(
        kept, len, log=SIXTY, workers=1, wearers=people, accounts=["ann", "Ann"]
    )
    assert el.cohort.summary(seeded).groups.index.tolist() == ["value"]
    seeded.attrs = {}
    assert el.cohort.summary(seeded, wearers=people).groups.index.tolist() == ["value"]


def test_what_cannot_be_summarised_is_one_line(table: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="nor a column of the frame"):
        el.cohort.summary(table, by="sex")
    with pytest.raises(el.ConfigurationError, match="indexed by account"):
        el.cohort.summary(table.reset_index())
    with pytest.raises(el.ArchiveError, match="no whole result"):
        el.cohort.summary(tmp_path / "nothing")
