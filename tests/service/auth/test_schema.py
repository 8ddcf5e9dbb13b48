"""A state file of eyelog 0.3 is brought up to date whole, beside a copy of it, or not."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import eyelog as el
from eyelog_service import state
from eyelog_service.grants import Registry
from eyelog_service.state import VERSION, State, expected_columns
from support.first_release import first_release_state


def old_state(folder: Path) -> Path:
    """Write a file of eyelog 0.3, with a file that was sent and an account with a role."""
    file = first_release_state(folder).file
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("INSERT INTO upload VALUES ('ada', x'00', 9, 0.0, 3)")
        db.execute("UPDATE account SET role = 'staff', study = 'sleep'")
    return file


def content(file: Path) -> dict[str, set[tuple[Any, ...]]]:
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {table: set(db.execute(f"SELECT * FROM {table}")) for (table,) in tables}


def names(folder: Path) -> list[str]:
    return [path.name for path in sorted(folder.iterdir())]


def test_a_file_gets_what_a_new_one_has_and_a_copy_stays(tmp_path: Path) -> None:
    file = old_state(tmp_path)
    before = content(file)
    Registry(tmp_path).accounts.names()
    after = content(file)
    assert {table for table in before if table not in after} == {"upload"}
    assert all(before[table] == rows for table, rows in after.items())
    assert State(tmp_path).version() == VERSION
    assert expected_columns() <= State(tmp_path).columns()
    copy = tmp_path / "_service.version-6.sqlite"
    assert content(copy) == before
    if os.name == "posix":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert names(tmp_path) == ["_service.sqlite", copy.name]


def test_a_file_of_this_release_is_not_copied(tmp_path: Path) -> None:
    Registry(tmp_path).accounts.add("ada")
    Registry(tmp_path).accounts.names()
    assert names(tmp_path) == ["_service.sqlite"]


def test_a_file_that_cannot_be_copied_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = old_state(tmp_path)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(state, "put_in_place", full)
    with pytest.raises(el.ConfigurationError, match=r"no copy of it can be written.*No space left"):
        Registry(tmp_path).accounts.names()
    assert file.read_bytes() == before
    assert names(tmp_path) == ["_service.sqlite"]


def test_the_unfinished_copy_of_a_killed_process_goes(tmp_path: Path) -> None:
    old_state(tmp_path)
    (tmp_path / "._service.sqlite.0011aa.tmp").write_bytes(b"half")
    Registry(tmp_path).accounts.names()
    assert names(tmp_path) == ["_service.sqlite", "_service.version-6.sqlite"]
