"""Accounts: added once, disabled and enabled, removed with everything that was granted."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import eyelog as el
from eyelog_service.accounts import NewAccount
from eyelog_service.grants import Bearer, GrantRefused, Registry
from support.live import REDIRECT


def test_of_processes_that_add_one_account_at_once_one_succeeds(registry: Registry) -> None:
    registry.signing_key()

    def add(_: int) -> bool:
        try:
            Registry(registry.folder).accounts.add("ada")
        except el.ConfigurationError as error:
            assert "exists already" in str(error)  # noqa: PT017 (each thread has its own)
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(add, range(6))) == 1


@pytest.mark.parametrize(
    "name", ["", " ada", "ada\n", "a" * 65, "é" * 33, "\x00", "\ud800", "\x1b[2J", "a\u202eb"]
)
def test_a_name_that_could_mislead_is_refused(registry: Registry, name: str) -> None:
    with pytest.raises(el.ConfigurationError, match="account's name") as refused:
        registry.accounts.add(name)
    assert len(str(refused.value)) < 400
    assert registry.accounts.names() == []


@pytest.mark.parametrize("name", ["", "\ud800", "\x00", "a\nb", "x" * 100_000, "'; --"])
def test_a_name_that_nobody_can_have_is_unknown_in_one_short_line(
    registry: Registry, application: tuple[str, str], name: str
) -> None:
    for command in (
        registry.accounts.remove,
        registry.accounts.disable,
        registry.accounts.enable,
        registry.accounts.find,
    ):
        with pytest.raises(el.ConfigurationError, match="unknown account") as refused:
            command(name)
        assert len(str(refused.value)) < 300
    with pytest.raises(el.ConfigurationError, match="unknown account"):
        registry.grants.revoke_all(accounts=[name])
    assert not registry.accounts.check_login(name, "correct horse")
    assert registry.accounts.session_mark(name) is None
    assert registry.grants.of_account(name) == []
    assert registry.accounts.names() == ["ada"]


def test_another_password_replaces_the_old_one_and_leaves_tokens(
    registry: Registry, tokens: tuple[str, str]
) -> None:
    registry.accounts.set_password("ada", "battery staple")
    assert registry.accounts.check_login("ada", "battery staple")
    assert not registry.accounts.check_login("ada", "correct horse")
    assert isinstance(registry.grants.bearer(tokens[0]), Bearer)
    with pytest.raises(el.ConfigurationError, match="too short"):
        registry.accounts.set_password("ada", "short")
    with pytest.raises(el.ConfigurationError, match=r"did you mean 'ada'\?"):
        registry.accounts.set_password("adda", "battery staple")
    assert registry.accounts.check_login("ada", "battery staple")


def test_a_disabled_account_is_refused_everywhere_until_it_is_enabled(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, _ = application
    access, refresh = tokens
    waiting = registry.grants.issue_code("ada", client_id, REDIRECT)
    registry.accounts.disable("ada")
    assert registry.accounts.find("ada").disabled
    assert not registry.accounts.check_login("ada", "correct horse")
    assert registry.accounts.session_mark("ada") is None
    assert registry.grants.bearer(access) == "the account of the access token is disabled"
    with pytest.raises(GrantRefused, match="the account is disabled"):
        registry.grants.refresh(refresh, client_id)
    with pytest.raises(GrantRefused, match="the account is disabled"):
        registry.grants.exchange(waiting, client_id, REDIRECT, None)
    with pytest.raises(el.ConfigurationError, match="disabled: eyelog service enable"):
        registry.grants.issue_code("ada", client_id, REDIRECT)
    registry.accounts.enable("ada")
    assert registry.accounts.check_login("ada", "correct horse")
    assert registry.grants.bearer(access) == Bearer("ada", client_id)
    registry.grants.refresh(refresh, client_id)
    registry.grants.exchange(waiting, client_id, REDIRECT, None)


def test_a_removed_account_leaves_nothing_for_the_next_one_of_its_name(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, _ = application
    waiting = registry.grants.issue_code("ada", client_id, REDIRECT)
    (ended,) = registry.accounts.remove("ada")
    assert (ended.account, ended.client_id) == ("ada", client_id)
    assert (ended.refresh, ended.access) == (1, 1)
    assert registry.accounts.names() == []
    registry.accounts.add("ada", "battery staple")
    assert registry.grants.bearer(tokens[0]) == "the access token is unknown"
    with pytest.raises(GrantRefused):
        registry.grants.refresh(tokens[1], client_id)
    with pytest.raises(GrantRefused):
        registry.grants.exchange(waiting, client_id, REDIRECT, None)
    with pytest.raises(el.ConfigurationError, match=r"'aada' \(did you mean 'ada'\?\)"):
        registry.accounts.remove("aada")


def test_of_processes_that_remove_one_account_at_once_one_succeeds(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    def remove(_: int) -> bool:
        try:
            return bool(Registry(registry.folder).accounts.remove("ada"))
        except el.ConfigurationError:
            return False

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(remove, range(6))) == 1


def test_a_session_in_a_browser_ends_with_the_password_and_with_the_tokens(
    registry: Registry, application: tuple[str, str]
) -> None:
    marks = [registry.accounts.session_mark("ada")]
    assert registry.accounts.session_mark("ada") == marks[0]
    for change in (
        lambda: registry.accounts.set_password("ada", "correct horse"),  # the same one, set again
        lambda: registry.grants.revoke_all(accounts=["ada"]),
        registry.grants.revoke_all,
        lambda: (registry.accounts.disable("ada"), registry.accounts.enable("ada")),
    ):
        change()
        marks.append(registry.accounts.session_mark("ada"))
    assert None not in marks
    assert len(set(marks)) == len(marks)
    registry.grants.revoke_all(client_id=application[0])
    assert registry.accounts.session_mark("ada") == marks[-1]
    registry.accounts.add("bea")
    assert registry.accounts.session_mark("bea") is None
    assert registry.accounts.session_mark("nobody") is None


def test_accounts_are_added_together_or_not_at_all(registry: Registry) -> None:
    new = [NewAccount("ada", "correct horse", "sleep"), NewAccount("bea", study="sleep")]
    registry.accounts.add_all(new)
    assert registry.accounts.check_login("ada", "correct horse")
    assert [(one.name, one.study) for one in registry.accounts.all()] == [
        ("ada", "sleep"),
        ("bea", "sleep"),
    ]
    with pytest.raises(el.ConfigurationError, match="2 accounts exist already: 'ada', 'bea'"):
        registry.accounts.add_all([*new, NewAccount("cyd")])
    with pytest.raises(el.ConfigurationError, match="'cyd': each account can be added once"):
        registry.accounts.add_all([NewAccount("cyd"), NewAccount("cyd")])
    assert registry.accounts.names() == ["ada", "bea"]


def test_the_accounts_of_a_study_are_found_by_its_name(registry: Registry) -> None:
    registry.accounts.add_all(
        [NewAccount("ada", study="sleep"), NewAccount("bea", study="gait"), NewAccount("cyd")]
    )
    assert registry.accounts.in_study("sleep") == ["ada"]
    for wrong in ("slep", "", "x" * 500):
        with pytest.raises(el.ConfigurationError, match="has no account"):
            registry.accounts.in_study(wrong)
    registry.accounts.check(["ada", "cyd"])
    with pytest.raises(el.ConfigurationError, match="unknown account 'abe'"):
        registry.accounts.check(["ada", "abe"])
    with pytest.raises(el.ConfigurationError, match="2 accounts are unknown: 'abe', 'bob'"):
        registry.accounts.check(["abe", "ada", "bob"])
