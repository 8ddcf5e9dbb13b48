"""`eyelog push`: what it prints, its exit status, and what it never shows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import live
from support.command import main
from support.here import work_here
from support.uploads import csv


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[live.Live]:
    work_here(monkeypatch)
    with live.service(tmp_path / "archive", {"ada": []}) as running:
        monkeypatch.setenv("EYELOG_BASE_URL", running.url)
        yield running


def test_a_folder_that_is_pushed_again_changes_nothing(
    there: live.Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    token = there.registry.grants.issue_upload_token("ada")
    monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", token)
    (tmp_path / "phone").mkdir()
    (tmp_path / "phone" / "a.csv").write_bytes(csv())
    assert main(["push", str(tmp_path / "phone")]) == 0
    done = capsys.readouterr()
    assert done.out == f"imported  {tmp_path}/phone/a.csv: 60 of 60 rows\n"
    assert done.err == "60 rows are new from 1 of 1 files\n"
    assert main(["push", str(tmp_path / "phone"), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["state"], found["new"]) == ("nothing new", 0)


def test_a_refused_file_gives_status_1_and_its_reason(
    there: live.Live, tmp_path: Path, capsys
) -> None:
    (tmp_path / "token").write_text(there.registry.grants.issue_upload_token("ada") + "\n")
    (tmp_path / "diary.txt").write_text("dear diary,\n1\n")
    words = [str(tmp_path / "diary.txt"), "--token-file", str(tmp_path / "token")]
    assert main(["push", *words]) == 1
    done = capsys.readouterr()
    assert done.out.startswith(f"refused  {tmp_path}/diary.txt (diary.txt: ")
    assert done.err == "0 rows are new from 0 of 1 files\n"


def test_without_a_token_or_with_a_wrong_one_an_error_says_what_to_do(
    there: live.Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    (tmp_path / "a.csv").write_bytes(csv())
    assert main(["push", str(tmp_path / "a.csv")]) == 1
    assert "set EYELOG_UPLOAD_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", "SECRET-TOKEN")
    assert main(["push", str(tmp_path / "a.csv")]) == 1
    shown = capsys.readouterr()
    assert "check the upload token" in shown.err
    assert "SECRET" not in shown.err + shown.out
    for unusable in ("SÉCRET-TOKEN", "SECRET\nTOKEN", "SECRET TOKEN"):
        monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", unusable)
        assert main(["push", str(tmp_path / "a.csv")]) == 1
        shown = capsys.readouterr()
        assert "what is in EYELOG_UPLOAD_TOKEN cannot be an upload token" in shown.err
        assert "TOKEN" not in shown.err.replace("EYELOG_UPLOAD_TOKEN", "") + shown.out
    assert main(["push", str(tmp_path / "a.csv"), "--token-file", str(tmp_path / "no")]) == 1
    assert "cannot read the upload token" in capsys.readouterr().err
