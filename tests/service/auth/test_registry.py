"""What the service remembers, and how little of it could be stolen."""

import sqlite3
import stat
from pathlib import Path

import pandas as pd
import pytest

from eyelog.archive.store import Archive
from eyelog.errors import ConfigurationError
from eyelog.service.auth.registry import GrantRefused, Registry
from support.records import records

REDIRECT = "http://127.0.0.1/callback"


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "archive")


def _ready(registry: Registry) -> tuple[str, str]:
    registry.add_account("ada", "correct horse")
    return registry.add_application(REDIRECT)


def test_the_file_is_the_owners_alone(registry: Registry, tmp_path: Path) -> None:
    _ready(registry)
    file = tmp_path / "archive" / "_service.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(
    registry: Registry, tmp_path: Path
) -> None:
    _ready(registry)
    file = tmp_path / "archive" / "_service.sqlite"
    file.chmod(0o644)
    Registry(tmp_path / "archive").signing_key()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_no_token_code_secret_or_password_stands_in_the_file(
    registry: Registry, tmp_path: Path
) -> None:
    client_id, secret = _ready(registry)
    code = registry.issue_code("ada", client_id, REDIRECT)
    access, refresh = registry.exchange(code, client_id, REDIRECT, None)
    newer = registry.refresh(refresh, client_id)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "archive").iterdir())
    for hidden in (secret, code, access, refresh, newer, "correct horse"):
        assert hidden.encode() not in kept


def test_a_registry_shows_no_secret(registry: Registry) -> None:
    _, secret = _ready(registry)
    assert secret not in repr(registry)


def test_looking_makes_no_file(registry: Registry, tmp_path: Path) -> None:
    assert registry.accounts() == []
    with pytest.raises(ConfigurationError, match="unknown account"):
        registry.issue_code("ada", "x", REDIRECT)
    assert not (tmp_path / "archive").exists()


def test_an_account_is_added_once(registry: Registry) -> None:
    registry.add_account("ada")
    with pytest.raises(ConfigurationError, match="'ada' exists already"):
        registry.add_account("ada", "other")
    assert registry.accounts() == ["ada"]


@pytest.mark.parametrize("name", ["", " ada", "ada\n", "a" * 65, "\x00", "\ud800"])
def test_a_name_that_could_mislead_is_refused(registry: Registry, name: str) -> None:
    with pytest.raises(ConfigurationError, match="account's name"):
        registry.add_account(name)


def test_an_empty_password_is_refused(registry: Registry) -> None:
    with pytest.raises(ConfigurationError, match="password of account 'ada' is empty"):
        registry.add_account("ada", "")


def test_a_near_account_or_application_is_named(registry: Registry) -> None:
    client_id, _ = _ready(registry)
    with pytest.raises(ConfigurationError, match=r"did you mean 'ada'\?"):
        registry.issue_code("adda", client_id, REDIRECT)
    with pytest.raises(ConfigurationError, match=f"did you mean '{client_id}'"):
        registry.issue_code("ada", client_id[:-1], REDIRECT)
    with pytest.raises(ConfigurationError, match="not registered for this application"):
        registry.issue_code("ada", client_id, "http://127.0.0.1/other")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "callback",
        "/callback",
        "http://",
        "http://host/#part",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://user:word@host/",
        "http://host:port/",
        "http://host/ x",
        "http://höst/",
        "http://host/\r\nX: y",
    ],
)
def test_an_address_that_cannot_be_led_to_is_not_registered(registry: Registry, uri: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be a redirect URI"):
        registry.add_application(uri)


@pytest.mark.parametrize(
    ("registered", "asked", "same"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", True),
        ("http://127.0.0.1:80/cb", "http://127.0.0.1:5000/cb", True),
        ("http://[::1]/cb", "http://[::1]:5000/cb", True),
        ("http://localhost/cb", "http://localhost:5000/cb", True),
        ("http://127.0.0.1/cb", "http://localhost/cb", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb2", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb?x=1", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000@evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", False),
        ("https://lab.example/cb", "https://lab.example:444/cb", False),
        ("https://lab.example/cb", "https://lab.example/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb/", False),
    ],
)
def test_only_a_loopback_address_may_name_another_port(
    registry: Registry, registered: str, asked: str, same: bool
) -> None:
    registry.add_account("ada")
    client_id, _ = registry.add_application(registered)
    if same:
        assert registry.issue_code("ada", client_id, asked)
    else:
        with pytest.raises(ConfigurationError, match="not registered"):
            registry.issue_code("ada", client_id, asked)


def test_a_password_is_checked_and_a_missing_one_lets_nobody_in(registry: Registry) -> None:
    registry.add_account("ada", "correct horse")
    registry.add_account("bea")
    assert registry.check_login("ada", "correct horse")
    assert not registry.check_login("ada", "correct horse ")
    assert not registry.check_login("bea", "")
    assert not registry.check_login("cleo", "correct horse")


def test_a_remote_archive_cannot_hold_the_state() -> None:
    with pytest.raises(ConfigurationError, match="local archive"):
        Registry("s3://bucket/archive")


def test_a_damaged_file_is_one_sentence(registry: Registry, tmp_path: Path) -> None:
    _ready(registry)
    (tmp_path / "archive" / "_service.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ConfigurationError, match=r"service\.sqlite cannot be used"):
        registry.accounts()


def test_a_file_where_the_folder_should_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder")
    with pytest.raises(ConfigurationError, match="cannot keep the service's state"):
        Registry(tmp_path / "archive").add_account("ada")


def test_two_uses_of_one_code_at_once_give_one_token(registry: Registry) -> None:
    from concurrent.futures import ThreadPoolExecutor

    client_id, _ = _ready(registry)
    code = registry.issue_code("ada", client_id, REDIRECT)

    def use(_: int) -> str:
        try:
            return registry.exchange(code, client_id, REDIRECT, None)[0]
        except GrantRefused:
            return ""

    with ThreadPoolExecutor(8) as pool:
        given = [token for token in pool.map(use, range(8)) if token]
    assert len(given) == 1
    assert registry.bearer(given[0]) == "the access token is revoked"


def test_what_can_no_longer_matter_is_forgotten(registry: Registry, tmp_path: Path) -> None:
    client_id, _ = _ready(registry)
    code = registry.issue_code("ada", client_id, REDIRECT)
    _, refresh = registry.exchange(code, client_id, REDIRECT, None)
    file = tmp_path / "archive" / "_service.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("UPDATE token SET expires = 1 WHERE kind = 'access'")
        db.execute("UPDATE code SET expires = 1")
    db.close()
    registry.refresh(refresh, client_id)
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM code").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM token").fetchone() == (2,)
    db.close()


def test_a_parquet_tool_opens_an_archive_that_is_served(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive")
    archive.write(
        "standard_mode_logs", records("standard_mode_logs", "2026-10-19 09:00", 3), account="ada"
    )
    Registry(tmp_path / "archive").add_account("ada")
    assert len(pd.read_parquet(tmp_path / "archive")) == 3
