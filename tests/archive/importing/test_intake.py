"""Whatever is imported, in whatever pieces, is in the archive once, and nothing is lost."""

import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.encode import encode_answer
from eyelog.archive.arrow_merge import Merged, merge
from eyelog.archive.importing import csv_log, intake
from eyelog.archive.importing.intake import FileReport, import_files
from eyelog.archive.parquet.month_file import MonthFile
from eyelog.catalogue import LOGS
from eyelog.errors import ConfigurationError, EyelogWarning
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, logger_csv, long_fields, zipped
from support.paths import DATASETS


def whole(archive: el.Archive, log: str, account: str = "me") -> pd.DataFrame:
    return archive.read(log, "1970-01-01", "2099-12-31", account=account, tz="Asia/Tokyo")


def contents(archive: el.Archive) -> dict[str, tuple[bytes, int]]:
    files = sorted(Path(archive.path).rglob("*.parquet"))
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def counts(report: FileReport) -> tuple[int, int, int, int, int]:
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


def test_a_session_becomes_one_log_and_the_other_files_are_named(
    archive: el.Archive, tmp_path: Path
) -> None:
    reports = import_files(archive, [session(tmp_path / "s")])
    for log in LOGS:
        names = long_fields(log)
        assert_frame_equal(whole(archive, log)[names], HOURS[log][names], check_freq=False)
    by_status: dict[str, list[FileReport]] = {}
    for report in reports:
        by_status.setdefault(report.status, []).append(report)
        assert report.read == report.kept + report.repeated + report.refused
    assert {status: len(each) for status, each in by_status.items()} == {
        "imported": 5, "empty": 2
    }  # fmt: skip
    assert sum(report.repeated for report in reports) == 30
    assert sum(report.kept for report in reports) == sum(map(len, HOURS.values()))


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


def test_a_dry_run_reports_the_same_and_does_nothing(archive: el.Archive, tmp_path: Path) -> None:
    folder = session(tmp_path / "s")
    dry = import_files(archive, [folder], dry_run=True)
    assert not Path(archive.path).exists()
    assert [counts(each) for each in dry] == [
        counts(each) for each in import_files(archive, [folder])
    ]
    assert {report.status for report in dry} == {"to import", "empty"}


@pytest.mark.parametrize("waiting", [1, 50, 10**9])
def test_a_dry_run_counts_what_its_own_earlier_files_would_have_brought(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    monkeypatch.setattr(intake, "_WAITING", waiting)
    first, frame = session(tmp_path / "a"), HOURS[FIFTEEN]
    archive.write(FIFTEEN, frame.iloc[50:80].assign(stp=1.0), account="me")
    later = tmp_path / "b.csv"
    later.write_text(logger_csv(frame.assign(lat=2.0), FIFTEEN, names=["stp", "lat", "isl"]))
    before = contents(archive)
    dry = import_files(archive, [first, later], dry_run=True, replace=True)
    assert contents(archive) == before
    real = import_files(archive, [first, later], replace=True)
    assert [counts(report) for report in dry] == [counts(report) for report in real]
    assert sum(report.conflicts for report in real) > 0
    assert sum(report.repeated for report in real) > 0


def test_a_dry_run_leaves_nothing_behind(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "_WAITING", 50)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    import_files(archive, [session(tmp_path / "s")], dry_run=True)
    assert list(scratch.iterdir()) == []
    assert not Path(archive.path).exists()


def test_each_month_of_an_import_is_merged_once(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.write(FIFTEEN, HOURS[FIFTEEN].iloc[:100], account="me")
    merged = []

    def counting(old: pa.Table, new: pa.Table, spans: tuple[()]) -> Merged:
        merged.append(new.num_rows)
        return merge(old, new, spans)

    monkeypatch.setattr(intake, "merge", counting)
    path = tmp_path / "a.json"
    path.write_bytes(encode_answer(HOURS[FIFTEEN], FIFTEEN))
    assert import_files(archive, [path])[0].kept == len(HOURS[FIFTEEN]) - 100
    assert merged == [len(HOURS[FIFTEEN]) - 100]


@pytest.mark.parametrize("waiting", [1, 50, 10**9])
def test_how_much_waits_in_memory_changes_no_result(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    monkeypatch.setattr(intake, "_WAITING", waiting)
    monkeypatch.setattr(csv_log, "_LOOK", 5_000)
    monkeypatch.setattr(csv_log, "BLOCK", 20_000)
    reports = import_files(archive, [session(tmp_path / "s")])
    for log in LOGS:
        names = long_fields(log)
        assert_frame_equal(whole(archive, log)[names], HOURS[log][names], check_freq=False)
    for report in reports:
        assert report.read == report.kept + report.repeated + report.refused


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
    assert [counts(each) for each in reports] == [(1, 1, 0, 0, 0), (1, 1, 0, 1, 0)]
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


def test_junk_is_reported_by_file_and_line(archive: el.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,stp\n2026-10-21T00:00:15Z,3\njunk\n")
    with pytest.warns(
        EyelogWarning, match=r"a\.csv: left out 1 of 2 lines .*line 3: it has 1 column"
    ):
        report = import_files(archive, [path])[0]
    assert counts(report) == (2, 1, 0, 0, 1)
    assert report.status == "imported"


def test_an_unfinished_walk_and_several_devices_are_warnings(
    archive: el.Archive, tmp_path: Path
) -> None:
    answer = tmp_path / "page.json"
    answer.write_bytes(encode_answer(HOURS[FIFTEEN], FIFTEEN, cursor="more"))
    with pytest.warns(EyelogWarning, match="its last answer has a cursor"):
        import_files(archive, [answer])
    for device in ("CDC000000001(00DF874C)", "CDC000000002"):
        (tmp_path / f"20261021-090000_{device}_summaryData.csv").write_text("date,fitDuration\n")
    with pytest.warns(EyelogWarning, match=r"2 devices \(CDC000000001, CDC000000002\)"):
        import_files(archive, sorted(tmp_path.glob("*.csv")))


def test_an_unknown_field_is_kept_and_stays_the_same(archive: el.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for value in ("1.5", "fine"):
        path.write_text(f"date,stp,mood\n2026-10-21T00:00:{15 + len(value)}Z,3,{value}\n")
        with pytest.warns(EyelogWarning, match="unknown fields .*: mood"):
            assert import_files(archive, [path])[0].kept == 1
        with pytest.warns(EyelogWarning, match="unknown fields"):
            assert import_files(archive, [path])[0].kept == 0
    with pytest.warns(EyelogWarning, match="unknown fields"):
        assert whole(archive, FIFTEEN)["mood"].tolist() == ["1.5", "fine"]


def test_accounts_stay_apart(archive: el.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(logger_csv(HOURS[SIXTY], SIXTY))
    import_files(archive, [path], account="ada")
    assert archive.accounts() == ["ada"]
    assert import_files(archive, [path], account="bob")[0].kept == len(HOURS[SIXTY])
    assert archive.accounts() == ["ada", "bob"]


def test_a_wrong_zone_stops_before_anything_is_read(archive: el.Archive, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="unknown time zone"):
        import_files(archive, [tmp_path], tz="Asia/Toky")


def test_files_far_apart_in_time_are_compared_month_by_month(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for year in (2019, 2023, 2026):
        (tmp_path / f"{year}.csv").write_text(f"date,stp\n{year}-03-31T23:59:50.250Z,{year % 9}\n")
    (tmp_path / "z.csv").write_text("date,stp\n2019-03-31T23:59:50.250Z,8\n")
    assert [each.kept for each in import_files(archive, [tmp_path])] == [1, 1, 1, 1]
    spans, rows = [], MonthFile.rows

    def counting(file: MonthFile, schema: pa.Schema, first: int, after: int) -> pa.Table:
        spans.append(pd.Timedelta(after - first, "us"))
        return rows(file, schema, first, after)

    monkeypatch.setattr(MonthFile, "rows", counting)
    files = sorted(tmp_path.glob("*.csv"))
    assert [each.kept for each in import_files(archive, files)] == [0, 0, 0, 0]
    assert len(spans) == 3
    assert max(spans) < pd.Timedelta("31D")


def test_a_date_outside_the_years_1_to_9999_loses_no_other_record(
    archive: el.Archive, tmp_path: Path
) -> None:
    for name, date in (("a", "9999-12-31T23:59:59Z"), ("b", "0001-01-01T00:00:00+09:00")):
        (tmp_path / f"{name}.csv").write_text(f"date,stp\n{date},1\n2026-10-21T00:00:15Z,3\n")
        body = f'{{"computed_data": {{"1": [{{"date": "{date}", "stp": 3}}]}}}}'
        (tmp_path / f"{name}.json").write_text(body)
    with pytest.warns(EyelogWarning, match="line 2: 'date' is '.*', not a stamp"):
        reports = import_files(archive, sorted(tmp_path.glob("*.*")))
    assert [report.status for report in reports] == [
        "imported", "refused", "nothing new", "refused"
    ]  # fmt: skip
    assert reports[1].reason == "a date in it lies outside the years 1 to 9999"


def test_files_of_other_kinds_are_refused_where_there_is_no_log(
    archive: el.Archive, tmp_path: Path
) -> None:
    (tmp_path / "a_fastHeadMotion.csv").write_bytes(b"")
    (tmp_path / "a_location.csv").write_text("date,latitude,longitude,altitude,speed\n")
    reports = import_files(archive, [tmp_path])
    assert [report.status for report in reports] == ["empty", "refused"]
    assert "location" in reports[1].reason
