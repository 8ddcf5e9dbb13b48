"""Codes and tokens: each rule of time and of use, and how the access of an application ends."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

import eyelog as el
from eyelog_service.grants import Bearer, GrantRefused, Registry
from support.live import REDIRECT


def log_in(registry: Registry, account: str, client_id: str) -> tuple[str, str]:
    code = registry.grants.issue_code(account, client_id, REDIRECT)
    return registry.grants.exchange(code, client_id, REDIRECT, None)


def test_the_nearest_account_or_application_is_suggested(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    with pytest.raises(el.ConfigurationError, match=r"did you mean 'ada'\?"):
        registry.grants.issue_code("adda", client_id, REDIRECT)
    with pytest.raises(el.ConfigurationError, match=f"did you mean '{client_id}'"):
        registry.grants.issue_code("ada", client_id[:-1], REDIRECT)
    with pytest.raises(el.ConfigurationError, match="not registered for this application"):
        registry.grants.issue_code("ada", client_id, "http://127.0.0.1/other")


def test_two_simultaneous_uses_of_one_code_give_one_token(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)

    def use(_: int) -> str:
        try:
            return registry.grants.exchange(code, client_id, REDIRECT, None)[0]
        except GrantRefused:
            return ""

    with ThreadPoolExecutor(8) as pool:
        tokens = [token for token in pool.map(use, range(8)) if token]
    assert len(tokens) == 1
    assert registry.grants.bearer(tokens[0]) == "the access token is revoked"


def test_a_locked_file_delays_no_request_only_to_note_a_use(
    registry: Registry, tokens: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    access, _ = tokens
    monkeypatch.setattr("eyelog_service.state.WAIT_SECONDS", 600)  # longer than a test may take
    with closing(sqlite3.connect(registry.state.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert isinstance(registry.grants.bearer(access), Bearer)
        other.execute("ROLLBACK")
    assert all(token.last_used is None for token in registry.grants.issued())


def test_the_operator_ends_the_tokens_of_an_account_an_application_or_all(
    registry: Registry, application: tuple[str, str]
) -> None:
    first, _ = application
    second, _ = registry.applications.add(REDIRECT, name="Sleep study")
    registry.accounts.add("bea")

    def valid() -> set[tuple[str, str]]:
        return {(token.account, token.client_id) for token in registry.grants.issued()}

    def log_in_all() -> None:
        for account in ("ada", "bea"):
            for client_id in (first, second):
                log_in(registry, account, client_id)

    everything = {(account, one) for account in ("ada", "bea") for one in (first, second)}
    log_in_all()
    assert valid() == everything
    ended = registry.grants.revoke_all(accounts=["ada"])
    assert {(one.account, one.client_id, one.refresh, one.access) for one in ended} == {
        ("ada", first, 1, 1),
        ("ada", second, 1, 1),
    }
    assert valid() == {("bea", first), ("bea", second)}
    registry.grants.revoke_all(client_id="Sleep study")
    assert valid() == {("bea", first)}
    log_in_all()
    registry.grants.revoke_all(accounts=["bea"], client_id=second)
    assert valid() == everything - {("bea", second)}
    assert len(registry.grants.revoke_all()) == 3
    assert valid() == set()
    with pytest.raises(el.ConfigurationError, match="did you mean 'ada'"):
        registry.grants.revoke_all(accounts=["adaa"])
    with pytest.raises(el.ConfigurationError, match="did you mean 'Sleep study'"):
        registry.grants.revoke_all(client_id="Sleep studie")


def test_an_expired_token_is_not_counted_as_access(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    with registry.state.write() as db:
        db.exec_driver_sql("UPDATE token SET expires = 1 WHERE kind = 'access'")
    assert [token.kind for token in registry.grants.issued()] == ["refresh"]
    (ended,) = registry.grants.revoke_all(accounts=["ada"])
    assert (ended.refresh, ended.access) == (1, 0)


def test_an_upload_token_ends_with_its_account_or_after_a_year_without_use(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.accounts.add("una")
    token = registry.grants.issue_upload_token("una")
    assert isinstance(registry.grants.bearer(token), Bearer)
    assert [one.kind for one in registry.grants.upload_tokens("una")] == ["upload"]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 370 * 86400)
    assert "was not used for a year" in str(registry.grants.bearer(token))
    assert registry.grants.upload_tokens("una") == []
    monkeypatch.undo()
    registry.accounts.disable("una")
    assert "disabled" in str(registry.grants.bearer(token))
    with pytest.raises(el.ConfigurationError, match="is disabled"):
        registry.grants.issue_upload_token("una")
    registry.accounts.enable("una")
    ended = registry.grants.revoke_all(accounts=["una"])
    assert [(one.client_id, one.access) for one in ended] == [("", 1)]
    assert registry.grants.bearer(token) == "the access token is revoked"


def test_a_code_that_is_replayed_is_noted_once(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    _, refresh = registry.grants.exchange(code, client_id, REDIRECT, None)
    for _ in range(5):
        with pytest.raises(GrantRefused, match="its tokens are now revoked"):
            registry.grants.exchange(code, client_id, REDIRECT, None)
        registry.grants.revoke(refresh, client_id)
    assert len((registry.folder / "_ended.jsonl").read_text().splitlines()) == 1
