"""Archives that are not on a local disk: memory, and an object store on 127.0.0.1."""

import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.logs import LOGS
from support.records import records
from support.stores import object_store

FIFTEEN, SIXTY = LOGS


@pytest.fixture
def memory() -> Iterator[str]:
    url = f"memory://{uuid.uuid4().hex}"
    yield url
    fsspec.filesystem("memory").rm(url, recursive=True)


@pytest.fixture
def bucket() -> Iterator[str]:
    with object_store() as url:
        yield url


def live_through(url: str, tmp_path: Path) -> None:
    """Do with an archive at `url` what is done with a local one, and compare the two."""
    archive, local = el.Archive(url), el.Archive(tmp_path / "local")
    with pytest.raises(el.ArchiveError, match="is empty"):
        archive.read(SIXTY, "2026-10-30", "2026-10-30")
    frame = records(SIXTY, "2026-10-30", 4 * 1440, tz="Asia/Tokyo")
    other = records(FIFTEEN, "2026-10-30", 3000)
    for each in (archive, local):
        each.write(SIXTY, frame.iloc[::2], account="a/ä")
        each.write(SIXTY, frame, account="a/ä")
        each.write(FIFTEEN, other, account="me")
        each.write(SIXTY, frame.iloc[:10], account="gone")
        each.write(SIXTY, frame.iloc[:0], account="gone", days=["2026-10-30"])
    assert archive.accounts() == ["a/ä", "me"]
    found = archive.read(SIXTY, "2026-10-30", "2026-11-02", account="a/ä", tz="Asia/Tokyo")
    assert_frame_equal(found, frame)
    assert_frame_equal(
        archive.read(FIFTEEN, "2026-10-30", "2026-10-30", fields=["stp"]), other[["stp"]]
    )
    assert_frame_equal(archive.inventory(), local.inventory())
    assert len(archive.verify()) == 0
    with pytest.raises(el.ArchiveError, match="it has 'a/ä', 'me'"):
        archive.read(SIXTY, "2026-10-30", "2026-10-30", account="you")
    made = archive.export(FIFTEEN, *["2026-10-30"] * 2, tmp_path / "day.csv", location=True)
    assert made == [tmp_path / "day.csv"]
    # Another process sees what is there now, not what was there when it last listed the archive.
    el.Archive(url).write(SIXTY, frame, account="new")
    assert archive.accounts(SIXTY) == ["a/ä", "new"]


def test_an_archive_lives_in_memory(memory: str, tmp_path: Path) -> None:
    live_through(memory, tmp_path)


@pytest.mark.slow("an object store is started")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore")
def test_an_archive_lives_in_an_object_store(bucket: str, tmp_path: Path) -> None:
    live_through(bucket, tmp_path)
    with pytest.raises(el.ArchiveError, match="there is no 'no-such-bucket', create it first"):
        el.Archive("s3://no-such-bucket/x").write(
            SIXTY, records(SIXTY, "2026-10-30", 1), account="me"
        )


@pytest.mark.slow("a store's time limit is waited for")
def test_a_store_that_does_not_answer_is_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up-too")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with pytest.raises(el.ArchiveError, match=r"cannot list the archive s3://wearers/x: .+"):
        el.Archive("s3://wearers/x").accounts()


def test_a_folder_that_is_copied_whole_into_a_store_is_the_same_archive(
    tmp_path: Path, memory: str
) -> None:
    local, account = el.Archive(tmp_path), "a/ä"
    frame = records(SIXTY, "2026-10-30", 4 * 1440, tz="Asia/Tokyo")
    local.write(SIXTY, frame, account=account)
    local.set_zones("Asia/Tokyo", account=account)
    fsspec.filesystem("memory").put(f"{tmp_path}/", memory, recursive=True)
    assert_frame_equal(
        el.Archive(memory).read(SIXTY, account=account), local.read(SIXTY, account=account)
    )
    assert len(el.Archive(memory).verify()) == 0
