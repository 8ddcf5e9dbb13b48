"""Files that only their owner may read, put in place whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from eyelog.home import (
    make_folders,
    matching,
    new_file,
    replace_file,
    temporary_name,
    whole_file,
)

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_whole_file_replaces_the_old_one_at_the_end_of_the_block(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"
    for content in (b"old", b"new"):
        with whole_file(target) as sink:
            sink.write(content)
            assert not target.exists() or target.read_bytes() == b"old"
        assert target.read_bytes() == content
    assert list(target.parent.iterdir()) == [target]


def test_a_file_that_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail() -> None:
        with whole_file(target) as sink:
            sink.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_replaced_file_is_whole_and_leaves_nothing_of_a_killed_process(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"
    replace_file(target, b"old")
    temporary_name(target).write_bytes(b"half")
    other = temporary_name(tmp_path / "deep" / "file2")
    other.write_bytes(b"of another file")
    replace_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert sorted(target.parent.iterdir()) == sorted([target, other])


@posix
def test_files_and_folders_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        make_folders(tmp_path / "a" / "b")
        with whole_file(tmp_path / "a" / "b" / "file") as sink:
            sink.write(b"x")
    finally:
        os.umask(old)
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert mode(tmp_path / "a" / "b" / "file") == 0o600


def test_a_new_file_never_overwrites_one_that_exists(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileExistsError), new_file(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_pattern_that_no_shell_has_read_stands_for_the_files_that_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.csv", "a.csv", "c.txt", "[d].csv"):
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    for pattern in (Path("*.csv"), tmp_path / "*.csv"):
        assert [path.name for path in matching(pattern)] == ["[d].csv", "a.csv", "b.csv"]
    assert matching(Path("[d].csv")) == [Path("[d].csv")]  # what exists is no pattern
    assert matching(Path("*.json")) == matching(Path("a**b")) == []
