"""Outdated codes and tokens are deleted in the end, without keeping requests waiting."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from eyelog_service.ended import CleanUp, outdated
from eyelog_service.grants import Registry
from eyelog_service.state import State

DAY = 86400


@pytest.fixture
def alter(registry: Registry) -> Callable[..., None]:
    def run(sql: str, *values: object) -> None:
        with closing(sqlite3.connect(registry.state_folder / "_service.sqlite")) as db, db:
            assert db.execute(sql, values).rowcount

    return run


def test_codes_and_access_tokens_are_deleted_a_month_after_they_expired(
    registry: Registry, tokens: tuple[str, str], alter: Callable[..., None]
) -> None:
    state = State(registry.folder)
    alter("UPDATE token SET expires = ? WHERE kind = 'access'", time.time() - 29 * DAY)
    alter("UPDATE code SET expires = ?", time.time() - 29 * DAY)
    assert CleanUp(state).run() == 0
    alter("UPDATE token SET expires = ? WHERE kind = 'access'", time.time() - 31 * DAY)
    alter("UPDATE code SET expires = ?", time.time() - 31 * DAY)
    assert outdated(state) == 2
    assert CleanUp(state).run() == 2
    assert outdated(state) == 0
    assert [token.kind for token in registry.grants.issued()] == ["refresh"]


def test_a_refresh_token_does_not_expire(
    registry: Registry,
    application: tuple[str, str],
    tokens: tuple[str, str],
    alter: Callable[..., None],
) -> None:
    client_id, _ = application
    _, refresh = tokens
    alter("UPDATE token SET issued = ? WHERE kind = 'refresh'", time.time() - 700 * DAY)
    assert CleanUp(State(registry.folder)).run() == 0
    registry.grants.refresh(refresh, client_id)
    alter("UPDATE token SET used = ? WHERE kind = 'refresh'", time.time() - 700 * DAY)
    assert CleanUp(State(registry.folder)).run() == 0
    assert registry.grants.refresh(refresh, client_id)
    (issued,) = [token for token in registry.grants.issued() if token.kind == "refresh"]
    assert issued.expires is None


def test_a_locked_or_missing_file_stops_no_pass_with_an_error(
    registry: Registry, tokens: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    thread = CleanUp(State(tmp_path / "nothing")).start_if_due()
    assert thread is not None
    thread.join()
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "nothing").exists()
