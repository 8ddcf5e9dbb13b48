"""`eyelog push` to a real service, also while the line is cut: what it prints, and never shows."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from support import live
from support.command import main
from support.here import work_here
from support.loggerfiles import zipped
from support.uploads import SIXTY, csv, spooled, stored

Push = Callable[..., SimpleNamespace]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[live.Live]:
    work_here(monkeypatch)
    with live.service(tmp_path / "archive", {"ada": []}) as running:
        yield running


@pytest.fixture
def push(
    there: live.Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Push:
    """Push as Ada: status, out, err."""
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", there.registry.grants.issue_upload_token("ada"))

    def push(*words: object) -> SimpleNamespace:
        capsys.readouterr()
        status = main(["push", *map(str, words)])
        printed = capsys.readouterr()
        return SimpleNamespace(status=status, out=printed.out, err=printed.err)

    return push


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "phone"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_bytes(csv(n=60))
    (folder / "deep" / "b.zip").write_bytes(zipped({"b.csv": csv(start="2026-10-25 00:01")}))
    (folder / ".hidden").write_text("not sent")
    (folder / "link.csv").symlink_to(folder / "a.csv")
    return folder


def test_a_folder_that_is_pushed_again_changes_nothing(
    there: live.Live, push: Push, folder: Path
) -> None:
    done = push(folder, folder / "a.csv")  # each file once, no hidden one, no link
    assert done.status == 0
    assert done.out == (
        f"imported  {folder}/a.csv: 60 of 60 rows\nimported  {folder}/deep/b.zip: 60 of 60 rows\n"
    )
    assert done.err == "120 rows are new from 2 of 2 files\n"
    again = json.loads(push(folder, "--json").out)
    assert [(one["state"], one["read"], one["new"]) for one in again] == [
        ("nothing new", 60, 0)
    ] * 2
    assert stored(there) == {SIXTY: 120}
    assert spooled(there) == []


def test_what_is_not_there_is_said(push: Push, folder: Path) -> None:
    assert "there is no file or folder" in push(folder / "missing").err
    (folder / "empty").mkdir()
    assert "contain no file: nothing was sent" in push(folder / "empty").err


def test_other_values_are_counted_and_replaced_on_request(push: Push, folder: Path) -> None:
    path = folder / "a.csv"
    push(path)
    lines = path.read_text().splitlines()
    cells = lines[7].split(",")
    cells[-1] = "17.125"
    path.write_text("\n".join([*lines[:7], ",".join(cells), *lines[8:]]))
    assert push(path).out.endswith("0 of 60 rows, 1 other values than stored\n")
    assert push(path, "--replace").out.startswith(f"imported  {path}: 1 of 60 rows")


def test_a_file_whose_way_is_cut_is_sent_again_whole(
    there: live.Live, push: Push, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    real = requests.Session.request

    def cut(self: Any, method: str, url: str, **more: Any) -> requests.Response:
        sent.append(url)
        if len(sent) == 1:
            more["data"].read(100)
            raise requests.ConnectionError("the line was cut")
        answer = real(self, method, url, **more)
        if len(sent) == 2:  # the records are there, and the answer is lost
            raise requests.ConnectionError("the line was cut")
        return answer

    monkeypatch.setattr(requests.Session, "request", cut)
    done = push(folder / "a.csv")
    assert (done.status, done.out, len(sent)) == (
        0,
        f"nothing new  {folder}/a.csv: 0 of 60 rows\n",
        3,
    )
    assert stored(there) == {SIXTY: 60}


def test_a_file_that_is_refused_does_not_stop_the_others(push: Push, folder: Path) -> None:
    (folder / "0.txt").write_text("dear diary,\n1\n")
    (folder / "1.csv").write_text("")
    done = push(folder)
    diary, empty, *taken = done.out.splitlines()
    assert done.status == 1
    assert diary.startswith(f"refused  {folder}/0.txt (0.txt: ")
    assert empty == f"refused  {folder}/1.csv (it is empty)"
    assert [line.partition(" ")[0] for line in taken] == ["imported"] * 2
    assert done.err == "120 rows are new from 2 of 4 files\n"


def test_without_a_token_or_with_a_wrong_one_an_error_says_what_to_do(
    there: live.Live, push: Push, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = folder.parent / "token"
    token.write_text(there.login("ada")["access_token"])
    reads = push(folder, "--token-file", token)  # and cannot write
    assert "403" in reads.err
    assert token.read_text() not in reads.err + reads.out
    assert "cannot read the upload token" in push(folder, "--token-file", folder / "no").err
    for unusable in ("SÉCRET-TOKEN", "SECRET\nTOKEN", "SECRET TOKEN"):
        monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", unusable)
        shown = push(folder)
        assert "EYELOG_UPLOAD_TOKEN has no upload token, which has only" in shown.err
        assert "TOKEN" not in shown.err.replace("EYELOG_UPLOAD_TOKEN", "") + shown.out
    monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", "SECRET-TOKEN")
    shown = push(folder)
    assert (shown.status, "check the upload token" in shown.err) == (1, True)
    assert "SECRET" not in shown.err + shown.out
    monkeypatch.delenv("EYELOG_UPLOAD_TOKEN")
    assert "set EYELOG_UPLOAD_TOKEN" in push(folder).err


@pytest.mark.usefixtures("within_one_hour")
def test_the_hours_limit_stops_the_push_and_says_what_was_sent(
    tmp_path: Path, push: Push, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live.service(tmp_path / "other", {"ada": []}, uploads_per_hour=1) as there:
        monkeypatch.setenv("EYELOG_BASE_URL", there.url)
        monkeypatch.setenv("EYELOG_UPLOAD_TOKEN", there.registry.grants.issue_upload_token("ada"))
        done = push(folder, "--json")
        assert (done.status, len(json.loads(done.out))) == (1, 1)
        assert "60 rows are new from 1 of 2 files" in done.err
        assert "429" in done.err


@pytest.mark.slow("it tries for seconds")
def test_a_service_that_is_away_is_said(
    push: Push, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EYELOG_BASE_URL", "http://127.0.0.1:9")
    done = push(folder)
    assert (done.status, "the connection was refused" in done.err) == (1, True)
