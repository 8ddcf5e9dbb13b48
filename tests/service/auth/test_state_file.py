"""The file of the state: private, without anything worth stealing, and named when it is damaged."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog_service.grants import Registry
from support.live import REDIRECT
from support.records import records


def test_only_the_owner_can_read_the_file(
    registry: Registry, application: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "archive" / "_service.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(
    registry: Registry, application: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "archive" / "_service.sqlite"
    file.chmod(0o644)
    Registry(tmp_path / "archive").signing_key()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_holds_no_token_code_secret_or_password(
    registry: Registry, application: tuple[str, str], tmp_path: Path
) -> None:
    client_id, secret = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    access, refresh = registry.grants.exchange(code, client_id, REDIRECT, None)
    newer = registry.grants.refresh(refresh, client_id)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "archive").iterdir())
    for hidden in (secret, code, access, refresh, newer, "correct horse"):
        assert hidden.encode() not in stored


def test_a_damaged_file_is_reported_in_one_sentence(
    registry: Registry, application: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "archive" / "_service.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(el.ConfigurationError, match=r"service\.sqlite cannot be used"):
        registry.accounts.names()


def test_a_file_in_place_of_the_folder_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder")
    with pytest.raises(el.ConfigurationError, match="cannot store the service's state"):
        Registry(tmp_path / "archive").accounts.add("ada")


def test_a_parquet_tool_opens_an_archive_that_is_served(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(
        "standard_mode_logs", records("standard_mode_logs", "2026-10-19 09:00", 3), account="ada"
    )
    Registry(tmp_path / "archive").accounts.add("ada")
    assert len(pd.read_parquet(tmp_path / "archive")) == 3


def test_a_note_that_meets_a_reader_is_left_out_and_harms_no_later_write(
    registry: Registry, tokens: tuple[str, str], tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM account").fetchall()
        registry.state.note("UPDATE account SET disabled = 1")
    for name in ("bea", "eve"):
        registry.accounts.add(name)
    assert registry.accounts.names() == ["ada", "bea", "eve"]
    assert not any(account.disabled for account in registry.accounts.all())
    registry.state.note("UPDATE account SET disabled = 1")
    assert all(account.disabled for account in registry.accounts.all())


def test_an_empty_file_in_place_of_the_state_is_refused_and_stays(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "a", tmp_path / "state")
    registry.accounts.add("ada", None)
    file = registry.state.file
    file.write_bytes(b"")
    again = Registry(tmp_path / "a", tmp_path / "state")
    for ask in (again.accounts.all, lambda: again.accounts.add("ben", None)):
        with pytest.raises(el.ConfigurationError, match="is empty: restore a copy, or delete"):
            ask()
    assert file.stat().st_size == 0
