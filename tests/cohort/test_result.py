"""The result of a cohort, read from a table or from its dataset."""

import json
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.cohort.result import result_of
from support.cohort_days import cohort_days
from support.cohorts import SIXTY, damage


def test_a_table_says_who_was_lost_only_where_all_wearers_are_given() -> None:
    table = cohort_days(3, failed={"eve": "broken"}, without_days=["dan", "w00"])
    with pytest.warns(el.EyelogWarning, match="f: of the wearers asked for, 2 have no"):
        found = result_of(table, what="f")
    assert (found.failed, found.without, found.is_whole) == ({}, {}, False)
    assert found.covariates == ("group", "age")
    assert found.recipe["inventory"] == "0" * 64
    people = pd.DataFrame({"account": ["w00", "w01", "w02", "dan", "eve", "zoe"]})
    told = {"dan": "no records in this range", "eve": "broken", "zoe": "no rows in this table"}
    assert result_of(table, what="f", wearers=people).without == told
    table.attrs = {}
    assert set(result_of(table, what="f", wearers=people).without) == set(told)


def test_a_dataset_says_the_same_as_its_table(
    archive: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    damage(archive, "ann")
    people = wearers.drop(columns="tz")
    people.loc[3] = ["eve", "b", 60]
    el.cohort.daily(archive, SIXTY, wearers=people, out=tmp_path / "out", workers=1)
    found = result_of(tmp_path / "out", what="f")
    assert list(found.failed) == ["ann"]
    assert "cannot read" in found.failed["ann"]
    assert found.without == {"eve": f"no {SIXTY} records in the archive"}
    assert found.covariates == ("group", "age")
    with pytest.warns(el.EyelogWarning, match="1 of 4"):
        table = el.cohort.daily(archive, SIXTY, wearers=people, workers=1)
    of_table = result_of(table, what="f", wearers=people)
    assert found.recipe["inventory"] == of_table.recipe["inventory"]
    pd.testing.assert_frame_equal(found.rows, of_table.rows)
    (tmp_path / "out" / "_recipe.json").write_text(json.dumps({"complete": False}))
    with pytest.raises(el.ArchiveError, match="no whole result"):
        result_of(tmp_path / "out", what="f")


def test_what_pandas_reads_from_a_dataset_knows_log_and_covariates(
    kept: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    people = wearers.drop(columns="tz")
    el.cohort.daily(kept, SIXTY, wearers=people, out=tmp_path / "out", workers=1)
    read = pd.read_parquet(tmp_path / "out")
    assert result_of(read, what="f").covariates == ("group", "age")
    table = el.compare.mixed_table(read, outcomes="steps", covariates=["group", "age"])
    assert list(table.columns[-2:]) == ["group", "age"]
    fit = el.compare.fit_mixed(read, "steps", predictors="age")
    assert fit.loc["age", "wearers"] == 3


def test_a_cohort_of_nobody_has_no_rows(archive: el.Archive, tmp_path: Path) -> None:
    damage(archive, "ann")
    el.cohort.daily(archive, SIXTY, accounts=["ann"], out=tmp_path / "out", workers=1)
    found = result_of(tmp_path / "out", what="f")
    assert found.rows.empty
    assert list(found.failed) == ["ann"]
    with pytest.raises(el.ArchiveError, match="no rows"):
        el.cohort.summary(tmp_path / "out")


def test_what_is_no_result_is_one_line() -> None:
    with pytest.raises(el.ConfigurationError, match="f takes a table of eyelog"):
        result_of(pd.DataFrame({"account": ["a"]}), what="f")
