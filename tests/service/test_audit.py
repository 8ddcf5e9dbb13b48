"""The audit log says who did what, in whole lines, and never stops a request."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from eyelog_service.audit import FILE_NAME, Audit
from support.live import Live
from support.processes import python

ODD = ["a\nb", "\x1b[2J\u2028\u202e", "\ud800", '"}', "é" * 5000]


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE_NAME).read_bytes().splitlines()]


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    Audit(tmp_path).write("login")
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize("odd", ODD)
def test_no_text_breaks_out_of_its_line_or_moves_the_cursor(tmp_path: Path, odd: str) -> None:
    Audit(tmp_path).write("login", account=odd, name=[odd])
    text = (tmp_path / FILE_NAME).read_text("ascii")
    assert text.count("\n") == 1
    assert text[:-1].isprintable()
    assert len(text) < 5000
    assert lines(tmp_path)[0]["account"][:200] == odd[:200]


def test_lines_of_several_processes_never_mix(tmp_path: Path) -> None:
    program = (
        "import sys; from eyelog_service.audit import Audit; audit = Audit(sys.argv[1])\n"
        "for n in range(200): audit.write('login', account=sys.argv[2] * 100, n=n)"
    )
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: python(program, str(tmp_path), name), "abc"))
    found = [(line["account"], line["n"]) for line in lines(tmp_path)]
    assert sorted(found) == [(name * 100, n) for name in "abc" for n in range(200)]


def test_a_failure_is_said_once_and_never_raised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = Audit(tmp_path / "missing")
    audit.write("login")
    audit.write("login")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"the audit log {tmp_path / 'missing' / FILE_NAME} cannot be written" in said


def test_a_link_in_place_of_the_file_is_not_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "elsewhere")
    Audit(tmp_path).write("login")
    assert not (tmp_path / "elsewhere").exists()
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_stops_no_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    audit = Audit(tmp_path)
    audit.file = Path("/dev/full")
    audit.write("login")
    assert "No space left" in capsys.readouterr().err


def test_tokens_are_noted_from_their_issue_to_their_end(there: Live) -> None:
    before = len(lines(there.archive)) if (there.archive / FILE_NAME).exists() else 0
    tokens = there.login("bea")
    newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
    assert there.revoke(tokens["refresh_token"], bearer=newer).status_code == 200
    found = lines(there.archive)[before:]
    assert [line["event"] for line in found] == ["token", "refresh", "revoke"]
    for line in found:
        assert line["account"] == "bea"
        assert line["application"] == there.client_id
        assert line["address"] == "127.0.0.1"
    text = (there.archive / FILE_NAME).read_text()
    for hidden in (*tokens.values(), newer, there.client_secret):
        assert not isinstance(hidden, str) or len(hidden) < 10 or hidden not in text
