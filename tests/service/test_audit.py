"""The audit log says who did what, in whole lines, and never stops a request."""

import json
import os
import sqlite3
import stat
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support import live
from support.live import AUDIT, REDIRECT
from support.operating import Operator
from support.processes import python


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / AUDIT).read_bytes().splitlines()]


def test_only_the_owner_can_read_the_file(operator: Operator, tmp_path: Path) -> None:
    operator.add("ada")
    assert stat.S_IMODE((tmp_path / "archive" / AUDIT).stat().st_mode) == 0o600


@pytest.mark.parametrize("odd", ["a\nb", "\x1b[2J\u2028\u202e", '"}', "é" * 5000])
def test_no_text_breaks_out_of_its_line_or_moves_the_cursor(
    operator: Operator, tmp_path: Path, odd: str
) -> None:
    operator.add("ada")
    folder = tmp_path / "archive"
    (folder / AUDIT).unlink()
    with closing(sqlite3.connect(folder / "_service.sqlite")) as db, db:
        db.execute("UPDATE account SET name = ?", [odd])  # as no command and no page takes it
    operator("disable", "--", odd)
    text = (folder / AUDIT).read_text("ascii")
    assert text.count("\n") == 1
    assert text[:-1].isprintable()
    assert len(text) < 5000
    assert lines(folder)[0]["account"][:200] == odd[:200]


def test_lines_of_several_processes_never_mix(operator: Operator, tmp_path: Path) -> None:
    operator.add("ada")
    program = (
        "import sys; from importlib.metadata import entry_points\n"
        "(command,) = entry_points(group='console_scripts', name='eyelog')\n"
        "main = command.load()\n"
        "for _ in range(30): assert main(sys.argv[1:]) == 0"
    )
    words = ["service", "add-application", *operator.places, "--redirect-uri", REDIRECT]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: python(program, *words, "--name", name * 60), "abc"))
    found = Counter(line["name"] for line in lines(tmp_path / "archive")[1:])
    assert found == {name * 60: 30 for name in "abc"}


def test_a_failure_is_said_once_and_stops_no_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with live.service(tmp_path / "archive", {"ada": []}) as there:
        (there.archive / AUDIT).mkdir()
        for _ in range(2):
            assert there.opens(there.login("ada")["access_token"])
    said = [line for line in capsys.readouterr().err.splitlines() if "audit" in line]
    assert len(said) == 1
    assert f"the audit log {there.archive / AUDIT} cannot be written" in said[0]


def test_a_link_in_place_of_the_file_is_not_followed(operator: Operator, tmp_path: Path) -> None:
    operator.add("ada")
    log = tmp_path / "archive" / AUDIT
    log.unlink()
    log.symlink_to(tmp_path / "elsewhere")
    assert "cannot be written" in operator.run("disable", "ada").err
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not Path("/dev/full").exists(),
    reason="makes a device that is full",
)
def test_a_full_disk_stops_no_command(operator: Operator, tmp_path: Path) -> None:
    operator.add("ada")
    log = tmp_path / "archive" / AUDIT
    log.unlink()
    try:
        os.mknod(log, stat.S_IFCHR | 0o600, Path("/dev/full").stat().st_rdev)
    except PermissionError:
        pytest.skip("a container may make no device")
    done = operator.run("disable", "ada")
    assert (done.code, "No space left" in done.err) == (0, True)
