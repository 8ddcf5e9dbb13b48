from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@pytest.mark.parametrize("log", LOGS)
def test_what_is_written_reads_back_equal(archive: Archive, log: str) -> None:
    frame = records(log, "2026-10-31 20:00", 1500)
    archive.write(log, frame, account="me")
    assert_frame_equal(archive.read(log, "2026-10-31", "2026-11-02"), frame)
