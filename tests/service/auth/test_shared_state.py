"""All that a service does with its state, where several hosts share it in a database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.erase import end_again, erase_account, revived
from eyelog_service.grants import GrantRefused, Registry
from eyelog_service.oauth import take_try
from eyelog_service.records import HourlyLimits
from support.live import REDIRECT
from support.postgres import Postgres, needs_postgres

pytestmark = needs_postgres

Host = Callable[[], Registry]


@pytest.fixture
def registry(host: Host) -> Registry:
    return host()


@pytest.fixture
def application(registry: Registry) -> tuple[str, str]:
    registry.accounts.add("ada", "correct horse")
    return registry.applications.add(REDIRECT)


def tokens(registry: Registry, client_id: str, account: str = "ada") -> tuple[str, str]:
    code = registry.grants.issue_code(account, client_id, REDIRECT)
    return registry.grants.exchange(code, client_id, REDIRECT, None)


def test_one_host_sees_at_once_what_another_has_changed(
    registry: Registry, host: Host, application: tuple[str, str]
) -> None:
    client_id, secret = application
    other = host()
    access, refresh = tokens(registry, client_id)
    assert other.applications.check_secret(client_id, secret)
    assert other.accounts.check_login("ada", "correct horse")
    assert other.signing_key() == registry.signing_key()
    newer = other.grants.refresh(refresh, client_id)
    for token in (access, newer):
        for each in (registry, other):
            assert getattr(each.grants.bearer(token), "account", None) == "ada"
    [grant] = other.grants.of_account("ada")
    assert (grant.client_id, grant.may) == (client_id, "read your records")
    assert [one.kind for one in other.grants.issued()] == ["access", "refresh", "access"]
    assert registry.grants.withdraw("ada", client_id) == 3
    assert other.grants.bearer(newer) == "the access token is revoked"
    with pytest.raises(GrantRefused, match="is revoked: log in again"):
        other.grants.refresh(refresh, client_id)


def test_a_code_that_is_used_twice_ends_its_tokens(
    registry: Registry, host: Host, application: tuple[str, str]
) -> None:
    client_id, _ = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    access, _ = registry.grants.exchange(code, client_id, REDIRECT, None)
    with pytest.raises(GrantRefused, match="was used before"):
        host().grants.exchange(code, client_id, REDIRECT, None)
    assert registry.grants.bearer(access) == "the access token is revoked"


def test_an_account_that_two_hosts_add_at_once_is_added_once(
    host: Host, registry: Registry
) -> None:
    registry.accounts.add("ada")

    def add(_: int) -> bool:
        try:
            host().accounts.add("bea")
        except el.ConfigurationError as error:
            assert "exists already" in str(error)  # noqa: PT017 (one of several)
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(add, range(6))) == [False] * 5 + [True]


def test_wrong_passwords_are_counted_by_all_hosts(
    registry: Registry, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.signing_key()
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)  # however long the tries take
    who = {b"who": 5, b"everyone": 20}
    hosts = [host().state for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        waits = list(pool.map(lambda n: take_try(hosts[n % 3], who), range(12)))
    assert sorted(waits) == [0] * 5 + [2] * 7


def test_requests_of_an_hour_are_counted_by_all_hosts(registry: Registry, host: Host) -> None:
    registry.accounts.add("ada")
    limits = [HourlyLimits(host().state, 300) for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        left = list(pool.map(lambda n: limits[n % 3].take("ada"), range(330)))
    assert sum(n >= 0 for n in left) == 300


def test_what_a_dump_put_back_has_revived_ends_again(
    registry: Registry, server: Postgres, tmp_path: Path, application: tuple[str, str]
) -> None:
    client_id, _ = application
    access, _ = tokens(registry, client_id)
    for name in ("bea", "cyd"):
        registry.accounts.add(name, "correct horse")
    database, dump = registry.state.name.rpartition("/")[2], str(tmp_path / "dump")
    server.run("pg_dump", "--format", "custom", "--file", dump, database)
    registry.grants.revoke_all(accounts=["ada"])
    registry.accounts.remove("bea")
    registry.accounts.disable("cyd")
    assert not revived(registry)
    server.run("pg_restore", "--clean", "--if-exists", "--dbname", database, dump)
    assert registry.accounts.names() == ["ada", "bea", "cyd"]
    found = revived(registry)
    assert (len(found.tokens), found.accounts, found.enabled) == (2, ["bea"], ["cyd"])
    end_again(registry)
    assert not revived(registry)
    assert registry.grants.bearer(access) == "the access token is revoked"


def test_an_erasure_leaves_the_name_in_no_file_of_the_tables(
    registry: Registry, host: Host, server: Postgres, application: tuple[str, str]
) -> None:
    name = "Wilhelmina-Who-Leaves"
    registry.accounts.add(name, "correct horse")
    tokens(registry, application[0], name)

    def files_with_the_name() -> int:
        with closing(server.connect()) as db:
            db.execute("CHECKPOINT")
        files = (server.folder / "data" / "base").rglob("*")
        return sum(name.encode() in path.read_bytes() for path in files if path.is_file())

    assert files_with_the_name()
    planned = erase_account(registry, name, dry_run=True)
    found = erase_account(registry, name, dry_run=False)
    assert found == planned
    assert {one.what: one.count for one in found} == {
        "state: account": 1,
        "state: code": 1,
        "state: token": 2,
    }
    assert host().accounts.names() == ["ada"]
    assert erase_account(registry, name, dry_run=False) == []
    assert files_with_the_name() == 0
