"""An operator's check: each fault is found, named, and left as it is."""

import shutil
import sqlite3
from collections import namedtuple
from collections.abc import Callable
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


def be_a_link(file: Path) -> None:
    file.rename(file.parents[1] / "elsewhere")
    file.symlink_to(file.parents[1] / "elsewhere")


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\xff" * 64
    file.write_bytes(content)


def no_database(file: Path) -> None:
    file.write_bytes(b"no database at all" * 300)


FAULTS: list[tuple[Callable[[Path], object], str, str]] = [
    (lambda file: file.chmod(0o640), "state file", "chmod 600 {file}"),
    (lambda file: file.parent.chmod(0o770), "state file", "chmod go-w {file.parent}"),
    (lambda file: (file.parent / AUDIT).chmod(0o644), "audit log", "chmod 600"),
    (be_a_link, "state file", "it is a symbolic link: move"),
    (damage, "integrity", "restore a copy"),
    (damage, "accounts", "not checked, because the state cannot be relied on"),
    (no_database, "integrity", "cannot be used"),
    (lambda file: alter(file, "ALTER TABLE token DROP COLUMN used"), "schema", "token.used"),
    (lambda file: alter(file, "DELETE FROM meta"), "signing key", "rotate-key makes another"),
    (lambda file: alter(file, "PRAGMA user_version = 99"), "schema", "update eyelog"),
    (
        lambda file: (file.parent / "_restoring.json").write_text('{"source": "/backup"}'),
        "restore",
        "a restore of /backup did not finish",
    ),
]


@pytest.mark.parametrize(("spoil", "check", "said"), FAULTS, ids=range(len(FAULTS)))
def test_each_fault_is_found_and_left_as_it_is(
    operator: Operator, file: Path, spoil: Callable[[Path], object], check: str, said: str
) -> None:
    spoil(file)
    before = [path.stat().st_mode for path in (file, file.parent, file.parent / AUDIT)]
    result, text = operator.findings()[check]
    assert (result, said.format(file=file) in text) == ("wrong", True), text
    assert [path.stat().st_mode for path in (file, file.parent, file.parent / AUDIT)] == before


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


def test_a_second_state_in_the_archive_and_an_archive_that_is_not_there_are_faults(
    operator: Operator, file: Path, tmp_path: Path
) -> None:
    apart, nothing = tmp_path / "apart", tmp_path / "nothing"
    apart.mkdir(0o700)
    shutil.copy2(file, apart)
    assert wrong(Operator(file.parent, apart)) == {"state apart"}
    (tmp_path / "link").symlink_to(file.parent)
    assert "state apart" not in Operator(file.parent, tmp_path / "link").findings()
    found = Operator(nothing, apart).findings()
    result, text = found["archive"]
    assert (result, "there is no folder" in text) == ("wrong", True)
    assert found["state apart"][0] == "ok"
    assert not nothing.exists()


def test_a_disk_that_is_nearly_full_is_found(
    operator: Operator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")(1 << 40, 1 << 40, 99_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    result, text = operator.findings()["free space"]
    assert result == "wrong"
    assert text == f"99.0 MB left on the disk of {file.parent}: free some, or requests fail"
