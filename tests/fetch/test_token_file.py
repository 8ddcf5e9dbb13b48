"""The token and its file."""

import json
import os
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import eyelog as el
from eyelog.fetch import oauth
from eyelog.fetch.oauth import TokenFile
from eyelog.home import home_dir
from support.fetching import fresh

URL = "http://127.0.0.1:8765"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_shows_neither_secret():
    shown = repr(fresh()) + str(fresh())
    assert "access-token-0" not in shown
    assert "refresh-token-0" not in shown


def test_a_token_is_expired_shortly_before_its_end():
    now = datetime.now(UTC)
    assert el.Token("a", expires_at=now + timedelta(seconds=5)).expired()
    assert not el.Token("a", expires_at=now + timedelta(seconds=15)).expired()
    assert not el.Token("a", expires_at=now + timedelta(seconds=5)).expired(timedelta(0))
    assert not el.Token("a").expired()


@pytest.mark.parametrize(
    "values",
    [
        {"access_token": ""},
        {"access_token": "two words"},
        {"access_token": "line\r\nX-Evil: 1"},
        {"access_token": None},
        {"access_token": 7},
        {"access_token": "a", "refresh_token": "b\n"},
        {"access_token": "a", "token_type": "mac"},
        {"access_token": "a", "expires_at": 1_900_000_000.0},
        {"access_token": "a", "expires_at": "2036-01-01T00:00:00Z"},
        {"access_token": "a", "expires_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - naive on purpose
    ],
)
def test_an_invalid_token_is_refused_without_being_shown(values):
    with pytest.raises(el.ConfigurationError) as caught:
        el.Token(**values)
    assert "Evil" not in str(caught.value)


@pytest.mark.parametrize("kind", ["Bearer", "bearer", "BEARER"])
def test_the_token_type_may_have_any_case(kind):
    assert el.Token("a", token_type=kind).token_type == kind


def test_a_saved_token_is_loaded(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    assert store.load() is None
    store.save(fresh())
    saved = fresh(access_token="second", expires_at=None)
    store.save(saved)
    assert store.load() == saved
    store.delete()
    store.delete()
    assert store.load() is None


def test_the_file_is_0600_in_a_0700_folder_whatever_the_umask(home):
    old = os.umask(0)
    try:
        store = TokenFile(home_dir(), "me", URL)
        store.save(fresh())
        with store.lock():
            pass
    finally:
        os.umask(old)
    assert mode(home) == 0o700
    assert mode(store.path.parent) == 0o700
    assert {mode(each) for each in store.path.parent.iterdir()} == {0o600}


def test_a_file_open_to_others_is_closed_with_a_warning(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    store.path.chmod(0o644)
    with pytest.warns(el.EyelogWarning, match="now 0600"):
        store.load()
    assert mode(store.path) == 0o600
    store.load()


def test_each_account_and_service_has_its_own_file(tmp_path):
    names = [
        ("me", URL),
        ("Me", URL),
        ("a/b", URL),
        ("a_b", URL),
        ("me", URL + "/lab"),
        ("眼", URL),
    ]
    stores = [TokenFile(tmp_path, *each) for each in names]
    for i, store in enumerate(stores):
        store.save(fresh(access_token=f"token-{i}"))
    assert [store.load().access_token for store in stores] == [f"token-{i}" for i in range(6)]
    assert {store.path.parent for store in stores} == {tmp_path / "tokens"}


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"access_token": "a"}', "\x00"])
def test_a_damaged_file_says_to_log_in_again(tmp_path, content):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    store.path.write_text(content)
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        store.load()
    store.save(fresh())
    assert store.load().access_token == "access-token-0"


def test_a_file_copied_from_another_account_is_not_used(tmp_path):
    mine, other = TokenFile(tmp_path, "me", URL), TokenFile(tmp_path, "other", URL)
    mine.save(fresh())
    other.path.write_bytes(mine.path.read_bytes())
    other.path.chmod(0o600)
    with pytest.raises(el.AuthorizationError):
        other.load()


def test_a_symbolic_link_is_neither_read_nor_written_through(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    target = tmp_path / "elsewhere.json"
    store.path.rename(target)
    store.path.symlink_to(target)
    with pytest.raises(el.ConfigurationError, match="symbolic link"):
        store.load()
    before = target.read_bytes()
    store.save(fresh(access_token="second"))
    assert target.read_bytes() == before
    assert not store.path.is_symlink()


def test_nothing_is_left_behind_if_saving_fails(tmp_path, monkeypatch):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(oauth.os, "fsync", full)
    with pytest.raises(el.ConfigurationError, match="No space left"):
        store.save(fresh(access_token="second"))
    monkeypatch.undo()
    assert [each.name for each in store.path.parent.iterdir()] == [store.path.name]
    assert store.load().access_token == "access-token-0"


def test_the_lock_keeps_others_out_and_gives_up_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(oauth, "LOCK_SECONDS", 0.2)
    errors = []

    def other() -> None:
        try:
            with TokenFile(tmp_path, "me", URL).lock():
                pass
        except el.Unreachable as fault:
            errors.append(fault)

    with TokenFile(tmp_path, "me", URL).lock():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert errors[0].retryable
    with TokenFile(tmp_path, "me", URL).lock():
        pass


def test_the_file_is_plain_json_without_more_than_the_token(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh(expires_at=None))
    assert json.loads(store.path.read_text()) == {
        "account": "me",
        "base_url": URL,
        "access_token": "access-token-0",
        "refresh_token": "refresh-token-0",
        "token_type": "Bearer",
        "expires_at": None,
        "scope": "all",
    }
