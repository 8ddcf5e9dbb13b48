"""One file becomes one frame, with its whole history and the name of the file in every error."""

import gzip
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    SIXTY,
    TEN,
    Put,
    logger_csv,
    long_fields,
)
from support.logs import LOGS, columns
from support.paths import DATASETS


def test_the_sample_files_of_the_logger_app_equal_the_sample() -> None:
    for log, kind in zip(LOGS, ("logicIndexData", "summaryData"), strict=True):
        frame = el.read(DATASETS / f"20261021-080000_CDC000000001_{kind}.csv", tz="Asia/Tokyo")
        wanted = el.sample(log).loc["2026-10-21 08:00":"2026-10-21 12:00"]
        names = long_fields(log)
        assert_frame_equal(frame[names], wanted[names], check_freq=False)
        assert list(frame.columns) == [name for name in columns(log) if name in names]
        assert frame.attrs["eyelog"]["log"] == log


def test_an_exported_csv_reads_back_unchanged(put: Put, tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(FIFTEEN, HOURS[FIFTEEN], account="me")
    path = tmp_path / "export.csv"
    archive.export(FIFTEEN, "2026-10-21", "2026-10-21", path, tz="Asia/Tokyo")
    frame = el.read(path, tz="Asia/Tokyo")
    expected = HOURS[FIFTEEN].drop(columns=["lat", "lng"])  # no location unless asked for
    assert_frame_equal(frame, expected, check_freq=False)


def test_an_exported_answer_reads_back(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(SIXTY, HOURS[SIXTY], account="me")
    made = archive.export(SIXTY, "2026-10-21", "2026-10-21", tmp_path / "out", tz="Asia/Tokyo")
    assert_frame_equal(el.read(made[0]), HOURS[SIXTY].tz_convert("UTC"), check_freq=False)


def test_a_packed_csv_is_read(put: Put) -> None:
    content = gzip.compress(logger_csv(TEN, FIFTEEN).encode())
    assert len(el.read(put(content, "log.csv.gz"))) == 10
    with pytest.warns(el.EyelogWarning, match=r"log\.csv\.gz: it breaks off .* whole lines"):
        assert len(el.read(put(content[:-9], "log.csv.gz"))) in (9, 10)
    with pytest.raises(el.ArchiveError, match=r"log\.csv\.gz: it cannot be read"):
        el.read(put(content[:12], "log.csv.gz"))
