"""The dataset of a result: its files, its recipe, and where it may be."""

import uuid
from pathlib import Path

import fsspec
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.cohort.dataset import Dataset, open_dataset
from support.cohorts import SIXTY, files_of, fill
from support.stores import object_store

MADE = ("a digest of what it was made from", 2)
ROWS = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["a", "a"], name="account"))


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return open_dataset(tmp_path / "out")


def test_a_file_that_is_damaged_or_of_somebody_else_is_computed_again(
    dataset: Dataset, tmp_path: Path
) -> None:
    dataset.write("a", None, ROWS, *MADE)
    assert dataset.days_made_from(MADE[0], "a", None) == 2
    assert dataset.days_made_from("another", "a", None) is None
    path = tmp_path / "out" / "a" / "all.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    assert dataset.days_made_from(MADE[0], "a", None) is None
    ROWS.to_parquet(path)
    assert dataset.days_made_from(MADE[0], "a", None) is None


def test_only_files_of_a_result_are_removed(dataset: Dataset, tmp_path: Path) -> None:
    for account in ("a", "b"):
        dataset.write(account, "2026-10", ROWS, *MADE)
    (tmp_path / "out" / "a" / "notes.txt").write_text("mine")
    dataset.keep_only([("b", "2026-10")])
    assert list(files_of(tmp_path / "out")) == ["b/2026-10.parquet"]
    assert (tmp_path / "out" / "a" / "notes.txt").read_text() == "mine"


def test_files_are_readable_by_their_owner_only(dataset: Dataset, tmp_path: Path) -> None:
    dataset.write("a", None, ROWS, *MADE)
    assert (tmp_path / "out" / "a" / "all.parquet").stat().st_mode & 0o077 == 0


def test_two_runs_do_not_write_at_the_same_time(dataset: Dataset, tmp_path: Path) -> None:
    with (
        dataset.locked(),
        pytest.raises(el.ArchiveError, match="another run writes"),
        open_dataset(tmp_path / "out").locked(),
    ):
        pass


def test_a_damaged_recipe_is_one_line(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "_recipe.json").write_text("{")
    with pytest.raises(el.ArchiveError, match="is damaged"):
        dataset.begin({"what": "x"})


def test_a_file_in_the_place_of_the_folder_is_one_line(kept: el.Archive, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(el.ArchiveError, match="cannot write to"):
        el.cohort.daily(kept, SIXTY, out=tmp_path / "out", workers=1)


def test_a_result_may_be_on_any_storage(kept: el.Archive) -> None:
    url = f"memory://{uuid.uuid4().hex}/out"
    report = el.cohort.daily(kept, SIXTY, out=url, workers=1)
    assert set(report["state"]) == {"done"}
    report = el.cohort.daily(kept, SIXTY, out=url, accounts=["ann", "Ann"], workers=1)
    assert set(report["state"]) == {"unchanged"}
    table = el.cohort.daily(kept, SIXTY, accounts=["ann", "Ann"], workers=1)
    assert_frame_equal(pd.read_parquet(url).sort_index(), table, check_exact=True)
    fsspec.filesystem("memory").rm(url, recursive=True)


@pytest.mark.slow("worker processes are started")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore")
def test_worker_processes_need_no_shared_disk(kept: el.Archive) -> None:
    with object_store() as url:
        archive, out = fill(el.Archive(url)), "s3://wearers/out"
        settings = {"log": SIXTY, "tz": "Asia/Tokyo", "workers": 2}
        report = el.cohort.daily(archive, out=out, **settings)  # type: ignore[arg-type]
        assert set(report["state"]) == {"done"}
        again = el.cohort.daily(archive, out=out, **settings)  # type: ignore[arg-type]
        assert set(again["state"]) == {"unchanged"}
        stored = pd.read_parquet(out).sort_index()
    table = el.cohort.daily(kept, SIXTY, tz="Asia/Tokyo", workers=1)
    assert_frame_equal(stored, table, check_exact=True)
