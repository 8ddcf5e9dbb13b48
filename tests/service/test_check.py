"""An operator's check: each fault is found, named, and left as it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.audit import FILE_NAME, Audit
from eyelog_service.check import Finding, check_service
from eyelog_service.grants import Registry
from support.first_release import first_release_state
from support.live import REDIRECT, STANDARD
from support.records import records


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """A service in order: Ada has records, and one application is registered."""
    registry = Registry(tmp_path / "archive")
    registry.accounts.add("ada")
    registry.applications.add(REDIRECT)
    archive = el.Archive(tmp_path / "archive")
    archive.write(STANDARD, records(STANDARD, "2026-10-19 09:00", 3), account="ada")
    Audit(registry.state_folder).write("admin.add_account", account="ada")
    return registry


def by_check(registry: Registry) -> dict[str, Finding]:
    findings = check_service(registry)
    assert len({finding.check for finding in findings}) == len(findings)
    return {finding.check: finding for finding in findings}


def wrong(registry: Registry) -> set[str]:
    return {name for name, finding in by_check(registry).items() if finding.result == "wrong"}


def test_a_service_in_order_is_ok_in_every_check(registry: Registry) -> None:
    assert {finding.result for finding in check_service(registry)} == {"ok"}


def test_without_a_state_the_check_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(
        el.ConfigurationError, match=r"there is no service state .*_service\.sqlite"
    ):
        check_service(Registry(tmp_path))


def test_open_permissions_are_found_and_not_changed(registry: Registry) -> None:
    file = registry.state.file
    file.chmod(0o640)
    found = by_check(registry)["state file"]
    assert (found.result, f"chmod 600 {file}" in found.text) == ("wrong", True)
    assert file.stat().st_mode & 0o777 == 0o640
    file.chmod(0o600)
    file.parent.chmod(0o770)
    assert f"chmod go-w {file.parent}" in by_check(registry)["state file"].text
    file.parent.chmod(0o700)
    (file.parent / FILE_NAME).chmod(0o644)
    assert wrong(registry) == {"audit log"}


def test_a_state_file_that_is_a_link_is_found(registry: Registry, tmp_path: Path) -> None:
    file = registry.state.file
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert "symbolic link" in by_check(registry)["state file"].text


def test_damage_is_found_and_what_relies_on_the_file_is_not_checked(registry: Registry) -> None:
    file = registry.state.file
    content = bytearray(file.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\xff" * 64
    file.write_bytes(content)
    found = by_check(registry)
    assert found["integrity"].result == "wrong"
    assert "not checked" in found["accounts"].text
    file.write_bytes(b"no database at all" * 300)
    assert "cannot be used" in by_check(registry)["integrity"].text


def test_a_file_that_lacks_a_column_or_the_key_is_found(registry: Registry) -> None:
    with closing(sqlite3.connect(registry.state.file)) as db, db:
        db.execute("ALTER TABLE token DROP COLUMN used")
        db.execute("DELETE FROM meta WHERE name = 'signing_key'")
    found = by_check(registry)
    assert "token.used" in found["schema"].text
    assert wrong(registry) >= {"schema", "signing key"}


def test_an_older_file_is_no_fault_and_a_newer_one_is(registry: Registry, tmp_path: Path) -> None:
    old = first_release_state(tmp_path / "old")
    found = check_service(Registry(old.folder))
    (schema,) = [finding for finding in found if finding.check == "schema"]
    assert (schema.result, schema.text[:9]) == ("note", "version 6")
    with closing(sqlite3.connect(registry.state.file)) as db, db:
        db.execute("PRAGMA user_version = 99")
    assert "update eyelog" in by_check(registry)["schema"].text


@pytest.mark.parametrize(
    ("uri", "result"),
    [
        ("http://127.0.0.1/cb", "ok"),
        ("http://[::1]/cb", "ok"),
        ("http://localhost:8000/cb", "ok"),
        ("https://example.org/cb", "ok"),
        ("org.example.app:/cb", "ok"),
        ("http://example.org/cb", "wrong"),
        ("http://127.0.0.1.example.org/cb", "wrong"),
        ("http://192.168.0.7/cb", "wrong"),
    ],
)
def test_codes_that_can_be_read_on_the_way_are_a_fault(
    registry: Registry, uri: str, result: str
) -> None:
    registry.applications.add(uri, name="Sleep study")
    found = by_check(registry)["redirect URIs"]
    assert found.result == result
    assert (f"Sleep study ({uri})" in found.text) == (result == "wrong")


def test_expired_rows_are_counted(registry: Registry) -> None:
    client_id = registry.applications.all()[0].client_id
    registry.grants.issue_code("ada", client_id, REDIRECT)
    with registry.state.write() as db:
        db.exec_driver_sql("UPDATE code SET expires = 1")
    assert by_check(registry)["expired rows"].text.startswith("1 to delete")


def test_an_archive_that_cannot_be_read_is_a_fault(registry: Registry, tmp_path: Path) -> None:
    apart = tmp_path / "apart"
    apart.mkdir(0o700)
    registry.state.file.rename(apart / registry.state.file.name)
    elsewhere = Registry(tmp_path / "nothing", apart)
    found = by_check(elsewhere)
    assert (found["archive"].result, "there is no folder" in found["archive"].text) == (
        "wrong",
        True,
    )
    assert found["state apart"].result == "ok"
    assert not (tmp_path / "nothing").exists()


def test_a_second_state_in_the_archive_is_a_fault(registry: Registry, tmp_path: Path) -> None:
    apart = tmp_path / "apart"
    apart.mkdir(0o700)
    (apart / "_service.sqlite").write_bytes(registry.state.file.read_bytes())
    (apart / "_service.sqlite").chmod(0o600)
    assert wrong(Registry(registry.folder, apart)) == {"state apart"}
    (tmp_path / "link").symlink_to(registry.folder)
    assert "state apart" not in by_check(Registry(registry.folder, tmp_path / "link"))


def test_a_disk_that_is_nearly_full_is_found(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog_service.check._LEAST_FREE", 1 << 62)
    found = by_check(registry)["free space"]
    assert found.result == "wrong"
    assert found.text.endswith(
        f"on the disk of {registry.state_folder}: free some, or requests fail"
    )
