"""One file becomes one frame, with its whole history and the name of the file in every error."""

import gzip
import time
import warnings
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.encode import encode_answer
from eyelog.catalogue import LOGS, columns
from eyelog.errors import (
    ArchiveError,
    EyelogWarning,
)
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    SIXTY,
    TEN,
    Put,
    logger_csv,
    long_fields,
    sample_script_csv,
    zipped,
)
from support.paths import DATASETS


def test_the_sample_files_of_the_logger_app_equal_the_sample() -> None:
    for log, kind in zip(LOGS, ("logicIndexData", "summaryData"), strict=True):
        frame = el.read_logger_csv(
            DATASETS / f"20261021-080000_CDC000000001_{kind}.csv", tz="Asia/Tokyo"
        )
        wanted = el.sample(log).loc["2026-10-21 08:00":"2026-10-21 12:00"]
        names = long_fields(log)
        assert_frame_equal(frame[names], wanted[names], check_freq=False)
        assert list(frame.columns) == [name for name in columns(log) if name in names]
        assert frame.attrs["eyelog"]["log"] == log


@pytest.mark.parametrize("log", LOGS)
def test_the_sample_scripts_csv_holds_every_field_by_its_short_name(put: Put, log: str) -> None:
    frame = el.read_logger_csv(put(sample_script_csv(HOURS[log], log)), tz="Asia/Tokyo")
    wanted = HOURS[log].drop(columns="gw", errors="ignore")  # CSV cannot tell "" from missing
    assert_frame_equal(frame[wanted.columns], wanted, check_freq=False)


def test_an_exported_csv_reads_back_unchanged(put: Put, tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(FIFTEEN, HOURS[FIFTEEN], account="me")
    path = tmp_path / "export.csv"
    archive.export(FIFTEEN, "2026-10-21", "2026-10-21", path, tz="Asia/Tokyo")
    frame = el.read_logger_csv(path, tz="Asia/Tokyo")
    expected = HOURS[FIFTEEN].drop(columns=["lat", "lng"])  # no location unless asked for
    assert_frame_equal(frame, expected, check_freq=False)


def test_an_exported_answer_reads_back(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(SIXTY, HOURS[SIXTY], account="me")
    made = archive.export(SIXTY, "2026-10-21", "2026-10-21", tmp_path / "out", tz="Asia/Tokyo")
    assert_frame_equal(el.read_answer(made[0]), HOURS[SIXTY].tz_convert("UTC"), check_freq=False)


def test_an_empty_file_is_an_empty_frame_if_its_name_shows_the_log(put: Put) -> None:
    names = {FIFTEEN: "20261021-090000_CDC000000001(00DF874C)_logicIndexData_m5.csv",
             SIXTY: "20261021-090000_CDC000000001_summaryData.csv"}  # fmt: skip
    for log, name in names.items():
        with pytest.warns(EyelogWarning, match="the file is empty"):
            frame = el.read_logger_csv(put(b"", name))
        assert frame.empty
        assert list(frame.columns) == list(columns(log))
    with pytest.raises(ArchiveError, match="the file is empty"):
        el.read_logger_csv(put(b"\xef\xbb\xbf \r\n", "unknown.csv"))


def test_a_packed_csv_is_read(put: Put) -> None:
    content = gzip.compress(logger_csv(TEN, FIFTEEN).encode())
    assert len(el.read_logger_csv(put(content, "log.csv.gz"))) == 10
    with pytest.warns(el.EyelogWarning, match=r"log\.csv\.gz: it breaks off .* whole lines"):
        assert len(el.read_logger_csv(put(content[:-9], "log.csv.gz"))) in (9, 10)
    with pytest.raises(ArchiveError, match=r"log\.csv\.gz: it cannot be read"):
        el.read_logger_csv(put(content[:12], "log.csv.gz"))


def test_what_cannot_be_read_is_one_sentence_with_the_name(put: Put, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"nope\.csv: .*No such file"):
        el.read_logger_csv(tmp_path / "nope.csv")
    with pytest.raises(ArchiveError, match="Is a directory"):
        el.read_logger_csv(tmp_path)
    with pytest.raises(ArchiveError, match=r"it is a zip file: unpack it"):
        el.read_logger_csv(put(zipped({"a.csv": "x"}), "a.zip"))
    with pytest.raises(ArchiveError, match="read_answer reads it"):
        el.read_logger_csv(put(encode_answer(TEN, FIFTEEN), "a.json"))


def test_a_day_is_read_in_well_under_a_tenth_of_a_second_of_work(put: Put) -> None:
    path = put(logger_csv(el.sample(FIFTEEN).iloc[:5760], FIFTEEN))
    spent = []
    for _ in range(5):
        begun = time.process_time()
        el.read_logger_csv(path)
        spent.append(time.process_time() - begun)
    assert min(spent) < 0.2  # some 0.05 on a quiet machine


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("kind", ["logger.csv", "script.csv", "answer.json", "unknown.csv"])
def test_one_file_has_one_shape_however_it_is_read(put: Put, log: str, kind: str) -> None:
    frame = HOURS[log].iloc[:40]
    text = {
        "logger.csv": logger_csv(frame, log),
        "script.csv": sample_script_csv(frame, log),
        "answer.json": encode_answer(frame, log),
        "unknown.csv": "\n".join(
            f"{line},{'mood,level' if not at else ['fine,3', ',4'][at % 2]}"
            for at, line in enumerate(logger_csv(frame, log).splitlines())
        ),
    }[kind]
    path = put(text, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EyelogWarning)
        together = el.read(path, tz="UTC")
        alone = el.read_answer(path) if kind == "answer.json" else el.read_logger_csv(path)
    assert_frame_equal(alone, together, check_freq=False)
    assert len(alone.columns) > 20


def test_no_record_is_the_same_empty_frame_however_it_is_read(put: Put) -> None:
    path = put("date,stepCount,isStill\n", "20261021-090000_CDC000000001_logicIndexData.csv")
    assert_frame_equal(el.read_logger_csv(path), el.read(path), check_freq=False)
    assert list(el.read(path).columns) == list(columns(FIFTEEN))
