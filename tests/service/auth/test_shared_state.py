"""All that a service does with its state, where several hosts share it in a database."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.accounts import NewAccount
from eyelog.service.auth.cleanup import CleanUp, outdated
from eyelog.service.auth.grants import GrantRefused
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.restored import end_again, revived
from eyelog.service.auth.throttle import guesser, network
from eyelog.service.erase import erase_account
from eyelog.service.hourly_limit import HourlyLimits
from eyelog.service.uploads.sent import Sent
from support.live import REDIRECT
from support.postgres import Postgres, needs_postgres

pytestmark = needs_postgres

Host = Callable[[], Registry]

DAY = 86400.0


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


def test_the_retention_of_a_study_holds_on_every_host(registry: Registry, host: Host) -> None:
    registry.accounts.add_all([NewAccount("ida", None, "sleep"), NewAccount("eve", None, "gait")])
    registry.retention.set("sleep", 90)
    host().retention.set("sleep", 730)
    assert registry.retention.days() == {"sleep": 730}
    assert [host().retention.days_of(name) for name in ("ida", "eve", "ada")] == [730, None, None]
    host().retention.set("sleep", None)
    assert registry.retention.days() == {}


def test_a_code_that_is_used_twice_ends_its_tokens(
    registry: Registry, host: Host, application: tuple[str, str]
) -> None:
    client_id, _ = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    access, _ = registry.grants.exchange(code, client_id, REDIRECT, None)
    with pytest.raises(GrantRefused, match="was used before"):
        host().grants.exchange(code, client_id, REDIRECT, None)
    assert registry.grants.bearer(access) == "the access token is revoked"


def test_accounts_are_added_invited_changed_and_removed(registry: Registry, host: Host) -> None:
    new = [NewAccount("Zoë", "correct horse", "sleep"), NewAccount("bea", None, "sleep")]
    registry.accounts.add_all([*new, NewAccount("eve", None, "sleep", "staff")], {"bea": "c0de"})
    other = host()
    assert other.accounts.in_study("sleep") == ["Zoë", "bea", "eve"]
    with pytest.raises(ConfigurationError, match="account 'bea' exists already"):
        other.accounts.add("bea")
    assert other.accounts.invited("c0de") == "bea"
    assert other.accounts.accept_invitation("c0de", "another good one")
    assert not registry.accounts.accept_invitation("c0de", "another good one")
    mark = registry.accounts.session_mark("bea")
    other.accounts.disable("bea")
    assert not registry.accounts.check_login("bea", "another good one")
    other.accounts.enable("bea")
    assert registry.accounts.session_mark("bea") not in (None, mark)
    other.accounts.remove("bea", "eve")
    assert registry.accounts.names() == ["Zoë"]
    assert [one.study for one in registry.accounts.all()] == ["sleep"]
    key = registry.signing_key()
    other.rotate_key()
    assert other.signing_key() != key


def test_an_account_that_two_hosts_add_at_once_is_added_once(
    host: Host, registry: Registry
) -> None:
    registry.accounts.add("ada")

    def add(_: int) -> bool:
        try:
            host().accounts.add("bea")
        except ConfigurationError as error:
            assert "exists already" in str(error)  # noqa: PT017 (one of several)
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(add, range(6))) == [False] * 5 + [True]


def test_tokens_of_all_of_some_and_of_one_application_are_revoked(
    registry: Registry, application: tuple[str, str]
) -> None:
    client_id, _ = application
    registry.accounts.add("bea", "correct horse")
    second, _ = registry.applications.add("http://127.0.0.1/other", name="Second")
    tokens(registry, client_id)
    tokens(registry, client_id, "bea")
    upload = registry.grants.issue_upload_token("bea")
    assert [one.kind for one in registry.grants.upload_tokens("bea")] == ["upload"]
    mark = registry.accounts.session_mark("ada")
    [gone] = registry.grants.revoke_all(accounts=["ada"])
    assert (gone.account, gone.refresh, gone.access) == ("ada", 1, 1)
    assert registry.accounts.session_mark("ada") != mark
    assert registry.grants.revoke_all(client_id=second) == []
    assert {one.client_id for one in registry.grants.revoke_all()} == {"", client_id}
    assert registry.grants.bearer(upload) == "the access token is revoked"
    registry.applications.rotate_secret("Second")
    registry.applications.remove("Second")
    assert [one.client_id for one in registry.applications.all()] == [client_id]


def test_wrong_passwords_are_counted_by_all_hosts_on_the_clock_of_the_database(
    registry: Registry, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.signing_key()
    who, everyone = guesser("ada", address="192.0.2.1", device=None), network("192.0.2.1")
    hosts = [host().throttle() for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        waits = list(pool.map(lambda n: hosts[n % 3].take_try(who, everyone), range(12)))
    assert sorted(waits) == [0] * 5 + [2] * 7
    monkeypatch.setattr(time, "monotonic", lambda: 1e9)  # of this host alone
    assert hosts[0].take_try(who, everyone) == 2
    hosts[1].forget(who, everyone)
    assert hosts[2].take_try(who, everyone) == 0
    # A time in the future, as if the database's clock had been set back.
    with registry.state.write() as db:
        db.execute("UPDATE login_try SET n = 30, last = last + 86400")
    assert 0 < hosts[0].take_try(who, everyone) <= 300
    assert 0 < hosts[0].wait_s(everyone) <= 300


def test_requests_of_an_hour_and_uploads_are_counted_by_all_hosts(
    registry: Registry, host: Host
) -> None:
    registry.accounts.add("ada")
    limits = [HourlyLimits(host().state, 300) for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        left = list(pool.map(lambda n: limits[n % 3].take("ada").remaining, range(330)))
    assert sum(n >= 0 for n in left) == 300
    one, other = Sent(registry.state), Sent(host().state)
    one.note("ada", [(b"1" * 32, 10), (b"2" * 32, 5)], new=3)
    other.note("ada", [(b"1" * 32, 10)], new=0)
    found = other.find("ada", b"1" * 32)
    assert found is not None
    assert found.new == 3
    [arrival] = other.latest(["ada"], 9)
    assert (arrival.files, arrival.bytes, arrival.new) == (2, 15, 3)


def test_outdated_rows_are_deleted_once_for_all_hosts(
    registry: Registry, host: Host, application: tuple[str, str]
) -> None:
    client_id, _ = application
    access, refresh = tokens(registry, client_id)
    with registry.state.write() as db:
        db.execute("UPDATE token SET expires = ? WHERE kind = 'access'", (time.time() - 31 * DAY,))
        db.execute("UPDATE code SET expires = ?", (time.time() - 31 * DAY,))
    assert outdated(registry.state) == 2
    claims = [CleanUp(host().state)._claim() for _ in range(3)]
    assert claims == [True, False, False]
    assert CleanUp(registry.state).run() == 2
    assert outdated(registry.state) == 0
    assert registry.grants.bearer(access) == "the access token is unknown"
    registry.grants.refresh(refresh, client_id)


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
    Sent(registry.state).note(name, [(b"1" * 32, 10)], new=3)

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
        "state: upload": 1,
    }
    assert host().accounts.names() == ["ada"]
    assert erase_account(registry, name, dry_run=False) == []
    assert files_with_the_name() == 0
