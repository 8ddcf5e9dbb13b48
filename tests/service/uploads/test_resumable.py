"""Files sent in parts, over real sockets, and gone on with after an interruption."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from eyelog.archive.store import Archive
from eyelog.service.erase import erase_account
from eyelog.service.spool import PART
from eyelog.service.uploads.upload_routes import Uploads
from support import live
from support.uploads import SIXTY, csv, spooled, stored

Call = Callable[..., requests.Response]
BODY = csv(n=600)
NAME = sha256(BODY).hexdigest()


@pytest.fixture
def announce(there: live.Live, token: str) -> Call:
    def announce(name: str = NAME, size: int = len(BODY), **more: Any) -> requests.Response:
        bearer = more.pop("bearer", token)
        return requests.post(
            f"{there.url}/v1/uploads",
            json={"sha256": name, "size": size, **more},
            headers={"Authorization": f"Bearer {bearer}"},
            timeout=60,
        )

    return announce


@pytest.fixture
def patch(there: live.Live, token: str) -> Call:
    def patch(data: Any, offset: Any, *, name: str = NAME, size: int = len(BODY), **more: Any):
        return requests.patch(
            f"{there.url}/v1/uploads/{name}",
            data=data,
            headers={
                "Authorization": f"Bearer {more.pop('bearer', token)}",
                "Upload-Offset": str(offset),
                "Upload-Length": str(size),
            },
            timeout=60,
            **more,
        )

    return patch


def test_a_file_comes_in_parts_and_then_counts_as_posted(
    there: live.Live, announce: Call, patch: Call
) -> None:
    assert announce().json() == {"offset": 0, "imported": False}
    first = patch(BODY[:1000], 0)
    assert (first.status_code, first.json()) == (202, {"offset": 1000})
    assert stored(there) == {}
    assert announce().json() == {"offset": 1000, "imported": False}
    last = patch(BODY[1000:], 1000, params={"name": "month.csv"})
    assert last.status_code == 200, last.text
    assert last.json()["files"][0] == {
        "name": "month.csv", "read": 600, "new": 600, "left_out": 0, "conflicts": []
    }  # fmt: skip
    assert stored(there) == {SIXTY: 600}
    assert spooled(there) == []
    assert announce().json() == {"offset": len(BODY), "imported": True}


def test_what_came_before_the_line_was_cut_is_not_sent_again(
    there: live.Live, announce: Call, patch: Call, token: str
) -> None:
    announce()
    where = urlsplit(there.url)
    with socket.create_connection((where.hostname, where.port)) as line:
        head = (
            f"PATCH /v1/uploads/{NAME} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            f"Upload-Offset: 0\r\nUpload-Length: {len(BODY)}\r\nContent-Length: {len(BODY)}\r\n\r\n"
        )
        line.sendall(head.encode() + BODY[:5000])
        time.sleep(1)  # what a server has not read yet when the line is cut is lost
    for _ in range(100):
        if (offset := announce().json().get("offset")) == 5000:
            break
        time.sleep(0.05)  # until then the answer is that it is being sent
    assert offset == 5000
    assert patch(BODY[5000:], 5000).json()["new"] == 600


@pytest.mark.parametrize("offset", [0, 2000])
def test_a_part_from_elsewhere_is_refused_with_the_right_place(
    announce: Call, patch: Call, offset: int
) -> None:
    announce()
    patch(BODY[:1000], 0)
    answer = patch(BODY[:10], offset)
    assert (answer.status_code, answer.json()["error"]) == (409, "wrong_offset")
    assert answer.headers["Upload-Offset"] == "1000"


def test_another_content_than_announced_is_refused_and_kept_nowhere(
    there: live.Live, announce: Call, patch: Call
) -> None:
    announce()
    answer = patch(BODY[:-1] + b"x", 0)
    assert (answer.status_code, answer.json()["error"]) == (422, "wrong_hash")
    assert stored(there) == {}
    assert spooled(there) == []
    assert patch(BODY, 0).status_code == 404
    assert announce().json()["offset"] == 0
    assert patch(BODY + b"x", 0).status_code == 400


@pytest.mark.parametrize("complete", [True, False])
def test_a_part_that_comes_after_an_erasure_is_refused_and_kept_nowhere(
    there: live.Live, announce: Call, patch: Call, complete: bool
) -> None:
    announce()

    def pieces() -> Iterator[bytes]:
        yield BODY[:2000]
        time.sleep(0.3)
        erase_account(there.registry, "ada", dry_run=False)
        Archive(there.archive).erase("ada")
        yield BODY[2000:] if complete else BODY[2000:-1]

    answer = patch(pieces(), 0)
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert [path for path in there.archive.rglob("*") if "ada" in path.name] == []


def test_a_file_announced_just_after_an_erasure_leaves_no_name(
    there: live.Live, announce: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Uploads.check_room

    def erased_meanwhile(self: Uploads, account: str, coming: int) -> None:
        erase_account(there.registry, "ada", dry_run=False)
        Archive(there.archive).erase("ada")
        room(self, account, coming)

    monkeypatch.setattr(Uploads, "check_room", erased_meanwhile)
    answer = announce()
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert [path for path in there.archive.rglob("*") if "ada" in path.name] == []


def test_parts_are_their_accounts_own(there: live.Live, announce: Call, patch: Call) -> None:
    announce()
    patch(BODY[:1000], 0)
    bea = there.registry.grants.issue_upload_token("bea")
    assert patch(BODY[1000:], 1000, bearer=bea).status_code == 404
    reading = there.login("ada")["access_token"]
    assert announce(bearer=reading).status_code == 403
    assert patch(BODY[1000:], 1000, bearer=reading).status_code == 403


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"name": "../" + "a" * 61}, 400),
        ({"size": 0}, 400),
        ({"size": "many"}, 400),
        ({"other": 1}, 400),
        ({"size": 300 << 20}, 413),
    ],
)
def test_an_announcement_that_cannot_be_is_refused(
    announce: Call, more: dict[str, Any], status: int
) -> None:
    assert announce(**more).status_code == status


def test_a_part_without_an_offset_or_of_no_hash_is_refused(announce: Call, patch: Call) -> None:
    announce()
    assert patch(BODY, "x").status_code == 400
    assert patch(BODY, 0, name="0").status_code == 404


def test_a_file_stays_within_the_size_that_was_announced(
    there: live.Live, announce: Call, patch: Call
) -> None:
    announce(size=1000)
    grown = patch(BODY[:2000], 0)
    assert (grown.status_code, grown.json()["error"]) == (400, "invalid_request")
    assert "announced" in grown.json()["error_description"]
    assert patch(BODY[:2000], 0, size=1000).status_code == 400
    assert patch(BODY[:2000], 0, size=300 << 20).status_code == 413
    assert sum(path.stat().st_size for path in spooled(there)) == 0
    assert announce().json()["offset"] == 0  # with its true size
    assert patch(BODY, 0).json()["new"] == 600


@pytest.mark.usefixtures("within_one_hour")
def test_only_new_uploads_count_and_a_part_waits_a_week(tmp_path: Path) -> None:
    with live.service(tmp_path / "archive", {"ada": []}, uploads_per_hour=1) as there:
        bearer = {"Authorization": f"Bearer {there.registry.grants.issue_upload_token('ada')}"}
        for name, status in ((NAME, 200), (NAME, 200), ("0" * 64, 429)):
            told = {"sha256": name, "size": 9}
            answer = requests.post(f"{there.url}/v1/uploads", json=told, headers=bearer, timeout=60)
            assert answer.status_code == status
    (part,) = (tmp_path / "archive").rglob(f"*{PART}")
    with live.running(tmp_path / "archive"):
        assert part.exists()
    os.utime(part, (0, 0))
    with live.running(tmp_path / "archive"):
        assert not part.exists()
