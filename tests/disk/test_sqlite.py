"""A SQLite file that several processes share."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from eyelog.disk.sqlite import code_of, connect, prepare, remove, set_aside, size, transaction


def fill(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE numbers (n INTEGER)")


def numbers(path: Path) -> list[int]:
    with closing(connect(path)) as db:
        return [n for (n,) in db.execute("SELECT n FROM numbers ORDER BY n")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    prepare(tmp_path / "deep" / "file.sqlite", fill)
    return tmp_path / "deep" / "file.sqlite"


def test_a_file_is_filled_once_and_only_opened_afterwards(path: Path) -> None:
    prepare(path, fill)
    assert numbers(path) == []
    assert [file.name for file in path.parent.iterdir()] == ["file.sqlite"]


def test_a_file_that_does_not_exist_is_not_created_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), closing(connect(tmp_path / "none")) as db:
        db.execute("SELECT 1")
    assert list(tmp_path.iterdir()) == []


def test_a_transaction_is_committed_whole_or_not_at_all(path: Path) -> None:
    with closing(connect(path, write=True)) as db:

        def insert(n: int, interrupt: type[BaseException] | None = None) -> None:
            with transaction(db):
                db.execute("INSERT INTO numbers VALUES (?)", (n,))
                if interrupt:
                    raise interrupt

        insert(1)
        with pytest.raises(KeyboardInterrupt):
            insert(2, KeyboardInterrupt)
        insert(3)
    assert numbers(path) == [1, 3]


def test_a_file_set_aside_counts_and_is_removed_with_its_successor(path: Path) -> None:
    old = path.stat().st_size
    assert set_aside(path)
    assert not path.exists()
    prepare(path, fill)
    total = size(path)
    assert total == old + path.stat().st_size
    assert remove(path) == total
    assert list(path.parent.iterdir()) == []
    assert remove(path) == 0


def test_the_code_of_an_error_is_the_primary_one_of_sqlite(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(sqlite3.DatabaseError) as caught:
        numbers(path)
    assert code_of(caught.value) == sqlite3.SQLITE_NOTADB
    assert code_of(OSError("disk")) is None
