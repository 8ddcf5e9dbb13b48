"""A state file of the first release goes on working, and gains what later releases added."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.grants import Bearer, Registry
from eyelog_service.state import VERSION
from support.first_release import FirstRelease, first_release_state
from support.live import REDIRECT

DAY = 86400


@pytest.fixture
def old(tmp_path: Path) -> FirstRelease:
    return first_release_state(tmp_path / "archive")


def test_logins_codes_and_tokens_of_the_first_release_stay_valid(old: FirstRelease) -> None:
    registry = Registry(old.folder)
    assert registry.grants.bearer(old.access_token) == Bearer("ada", old.client_id)
    assert isinstance(
        registry.grants.bearer(registry.grants.refresh(old.refresh_token, old.client_id)), Bearer
    )
    assert registry.applications.check_secret(old.client_id, old.secret)
    assert registry.accounts.check_login("ada", old.password)  # shorter than passwords may be now
    assert len(registry.grants.exchange(old.code, old.client_id, REDIRECT, None)) == 2


def test_what_the_first_release_did_not_note_is_unknown_and_not_made_up(old: FirstRelease) -> None:
    registry = Registry(old.folder)
    assert registry.accounts.find("ada").added is None
    application = registry.applications.get(old.client_id)
    assert application is not None
    assert (application.name, application.added) == ("", None)
    kinds = {token.kind: token for token in registry.grants.issued()}
    assert kinds["refresh"].issued is None
    # An access token lasts thirty days, so its expiry says when it was issued.
    assert time.time() - (kinds["access"].issued or 0) == pytest.approx(10 * DAY, abs=60)
    assert all(token.last_used is None for token in kinds.values())


def test_processes_that_open_an_old_file_at_once_upgrade_it_once(old: FirstRelease) -> None:
    def use(_: int) -> Bearer | str:
        return Registry(old.folder).grants.bearer(old.access_token)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(use, range(8))) == {Bearer("ada", old.client_id)}


def test_accounts_of_the_first_release_have_no_study(old: FirstRelease) -> None:
    (account,) = Registry(old.folder).accounts.all()
    assert (account.name, account.study) == ("ada", "")


def test_a_state_of_a_newer_release_is_refused_and_left_as_it_is(old: FirstRelease) -> None:
    Registry(old.folder).accounts.names()
    with closing(sqlite3.connect(old.file)) as db, db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = old.file.read_bytes()
    said = f"by a newer eyelog .version {VERSION + 1} of the state, this one knows {VERSION}.: upd"
    registry = Registry(old.folder)
    for use in (registry.accounts.all, registry.signing_key, registry.rotate_key):
        with pytest.raises(el.ConfigurationError, match=said):
            use()
    assert old.file.read_bytes() == before


def test_a_damaged_state_is_refused_and_left_as_it_is(old: FirstRelease) -> None:
    with closing(sqlite3.connect(old.file)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = 'CREATE INDEX token_origin ON token (account)'"
            " WHERE name = 'token_origin'"
        )
    before = old.file.read_bytes()
    with pytest.raises(el.ConfigurationError, match=r"is damaged .*; restore a backup"):
        Registry(old.folder).accounts.names()
    assert old.file.read_bytes() == before
    assert len(list(old.folder.glob("*.sqlite"))) == 1


def test_a_state_of_before_0_3_is_refused_with_what_to_do(old: FirstRelease) -> None:
    with closing(sqlite3.connect(old.file)) as db, db:
        db.execute("PRAGMA user_version = 3")
    before = old.file.read_bytes()
    with pytest.raises(el.ConfigurationError, match=r"of eyelog 0\.3 once, which brings"):
        Registry(old.folder).accounts.names()
    assert old.file.read_bytes() == before
