"""Settings come from the environment, whole or not at all."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.fetch.client import application_from_environment, token_from_environment
from support import faulty
from support.fetching import client_of

# connect


def test_connect_uses_the_environment(
    there: faulty.Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url + "/")
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "token-of-the-environment")
    client = el.connect("anna", tz="Asia/Tokyo")
    assert repr(client) == (
        f"<Client '{there.url}', account 'anna', days of Asia/Tokyo: logged in, 0 days cached>"
    )
    assert client.home == home
    assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24
    assert there.requests[0].bearer == "token-of-the-environment"


def test_connect_uses_the_token_file_of_the_account(there: faulty.Server, home: Path) -> None:
    client_of(there, home, account="anna").credentials.store.save(el.Token("of-anna"))
    el.connect("anna", base_url=there.url).standard_mode_logs("2024-03-01", "2024-03-01")
    assert there.requests[0].bearer == "of-anna"
    with pytest.raises(el.AuthorizationError):
        el.connect("ben", base_url=there.url).standard_mode_logs("2024-03-01", "2024-03-01")


def test_connect_names_the_settings_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(el.ConfigurationError, match="EYELOG_BASE_URL"):
        el.connect()
    monkeypatch.setenv("EYELOG_BASE_URL", "https://service.example")
    monkeypatch.setenv("EYELOG_CLIENT_ID", "id")
    with pytest.raises(el.ConfigurationError, match="EYELOG_CLIENT_SECRET and EYELOG_REDIRECT_URI"):
        el.connect()


def test_the_application_comes_from_the_environment_whole_or_not_at_all(monkeypatch):
    assert application_from_environment() is None
    monkeypatch.setenv("EYELOG_CLIENT_ID", "i")
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", "hunter22")
    with pytest.raises(el.ConfigurationError, match="EYELOG_REDIRECT_URI not set") as caught:
        application_from_environment()
    assert "hunter22" not in str(caught.value)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", "http://127.0.0.1:1/")
    assert application_from_environment() == el.Application("i", "hunter22", "http://127.0.0.1:1/")


def test_the_environment_may_hold_a_token(monkeypatch):
    assert token_from_environment() is None
    monkeypatch.setenv("EYELOG_REFRESH_TOKEN", "only-refresh")
    assert token_from_environment() == el.Token("", "only-refresh")
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", " access ")
    assert token_from_environment() == el.Token("access", "only-refresh")
