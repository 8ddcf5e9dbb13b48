"""Accounts, applications and codes: each rule of time and of use."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.registry import GrantRefused, Registry
from support.live import REDIRECT


def test_the_repr_of_a_registry_shows_no_secret(
    registry: Registry, application: tuple[str, str]
) -> None:
    _, secret = application
    assert secret not in repr(registry)


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


def test_the_nearest_account_or_application_is_suggested(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    with pytest.raises(ConfigurationError, match=r"did you mean 'ada'\?"):
        registry.issue_code("adda", client_id, REDIRECT)
    with pytest.raises(ConfigurationError, match=f"did you mean '{client_id}'"):
        registry.issue_code("ada", client_id[:-1], REDIRECT)
    with pytest.raises(ConfigurationError, match="not registered for this application"):
        registry.issue_code("ada", client_id, "http://127.0.0.1/other")


def test_a_password_is_checked_and_without_one_nobody_logs_in(registry: Registry) -> None:
    registry.add_account("ada", "correct horse")
    registry.add_account("bea")
    assert registry.check_login("ada", "correct horse")
    assert not registry.check_login("ada", "correct horse ")
    assert not registry.check_login("bea", "")
    assert not registry.check_login("cleo", "correct horse")


def test_two_simultaneous_uses_of_one_code_give_one_token(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    code = registry.issue_code("ada", client_id, REDIRECT)

    def use(_: int) -> str:
        try:
            return registry.exchange(code, client_id, REDIRECT, None)[0]
        except GrantRefused:
            return ""

    with ThreadPoolExecutor(8) as pool:
        tokens = [token for token in pool.map(use, range(8)) if token]
    assert len(tokens) == 1
    assert registry.bearer(tokens[0]) == "the access token is revoked"
