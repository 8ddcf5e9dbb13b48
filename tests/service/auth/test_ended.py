"""What ends is noted in the archive's folder, without names, and its note never stops an end."""

import os
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service import ended
from eyelog_service.check import check_service
from eyelog_service.grants import Registry
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


DAMAGED = [
    b'{"what": "tok',
    b"\xff\x00\xfe",
    b"[]",
    b"null",
    b'{"what": "tokens", "at": null}',
    b'{"what": "tokens", "at": NaN}',
    b'{"what": "tokens", "at": "1"}',
    b'{"what": ["tokens"], "at": 1.0}',
    b'{"what": "of a newer release", "at": 1.0}',
    b'{"what": "tokens", "at": 1.0, "account": 7}',
    b'{"what": "tokens"}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("line", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_line_is_left_out_and_named(registry: Registry, line: bytes) -> None:
    ended.append(registry.folder, "tokens", accounts=["ada"])
    assert ended.damage(registry.folder) == []
    file = registry.folder / ended.FILE_NAME
    file.write_bytes(file.read_bytes() + line + b"\n" + file.read_bytes())
    assert [note.what for note in ended.notes(registry.folder)] == ["tokens", "tokens"]
    assert ended.damage(registry.folder) == [f"{file}, line 2"]
    registry.accounts.disable("ada")
    (found,) = [one for one in check_service(registry) if one.check == "list of ends"]
    assert (found.result, "1 damaged line" in found.text) == ("wrong", True)
    assert "may live again" in found.text


def test_a_torn_line_does_not_swallow_the_next(registry: Registry) -> None:
    ended.append(registry.folder, "tokens", accounts=["ada"])
    file = registry.folder / ended.FILE_NAME
    os.truncate(file, file.stat().st_size - 20)
    ended.append(registry.folder, "tokens", accounts=["bea"])
    (note,) = ended.notes(registry.folder)
    assert note.account == ended.account_digest("bea")
    assert ended.damage(registry.folder) == [f"{file}, line 1"]


def test_an_end_for_which_there_is_no_room_is_said_and_leaves_no_fragment(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended.append(registry.folder, "tokens", accounts=["ada"])
    file = registry.folder / ended.FILE_NAME
    before, write = file.read_bytes(), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, data[:30]))
        ended.append(registry.folder, "tokens", accounts=["bea"])
    assert "only 30 of" in capsys.readouterr().err
    assert file.read_bytes() == before
    ended.append(registry.folder, "tokens", accounts=["cyd"])
    assert len(ended.notes(registry.folder)) == 2
    assert ended.damage(registry.folder) == []


def test_a_list_that_cannot_be_read_is_wrong_and_no_bug(registry: Registry) -> None:
    (registry.folder / ended.FILE_NAME).mkdir(parents=True)
    with pytest.raises(el.ArchiveError, match=r"cannot read .*_ended\.jsonl"):
        ended.notes(registry.folder)
    results = {one.check: one.result for one in check_service(registry)}
    assert results["list of ends"] == "wrong"


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
