"""An operator's check: each fault is found, named, and left as it is."""

import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

import eyelog as el
from support.live import AUDIT, REDIRECT, STANDARD
from support.operating import Operator
from support.records import records


@pytest.fixture
def operator(operator: Operator, tmp_path: Path) -> Operator:
    """A service in order: Ada has records, and one application is registered."""
    operator.add("ada")
    operator.application(REDIRECT)
    archive = el.Archive(tmp_path / "archive")
    archive.write(STANDARD, records(STANDARD, "2026-10-19 09:00", 3), account="ada")
    return operator


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "archive" / "_service.sqlite"


def wrong(operator: Operator) -> set[str]:
    return {name for name, (result, _) in operator.findings().items() if result == "wrong"}


def alter(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        for sql in statements:
            db.execute(sql)


def test_a_service_in_order_is_ok_in_every_check(operator: Operator) -> None:
    assert {result for result, _ in operator.findings().values()} == {"ok"}


def test_open_permissions_are_found_and_not_changed(operator: Operator, file: Path) -> None:
    file.chmod(0o640)
    result, text = operator.findings()["state file"]
    assert (result, f"chmod 600 {file}" in text) == ("wrong", True)
    assert file.stat().st_mode & 0o777 == 0o640
    file.chmod(0o600)
    file.parent.chmod(0o770)
    assert f"chmod go-w {file.parent}" in operator.findings()["state file"][1]
    file.parent.chmod(0o700)
    (file.parent / AUDIT).chmod(0o644)
    assert wrong(operator) == {"audit log"}


def test_a_state_file_that_is_a_link_is_found(
    operator: Operator, file: Path, tmp_path: Path
) -> None:
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    result, text = operator.findings()["state file"]
    assert (result, "it is a symbolic link: move" in text) == ("wrong", True)


def test_damage_is_found_and_what_relies_on_the_file_is_not_checked(
    operator: Operator, file: Path
) -> None:
    content = bytearray(file.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\xff" * 64
    file.write_bytes(content)
    found = operator.findings()
    assert found["integrity"][0] == "wrong"
    assert "not checked" in found["accounts"][1]
    file.write_bytes(b"no database at all" * 300)
    assert "cannot be used" in operator.findings()["integrity"][1]


def test_a_file_that_lacks_a_column_or_the_key_is_found(operator: Operator, file: Path) -> None:
    alter(file, "ALTER TABLE token DROP COLUMN used", "DELETE FROM meta")
    assert "token.used" in operator.findings()["schema"][1]
    assert wrong(operator) >= {"schema", "signing key"}
    alter(file, "PRAGMA user_version = 99")
    assert "update eyelog" in operator.findings()["schema"][1]


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
    operator: Operator, uri: str, result: str
) -> None:
    operator.application(uri, "Sleep study")
    found = operator.findings()["redirect URIs"]
    assert found[0] == result
    assert (f"Sleep study ({uri})" in found[1]) == (result == "wrong")


def test_an_archive_that_cannot_be_read_is_a_fault(
    operator: Operator, file: Path, tmp_path: Path
) -> None:
    apart = tmp_path / "apart"
    apart.mkdir(0o700)
    file.rename(apart / file.name)
    found = Operator(tmp_path / "nothing", apart).findings()
    result, text = found["archive"]
    assert (result, "there is no folder" in text) == ("wrong", True)
    assert found["state apart"][0] == "ok"
    assert not (tmp_path / "nothing").exists()


def test_a_second_state_in_the_archive_is_a_fault(
    operator: Operator, file: Path, tmp_path: Path
) -> None:
    apart = tmp_path / "apart"
    apart.mkdir(0o700)
    shutil.copy(file, apart)
    (apart / file.name).chmod(0o600)
    assert wrong(Operator(file.parent, apart)) == {"state apart"}
    (tmp_path / "link").symlink_to(file.parent)
    assert "state apart" not in Operator(file.parent, tmp_path / "link").findings()


def test_a_disk_that_is_nearly_full_is_found(
    operator: Operator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")(1 << 40, 1 << 40, 99_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    result, text = operator.findings()["free space"]
    assert result == "wrong"
    assert text == f"99.0 MB left on the disk of {file.parent}: free some, or requests fail"
