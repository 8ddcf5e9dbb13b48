"""Where an archive is, and what goes wrong there, in one line."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.archive.place import (
    archive_errors,
    names_inside,
    open_place,
    read_small_file,
    require_place,
    write_small_file,
)


def test_errors_of_the_disk_become_one_line() -> None:
    with (
        pytest.raises(el.ArchiveError, match=r"^cannot do this: No space left on device$"),
        archive_errors("do this"),
    ):
        raise OSError(28, "No space left on device")


def test_an_error_in_the_code_is_not_taken_for_one_of_the_disk() -> None:
    with pytest.raises(ValueError, match="a bug"), archive_errors("do this"):
        raise ValueError("a bug")


@pytest.mark.parametrize("where", ["a folder", "memory://small-files"])
def test_a_small_file_is_read_as_it_was_written(tmp_path: Path, where: str) -> None:
    place = open_place(where if "://" in where else tmp_path / where)
    path = f"{place.root}/.zones/one.csv"
    assert read_small_file(place, path) is None
    for body in (b"first", b"second"):
        write_small_file(place, path, body)
        assert read_small_file(place, path) == body
    assert names_inside(place, f"{place.root}/.zones") == ["one.csv"]
    assert names_inside(place, f"{place.root}/.events") == []


def test_a_place_without_an_archive_says_how_to_make_one(tmp_path: Path) -> None:
    require_place(open_place(tmp_path))
    with pytest.raises(el.ArchiveError, match=r"no archive .*nothing: `eyelog import`"):
        require_place(open_place(tmp_path / "nothing"))


def test_an_address_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="cannot be used: Protocol not known: nope"):
        open_place("nope://bucket")


def test_a_relative_path_is_read_from_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_place("logs").root == (tmp_path / "logs").as_posix()
    monkeypatch.chdir("/")
    assert open_place("logs").root == Path("/logs").absolute().as_posix()
