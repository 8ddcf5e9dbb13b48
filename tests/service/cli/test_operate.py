"""The operator's commands: what they print, what they end, and what they never show."""

import json
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import eyelog as el
from support import live
from support.command import main
from support.live import REDIRECT, STANDARD
from support.operating import Done
from support.records import records

Run = Callable[..., Done]
URI = ["--redirect-uri", REDIRECT]
PASSWORD = "correct horse"


@pytest.fixture
def lab(service: Run, archive: Path) -> SimpleNamespace:
    """Ada, who is logged in to the sleep study and has records, and Bea, who is not."""
    service("add-account", "ada", "--password-stdin", stdin=f"{PASSWORD}\n".encode())
    service("add-account", "bea")
    made = json.loads(service("add-application", *URI, "--name", "Sleep study", "--json").out)
    el.Archive(archive).write(STANDARD, records(STANDARD, "2026-10-19 09:00", 3), account="ada")
    registry = live.Registry(archive)
    client = ["--account", "ada", "--client-id", made["client_id"], *URI]
    code = service("issue-code", *client).out.strip()
    access, refresh, *_ = registry.grants.exchange(code, made["client_id"], REDIRECT, None)
    return SimpleNamespace(
        **made, run=service, registry=registry, code=code, access=access, refresh=refresh
    )


def listed(lab: SimpleNamespace, what: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lab.run(f"list-{what}", "--json").out)
    return found


def test_lists_are_tables_or_json_without_a_token_a_secret_or_a_hash(lab: SimpleNamespace) -> None:
    lab.run("upload-token", "bea")
    hashes = lab.registry.state.rows("SELECT hash FROM token UNION SELECT secret FROM application")
    hidden = [lab.client_secret, lab.access, lab.refresh, lab.code, PASSWORD]
    hidden += [row[0].hex()[:12] for row in hashes]
    said = {
        "list-accounts": ["Account  Password", "ada", "yes", "bea", "no"],
        "list-applications": ["Redirect uri", "Sleep study", REDIRECT],
        "list-tokens": ["Sleep study", "refresh", "never", "(upload token)", "upload"],
        "check": ["ok"],
    }
    for action, words in said.items():
        printed = lab.run(action).out
        assert [word for word in words if word not in printed] == []
        assert "nothing to show" not in printed
        assert not [text for text in hidden if text in printed + lab.run(action, "--json").out]
    assert [one["accounts"] for one in listed(lab, "applications")] == [1]
    ada, bea = listed(lab, "accounts")
    assert (ada["applications"], ada["last_used"], bea["password"]) == (1, None, False)
    assert bea["applications"] == 0
    assert {one["scope"] for one in listed(lab, "tokens")} == {"official", "write"}


def test_a_list_at_80_columns_has_a_line_for_each_token(lab: SimpleNamespace) -> None:
    lines = lab.run("list-tokens").out.splitlines()
    assert lines[0].split("  ")[-1] == "Expires"
    assert len(lines) == 1 + 2
    assert max(map(len, lines)) <= 80


def test_more_than_ten_thousand_accounts_are_listed(service: Run, tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    file.write_text("\n".join(["name", *(f"p{number}" for number in range(10_001))]))
    service("add-accounts", str(file))
    printed = service("list-accounts").out.splitlines()
    assert len([line for line in printed if line.startswith("p")]) == 10_001


def test_empty_lists_say_what_to_type(service: Run) -> None:
    service("add-application", *URI)
    assert "eyelog service add-account NAME" in service("list-accounts").err
    assert service("list-accounts", "--json").out == "[]\n"
    assert "nobody is logged in" in service("list-tokens").err


NEED_A_STATE = [
    *(["list-accounts"], ["list-applications"], ["list-tokens"], ["check"], ["rotate-key"]),
    *(["remove-account", "ada"], ["disable", "ada"], ["enable", "ada"], ["revoke", "--all"]),
    *(["set-password", "ada", "--password-stdin"], ["remove-application", "x"]),
    *(["rotate-secret", "x"], ["prune"], ["after-restore"]),
]


def test_without_a_service_every_command_says_so_and_creates_nothing(
    service: Run, archive: Path
) -> None:
    for words in NEED_A_STATE:
        done = service(*words)
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), words
        assert f"there is no service state in the folder {archive}: name its folder" in done.err
    assert not archive.exists()


def test_a_password_comes_from_the_first_line_of_stdin_alone(service: Run, archive: Path) -> None:
    stdin = "größer als acht\r\nsecond line\n".encode()
    assert service("add-account", "ada", "--password-stdin", stdin=stdin).code == 0
    for bad, why in (
        (b"", "is empty"),
        (b"short\n", "too short"),
        (b"password123\n", "most common"),
        (b"\xff\xfe12345678\n", "not text in UTF-8"),
        (b"x" * 100_000, "too long"),
    ):
        refused = service("set-password", "ada", "--password-stdin", stdin=bad)
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        assert why in refused.err
    assert service("set-password", "ada").code == 2
    assert service("set-password", "ada", "--password", "a good password").code == 2
    assert live.Registry(archive).accounts.check_login("ada", "größer als acht")


def test_a_lost_laptop_is_answered_with_one_command(lab: SimpleNamespace) -> None:
    done = lab.run("revoke", "--account", "ada")
    assert (done.code, done.out) == (
        0,
        "ended: 1 refresh token and 1 access token of account 'ada', application 'Sleep study'"
        f" ({lab.client_id})\n",
    )
    assert "'ada' has to log in again" in done.err
    assert lab.registry.grants.bearer(lab.access) == "the access token is revoked"
    typed = shlex.split(done.err.split("`")[1])
    assert main([*typed[1:2], "list-accounts", *typed[3:5]]) == 0
    assert lab.run("revoke", "--account", "ada").out.startswith("ended: no token")
    assert lab.run("revoke", "--all").err == (
        "Codes not exchanged yet have ended too. The wearers have to log in again.\n"
    )


def test_what_to_revoke_has_to_be_said(lab: SimpleNamespace) -> None:
    assert lab.run("revoke").code == 2
    assert lab.run("revoke", "--all", "--account", "ada").code == 2
    assert lab.run("revoke", "--account", "").code == 1
    assert "did you mean 'ada'" in lab.run("revoke", "--account", "adda").err
    assert "did you mean 'Sleep study'" in lab.run("revoke", "--application", "Slep study").err
    lab.run("revoke", "--application", "Sleep study", "--account", "bea")
    assert len(listed(lab, "tokens")) == 2
    lab.run("revoke", "--application", "Sleep study")
    assert listed(lab, "tokens") == []


def test_a_removed_account_leaves_its_records_and_says_where(
    lab: SimpleNamespace, archive: Path
) -> None:
    done = lab.run("remove-account", "ada")
    assert done.out.startswith("removed: account 'ada'\nended: 1 refresh token and 1 access token")
    assert len(el.Archive(archive).read(STANDARD, account="ada")) == 3
    assert main(shlex.split(done.err.split("`")[1])[1:]) == 0  # to erase them
    assert el.Archive(archive).accounts() == []
    assert "did you mean" not in lab.run("remove-account", "zoe").err


def test_what_is_said_to_enable_a_disabled_account_can_be_typed(lab: SimpleNamespace) -> None:
    done = lab.run("disable", "ada")
    assert [one["disabled"] for one in listed(lab, "accounts")] == [True, False]
    assert main(shlex.split(done.err.split("`")[1])[1:]) == 0
    assert [one["disabled"] for one in listed(lab, "accounts")] == [False, False]


def test_the_check_is_a_line_each_and_its_exit_status_says_whether_something_is_wrong(
    lab: SimpleNamespace,
) -> None:
    done = lab.run("check")
    assert done.code == 0, done.out
    assert {line.split()[0] for line in done.out.splitlines()} == {"ok", "note"}
    lab.run("add-application", "--redirect-uri", "http://example.org/cb")
    done = lab.run("check")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "1 check of the service found something wrong" in done.err
    findings = json.loads(lab.run("check", "--json").out)
    assert [one["check"] for one in findings if one["result"] == "wrong"] == ["redirect URIs"]


def test_a_state_in_the_archive_is_moved_by_the_command_in_the_message(
    lab: SimpleNamespace, tmp_path: Path
) -> None:
    apart = ["--state", str(tmp_path / "the state")]
    refused = lab.run("list-accounts", *apart)
    assert refused.code == 1
    assert not (tmp_path / "the state").exists()
    command = refused.err.partition("(")[2].rpartition(")")[0]
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert len(json.loads(lab.run("list-accounts", *apart, "--json").out)) == 2
    assert (tmp_path / "the state").stat().st_mode & 0o777 == 0o700


@pytest.mark.slow("each command waits for the lock")
def test_a_locked_state_is_said_in_one_line(lab: SimpleNamespace, archive: Path) -> None:
    with closing(sqlite3.connect(archive / "_service.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for words in (["list-tokens"], ["remove-account", "ada"], ["check"]):
            done = lab.run(*words)
            assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), words
            assert "is locked by another program: try again" in done.err
        other.execute("ROLLBACK")
    assert len(listed(lab, "tokens")) == 2


def test_the_audit_log_of_a_whole_session_names_all_and_holds_no_secret(
    service: Run, archive: Path
) -> None:
    hidden: list[str] = [PASSWORD, "battery staple"]
    service("add-account", "ada", "--password-stdin", stdin=PASSWORD.encode())
    made = json.loads(service("add-application", *URI, "--name", "Sleep study", "--json").out)
    hidden.append(made["client_secret"])
    words = ["--account", "ada", "--client-id", made["client_id"], *URI]
    code = service("issue-code", *words).out.strip()
    with live.running(archive) as url:
        there = live.Live(url, archive, made["client_id"], made["client_secret"])
        tokens: dict[str, Any] = there.exchange(code).json()
        newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
        assert there.revoke(tokens["access_token"], bearer=newer).status_code == 200
    hidden += [code, tokens["access_token"], tokens["refresh_token"], newer]
    service("set-password", "ada", "--password-stdin", stdin=b"battery staple\n")
    service("disable", "ada")
    service("enable", "ada")
    service("rotate-key")
    hidden.append(service("rotate-secret", "Sleep study").out.strip().partition("=")[2])
    service("revoke", "--all")
    service("remove-application", "Sleep study")
    service("remove-account", "ada")
    text = (archive / "_service.audit.jsonl").read_text("ascii")
    assert not [secret for secret in hidden if secret in text]
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["event"] for line in lines] == [
        *("admin.add_account", "admin.add_application", "admin.issue_code"),
        *("token", "refresh", "revoke", "admin.set_password", "admin.disable", "admin.enable"),
        *("admin.rotate_key", "admin.rotate_secret", "admin.revoke"),
        *("admin.remove_application", "admin.remove_account"),
    ]
    assert {line.get("account", "ada") for line in lines} == {"ada"}
    assert {line.get("application", made["client_id"]) for line in lines} == {made["client_id"]}
    assert all("operator" in line for line in lines if line["event"].startswith("admin."))
    assert {line["address"] for line in lines if "address" in line} == {"127.0.0.1"}


@pytest.mark.slow("processes race")
def test_of_two_processes_at_the_same_command_one_succeeds_and_the_other_says_why(
    lab: SimpleNamespace, archive: Path
) -> None:
    def both(*words: str) -> list[tuple[int, str, str]]:
        command = [sys.executable, "-m", "eyelog", "service", *words, "--archive", str(archive)]
        pipes: dict[str, Any] = {"stdout": -1, "stderr": -1, "text": True}
        running = [subprocess.Popen(command, **pipes) for _ in range(2)]
        printed = [process.communicate() for process in running]
        each = zip(running, printed, strict=True)
        return sorted((process.returncode, *texts) for process, texts in each)

    for action, why in (("add-account", "exists already"), ("remove-account", "unknown account")):
        (first, *_), (second, _, error) = both(action, "cleo")
        assert (first, second, error.count("\n")) == (0, 1, 1)
        assert why in error
    secrets = [out.strip().partition("=")[2] for _, out, _ in both("rotate-secret", "Sleep study")]
    check = lab.registry.applications.authenticated
    assert sum(check(lab.client_id, secret) is not None for secret in secrets) == 1
