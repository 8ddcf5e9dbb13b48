"""Whatever is imported, in whatever pieces, is in the archive once, and nothing is lost."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.answers import encode_answer
from support.importing import import_files
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, logger_csv, zipped
from support.paths import DATASETS


def whole(archive: el.Archive, log: str, account: str = "me") -> pd.DataFrame:
    return archive.read(log, "1970-01-01", "2099-12-31", account=account, tz="Asia/Tokyo")


def contents(archive: el.Archive) -> dict[str, tuple[bytes, int]]:
    files = sorted(Path(archive.path).rglob("*.parquet"))
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def counts(report: SimpleNamespace) -> tuple[int, int, int, int, int]:
    return (report.read, report.kept, report.repeated, report.conflicts, report.refused)


def session(folder: Path) -> Path:
    """Write what an iPhone leaves of a session: autosaved parts that overlap, and other files."""
    folder.mkdir()
    frame, part = HOURS[FIFTEEN], "20261021-{}_CDC000000001(00DF874C)_{}_m5.csv"
    for i, begin in enumerate(range(0, len(frame), 100)):
        text = logger_csv(frame.iloc[begin : begin + 110], FIFTEEN)
        (folder / part.format(f"09{i:02d}00", "logicIndexData")).write_text(text)
    text = logger_csv(HOURS[SIXTY], SIXTY, dates="+0900")
    (folder / part.format("090000", "summaryData")).write_text(text)
    (folder / part.format("090000", "slowHeadMotion")).write_text("date,type,subType,value\n")
    (folder / part.format("090000", "fastHeadMotion")).write_bytes(b"")
    return folder


def test_a_second_import_changes_nothing_and_reports_that(
    archive: el.Archive, tmp_path: Path
) -> None:
    folder = session(tmp_path / "s")
    import_files(archive, [folder, DATASETS / "answers-2026-10-21.zip"])
    before = contents(archive)
    reports = import_files(archive, [folder, DATASETS / "answers-2026-10-21.zip"])
    assert contents(archive) == before
    assert sum(report.kept for report in reports) == 0
    assert {report.status for report in reports} == {"nothing new", "empty"}


def test_a_dry_run_leaves_nothing_behind(
    archive: el.Archive,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    waiting_in_memory: Callable[[int], None],
) -> None:
    waiting_in_memory(50)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    import_files(archive, [session(tmp_path / "s")], dry_run=True)
    assert list(scratch.iterdir()) == []
    assert not Path(archive.path).exists()


def test_a_file_with_fewer_fields_removes_nothing(archive: el.Archive, tmp_path: Path) -> None:
    frame = HOURS[FIFTEEN]
    archive.write(FIFTEEN, frame, account="me")
    path = tmp_path / "a.csv"
    path.write_text(logger_csv(frame, FIFTEEN, names=["stp", "lat", "isl"]))
    report = import_files(archive, [path])[0]
    assert counts(report) == (len(frame), 0, len(frame), 0, 0)
    assert_frame_equal(whole(archive, FIFTEEN), frame, check_freq=False)


def test_files_that_disagree_are_counted_and_the_later_name_wins(
    archive: el.Archive, tmp_path: Path
) -> None:
    for name, steps in (("a.csv", 3), ("b.csv", 4)):
        (tmp_path / name).write_text(f"date,stp,bk_n\n2026-10-21T00:00:15Z,{steps},\n")
    folder = [tmp_path / "a.csv", tmp_path / "b.csv"]
    reports = import_files(archive, folder)
    assert [counts(each) for each in reports] == [(1, 1, 0, 0, 0), (1, 0, 0, 1, 0)]
    assert whole(archive, FIFTEEN)["stp"].tolist() == [4]
    again = import_files(archive, folder)
    assert [each.kept for each in again] == [0, 0]


def test_one_bad_file_loses_no_other(archive: el.Archive, tmp_path: Path) -> None:
    members = {
        "a.csv": logger_csv(HOURS[SIXTY], SIXTY),
        "b.json": encode_answer(HOURS[FIFTEEN], FIFTEEN)[:-50],
        "c.json": encode_answer(HOURS[FIFTEEN], FIFTEEN),
        "naive.csv": logger_csv(HOURS[SIXTY], SIXTY, dates="naive"),
    }
    path = tmp_path / "box.zip"
    path.write_bytes(zipped(members))
    reports = {report.file.rpartition(" ")[2]: report for report in import_files(archive, [path])}
    assert {name: report.status for name, report in reports.items()} == {
        "a.csv": "imported", "b.json": "refused", "c.json": "imported", "naive.csv": "refused"
    }  # fmt: skip
    assert "has no zone" in reports["naive.csv"].reason
    assert_frame_equal(whole(archive, FIFTEEN), HOURS[FIFTEEN], check_freq=False)
    zoned = import_files(archive, [path], tz="Asia/Tokyo")
    assert [report.status for report in zoned][-1] == "nothing new"


def test_an_unfinished_walk_and_several_devices_are_warnings(
    archive: el.Archive, tmp_path: Path
) -> None:
    answer = tmp_path / "page.json"
    answer.write_bytes(encode_answer(HOURS[FIFTEEN], FIFTEEN, cursor="more"))
    with pytest.warns(el.EyelogWarning, match="its last answer has a cursor"):
        import_files(archive, [answer])
    for device in ("CDC000000001(00DF874C)", "CDC000000002"):
        (tmp_path / f"20261021-090000_{device}_summaryData.csv").write_text("date,fitDuration\n")
    with pytest.warns(el.EyelogWarning, match=r"2 devices \(CDC000000001, CDC000000002\)"):
        import_files(archive, sorted(tmp_path.glob("*.csv")))


def test_a_date_outside_the_years_1_to_9999_loses_no_other_record(
    archive: el.Archive, tmp_path: Path
) -> None:
    for name, date in (("a", "9999-12-31T23:59:59Z"), ("b", "0001-01-01T00:00:00+09:00")):
        (tmp_path / f"{name}.csv").write_text(f"date,stp\n{date},1\n2026-10-21T00:00:15Z,3\n")
        body = f'{{"computed_data": {{"1": [{{"date": "{date}", "stp": 3}}]}}}}'
        (tmp_path / f"{name}.json").write_text(body)
    with pytest.warns(el.EyelogWarning, match="line 2: 'date' is '.*', not a stamp"):
        reports = import_files(archive, sorted(tmp_path.glob("*.*")))
    assert [report.status for report in reports] == [
        "imported", "refused", "nothing new", "refused"
    ]  # fmt: skip
    assert "before 2015, when the eyewear did not exist, or more than a day" in reports[1].reason


def test_unknown_fields_compare_as_the_archive_keeps_them(
    archive: el.Archive, tmp_path: Path
) -> None:
    index = pd.DatetimeIndex(["2026-10-21T00:00:15Z"], name="date").as_unit("us")
    moods: list[object] = [2.0, "2", "[1, 2]", [1, 2]]
    for number, mood in enumerate(moods):
        frame = pd.DataFrame({"stp": [3.0], "mood": pd.Series([mood], index=index)}, index=index)
        frame.to_parquet(tmp_path / f"{number}.parquet")
    kept = []
    for number, account in enumerate("aabb"):
        with pytest.warns(el.EyelogWarning, match="mood"):
            [report] = import_files(archive, [tmp_path / f"{number}.parquet"], account=account)
        kept.append(report.kept)
    assert kept == [1, 0, 1, 0]
