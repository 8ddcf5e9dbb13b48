"""What every format offers: counted faults, notes under the file's name, its own columns."""

import io

import pytest

import eyelog as el
from eyelog.archive.importing import log_file
from eyelog.archive.importing.csv_log import CsvLog
from eyelog.archive.importing.log_file import Faults, Source, own_columns, whole_of
from eyelog.errors import ArchiveError
from support.loggerfiles import FIFTEEN


def test_the_first_faults_are_shown_and_all_are_counted() -> None:
    faults = Faults()
    for line in range(2, 9):
        faults.add(line, "junk")
    assert faults.shown().endswith("line 6: junk; and 2 more")
    assert faults.report("a.csv", 20).startswith("a.csv: left out 7 of 20 lines")


def test_a_report_has_the_notes_and_the_faults_of_a_file() -> None:
    log = CsvLog(Source(io.BytesIO(b"date,stp\n2026-10-21T00:00:15Z,1\nx,1\n")))
    log.notes.append("it was odd")
    list(log.pages())
    odd, faults = log.report("a.csv")
    assert odd == "a.csv: it was odd"
    assert faults.startswith("a.csv: left out 1 of 2 lines")


def test_a_frame_keeps_the_columns_that_its_file_has() -> None:
    log = CsvLog(Source(io.BytesIO(b"date,stp\n")))
    frame = el.sample(FIFTEEN)[["stp", "cad"]]
    assert list(own_columns(frame, log).columns) == ["stp"]


def test_a_file_that_is_read_as_a_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "LARGEST", 10)
    assert whole_of(io.BytesIO(b"0" * 10)) == b"0" * 10
    with pytest.raises(ArchiveError, match="split it"):
        whole_of(io.BytesIO(b"0" * 11))
