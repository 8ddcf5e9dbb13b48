"""An account that is erased while something of it comes in keeps nothing."""

import gzip
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog.archive.intake import import_files
from eyelog_service import ended
from support import live
from support.command import main
from support.records import records
from support.uploads import FIFTEEN, SIXTY, csv, spooled, stored

Post = Callable[..., requests.Response]


def erase(there: live.Live, account: str = "ada") -> None:
    assert main(["service", "erase", account, "--archive", str(there.archive)]) == 0


def assert_gone(there: live.Live) -> None:
    assert [path for path in there.archive.rglob("*") if b"ada" in os.fsencode(path.name)] == []
    assert not any(b'"ada"' in path.read_bytes() for path in there.archive.glob("*.jsonl"))


def held_back(there: live.Live, post: Post, meanwhile: Callable[[], object]) -> requests.Response:
    """Post a body whose last bytes come when something else has happened."""
    body = csv(n=600)

    def pieces() -> Iterator[bytes]:
        yield body[:2000]
        deadline = time.monotonic() + 60
        while not any("files" in path.parts for path in spooled(there)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        meanwhile()
        yield body[2000:]

    return post(pieces())


def test_an_upload_under_way_brings_nothing_of_an_erased_account_back(
    there: live.Live, post: Post
) -> None:
    post(csv())
    answer = held_back(there, post, lambda: erase(there))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert_gone(there)


def test_an_upload_is_refused_as_soon_as_an_erasure_is_noted(there: live.Live, post: Post) -> None:
    """The slow part of the erasure is still to come: it has to find what it lists."""
    post(csv())
    answer = held_back(there, post, lambda: ended.append(there.archive, "erased", accounts=["ada"]))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert stored(there) == {SIXTY: 60}
    erase(there)
    assert_gone(there)


def test_a_token_that_was_checked_after_the_erasure_was_noted_brings_nothing_back(
    there: live.Live, post: Post
) -> None:
    ended.append(there.archive, "erased", accounts=["ada"])

    def end() -> None:
        with closing(sqlite3.connect(there.archive / "_service.sqlite")) as state, state:
            state.execute("DELETE FROM account WHERE name = 'ada'")

    answer = held_back(there, post, end)
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert stored(there) == {}


def test_an_erasure_noted_between_the_first_check_and_the_commit_keeps_an_import_out(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(csv())

    def noted_first(*words: Any, **more: Any) -> Any:
        ended.append(there.archive, "erased", accounts=["ada"])
        return import_files(*words, **more)

    monkeypatch.setattr("eyelog_service.uploads.import_files", noted_first)
    answer = post(csv(start="2026-10-25 00:01"))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert stored(there) == {SIXTY: 60}
    erase(there)
    assert_gone(there)


def test_an_import_that_outlives_its_account_keeps_nothing(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure removes what waits to be committed, but not in the middle of a commit."""

    def committed_after_an_erasure(*_: object) -> None:
        erase(there)
        frame = records(SIXTY, "2026-10-25 00:01", 60)
        el.Archive(there.archive).write(SIXTY, frame, account="ada")

    monkeypatch.setattr("eyelog.archive.intake.commit_all", committed_after_an_erasure)
    answer = post(csv())
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert_gone(there)


def test_an_account_added_again_keeps_what_it_sent_since(there: live.Live, post: Post) -> None:
    def replaced() -> None:
        erase(there)
        there.registry.accounts.add("ada")
        token = there.registry.grants.issue_upload_token("ada")
        assert post(csv(n=30), bearer=token).status_code == 200

    assert held_back(there, post, replaced).status_code == 403
    assert stored(there) == {SIXTY: 30}


@pytest.mark.slow("an account is erased at many moments of an import")
def test_an_erasure_at_any_moment_leaves_nothing(there: live.Live, post: Post) -> None:
    draw = random.Random(3)
    body = gzip.compress(csv(FIFTEEN, "2026-10-24 00:00:15", 6000))
    outcomes = set()
    for _ in range(8):
        token = there.registry.grants.issue_upload_token("ada")
        answers: list[requests.Response] = []
        sending = threading.Thread(
            target=lambda token=token, answers=answers: answers.append(post(body, bearer=token))
        )
        sending.start()
        time.sleep(draw.uniform(0, 2.5))
        erase(there)
        sending.join()
        outcomes.add(answers[0].status_code)
        assert_gone(there)
        there.registry.accounts.add("ada")
    assert outcomes <= {200, 401, 403}
    assert 403 in outcomes


def test_a_service_that_starts_clears_what_dead_ones_left_and_nothing_else(
    there: live.Live, post: Post
) -> None:
    root = there.archive / ".uploads"
    left = [root / "account=bea" / "0123" / "body", root / "account=bea" / "0f3a.100.part"]

    def started() -> None:
        for path in left:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("half a body")
        with live.running(there.archive):
            assert not any(path.exists() for path in left)

    assert held_back(there, post, started).json()["new"] == 600
    assert spooled(there) == []


def test_what_comes_in_is_for_the_service_alone(there: live.Live, post: Post) -> None:
    modes: set[int] = set()
    held_back(there, post, lambda: modes.update(path.stat().st_mode for path in spooled(there)))
    assert {mode & 0o777 for mode in modes} == {0o600}


def test_an_erasure_removes_what_came_in_and_verify_does_not_mind_it(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 9), account="a")
    left = tmp_path / ".uploads" / "account=a" / "0123" / "body"
    left.parent.mkdir(parents=True)
    left.write_text("half a body")
    assert len(archive.verify()) == 0
    assert archive.accounts() == ["a"]
    assert str(left) in archive.erase("a")["path"].tolist()
    assert not left.parent.parent.exists()
