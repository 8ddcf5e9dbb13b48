"""The result of a cohort, read from a table or from its dataset."""

import json
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.cohort.result import result_of
from support.cohorts import SIXTY, damage


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


def test_a_cohort_of_nobody_has_no_rows(archive: el.Archive, tmp_path: Path) -> None:
    damage(archive, "ann")
    el.cohort.daily(archive, SIXTY, accounts=["ann"], out=tmp_path / "out", workers=1)
    found = result_of(tmp_path / "out", what="f")
    assert found.rows.empty
    assert list(found.failed) == ["ann"]
    with pytest.raises(el.ArchiveError, match="no rows"):
        el.cohort.summary(tmp_path / "out")
