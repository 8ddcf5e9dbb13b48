"""A Parquet file of a log is read whole or refused with the reason."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.importing.intake import FileReport, import_files
from eyelog.archive.store import Archive
from support.loggerfiles import zipped
from support.records import records

SIXTY = "standard_mode_logs"


def imported(path: Path, archive: Archive, **options: str) -> FileReport:
    (report,) = import_files(archive, [path], account="me", **options)
    return report


def test_a_frame_that_pandas_has_saved_is_read_with_its_zone(archive, tmp_path) -> None:
    frame = records(SIXTY, "2026-10-24", 100, tz="Asia/Tokyo")
    frame.to_parquet(tmp_path / "a.parquet")
    assert imported(tmp_path / "a.parquet", archive).kept == 100
    read = archive.read(SIXTY, "2026-10-24", "2026-10-24", tz="Asia/Tokyo")
    assert_frame_equal(read, frame)


def test_a_zip_file_may_hold_parquet(archive, tmp_path) -> None:
    records(SIXTY, "2026-10-24", 10).to_parquet(tmp_path / "a.parquet")
    box = tmp_path / "box.zip"
    box.write_bytes(zipped({"a.parquet": (tmp_path / "a.parquet").read_bytes()}))
    assert imported(box, archive).kept == 10


def test_stamps_without_a_zone_need_one(archive, tmp_path) -> None:
    frame = records(SIXTY, "2026-10-24", 10, tz="Asia/Tokyo")
    frame.tz_localize(None).to_parquet(tmp_path / "a.parquet")
    report = imported(tmp_path / "a.parquet", archive)
    assert report.status == "refused"
    assert "zone" in report.reason


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda frame: frame.assign(stp_s="many"), "stp_s"),
        (lambda frame: frame.assign(stp=1.0), "logs"),
        (lambda frame: frame.reset_index(drop=True), "date"),
        (lambda frame: frame[["bl"]].rename(columns={"bl": "x"}), "log"),
    ],
)
def test_a_table_that_is_not_of_a_log_is_refused_with_the_reason(
    archive, tmp_path, spoil, says
) -> None:
    spoil(records(SIXTY, "2026-10-24", 10)).to_parquet(tmp_path / "a.parquet")
    report = imported(tmp_path / "a.parquet", archive)
    assert report.status == "refused"
    assert says in report.reason


def test_a_damaged_file_is_refused(archive, tmp_path) -> None:
    path = tmp_path / "a.parquet"
    records(SIXTY, "2026-10-24", 100).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-40])
    report = imported(path, archive)
    assert report.status == "refused"
    assert "damaged" in report.reason
    assert not archive.accounts()


def test_unknown_columns_keep_their_kind(archive, tmp_path) -> None:
    frame = records(SIXTY, "2026-10-24", 3)
    frame["number"], frame["truth"], frame["word"] = [1.5, np.nan, 3], [True, None, False], "12"
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.warns(el.EyelogWarning, match="unknown"):
        imported(tmp_path / "a.parquet", archive)
    with pytest.warns(el.EyelogWarning, match="unknown"):
        read = archive.read(SIXTY, "2026-10-24", "2026-10-24")
    assert read["number"].dtype == np.float64
    assert read["truth"].dtype == pd.BooleanDtype()
    assert read["word"].tolist() == ["12", "12", "12"]
