"""An account that is erased while something of it comes in keeps nothing."""

import gzip
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog_service import ended, uploads
from eyelog_service.erase import erase_account
from eyelog_service.uploads import import_apart
from support import live
from support.uploads import SIXTY, csv, spooled, stored

Post = Callable[..., requests.Response]


def test_an_import_that_outlives_its_account_keeps_nothing(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def erased_first(told: dict[str, Any], **more: Any) -> dict[str, Any]:
        # A file that is open can be read on after it is deleted: so can this copy.
        kept = shutil.copytree(told["folder"], tmp_path / "kept")
        files = [str(kept / Path(name).relative_to(told["folder"])) for name in told["files"]]
        erase_account(there.registry, "ada", dry_run=False)
        el.Archive(there.archive).erase("ada")
        more["temporary"] = kept
        return import_apart({**told, "folder": str(kept), "files": files}, **more)

    monkeypatch.setattr(uploads, "import_apart", erased_first)
    answer = post(gzip.compress(csv()))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert list(there.archive.rglob("*.parquet")) == []
    names = [path for path in there.archive.rglob("*") if b"ada" in os.fsencode(path.name)]
    assert names == []


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


def names_of_ada(there: live.Live) -> list[Path]:
    return [path for path in there.archive.rglob("*") if b"ada" in os.fsencode(path.name)]


def erase(there: live.Live) -> None:
    erase_account(there.registry, "ada", dry_run=False)
    el.Archive(there.archive).erase("ada")


def test_an_upload_under_way_brings_nothing_of_an_erased_account_back(
    there: live.Live, post: Post
) -> None:
    answer = held_back(there, post, lambda: erase(there))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert names_of_ada(there) == []
    assert not any(b'"ada"' in path.read_bytes() for path in there.archive.glob("*.jsonl"))


def test_an_upload_is_refused_as_soon_as_the_erasure_is_noted(there: live.Live, post: Post) -> None:
    """The slow part of an erasure is still to come: the account has its rows."""
    post(csv())
    answer = held_back(there, post, lambda: ended.append(there.archive, "erased", accounts=["ada"]))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert stored(there) == {SIXTY: 60}, "the erasure has to find what it lists"
    erase(there)
    assert names_of_ada(there) == []


def test_an_erasure_just_before_the_import_commits_keeps_it_out(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = uploads.import_files

    def import_files(*words: Any, **more: Any) -> Any:
        erase(there)
        return reading(*words, **more)

    monkeypatch.setattr(uploads, "import_files", import_files)
    answer = post(csv())
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert names_of_ada(there) == []


def test_a_token_checked_after_the_erasure_was_noted_brings_nothing_back(
    there: live.Live, post: Post
) -> None:
    ended.append(there.archive, "erased", accounts=["ada"])  # and then its rows are removed
    answer = held_back(there, post, lambda: erase_account(there.registry, "ada", dry_run=False))
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied"), answer.text
    assert names_of_ada(there) == []


def test_an_account_added_again_keeps_what_it_sent_since(there: live.Live, post: Post) -> None:
    def replaced() -> None:
        erase(there)
        there.registry.accounts.add("ada")
        token = there.registry.grants.issue_upload_token("ada")
        assert post(csv(n=30), bearer=token).status_code == 200

    assert held_back(there, post, replaced).status_code == 403
    assert stored(there) == {SIXTY: 30}


def test_an_erasure_after_an_import_finds_all_of_it(
    there: live.Live, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = uploads.note_upload

    async def note(*told: Any) -> None:
        erase(there)
        await noting(*told)

    monkeypatch.setattr(uploads, "note_upload", note)
    assert post(csv()).status_code == 200
    assert names_of_ada(there) == []
    assert not any(b'"ada"' in path.read_bytes() for path in there.archive.glob("*.jsonl"))
