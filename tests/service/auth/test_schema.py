"""A state file of an older release is brought up to date whole, beside a copy of it, or not."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth import schema
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.schema import VERSION, columns, expected_columns, fill, version_of
from support.first_release import first_release_state


def state_of(folder: Path, version: int) -> Path:
    """Write a file with the tables of one release, and a row in each of those of the first."""
    file = first_release_state(folder).file
    with closing(sqlite3.connect(file)) as db:
        for script in schema._ADDED[:version]:
            db.executescript(script)
        db.execute(f"PRAGMA user_version = {version}")
        db.commit()
    return file


def content(file: Path) -> dict[str, set[tuple[Any, ...]]]:
    with closing(sqlite3.connect(file)) as db:
        tables = sorted({table for table, _ in columns(db)})
        return {table: set(db.execute(f"SELECT * FROM {table}")) for table in tables}


def use(folder: Path) -> None:
    Registry(folder).accounts.names()


def names(folder: Path) -> Iterator[str]:
    return (path.name for path in sorted(folder.iterdir()))


@pytest.mark.parametrize("version", range(VERSION))
def test_a_file_of_each_release_gets_what_a_new_one_has_and_a_copy_stays(
    tmp_path: Path, version: int
) -> None:
    file = state_of(tmp_path, version)
    before = content(file)
    use(tmp_path)
    with closing(sqlite3.connect(file)) as db:
        assert (version_of(db), columns(db)) == (VERSION, expected_columns())
    copy = tmp_path / f"_service.version-{version}.sqlite"
    assert content(copy) == before
    with closing(sqlite3.connect(copy)) as db:
        assert version_of(db) == version
    if os.name == "posix":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert list(names(tmp_path)) == ["_service.sqlite", copy.name]


def test_a_file_of_this_release_is_not_copied(tmp_path: Path) -> None:
    Registry(tmp_path).accounts.add("ada")
    use(tmp_path)
    assert list(names(tmp_path)) == ["_service.sqlite"]


def test_a_change_that_would_lose_a_row_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = state_of(tmp_path, 0)
    before = file.read_bytes()
    losing = (*schema._ADDED[:-1], f"{schema._ADDED[-1]}; DELETE FROM token WHERE kind = 'access'")
    monkeypatch.setattr(schema, "_ADDED", losing)
    with pytest.raises(ConfigurationError, match=r"stays as it is: .* lack 1 of its \d+ rows"):
        use(tmp_path)
    assert file.read_bytes() == before
    assert list(names(tmp_path)) == ["_service.sqlite"]


def test_a_file_that_cannot_be_copied_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = state_of(tmp_path, 2)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(schema, "put_in_place", full)
    with pytest.raises(ConfigurationError, match=r"no copy of it can be written.*No space left"):
        use(tmp_path)
    assert file.read_bytes() == before
    assert list(names(tmp_path)) == ["_service.sqlite"]


def test_a_copy_that_is_not_what_was_copied_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = state_of(tmp_path, 1)
    before = file.read_bytes()
    whole = schema.rows_of_tables

    def forgetful(db: sqlite3.Connection, of: set[tuple[str, str]]) -> Any:
        found = whole(db, of)
        if db.execute("PRAGMA database_list").fetchone()[2].endswith(".tmp"):
            found["account"][1].clear()
        return found

    monkeypatch.setattr(schema, "rows_of_tables", forgetful)
    with pytest.raises(ConfigurationError, match=r"a copy of it is damaged"):
        use(tmp_path)
    assert file.read_bytes() == before
    assert list(names(tmp_path)) == ["_service.sqlite"]


def test_the_unfinished_copy_of_a_killed_process_goes(tmp_path: Path) -> None:
    state_of(tmp_path, 3)
    (tmp_path / "._service.sqlite.0011aa.tmp").write_bytes(b"half")
    use(tmp_path)
    assert list(names(tmp_path)) == ["_service.sqlite", "_service.version-3.sqlite"]


def test_each_version_of_the_schema_adds_to_the_one_before() -> None:
    for version in range(VERSION):
        assert expected_columns(version) < expected_columns(version + 1)


def test_a_new_file_has_a_key_of_its_own(tmp_path: Path) -> None:
    keys = set()
    for name in ("one", "two"):
        with closing(sqlite3.connect(tmp_path / name)) as db:
            fill(db)
            keys |= set(db.execute("SELECT value FROM meta WHERE name = 'signing_key'"))
    assert len(keys) == 2
