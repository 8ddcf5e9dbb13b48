"""The state in Postgres: its tables, transactions and locks, and its faults."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import eyelog as el
from eyelog_service import state
from eyelog_service.grants import Registry
from eyelog_service.state import VERSION, StateBusy, StateFault, expected_columns, statement
from support.live import REDIRECT
from support.postgres import PASSWORD, Postgres, needs_postgres

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


def test_the_tables_are_those_of_a_file(registry: Registry, server: Postgres) -> None:
    assert registry.accounts.names() == []  # no tables yet
    with pytest.raises(
        el.ConfigurationError, match="there is no service state in postgresql://eye"
    ):
        registry.require_state()
    registry.accounts.add("ada")
    registry.require_state()
    assert registry.state.columns() == expected_columns()
    assert registry.state.version() == VERSION
    assert len(registry.signing_key()) == 32
    assert registry.state_folder.stat().st_mode & 0o777 == 0o700


def test_text_that_a_stranger_sends_and_no_database_can_hold_is_not_found(
    registry: Registry, application: tuple[str, str]
) -> None:
    for text in ("a\0da", "\ud800", "x" * 100_000, "%s", ":name", "?", "'; DROP TABLE token"):
        assert not registry.accounts.has(text)
        assert not registry.accounts.check_login(text, text)
        assert registry.applications.get(text) is None
    assert registry.accounts.has("ada")


# The hosts and the database.


def test_hosts_that_start_together_make_the_tables_once(host: Host) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: host().signing_key(), range(8)))
    assert len(keys) == 1


def test_a_transaction_that_fails_changes_nothing(registry: Registry) -> None:
    registry.accounts.add("ada")

    def change(name: str, number: int) -> None:
        with registry.state.write() as db:
            db.execute(statement("UPDATE account SET name = :name"), {"name": name})
            1 // number

    with pytest.raises(ZeroDivisionError):
        change("bea", 0)
    assert registry.accounts.names() == ["ada"]
    registry.accounts.add("bea")  # on the connection that was kept


def test_a_lock_that_is_not_given_back_is_waited_for_but_not_for_ever(
    registry: Registry, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.accounts.add("ada")
    monkeypatch.setattr(state, "_SESSION", "SET lock_timeout = '300ms'")
    other = host()
    with registry.state.write():
        with pytest.raises(StateBusy, match="locked by another host or program: try again"):
            other.accounts.disable("ada")
        assert other.accounts.names() == ["ada"]  # who reads does not wait
        other.state.note("UPDATE account SET disabled = 1")  # neither does this
    assert not other.accounts.find("ada").disabled
    other.state.note("UPDATE account SET disabled = 1")
    assert registry.accounts.find("ada").disabled


def test_a_host_that_is_cut_off_in_a_transaction_does_not_keep_others_waiting(
    registry: Registry, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.accounts.add("ada")
    session = state._SESSION
    assert "idle_in_transaction_session_timeout = '30s'" in session
    monkeypatch.setattr(state, "_SESSION", session.replace("'30s'", "'500ms'"))
    cut_off = host()

    def change() -> None:
        with cut_off.state.write() as db:
            db.exec_driver_sql("UPDATE account SET name = 'bea'")
            registry.accounts.disable("ada")  # another host: it waits until the lock is free
            db.exec_driver_sql("UPDATE account SET disabled = 0")

    with pytest.raises(StateFault, match="idle-in-transaction timeout"):
        change()
    [ada] = registry.accounts.all()
    assert (ada.name, ada.disabled) == ("ada", True)


@pytest.mark.slow("a database is stopped and started")
def test_a_service_recovers_when_the_database_was_away(
    registry: Registry, server: Postgres, application: tuple[str, str]
) -> None:
    access, _ = tokens(registry, application[0])
    server.stop()
    with pytest.raises(StateFault) as lost:
        registry.grants.bearer(access)
    assert PASSWORD not in str(lost.value)
    assert "\n" not in str(lost.value)
    assert "Connection refused" in str(lost.value)
    with pytest.raises(StateFault):
        registry.accounts.add("bea")
    registry.state.note("UPDATE account SET disabled = 1")
    server.start()
    assert getattr(registry.grants.bearer(access), "account", None) == "ada"
    # A connection that was kept has died without a request in between.
    server.stop()
    server.start()
    registry.accounts.add("bea")
    assert registry.accounts.names() == ["ada", "bea"]


def test_a_transaction_whose_connection_is_lost_changes_nothing(
    registry: Registry, server: Postgres
) -> None:
    registry.accounts.add("ada")

    def change() -> None:
        with registry.state.write() as db:
            db.exec_driver_sql("UPDATE account SET name = 'bea'")
            with closing(server.connect()) as admin:
                sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
                admin.execute(sql, (registry.state.name.rpartition("/")[2],))
            db.exec_driver_sql("UPDATE account SET disabled = 1")

    with pytest.raises(StateFault):
        change()
    assert registry.accounts.names() == ["ada"]


def test_a_database_in_which_the_service_may_create_nothing_is_named(
    server: Postgres, address: str, tmp_path: Path
) -> None:
    name = address.rpartition("/")[2]
    with closing(server.connect()) as db:
        db.execute(f"ALTER DATABASE {name} OWNER TO postgres".encode())
    with pytest.raises(StateFault, match="permission denied for schema public"):
        Registry(tmp_path, address).signing_key()


# Versions.


def test_tables_of_a_newer_release_are_refused_and_left_as_they_are(
    registry: Registry, host: Host
) -> None:
    registry.accounts.add("ada")
    with registry.state.write() as db:
        db.exec_driver_sql("UPDATE meta SET value = '99' WHERE name = 'version'")
    for attempt in (
        lambda: host().accounts.names(),
        lambda: host().accounts.add("bea"),
        lambda: host().signing_key(),
    ):
        with pytest.raises(
            el.ConfigurationError, match=r"by a newer eyelog \(version 99 of the st"
        ):
            attempt()
    assert registry.state.version() == 99


def test_tables_of_an_older_release_are_brought_up_to_date_once(
    registry: Registry, host: Host
) -> None:
    registry.accounts.add("ada", "correct horse")
    key = registry.signing_key()
    with registry.state.write() as db:
        db.exec_driver_sql("CREATE TABLE upload (account TEXT NOT NULL)")
        db.exec_driver_sql("UPDATE meta SET value = '6' WHERE name = 'version'")
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: host().signing_key(), range(4))) == {key}
    assert registry.accounts.check_login("ada", "correct horse")
    assert registry.state.version() == VERSION
    assert registry.state.columns() == expected_columns()


def test_tables_of_another_program_are_left_alone(address: str, tmp_path: Path) -> None:
    with closing(psycopg.connect(address, autocommit=True)) as db:
        db.execute("CREATE TABLE meta (key text)")
    for attempt in (
        Registry(tmp_path, address).signing_key,
        Registry(tmp_path, address).accounts.names,
    ):
        with pytest.raises(el.ConfigurationError, match="give the service a database of its own"):
            attempt()


# Imports.


def test_one_import_into_an_account_waits_for_another_and_not_for_other_accounts(
    registry: Registry, host: Host
) -> None:
    registry.signing_key()
    order: list[str] = []

    def second() -> None:
        with host().state.importing("ada"):
            order.append("second")

    with registry.state.importing("ada"):
        waiting = threading.Thread(target=second)
        waiting.start()
        with host().state.importing("bea"):
            order.append("bea")
        waiting.join(0.3)
        order.append("first")
    waiting.join(10)
    assert order == ["bea", "first", "second"]


_HOLDER = """
import subprocess, sys
from eyelog_service.grants import Registry
with Registry(*sys.argv[1:]).state.importing("ada") as handle:
    program = "import sys; print('importing', flush=True); sys.stdin.read()"
    subprocess.Popen([sys.executable, "-c", program], pass_fds=[handle]).wait()
"""


def test_the_lock_of_an_import_lasts_until_the_importing_process_has_ended(
    registry: Registry, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.signing_key()
    monkeypatch.setattr(state, "_IMPORT_S", 1)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, tmp_path / "archive", address, tmp_path / "local"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"importing\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=30)
        with pytest.raises(StateBusy), registry.state.importing("ada"):
            pass
        holder.stdin.close()  # which ends the importing process
        monkeypatch.setattr(state, "_IMPORT_S", 30)
        with registry.state.importing("ada"):
            pass
