"""The state in Postgres, which several hosts share: tables, transactions, locks, faults, copies."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
import requests

import eyelog as el
from eyelog_service import state
from eyelog_service.state import State, StateBusy
from support import live
from support.live import REDIRECT, Live
from support.login_page import PASSWORD, Browser
from support.operating import Operator
from support.postgres import PASSWORD as DATABASE_PASSWORD
from support.postgres import Postgres, needs_postgres
from support.replies import oauth_error

pytestmark = needs_postgres


@pytest.fixture
def operator(address: str, tmp_path: Path) -> Operator:
    return Operator(tmp_path / "archive", address, tmp_path / "local")


@pytest.fixture
def host(address: str, operator: Operator, tmp_path: Path) -> Iterator[Callable[[], Live]]:
    """A function that starts another host of a service with Ada and an application."""
    (tmp_path / "archive").mkdir()
    operator.add("ada", password=PASSWORD)
    application = operator.application(REDIRECT)
    with ExitStack() as hosts:

        def start() -> Live:
            started = live.running(
                tmp_path / "archive", state=address, local=tmp_path / "local", uploads_per_hour=60
            )
            url = hosts.enter_context(started)
            return Live(url, tmp_path / "archive", *application)

        yield start


def login(there: Live, operator: Operator, account: str = "ada") -> dict[str, str]:
    answer = there.exchange(operator.code(account, there.client_id, REDIRECT))
    assert answer.status_code == 200, answer.text
    tokens: dict[str, str] = answer.json()
    return tokens


def asked(address: str, sql: str) -> list[tuple[object, ...]]:
    """Ask the database itself."""
    with closing(psycopg.connect(address, autocommit=True)) as db:
        done = db.execute(sql.encode())
        return done.fetchall() if done.description else []


# What several hosts share.


def test_one_host_sees_at_once_what_another_has_changed(
    operator: Operator, host: Callable[[], Live]
) -> None:
    one, other = host(), host()
    tokens = login(one, operator)
    newer = other.refresh(tokens["refresh_token"]).json()["access_token"]
    for each in (one, other):
        assert each.opens(tokens["access_token"])
        assert each.opens(newer)
    browser = Browser(one)
    page = browser.open(redirect_uri=REDIRECT)
    browser.url = Browser(other).url  # browsers come by one address, and the key is the same
    assert browser.send(page, password=PASSWORD).status_code == 303
    assert [one["kind"] for one in operator.tokens()] == ["access", "refresh", "access"]
    operator("revoke", "--account", "ada")
    assert other.why_refused(newer) == "the access token is revoked"
    assert oauth_error(one.refresh(tokens["refresh_token"]), 400) == "invalid_grant"
    code = operator.code("ada", one.client_id, REDIRECT)
    access = one.exchange(code).json()["access_token"]
    assert oauth_error(other.exchange(code), 400) == "invalid_grant"
    assert one.why_refused(access) == "the access token is revoked"


def test_wrong_passwords_and_requests_are_counted_by_all_hosts(
    operator: Operator, host: Callable[[], Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = [host() for _ in range(3)]
    upload = operator("upload-token", "ada").strip()
    now = time.time() // 3600 * 3600 + 60  # however long the tries take
    monkeypatch.setattr(time, "time", lambda: now)

    def guess(number: int) -> int:
        browser = Browser(hosts[number % 3])
        return browser.send(browser.open(redirect_uri=REDIRECT), password="a guess").status_code

    def send(number: int) -> int:
        return hosts[number % 3].ask("/v1/records", "POST", token=upload, data=b"").status_code

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(guess, range(12))) == [400] * 5 + [429] * 7
        assert list(pool.map(send, range(70))).count(429) == 10


def test_text_that_a_stranger_sends_and_no_database_can_hold_is_not_found(
    operator: Operator, host: Callable[[], Live]
) -> None:
    there = host()
    for text in ("a\0da", "x" * 9_000, "%s", ":name", "?", "'; DROP TABLE token"):
        browser = Browser(there)
        page = browser.open(redirect_uri=REDIRECT)
        assert browser.send(page, name=text, password=text).status_code in (400, 429)
        assert oauth_error(there.exchange("x", client_id=text), 401) == "invalid_client"
    assert operator.accounts() == ["ada"]


@pytest.mark.slow("processes start together")
def test_hosts_that_start_together_make_the_tables_once_and_add_an_account_once(
    operator: Operator, address: str
) -> None:
    command = [sys.executable, "-m", "eyelog", "service", "add-account", "ada", *operator.places]
    adding = [subprocess.Popen(command, stderr=-1, text=True) for _ in range(4)]
    said = [each.communicate()[1] for each in adding]
    assert sorted(each.returncode for each in adding) == [0, 1, 1, 1], said
    assert sum("exists already" in text for text in said) == 3
    assert asked(address, "SELECT count(*) FROM meta WHERE name = 'signing_key'") == [(1,)]


# Transactions, locks and faults.


def test_a_lock_that_is_not_given_back_is_waited_for_but_not_for_ever(
    operator: Operator, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator.add("ada")
    monkeypatch.setattr(state, "_SESSION", "SET lock_timeout = '300ms'")
    with State(tmp_path, address, tmp_path).write():
        refused = operator.refused("disable", "ada")
        assert "locked by another host or program: try again" in refused
        assert operator.accounts() == ["ada"]  # who reads does not wait
    assert not operator.ask("list-accounts")[0]["disabled"]


def test_a_transaction_that_fails_or_is_cut_off_changes_nothing(
    operator: Operator, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator.add("ada")
    session = state._SESSION
    assert "idle_in_transaction_session_timeout = '30s'" in session
    monkeypatch.setattr(state, "_SESSION", session.replace("'30s'", "'500ms'"))
    cut_off = State(tmp_path, address, tmp_path)

    def change(then: Callable[[], object]) -> None:
        with cut_off.write() as db:
            db.exec_driver_sql("UPDATE account SET name = 'bea'")
            then()
            db.exec_driver_sql("UPDATE account SET disabled = 0")

    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE usename = current_user AND pid <> pg_backend_pid()"
    )
    for then, fault in (
        (lambda: 1 // 0, ZeroDivisionError),
        (lambda: asked(address, end), el.ConfigurationError),
        # Another host waits until the lock is free.
        (lambda: operator("disable", "ada"), el.ConfigurationError),
    ):
        with pytest.raises(fault):
            change(then)
        assert operator.accounts() == ["ada"]
    assert operator.ask("list-accounts")[0]["disabled"]


@pytest.mark.slow("a database is stopped and started")
def test_a_service_recovers_when_the_database_was_away(
    operator: Operator, host: Callable[[], Live], server: Postgres
) -> None:
    there = host()
    access = login(there, operator)["access_token"]
    server.stop()
    window = ("2026-10-24T00:00:00Z", "2026-10-24T00:10:00Z")
    assert there.get("computed_data", *window, token=access).status_code == 503
    refused = operator.refused("add-account", "bea")
    assert DATABASE_PASSWORD not in refused
    assert "Connection refused" in refused
    server.start()
    assert there.opens(access)
    # A connection that was kept has died without a request in between.
    server.stop()
    server.start()
    assert there.opens(access)
    operator.add("bea")


def test_a_database_that_cannot_be_used_is_named(
    operator: Operator, server: Postgres, address: str, tmp_path: Path
) -> None:
    assert "there is no service state in postgresql://eye" in operator.refused("list-accounts")
    name = address.rpartition("/")[2]
    with closing(server.connect()) as db:
        db.execute(f"ALTER DATABASE {name} OWNER TO postgres".encode())
    assert "permission denied for schema public" in operator.refused("add-account", "ada")
    with closing(server.connect()) as db:
        db.execute(f"ALTER DATABASE {name} OWNER TO eyelog".encode())
    for wrong, reason in (
        (address.replace("eyelog@", f"eyelog:not-{DATABASE_PASSWORD}@"), "authentication failed"),
        (address.replace("/state_", "/no_state_"), "does not exist"),
    ):
        with pytest.raises(el.ConfigurationError) as fault:  # noqa: SIM117 (what fails is inside)
            with live.running(tmp_path, state=wrong, local=tmp_path):
                pass
        (line,) = str(fault.value).splitlines()
        assert reason in line
        assert DATABASE_PASSWORD not in line
    asked(address, "CREATE TABLE meta (key text)")
    for action in ("rotate-key", "list-accounts"):
        assert "give the service a database of its own" in operator.refused(action)


# Versions.


def test_tables_of_a_newer_release_are_refused_and_left_as_they_are(
    operator: Operator, address: str
) -> None:
    operator.add("ada")
    asked(address, "UPDATE meta SET value = '99' WHERE name = 'version'")
    for words in (("list-accounts",), ("add-account", "bea"), ("rotate-key",), ("erase", "ada")):
        assert "by a newer eyelog (version 99 of the st" in operator.refused(*words)
    assert asked(address, "SELECT name FROM account") == [("ada",)]


def test_tables_of_an_older_release_are_used_as_they_are(
    operator: Operator, host: Callable[[], Live], address: str
) -> None:
    asked(address, "CREATE TABLE upload (account TEXT NOT NULL)")
    asked(address, "UPDATE meta SET value = '6' WHERE name = 'version'")
    key = asked(address, "SELECT value FROM meta WHERE name = 'signing_key'")
    browser = Browser(host())
    assert browser.send(browser.open(redirect_uri=REDIRECT), password=PASSWORD).status_code == 303
    assert asked(address, "SELECT value FROM meta WHERE name = 'signing_key'") == key
    assert operator.findings()["schema"] == ("ok", "version 6")


# Imports.


def test_one_import_into_an_account_waits_for_another_and_not_for_other_accounts(
    operator: Operator, address: str, tmp_path: Path
) -> None:
    operator.add("ada")
    one, other = (State(tmp_path, address, tmp_path) for _ in range(2))
    order: list[str] = []

    def second() -> None:
        with other.importing("ada"):
            order.append("second")

    with one.importing("ada"):
        waiting = threading.Thread(target=second)
        waiting.start()
        with other.importing("bea"):
            order.append("bea")
        waiting.join(0.3)
        order.append("first")
    waiting.join(10)
    assert order == ["bea", "first", "second"]


_HOLDER = """
import subprocess, sys
from eyelog_service.state import State
with State(*sys.argv[1:]).importing("ada") as handle:
    program = "import sys; print('importing', flush=True); sys.stdin.read()"
    subprocess.Popen([sys.executable, "-c", program], pass_fds=[handle]).wait()
"""


def test_the_lock_of_an_import_lasts_until_the_importing_process_has_ended(
    operator: Operator, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator.add("ada")
    mine = State(tmp_path, address, tmp_path)
    monkeypatch.setattr(state, "_IMPORT_S", 1)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, tmp_path, address, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"importing\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=30)
        with pytest.raises(StateBusy), mine.importing("ada"):
            pass
        holder.stdin.close()  # which ends the importing process
        monkeypatch.setattr(state, "_IMPORT_S", 30)
        with mine.importing("ada"):
            pass


# From a file into a database, with every row or not at all; a dump put back; an erasure.


@pytest.fixture
def in_file(tmp_path: Path) -> tuple[Operator, str]:
    """A state in a file, with something of everything; and a code of Ada's."""
    one = Operator(tmp_path / "archive")
    (tmp_path / "wearers.csv").write_text(
        f"name,password,study\nada,{PASSWORD},sleep\nZoë,,sleep\n"
    )
    links = ("--invite", tmp_path / "links.csv", "--base-url", "http://127.0.0.1")
    one("add-accounts", tmp_path / "wearers.csv", *links)
    client_id, _ = one.application(REDIRECT, "Étude")
    one("set-retention", "sleep", "730d")
    return one, one.code("ada", client_id, REDIRECT)


def test_every_host_goes_on_with_what_the_file_had(
    in_file: tuple[Operator, str], operator: Operator, address: str, tmp_path: Path
) -> None:
    one, code = in_file
    secret = one.ask("rotate-secret", "Étude")["client_secret"]
    done = one.run("copy-state", address)
    assert "account: 2 rows\n" in done.out
    assert "every row was read back" in done.err
    log = (tmp_path / "archive" / "_service.audit.jsonl").read_text()
    assert '"admin.copy_state"' in log
    assert DATABASE_PASSWORD not in done.out + done.err + log
    assert operator.ask("list-accounts") == one.ask("list-accounts")
    assert operator.ask("list-applications") == one.ask("list-applications")
    key = "SELECT value FROM meta WHERE name = 'signing_key'"
    with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as db:
        assert asked(address, key) == db.execute(key).fetchall()
    assert "730 days" in operator.findings()["retention"][1]
    (_, link) = (tmp_path / "links.csv").read_text().split()[1].split(",")
    with live.running(tmp_path / "archive", state=address, local=tmp_path / "local") as url:
        client_id = operator.ask("list-applications")[0]["client_id"]
        there = Live(url, tmp_path / "archive", client_id, secret)
        tokens = there.exchange(code).json()
        assert there.opens(there.refresh(tokens["refresh_token"]).json()["access_token"])
        invitation = link.replace("http://127.0.0.1", url)
        assert requests.get(invitation, timeout=30).status_code == 200
    file_before = one.ask("list-tokens")
    assert file_before == []  # the file stays as it was


def test_a_state_that_is_there_stays_and_so_does_the_file(
    in_file: tuple[Operator, str], operator: Operator, address: str, tmp_path: Path
) -> None:
    one, _ = in_file
    operator.add("bea")
    file = tmp_path / "archive" / "_service.sqlite"
    before = file.read_bytes()
    assert "has the state of a service already: name an em" in one.refused("copy-state", address)
    assert operator.accounts() == ["bea"]
    assert file.read_bytes() == before
    said = "from a folder into a database, postgresql:"
    assert said in one.refused("copy-state", tmp_path)
    assert said in operator.refused("copy-state", address)


def test_what_cannot_be_copied_leaves_an_empty_database(
    in_file: tuple[Operator, str], operator: Operator, address: str
) -> None:
    one, _ = in_file
    operator.add("bea")  # which makes the tables
    operator("remove-account", "bea")
    asked(address, "ALTER TABLE invitation ADD CHECK (account <> 'Zoë')")
    assert one.run("copy-state", address).code == 1
    assert operator.ask("list-accounts") == []
    asked(address, "ALTER TABLE invitation DROP CONSTRAINT invitation_account_check")
    one("copy-state", address)
    assert operator.accounts() == ["Zoë", "ada"]


def test_what_a_dump_put_back_has_revived_ends_again(
    operator: Operator, host: Callable[[], Live], server: Postgres, address: str, tmp_path: Path
) -> None:
    there = host()
    access = login(there, operator)["access_token"]
    operator.add("bea", "cyd")
    database, dump = address.rpartition("/")[2], str(tmp_path / "dump")
    server.run("pg_dump", "--format", "custom", "--file", dump, database)
    operator("revoke", "--account", "ada")
    operator("remove-account", "bea")
    operator("disable", "cyd")
    assert operator.findings()["ended before"][0] == "ok"
    server.run("pg_restore", "--clean", "--if-exists", "--dbname", database, dump)
    assert operator.accounts() == ["ada", "bea", "cyd"]
    ended = operator.ask("after-restore")
    assert (ended["tokens"], ended["accounts"], ended["disabled"]) == (2, 1, 1)
    assert operator.findings()["ended before"][0] == "ok"
    assert there.why_refused(access) == "the access token is revoked"


def test_an_erasure_leaves_the_name_in_no_file_of_the_tables_and_others_tables_alone(
    operator: Operator, host: Callable[[], Live], server: Postgres, address: str
) -> None:
    name, there = "Wilhelmina-Who-Leaves", host()
    operator.add(name)
    asked(address, "CREATE TABLE upload (account TEXT NOT NULL)")  # as eyelog 0.3 had it
    asked(address, f"INSERT INTO upload VALUES ('{name}'), ('ada')")
    asked(address, "UPDATE meta SET value = '6' WHERE name = 'version'")
    login(there, operator, name)
    asked(address, "CREATE TABLE bill (account text)")
    asked(address, "CREATE TABLE bank (account integer)")
    asked(address, "INSERT INTO bill VALUES ('ada')")

    def files_with_the_name() -> int:
        with closing(server.connect()) as db:
            db.execute("CHECKPOINT")
        files = (server.folder / "data" / "base").rglob("*")
        return sum(name.encode() in path.read_bytes() for path in files if path.is_file())

    assert files_with_the_name()
    planned = operator.ask("erase", name, "--dry-run")["removed"]
    found = operator.ask("erase", name)["removed"]
    assert found == planned
    assert {one["what"]: one["rows"] for one in found if "rows" in one} == {
        "state: account": 1,
        "state: code": 1,
        "state: token": 2,
        "state: upload": 1,
    }
    assert operator.accounts() == ["ada"]
    assert operator.ask("erase", name)["removed"] == []
    assert files_with_the_name() == 0
    operator("remove-account", "ada")
    assert asked(address, "SELECT account FROM upload") == []
    operator("erase", "ada")
    assert asked(address, "SELECT account FROM bill") == [("ada",)]
