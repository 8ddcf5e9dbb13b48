"""The dataset of a result: its files, its report, its recipe, and what a second run computes."""

import json
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import fsspec
import pandas as pd
import pytest
from filelock import FileLock
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import ACCOUNTS, SIXTY, damage, files_of, fill
from support.processes import left_after
from support.stores import object_store

# Counts the records of each wearer; those of later years take until a file is there.
PROGRAM = """
import sys, eyelog as el
archive, out, workers, gate = sys.argv[1:]

def count(frame):
    import pathlib, time
    while frame.index[0].year > 2026 and not pathlib.Path(gate).exists():
        time.sleep(0.01)
    return len(frame)

if __name__ == "__main__":
    el.cohort.apply(
        el.Archive(archive), count, log="standard_mode_logs", out=out, workers=int(workers)
    )
"""


def run(archive: el.Archive, out: Path | str, **more: object) -> pd.DataFrame:
    settings = {"log": SIXTY, "tz": "Asia/Tokyo", "workers": 1, **more}
    return el.cohort.daily(archive, out=out, **settings)  # type: ignore[arg-type]


def states(report: pd.DataFrame) -> dict[str, str]:
    return dict(zip(report["account"], report["state"], strict=True))


def changed(before: dict, after: dict) -> set[str]:
    return {name for name in after if after[name] != before.get(name)}


def recipe_of(out: Path) -> dict[str, object]:
    return dict(json.loads((out / "_recipe.json").read_text()))


def test_the_dataset_is_the_table_and_a_second_run_computes_nothing(
    kept: el.Archive, expected: pd.DataFrame, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    report = run(kept, out)
    assert list(report.columns) == ["account", "state", "days", "reason"]
    assert states(report) == dict.fromkeys(ACCOUNTS, "done")
    assert report["days"].tolist() == [6, 6, 6]
    assert_frame_equal(pd.read_parquet(out).sort_index(), expected, check_exact=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # "../bob" is not a path
    assert all(path.stat().st_mode & 0o077 == 0 for path in out.glob("*/*.parquet"))
    before = files_of(out)
    assert states(run(kept, out)) == dict.fromkeys(ACCOUNTS, "unchanged")
    assert files_of(out) == before


def test_a_dataset_in_several_zones_has_one_shape(
    kept: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    wearers.loc[3] = ["eve", "UTC", "b", 60]
    report = run(kept, tmp_path / "out", wearers=wearers).set_index("account")
    assert report.loc["eve"].tolist() == ["done", 0, f"no {SIXTY} records in the archive"]
    table = el.cohort.daily(kept, SIXTY, wearers=wearers, workers=1)
    stored = pd.read_parquet(tmp_path / "out").sort_index()
    assert_frame_equal(stored, table, check_exact=True)


@pytest.mark.slow("a cohort is computed twice")
@pytest.mark.parametrize("tz", ["Asia/Tokyo", "America/New_York"])
def test_a_run_over_a_grown_archive_computes_only_the_months_that_read_from_it(
    archive: el.Archive, tmp_path: Path, tz: str
) -> None:
    out = tmp_path / "out"
    run(archive, out, tz=tz)
    before = files_of(out)
    more = el.simulate("2026-10-10", 1, log=SIXTY, seed=1, tz="Asia/Tokyo")
    archive.write(SIXTY, more, account="ann")
    report = run(archive, out, tz=tz)
    assert states(report) == {"../bob": "unchanged", "Ann": "unchanged", "ann": "done"}
    # The month before reads some minutes of the file that grew, where its days end after it begins.
    grown = {"ann/2026-10.parquet"} | ({"ann/2026-09.parquet"} if tz != "Asia/Tokyo" else set())
    assert changed(before, files_of(out)) == grown
    table = el.cohort.daily(archive, SIXTY, tz=tz, workers=1)
    assert_frame_equal(pd.read_parquet(out).sort_index(), table, check_exact=True)


def test_records_at_the_edge_of_a_month_change_both_months(
    archive: el.Archive, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run(archive, out, tz="UTC")
    before = files_of(out)
    edge = archive.read(SIXTY, "2026-10-01", "2026-10-01", account="ann", tz="UTC").iloc[:3]
    archive.write(SIXTY, edge.assign(wea_s=60.0, tl_xav=0.0, tl_yav=0.0), account="ann")
    run(archive, out, tz="UTC")
    assert changed(before, files_of(out)) == {"ann/2026-09.parquet", "ann/2026-10.parquet"}


def test_a_file_that_is_damaged_or_of_somebody_else_is_computed_again(
    kept: el.Archive, expected: pd.DataFrame, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run(kept, out)
    cut, foreign = (out / "ann" / f"2026-{month}.parquet" for month in ("09", "10"))
    cut.write_bytes(cut.read_bytes()[:-9])
    pd.DataFrame({"x": [1.0]}).to_parquet(foreign)
    assert states(run(kept, out)) == {"../bob": "unchanged", "Ann": "unchanged", "ann": "done"}
    assert_frame_equal(pd.read_parquet(out).sort_index(), expected, check_exact=True)


def test_other_arguments_leave_exactly_what_they_ask_for(kept: el.Archive, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(kept, out)
    (out / "ann" / "notes.txt").write_text("mine")
    run(kept, out, accounts=["ann"], end="2026-09-29")
    table = el.cohort.daily(
        kept, log=SIXTY, tz="Asia/Tokyo", accounts="ann", end="2026-09-29", workers=1
    )
    assert list(files_of(out)) == ["ann/2026-09.parquet"]
    assert (out / "ann" / "notes.txt").read_text() == "mine"
    stored = pd.read_parquet(out / "ann" / "2026-09.parquet")
    assert_frame_equal(stored, table, check_exact=True)


def test_a_broken_wearer_has_no_rows_and_a_reason(archive: el.Archive, tmp_path: Path) -> None:
    damage(archive, "ann")
    out = tmp_path / "out"
    report = run(archive, out).set_index("account")
    assert report.loc["ann", "state"] == "failed"
    assert "2026-09: cannot read" in str(report.loc["ann", "reason"])
    assert set(pd.read_parquet(out).index.get_level_values(0)) == {"../bob", "Ann"}
    assert states(run(fill(el.Archive(tmp_path / "again")), out))["ann"] == "done"
    run(archive, tmp_path / "nobody", accounts=["ann"])
    with pytest.raises(el.ArchiveError, match="no rows"):
        el.cohort.summary(tmp_path / "nobody")


def test_a_dataset_is_summarised_like_its_table_and_knows_who_was_lost(
    archive: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    damage(archive, "ann")
    people, out = wearers.drop(columns="tz"), tmp_path / "out"
    people.loc[3] = ["eve", "b", 60]
    run(archive, out, wearers=people)
    with pytest.warns(el.EyelogWarning, match="1 of 4"):
        table = el.cohort.daily(archive, SIXTY, wearers=people, tz="Asia/Tokyo", workers=1)
    assert table.attrs["eyelog"]["history"][-1]["inventory"] == recipe_of(out)["inventory"]
    of_table = el.cohort.summary(table, by="group", wearers=people)
    of_place = el.cohort.summary(out, by="group")
    assert_frame_equal(of_place.groups, of_table.groups)
    assert of_place.attrition["wearers"].tolist()[:3] == [4, 3, 2]
    assert "cannot read" in of_place.excluded.loc["ann", "reason"]
    assert of_place.excluded.loc["eve", "reason"] == f"no {SIXTY} records in the archive"
    (out / "_recipe.json").write_text(json.dumps({"complete": False}))
    with pytest.raises(el.ArchiveError, match="no whole result"):
        el.cohort.summary(out)


def test_the_recipe_says_what_was_computed_and_from_what(
    kept: el.Archive, archive: el.Archive, tmp_path: Path
) -> None:
    for number, each in enumerate((kept, archive)):
        run(each, tmp_path / str(number), start="2026-09-01")
    first, second = (recipe_of(tmp_path / name) for name in ("0", "1"))
    assert (first["what"], first["log"]) == ("cohort.daily", SIXTY)
    assert first["start"] == "2026-09-01"
    assert first["complete"]
    assert {"eyelog", "pandas", "catalogue"} <= set(first["versions"])
    assert first["inventory"] == second["inventory"]  # a copy of an archive is the same input
    archive.write(SIXTY, kept.read(SIXTY, "2026-09-28", "2026-09-28", account="Ann"), account="x")
    run(archive, tmp_path / "1", start="2026-09-01")
    assert recipe_of(tmp_path / "1")["inventory"] != first["inventory"]


def test_what_lies_there_already_is_not_touched(kept: el.Archive, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(kept, out)
    before = files_of(out)
    with pytest.raises(el.ConfigurationError, match="another computation"):
        el.cohort.apply(kept, len, log=SIXTY, out=out, workers=1)
    with pytest.raises(el.ConfigurationError, match="has other files"):
        run(kept, Path(kept.path))
    with FileLock(out / ".lock"), pytest.raises(el.ArchiveError, match="another run writes"):
        run(kept, out)
    (out / "_recipe.json").write_text("{")
    with pytest.raises(el.ArchiveError, match="is damaged"):
        run(kept, out)
    assert files_of(out) == before
    (tmp_path / "file").write_text("a file")
    with pytest.raises(el.ArchiveError, match="cannot write to"):
        run(kept, tmp_path / "file")


def test_a_result_may_be_on_any_storage(kept: el.Archive) -> None:
    url = f"memory://{uuid.uuid4().hex}/out"
    assert set(run(kept, url)["state"]) == {"done"}
    assert set(run(kept, url, accounts=["ann", "Ann"])["state"]) == {"unchanged"}
    table = el.cohort.daily(kept, SIXTY, tz="Asia/Tokyo", accounts=["ann", "Ann"], workers=1)
    assert_frame_equal(pd.read_parquet(url).sort_index(), table, check_exact=True)
    fsspec.filesystem("memory").rm(url, recursive=True)


@pytest.mark.slow("worker processes are started")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore")
def test_worker_processes_need_no_shared_disk(kept: el.Archive, expected: pd.DataFrame) -> None:
    with object_store() as url:
        archive, out = fill(el.Archive(url)), "s3://wearers/out"
        for state in ("done", "unchanged"):
            assert set(run(archive, out, workers=2)["state"]) == {state}
        stored = pd.read_parquet(out).sort_index()
    assert_frame_equal(stored, expected, check_exact=True)


@pytest.mark.slow("a process is killed at many moments")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_was_killed_goes_on_where_it_was(
    archive: el.Archive, tmp_path: Path, workers: int
) -> None:
    for number in range(3):
        later = el.simulate(f"{2027 + number}-10-01", 1, log=SIXTY, tz="Asia/Tokyo")
        archive.write(SIXTY, later, account=f"more{number}")
    program, out, gate = (tmp_path / name for name in ("program.py", "out", "gate"))
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), archive.path, str(out), str(workers), str(gate)]
    process = subprocess.Popen(command, start_new_session=True)
    while not list(out.glob("*/*.parquet")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not recipe_of(out)["complete"]
    assert left_after(60, process.pid) == {}  # workers end with the process that called
    before = files_of(out)
    gate.touch()
    subprocess.run(command, check=True)
    after = files_of(out)
    assert {name: after[name] for name in before} == before
    assert len(after) == len(ACCOUNTS) + 3
    assert not list(out.glob("*/.*.tmp"))
    table = el.cohort.apply(archive, len, log=SIXTY, workers=1)
    assert_frame_equal(pd.read_parquet(out).sort_index(), table, check_exact=True)
