"""A folder that is watched: only settled files are imported, each once, also after a kill."""

import gzip
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from eyelog.archive.importing import watching
from eyelog.archive.importing.intake import FileReport
from eyelog.archive.importing.watching import watch
from eyelog.archive.store import Archive
from eyelog.errors import ArchiveError, ConfigurationError
from support.uploads import SIXTY, csv


class Clock:
    """Time that passes only while the watch waits; something can happen at each look."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.looks = 0
        self.happens: dict[int, Callable[[], object]] = {}
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.looks += 1
        self.happens.pop(self.looks, lambda: None)()
        if self.looks > 50:
            raise TimeoutError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "drive").mkdir()
    return tmp_path / "drive"


def seen(archive: Archive, folder: Path, clock: Clock) -> list[FileReport]:
    """Return what becomes of the files until nothing more happens."""
    found: list[FileReport] = []
    with suppress(TimeoutError):
        for report in watch(archive, folder, settled_s=20, wait=clock.wait):
            found.append(report)  # noqa: PERF402 (what came before the end is kept)
    return found


def count(archive: Archive) -> int:
    return len(archive.read(SIXTY, tz="UTC"))


def test_a_file_is_imported_when_it_has_settled_and_only_once(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    whole = csv(n=60)
    path = folder / "a.csv"
    path.write_bytes(whole[:2000])
    clock.happens[1] = lambda: path.write_bytes(whole[:9000])
    clock.happens[2] = lambda: path.write_bytes(whole)
    (report,) = seen(archive, folder, clock)
    assert (report.status, report.kept) == ("imported", 60)
    assert clock.looks > 4
    clock.looks = 0
    assert seen(archive, folder, clock) == []  # as after a restart


def test_a_file_that_grows_later_is_imported_again(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    (folder / "deep").mkdir()
    path = folder / "deep" / "a.csv"
    lines = csv(n=90).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:61]))
    clock.happens[5] = lambda: path.write_bytes(b"".join(lines))
    assert [each.kept for each in seen(archive, folder, clock)] == [60, 30]
    assert count(archive) == 90


def test_hidden_files_and_links_are_left_out(
    archive: Archive, folder: Path, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "other.csv").write_bytes(csv())
    (folder / ".a.csv.Xy12").write_bytes(csv())
    (folder / "link.csv").symlink_to(tmp_path / "other.csv")
    assert seen(archive, folder, clock) == []


def test_a_refused_file_is_reported_once_and_the_others_are_imported(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    (folder / "a.txt").write_text("dear diary,\n1\n")
    (folder / "b.csv").write_bytes(csv(n=600))
    (folder / "c.csv").write_bytes(csv(n=600, seed=9))  # of somebody else
    found = seen(archive, folder, clock)
    assert [each.status for each in found] == ["refused", "imported", "refused"]
    assert "as if they were of two wearers" in found[2].reason
    assert count(archive) == 600


LINE = "2026-10-24T00:{:02}:00+00:00,{},0,80\n"
FIRST = "date,wea_s,nis_s,bl\n" + "".join(LINE.format(at, 60) for at in range(4))
OTHER = FIRST.replace(LINE.format(2, 60), LINE.format(2, 59)) + LINE.format(4, 60)


def test_a_stored_value_stays_and_the_line_with_another_one_is_named(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    (folder / "a.csv").write_text(FIRST)
    clock.happens[5] = lambda: (folder / "a.csv").write_text(OTHER)
    first, second = seen(archive, folder, clock)
    assert (first.status, first.reason) == ("imported", "")
    assert (second.status, second.kept, second.conflicts) == ("imported", 1, 1)
    assert "other values than stored, which stay: line 4 (wea_s);" in second.reason
    assert archive.read(SIXTY, tz="UTC")["wea_s"].tolist() == [60.0] * 5


def test_another_value_is_written_if_that_is_asked_for_also_of_a_file_imported_before(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    (folder / "a.csv").write_text(FIRST)
    clock.happens[5] = lambda: (folder / "a.csv").write_text(OTHER)
    seen(archive, folder, clock)
    clock.looks = 0
    (report,) = islice(watch(archive, folder, replace=True, settled_s=20, wait=clock.wait), 1)
    assert (report.kept, report.conflicts, report.reason) == (1, 1, "")
    assert archive.read(SIXTY, tz="UTC")["wea_s"].tolist() == [60.0, 60.0, 59.0, 60.0, 60.0]


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_file_whose_content_was_lost_is_refused(
    archive: Archive, folder: Path, clock: Clock, packed: Callable[[bytes], bytes]
) -> None:
    (folder / "a.csv").write_bytes(packed(bytes(4000)))
    (report,) = seen(archive, folder, clock)
    assert report.status == "refused"
    assert "NUL bytes" in report.reason


def test_a_file_waits_while_the_archive_cannot_be_written(
    archive: Archive, folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.csv").write_bytes(csv())
    real = watching.import_files

    def locked(*_: object, **__: object) -> None:
        raise ArchiveError("another process has been writing")

    monkeypatch.setattr(watching, "import_files", locked)
    clock.happens[20] = lambda: monkeypatch.setattr(watching, "import_files", real)
    assert [each.status for each in seen(archive, folder, clock)] == ["waiting", "imported"]


def test_damaged_notes_and_a_kill_before_they_are_written_cost_one_more_import(
    archive: Archive, folder: Path, clock: Clock
) -> None:
    (folder / "a.csv").write_bytes(csv())
    first = next(watch(archive, folder, settled_s=20, wait=clock.wait))
    assert first.kept == 60
    (notes,) = Path(archive.path).glob(".watched/account=me/*.json")
    assert notes.stat().st_mode & 0o777 == 0o600
    notes.write_text("{")
    (again,) = islice(watch(archive, folder, settled_s=20, wait=clock.wait), 1)
    assert (again.status, again.kept) == ("nothing new", 0)
    assert len(archive.verify()) == 0
    assert str(notes) in archive.erase("me")["path"].tolist()
    assert not notes.exists()


def test_what_cannot_be_watched_is_an_error(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder"):
        next(watch(archive, tmp_path / "missing"))
    with pytest.raises(ConfigurationError, match="only a local archive"):
        next(watch(Archive("memory://watched"), tmp_path))
    with pytest.raises(ConfigurationError, match="settle after some seconds, not 0"):
        next(watch(archive, tmp_path, settled_s=0))
    assert not list(tmp_path.iterdir())
