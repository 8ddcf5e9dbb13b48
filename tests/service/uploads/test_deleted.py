"""An account that is erased while something of it comes in keeps nothing."""

import gzip
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog_service import uploads
from eyelog_service.state import State
from support import live
from support.records import records
from support.uploads import FIFTEEN, SIXTY, csv, spooled, stored

Post = Callable[..., requests.Response]


def erase(there: live.Live) -> None:
    there.operator("erase", "ada")


def assert_gone(there: live.Live) -> None:
    assert [path for path in there.archive.rglob("*") if b"ada" in os.fsencode(path.name)] == []
    assert not any(b'"ada"' in path.read_bytes() for path in there.archive.glob("*.jsonl"))


def held_back(there: live.Live, post: Post, meanwhile: Callable[[], object]) -> requests.Response:
    """Post a body whose last bytes come when something else has happened."""
    body = csv(n=600)

    def pieces() -> Iterator[bytes]:
        yield body[:2000]
        deadline = time.monotonic() + 60
        while not spooled(there) and time.monotonic() < deadline:
            time.sleep(0.02)
        meanwhile()
        yield body[2000:]

    return post(pieces())


@pytest.mark.parametrize("moment", ["_private_folder", "_is_small", "import_files", "note_upload"])
def test_an_erasure_at_each_step_of_an_upload_leaves_nothing(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Of a step that nobody may interrupt, the erasure waits for the end."""
    post(csv())
    step, rewrite = getattr(uploads, moment), State.rewrite
    erasing, has_gone_on = threading.Thread(target=erase, args=[there]), threading.Event()

    def rewritten(state: State) -> None:  # after the account has lost its row
        has_gone_on.set()
        rewrite(state)

    def erased_meanwhile(*words: Any, **more: Any) -> Any:
        erasing.start()
        if moment != "import_files":
            erasing.join()
        while there.registry.accounts.has("ada"):
            time.sleep(0.01)
        assert has_gone_on.wait(0.5) == (moment != "import_files")
        return step(*words, **more)

    monkeypatch.setattr(State, "rewrite", rewritten)
    monkeypatch.setattr(uploads, moment, erased_meanwhile)
    answer = post(csv(start="2026-10-25 00:01"))
    erasing.join()
    was_in_time = moment in ("import_files", "note_upload")
    assert answer.status_code == (200 if was_in_time else 403), answer.text
    assert was_in_time or answer.json()["error"] == "access_denied"
    assert_gone(there)


def test_an_account_added_again_keeps_what_it_sent_since(there: live.Live, post: Post) -> None:
    def replaced() -> None:
        erase(there)
        there.operator.add("ada")
        token = there.registry.grants.issue_upload_token("ada")
        assert post(csv(n=30), bearer=token).status_code == 200

    assert held_back(there, post, replaced).status_code == 403
    assert stored(there) == {SIXTY: 30}


def test_an_account_removed_meanwhile_keeps_its_records_and_gets_no_more(
    there: live.Live, post: Post
) -> None:
    post(csv(start="2026-10-20 00:01"))
    removed = held_back(there, post, lambda: there.operator("remove-account", "ada"))
    assert (removed.status_code, stored(there)) == (403, {SIXTY: 60})


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


def test_a_service_that_starts_clears_what_dead_ones_left_and_nothing_else(
    there: live.Live, post: Post
) -> None:
    root = there.archive / ".uploads"
    left = [root / "account=bea" / "0123" / "body", root / "account=bea" / "0f3a.100.part"]
    modes: set[int] = set()

    def started() -> None:
        modes.update(path.stat().st_mode & 0o777 for path in spooled(there))
        for path in left:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("half a body")
        with live.running(there.archive):
            assert not any(path.exists() for path in left)

    assert held_back(there, post, started).json()["new"] == 600
    assert spooled(there) == []
    assert modes == {0o600}  # for the service alone


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
