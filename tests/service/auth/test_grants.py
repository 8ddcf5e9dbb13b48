"""Codes and tokens: each rule of time and of use, and how the access of an application ends."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.grants import Bearer, GrantRefused
from eyelog.service.auth.registry import Registry
from support.live import REDIRECT


def log_in(registry: Registry, account: str, client_id: str) -> tuple[str, str]:
    code = registry.grants.issue_code(account, client_id, REDIRECT)
    return registry.grants.exchange(code, client_id, REDIRECT, None)


def test_the_nearest_account_or_application_is_suggested(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    with pytest.raises(ConfigurationError, match=r"did you mean 'ada'\?"):
        registry.grants.issue_code("adda", client_id, REDIRECT)
    with pytest.raises(ConfigurationError, match=f"did you mean '{client_id}'"):
        registry.grants.issue_code("ada", client_id[:-1], REDIRECT)
    with pytest.raises(ConfigurationError, match="not registered for this application"):
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


def test_a_code_can_be_issued_to_an_application_by_its_name(registry: Registry) -> None:
    registry.accounts.add("ada")
    client_id, _ = registry.applications.add(REDIRECT, name="Sleep study")
    code = registry.grants.issue_code("ada", "Sleep study", REDIRECT)
    access, _ = registry.grants.exchange(code, client_id, REDIRECT, None)
    assert registry.grants.bearer(access) == Bearer("ada", client_id)


def test_the_last_use_of_a_token_is_noted_once_in_ten_minutes(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    access, _ = tokens

    def last_use() -> float | None:
        (used,) = [token.last_used for token in registry.grants.issued() if token.kind == "access"]
        return used

    assert last_use() is None
    registry.grants.bearer(access)
    first = last_use()
    assert first is not None
    assert 0 <= time.time() - first < 60
    registry.grants.bearer(access)
    assert last_use() == first
    with registry.state.write() as db:
        db.execute("UPDATE token SET used = used - 601")
    registry.grants.bearer(access)
    assert last_use() != first - 601


def test_a_locked_file_delays_no_request_only_to_note_a_use(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    access, _ = tokens
    with closing(sqlite3.connect(registry.state.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        started = time.perf_counter()
        assert isinstance(registry.grants.bearer(access), Bearer)
        assert time.perf_counter() - started < 2  # a lock is waited for up to 5 s elsewhere
        other.execute("ROLLBACK")
    assert all(token.last_used is None for token in registry.grants.issued())


def test_a_wearer_sees_one_row_per_application_and_withdraws_it_at_once(
    registry: Registry, application: tuple[str, str]
) -> None:
    first, _ = application
    second, _ = registry.applications.add(REDIRECT, name="Sleep study")
    registry.accounts.add("bea")
    mine = [log_in(registry, "ada", first), log_in(registry, "ada", first)]
    log_in(registry, "ada", second)
    hers, _ = log_in(registry, "bea", second)
    registry.grants.bearer(mine[1][0])
    grants = {grant.client_id: grant for grant in registry.grants.of_account("ada")}
    assert {grant.name for grant in grants.values()} == {"", "Sleep study"}
    assert grants[second].last_used is None
    assert grants[first].last_used is not None
    assert all(0 <= time.time() - (grant.since or 0) < 60 for grant in grants.values())
    waiting = registry.grants.issue_code("ada", first, REDIRECT)
    assert registry.grants.withdraw("ada", first) == 4
    assert registry.grants.withdraw("ada", first) == 0
    assert [grant.client_id for grant in registry.grants.of_account("ada")] == [second]
    for access, refresh in mine:
        assert registry.grants.bearer(access) == "the access token is revoked"
        with pytest.raises(GrantRefused, match="revoked: log in again"):
            registry.grants.refresh(refresh, first)
    with pytest.raises(GrantRefused, match="expired"):
        registry.grants.exchange(waiting, first, REDIRECT, None)
    assert registry.grants.bearer(hers) == Bearer("bea", second)


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
    with pytest.raises(ConfigurationError, match="did you mean 'ada'"):
        registry.grants.revoke_all(accounts=["adaa"])
    with pytest.raises(ConfigurationError, match="did you mean 'Sleep study'"):
        registry.grants.revoke_all(client_id="Sleep studie")


def test_an_expired_token_is_not_counted_as_access(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    with registry.state.write() as db:
        db.execute("UPDATE token SET expires = 1 WHERE kind = 'access'")
    assert [token.kind for token in registry.grants.issued()] == ["refresh"]
    (ended,) = registry.grants.revoke_all(accounts=["ada"])
    assert (ended.refresh, ended.access) == (1, 0)


def test_a_refresh_token_is_listed_with_the_day_on_which_it_ends_unused(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    (refresh,) = [token for token in registry.grants.issued() if token.kind == "refresh"]
    assert refresh.expires - (refresh.issued or 0) == 365 * 24 * 3600


def test_the_owner_of_a_token_is_known_also_when_it_is_revoked(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    registry.grants.revoke_all(accounts=["ada"])
    assert registry.grants.owner(tokens[0]) == Bearer("ada", application[0])
    assert registry.grants.owner("unknown") is None


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
    with pytest.raises(ConfigurationError, match="is disabled"):
        registry.grants.issue_upload_token("una")
    registry.accounts.enable("una")
    ended = registry.grants.revoke_all(accounts=["una"])
    assert [(one.client_id, one.access) for one in ended] == [("", 1)]
    assert registry.grants.bearer(token) == "the access token is revoked"
