"""Outdated codes and tokens are deleted in the end, without keeping requests waiting."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from eyelog.service.auth import cleanup
from eyelog.service.auth.cleanup import CleanUp, outdated
from eyelog.service.auth.grants import GrantRefused
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.state import State

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


def test_a_refresh_token_ends_after_a_year_without_use(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str], alter
) -> None:
    client_id, _ = application
    _, refresh = tokens
    alter("UPDATE token SET issued = ?", time.time() - 364 * DAY)
    assert CleanUp(State(registry.folder)).run() == 0
    registry.grants.refresh(refresh, client_id)
    alter("UPDATE token SET issued = ?", time.time() - 700 * DAY)
    registry.grants.refresh(refresh, client_id)  # it was used a moment ago
    for thread in threading.enumerate():
        if thread.name == "eyelog-clean-up":
            thread.join()  # the pass that a refresh began would delete the token
    alter("UPDATE token SET used = ? WHERE kind = 'refresh'", time.time() - 366 * DAY)
    with pytest.raises(GrantRefused, match="not used for 365 days: log in again"):
        registry.grants.refresh(refresh, client_id)
    assert CleanUp(State(registry.folder)).run() == 1
    assert outdated(State(registry.folder)) == 0
    assert "refresh" not in [token.kind for token in registry.grants.issued()]


def test_a_pass_is_made_at_most_once_per_hour_by_all_processes_together(
    registry: Registry, tokens: tuple[str, str], alter: Callable[..., None]
) -> None:
    state = State(registry.folder)
    first, of_another_process = CleanUp(state), CleanUp(state)
    thread = first.start_if_due()
    assert thread is not None
    thread.join()
    alter("UPDATE code SET expires = 1")
    assert first.start_if_due() is None
    thread = of_another_process.start_if_due()
    assert thread is not None
    thread.join()
    assert outdated(state) == 1
    alter("UPDATE meta SET value = value - 3601 WHERE name = 'cleaned'")
    thread = CleanUp(state).start_if_due()
    assert thread is not None
    thread.join()
    assert outdated(state) == 0


def test_a_locked_or_missing_file_stops_no_pass_with_an_error(
    registry: Registry, tokens: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    thread = CleanUp(State(tmp_path / "nothing")).start_if_due()
    assert thread is not None
    thread.join()
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "nothing").exists()


def test_200000_outdated_rows_keep_no_refresh_waiting(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str], alter, monkeypatch
) -> None:
    monkeypatch.setattr(cleanup, "_PAUSE_SECONDS", 0.05)
    client_id, _ = application
    _, refresh = tokens
    state = State(registry.folder)
    alter(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
        " INSERT INTO token (hash, kind, account, client_id, origin, expires, revoked)"
        " SELECT CAST(i AS BLOB), 'access', 'ada', 'x', CAST(i AS BLOB), 1, 0 FROM n"
    )
    registry.grants.refresh(refresh, client_id)  # begins the pass
    while outdated(state) == 200_000:
        registry.grants.refresh(refresh, client_id)
    for _ in range(20):
        registry.grants.refresh(refresh, client_id)
    # The pass takes 400 short transactions: no refresh waited for all of them.
    assert 0 < outdated(state) < 200_000
    alter("DELETE FROM token WHERE client_id = 'x'")  # so that the pass ends with the test
