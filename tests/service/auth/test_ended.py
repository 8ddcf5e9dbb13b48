"""What ends is noted in the archive's folder, without names, and its note never stops an end."""

from pathlib import Path

import pytest

from eyelog.service.auth import ended
from eyelog.service.auth.registry import Registry
from support import live


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada")
    return registry


def test_a_note_has_no_name_and_is_private(registry: Registry) -> None:
    (registry.folder).mkdir(exist_ok=True)
    registry.accounts.disable("ada")
    registry.accounts.enable("ada")
    registry.accounts.remove("ada")
    file = registry.folder / ended.FILE_NAME
    assert b'"ada"' not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [note.what for note in ended.notes(registry.folder)] == [
        "disabled",
        "enabled",
        "account",
    ]
    assert {note.account for note in ended.notes(registry.folder)} == {ended.account_digest("ada")}


def test_a_damaged_line_is_left_out(registry: Registry) -> None:
    ended.append(registry.folder, "tokens", accounts=["ada"])
    file = registry.folder / ended.FILE_NAME
    file.write_bytes(b'{"what": "tok\n\xff\n[]\n' + file.read_bytes())
    assert [note.what for note in ended.notes(registry.folder)] == ["tokens"]


def test_a_full_list_of_ends_never_keeps_a_token_alive(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    client_id, _ = registry.applications.add(live.REDIRECT)
    code = registry.grants.issue_code("ada", client_id, live.REDIRECT)
    access, _ = registry.grants.exchange(code, client_id, live.REDIRECT, None)
    (registry.folder / ended.FILE_NAME).mkdir(parents=True)
    registry.grants.revoke_all(accounts=["ada"])
    assert registry.grants.bearer(access) == "the access token is revoked"
    assert "after a restore, what ends now would live again" in capsys.readouterr().err
