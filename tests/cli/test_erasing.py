"""The protocol of an erasure says what was removed, and what cannot be reached."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.access.auth.token_file import Token, TokenStore
from eyelog.catalogue import LOGS
from eyelog.cli.main import main
from support.records import records


def test_the_command_of_the_archive_points_to_the_service(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = records(LOGS[1], "2026-10-20", 50)
    el.Archive(tmp_path / "archive").write(LOGS[1], frame, account="anna")
    TokenStore(home, "anna", "http://there").save(Token("access", "refresh"))
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
