"""Files that only their owner may read, put in place whole or not at all."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.home import replace_file, temporary_name, whole_file


def test_a_file_that_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"
    with whole_file(target) as sink:
        sink.write(b"old")

    def fail() -> None:
        with whole_file(target) as sink:
            sink.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    assert list(target.parent.iterdir()) == [target]


def test_a_replaced_file_is_whole_and_leaves_nothing_of_a_killed_process(tmp_path: Path) -> None:
    target, other = tmp_path / "deep" / "file", temporary_name(tmp_path / "deep" / "file2")
    replace_file(target, b"old")
    temporary_name(target).write_bytes(b"half")
    other.write_bytes(b"of another file")
    replace_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert sorted(target.parent.iterdir()) == sorted([target, other])


def test_a_pattern_that_no_shell_has_read_stands_for_the_files_that_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = el.sample("standard_mode_logs")
    for name, part in (("b.csv", frame[:9]), ("a.csv", frame[9:12]), ("[d].csv", frame[12:20])):
        part.rename_axis("date").to_csv(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for pattern in ("*.csv", tmp_path / "*.csv"):
        assert len(el.read(pattern)) == 20
    assert len(el.read("[d].csv")) == 8  # what exists is no pattern
    for nothing in ("*.json", "a**b"):
        with pytest.raises(el.ConfigurationError, match="no file or folder"):
            el.read(nothing)
