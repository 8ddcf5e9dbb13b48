"""Files pushed to a real service, also while it is killed or the line is cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog_service import push as pushing
from eyelog_service.push import files_to_push, push
from support import live
from support.here import work_here
from support.loggerfiles import zipped
from support.uploads import SIXTY, csv, spooled, stored


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[live.Live]:
    work_here(monkeypatch)
    with live.service(tmp_path / "archive", {"ada": []}) as running:
        yield running


@pytest.fixture
def token(there: live.Live) -> str:
    return there.registry.grants.issue_upload_token("ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "phone"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_bytes(csv(n=60))
    (folder / "deep" / "b.zip").write_bytes(zipped({"b.csv": csv(start="2026-10-25 00:01")}))
    (folder / ".hidden").write_text("not sent")
    return folder


def test_hidden_files_and_links_are_not_sent(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder / "a.csv")
    found = files_to_push([folder, folder / "a.csv"])
    assert [path.name for path in found] == ["a.csv", "b.zip"]
    with pytest.raises(el.ConfigurationError, match="no file or folder"):
        files_to_push([folder / "missing"])
    (folder / "empty").mkdir()
    with pytest.raises(el.ConfigurationError, match="no file: nothing was sent"):
        files_to_push([folder / "empty"])


def test_a_folder_that_is_sent_again_changes_nothing(
    there: live.Live, token: str, folder: Path
) -> None:
    files = files_to_push([folder])
    first = list(push(files, there.url, token))
    assert [(each.state, each.read, each.new) for each in first] == [("imported", 60, 60)] * 2
    assert stored(there) == {SIXTY: 120}
    again = list(push(files, there.url, token))
    assert [(each.state, each.read, each.new) for each in again] == [("nothing new", 60, 0)] * 2
    assert spooled(there) == []


@pytest.mark.slow("a command sends to a service")
def test_other_values_are_counted_and_replaced_on_request(
    there: live.Live, token: str, folder: Path
) -> None:
    path = folder / "a.csv"
    list(push([path], there.url, token))
    lines = path.read_text().splitlines()
    cells = lines[7].split(",")
    cells[-1] = "17.125"
    path.write_text("\n".join([*lines[:7], ",".join(cells), *lines[8:]]))
    (other,) = push([path], there.url, token)
    assert (other.state, other.conflicts) == ("nothing new", 1)
    (replaced,) = push([path], there.url, token, replace=True)
    assert (replaced.state, replaced.new) == ("imported", 1)


def test_a_file_whose_way_is_cut_is_sent_again_whole(
    there: live.Live, token: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "_PAUSE_S", 0.01)
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
    (done,) = push([folder / "a.csv"], there.url, token)
    assert (done.state, done.read, len(sent)) == ("nothing new", 60, 3)
    assert stored(there) == {SIXTY: 60}


def test_a_file_that_is_refused_does_not_stop_the_others(
    there: live.Live, token: str, folder: Path
) -> None:
    (folder / "0.txt").write_text("dear diary,\n1\n")
    (folder / "1.csv").write_text("")
    found = list(push(files_to_push([folder]), there.url, token))
    assert [each.state for each in found] == ["refused", "refused", "imported", "imported"]
    assert found[0].reason.startswith("0.txt: ")
    assert found[1].reason == "it is empty"


def test_a_wrong_token_stops_at_once_and_is_not_shown(there: live.Live, folder: Path) -> None:
    with pytest.raises(el.AuthorizationError, match="check the upload token") as refused:
        list(push(files_to_push([folder]), there.url, "SECRET-TOKEN"))
    assert "SECRET-TOKEN" not in str(refused.value)
    reading = there.login("ada")["access_token"]
    with pytest.raises(el.Refused, match="403") as refused:
        list(push(files_to_push([folder]), there.url, reading))
    assert reading not in str(refused.value)


@pytest.mark.usefixtures("within_one_hour")
def test_the_hours_limit_and_a_service_that_is_away_stop_the_push(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "_PAUSE_S", 0.01)
    work_here(monkeypatch)
    with live.service(tmp_path / "other", {"ada": []}, uploads_per_hour=1) as there:
        token = there.registry.grants.issue_upload_token("ada")
        sending = push(files_to_push([folder]), there.url, token)
        assert next(sending).state == "imported"
        monkeypatch.setattr(pushing, "_TRIES", 1)
        with pytest.raises(el.RateLimited):
            next(sending)
    with pytest.raises(el.Unreachable):
        list(push(files_to_push([folder]), there.url, token))
