"""Files of a live recording: private, whole, imported once, never lost."""

import json
import os
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service import live
from eyelog_service.live import (
    Messages,
    Recording,
    import_recording,
    locked_recordings,
    waiting_files,
)
from support.livesocket import packet

CURRENT = "current_data"


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    return el.Archive(tmp_path / "archive")


def lines(n: int) -> list[bytes]:
    messages = Messages()
    row = [packet(number) for number in range(n)]
    for each in row:
        del each["index"]  # a field that the catalogue does not know warns
    taken = [messages.take(json.dumps(each).encode()) for each in row]
    return [each.line for each in taken if each]


def recorded(archive: el.Archive, n: int = 40, kind: str = CURRENT, account: str = "anna") -> Path:
    recording = Recording(archive, account, 1)
    for line in lines(n):
        assert recording.add(kind, line) is None
    (path,) = recording.close()
    return path


def test_files_and_folders_are_for_their_owner_alone(archive: el.Archive) -> None:
    path = recorded(archive)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.read_bytes().count(b"\n") == 40


def test_a_message_is_in_the_file_at_once_and_secured_when_asked(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    secured: list[int] = []
    recording = Recording(archive, "anna", 1)
    (line,) = lines(1)
    recording.add(CURRENT, line)
    (path,) = waiting_files(archive)
    assert path.read_bytes() == line
    monkeypatch.setattr(os, "fsync", secured.append)
    recording.secure()
    recording.secure()  # nothing is new
    assert len(secured) == 1
    assert 0 < recording.longest_wait_s < 5


def test_a_file_ends_at_its_largest_size_and_the_next_begins(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = lines(10)
    monkeypatch.setattr(live, "_LARGEST", 3 * len(each[0]))
    recording = Recording(archive, "anna", 1)
    complete = [path for line in each if (path := recording.add(CURRENT, line))]
    assert len(complete) == 3
    assert len(recording.close()) == 1
    assert b"".join(path.read_bytes() for path in waiting_files(archive)) == b"".join(each)


def test_a_line_that_the_disk_takes_in_part_is_taken_back(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(archive, "anna", 1)
    first, second = lines(2)
    recording.add(CURRENT, first)
    real, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(handle, data[:20])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        recording.add(CURRENT, second)
    (path,) = recording.close()
    assert path.read_bytes() == first


def test_a_kill_between_import_and_packing_changes_nothing(archive: el.Archive) -> None:
    path = recorded(archive)
    content = path.read_bytes()
    import_recording(archive, path)
    path.write_bytes(content)  # as if it had not been removed yet
    assert import_recording(archive, path) == "imported into anna: 0 of 40 rows"
    assert list(waiting_files(archive)) == []
    assert len(archive.read(CURRENT, account="anna", tz="UTC")) == 40


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
def test_a_line_that_a_kill_cut_off_is_left_out(archive: el.Archive) -> None:
    path = recorded(archive)
    with path.open("ab") as sink:
        sink.write(lines(1)[0][:50])
    assert import_recording(archive, path) == "imported into anna: 40 of 41 rows"


def test_messages_of_other_kinds_are_kept_beside_the_archive(archive: el.Archive) -> None:
    where = Messages().take(b'{"latitude":35.7,"longitude":139.7}')
    assert where is not None
    recording = Recording(archive, "anna", 1)
    recording.add(where.kind, where.line)
    (path,) = recording.close()
    assert import_recording(archive, path) == f"kept for anna: messages of other kinds in {path}.gz"
    assert archive.accounts() == []
    assert archive.events("anna").empty


def test_an_erased_account_has_no_live_files_either(archive: el.Archive) -> None:
    path = recorded(archive)
    archive.erase("anna")
    assert not path.parent.exists()


def test_one_program_listens_into_an_archive(archive: el.Archive) -> None:
    lock = locked_recordings(archive)
    with pytest.raises(el.ConfigurationError, match="another eyelog listen"):
        locked_recordings(el.Archive(archive.path))
    lock.release()
    locked_recordings(archive).release()


def test_what_a_kill_left_half_packed_goes_at_the_next_start(archive: el.Archive) -> None:
    path = recorded(archive)
    half = path.with_name(f".{path.name}.gz.0123456789abcdef.tmp")
    half.write_bytes(b"half")
    locked_recordings(archive).release()
    assert not half.exists()
    assert path.exists()


def test_a_full_disk_lets_a_file_wait(archive: el.Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    path = recorded(archive)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(live, "import_files", full)
    assert import_recording(archive, path).startswith("waits for the next start: ")
    monkeypatch.undo()
    monkeypatch.setattr(live, "whole_file", full)
    assert import_recording(archive, path).startswith("waits for the next start: ")
    assert list(waiting_files(archive)) == [path]


def test_only_a_local_archive_is_listened_into() -> None:
    with pytest.raises(el.ConfigurationError, match="only a local archive"):
        locked_recordings(el.Archive("memory://live"))
