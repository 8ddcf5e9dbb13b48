"""What ended after a copy of the state was made is found in that copy, and nothing else."""

import shutil
import time
from pathlib import Path

import pytest

from eyelog_service.accounts import NewAccount
from eyelog_service.ended import is_erased
from eyelog_service.erase import end_again, erase_account, revived
from eyelog_service.grants import Registry
from support import live


def test_only_what_is_older_than_its_end_lives_again(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    for name in ("ada", "bea"):
        registry.accounts.add(name)
    client_id, _ = registry.applications.add(live.REDIRECT)
    before = []
    for name in ("ada", "bea"):
        code = registry.grants.issue_code(name, client_id, live.REDIRECT)
        before.append(registry.grants.exchange(code, client_id, live.REDIRECT, None))
    shutil.copy(registry.state.file, tmp_path / "copy")
    assert not revived(registry)
    registry.grants.revoke_all(accounts=["ada"])
    code = registry.grants.issue_code("ada", client_id, live.REDIRECT)
    after, _ = registry.grants.exchange(code, client_id, live.REDIRECT, None)
    assert not revived(registry)
    shutil.copy(tmp_path / "copy", registry.state.file)
    # A refresh after the restore must not save what was revoked.
    refreshed = registry.grants.refresh(before[0][1], client_id)
    found = revived(registry)
    assert found.text == "3 tokens revoked since"
    assert end_again(registry) == found
    assert registry.grants.bearer(before[0][0]) == "the access token is revoked"
    assert registry.grants.bearer(refreshed) == "the access token is revoked"
    assert registry.grants.owner(before[1][0]) is not None
    assert not isinstance(registry.grants.bearer(before[1][0]), str)
    assert registry.grants.bearer(after) == "the access token is unknown"
    assert not revived(registry)
    assert not is_erased(registry, "ada")


def test_an_account_that_was_added_again_is_another_one(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada")
    registry.accounts.disable("ada")
    registry.accounts.remove("ada")
    registry.accounts.add("ada")
    assert not revived(registry)


def test_what_begins_after_an_end_outlives_a_clock_that_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    client_id, _ = registry.applications.add(live.REDIRECT)
    true = time.time

    def login(name: str) -> str:
        code = registry.grants.issue_code(name, client_id, live.REDIRECT)
        return registry.grants.exchange(code, client_id, live.REDIRECT, None)[0]

    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: true() + 86_400)
        for name in ("ada", "bea", "cyd"):
            registry.accounts.add(name)
        registry.accounts.remove("ada")
        registry.accounts.disable("bea")
        erase_account(registry, "cyd", dry_run=False)
        registry.accounts.enable("bea")
        registry.grants.revoke_all()
    registry.accounts.add("ada")
    registry.accounts.add("cyd")
    tokens = [login(name) for name in ("ada", "bea", "cyd")]
    assert not revived(registry)
    assert not end_again(registry)
    monkeypatch.setattr(time, "time", lambda: true() + 2 * 86_400)  # the day has come
    assert not end_again(registry)
    assert all(not isinstance(registry.grants.bearer(token), str) for token in tokens)


def test_what_began_while_the_clock_was_ahead_is_ended_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    client_id, _ = registry.applications.add(live.REDIRECT)
    true = time.time
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: true() + 86_400)
        for name in ("ada", "bea"):
            registry.accounts.add(name)
        code = registry.grants.issue_code("bea", client_id, live.REDIRECT)
        registry.grants.exchange(code, client_id, live.REDIRECT, None)
    shutil.copy(registry.state.file, tmp_path / "copy")
    registry.accounts.remove("ada")
    registry.grants.revoke_all(accounts=["bea"])
    shutil.copy(tmp_path / "copy", registry.state.file)
    assert revived(registry).text == "2 tokens revoked since, 1 account removed since"
    end_again(registry)
    registry.accounts.add("ada")  # as a state that was put back learns of the ends after it
    assert not revived(registry)


def test_an_invitation_that_was_used_is_ended_again(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    codes = {"ada": "a" * 43, "bea": "b" * 43}
    registry.accounts.add_all([NewAccount(name) for name in codes], codes)
    shutil.copy(registry.state.file, tmp_path / "copy")
    assert registry.accounts.accept_invitation(codes["ada"], "correct horse")
    shutil.copy(tmp_path / "copy", registry.state.file)
    assert revived(registry).text == "1 invitation used since"
    end_again(registry)
    assert registry.accounts.invited(codes["ada"]) is None
    assert registry.accounts.invited(codes["bea"]) == "bea"
    assert not revived(registry)
