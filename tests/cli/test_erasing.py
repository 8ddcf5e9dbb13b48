"""The protocol of an erasure says what was removed, and what cannot be reached."""

import json
import shlex
from pathlib import Path

import pytest

import eyelog as el
from eyelog.fetch.oauth import TokenFile
from support.command import main
from support.logs import LOGS
from support.records import records


def test_the_command_of_the_archive_points_to_the_service(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = records(LOGS[1], "2026-10-20", 50)
    el.Archive(tmp_path / "archive").write(LOGS[1], frame, account="anna")
    TokenFile(home, "anna", "http://there").save(el.Token("access", "refresh"))
    words = ["archive", "erase", "anna", "--archive", str(tmp_path / "archive")]
    assert main([*words, "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "would remove: month, " in out
    assert "Dry run: nothing was changed." in err
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "removed: token, " in out
    assert "not reached: a service of this archive: eyelog service erase" in out
    assert main(words) == 0
    assert "Nothing of account 'anna' was found." in capsys.readouterr().err


@pytest.mark.parametrize("room", ["archive", "service"])
def test_the_archive_at_home_that_was_not_named_is_said_with_the_command_to_type(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], room: str
) -> None:
    frame = records(LOGS[1], "2026-10-20", 50)
    for folder in (tmp_path / "logs", home / "archive"):
        el.Archive(folder).write(LOGS[1], frame, account="p 1")
    command = f"eyelog archive erase --archive {home / 'archive'} -- 'p 1'"
    assert main([room, "erase", "p 1", "--archive", str(tmp_path / "logs"), "--json"]) == 0
    said = [text for text in json.loads(capsys.readouterr().out)["not_reached"] if command in text]
    assert said == [f"the archive of EYELOG_HOME, which has the account too: {command}"]
    assert el.Archive(home / "archive").accounts() == ["p 1"]
    (tmp_path / "home-archive").symlink_to(home / "archive")
    for more in (["--dry-run"], []):
        assert main([room, "erase", "p 1", "--archive", str(tmp_path / "home-archive"), *more]) == 0
        assert "the archive of EYELOG_HOME" not in capsys.readouterr().out
    assert main(shlex.split(command)[1:]) == 0
    assert "the archive of EYELOG_HOME" not in capsys.readouterr().out
