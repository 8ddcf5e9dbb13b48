"""requests-cache answers from a stored day, and a day is stored whole or not at all."""

import contextlib
import os
import subprocess
import sys
import textwrap
import threading
import time
from datetime import date, datetime
from pathlib import Path

import pytest
from requests_cache import DEFAULT_IGNORED_PARAMS

import eyelog as el
from eyelog.access.cache.backend import DayCache, cached_session
from eyelog.access.cache.day_file import (
    DayFile,
)
from support import faulty
from support.cached import bodies
from support.paged import Paged

DAY_ARGUMENTS = ("computed_data", date(2020, 1, 1), "UTC")


posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


# requests-cache


def test_a_request_outside_a_walk_is_not_stored(file: DayFile) -> None:
    with faulty.server(faulty.answer({})) as there, cached_session(DayCache(file)) as session:
        for _ in range(2):
            assert session.get(there.url).status_code == 200
        assert there.count() == 2
    assert not file.path.exists()


def test_a_day_is_stored_when_it_is_committed_and_then_answers_requests(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({"n": 1})) as there, cached_session(cache) as session:
        with cache.collecting("k", *DAY_ARGUMENTS) as pending:
            session.get(there.url, params={"cursor": "a"})
            session.get(there.url, params={"cursor": "b"})
            assert file.pages("k") is None
            assert pending.commit(empty=False)
        with cache.answering("k"):
            assert len(cache.responses) == len(list(cache.responses)) == 2
            hit = session.get(there.url, params={"cursor": "b"}, only_if_cached=True)
            assert (hit.from_cache, hit.json(), hit.headers["Content-Type"]) == (
                True,
                {"n": 1},
                "application/json",
            )
        assert there.count() == 2


def test_outside_a_day_the_cache_is_empty(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({"n": 1})) as there, cached_session(cache) as session:
        with cache.collecting("k", *DAY_ARGUMENTS) as pending:
            session.get(there.url)
            pending.commit(empty=False)
        assert len(cache.responses) == 0
        assert session.get(there.url, only_if_cached=True).status_code == 504
        with cache.answering("another day"):
            assert session.get(there.url, only_if_cached=True).status_code == 504
        assert there.count() == 1


def test_a_day_replaced_while_it_answers_is_not_mixed_with_the_new_one(file: DayFile) -> None:
    cache = DayCache(file)
    bodies = [faulty.answer({"n": n}) for n in range(4)]
    with faulty.server(*bodies) as there, cached_session(cache) as session:

        def store() -> None:
            with cache.collecting("k", *DAY_ARGUMENTS) as pending:
                for cursor in "ab":
                    session.get(there.url, params={"cursor": cursor}, force_refresh=True)
                assert pending.commit(empty=False)

        def stored(cursor: str) -> int:
            hit = session.get(there.url, params={"cursor": cursor}, only_if_cached=True)
            return int(hit.json()["n"])

        store()
        with cache.answering("k") as pages:
            first = stored("a")
            thread = threading.Thread(target=store)  # stands for another process
            thread.start()
            thread.join()
            assert (pages, first, stored("b")) == (2, 0, 1)
        with cache.answering("k"):
            assert (stored("a"), stored("b")) == (2, 3)


@pytest.mark.parametrize(("one", "other"), [("%41", "A"), ("é", "e\u0301"), ("a", "A"), ("", " ")])
def test_two_cursors_that_look_alike_are_two_pages(file: DayFile, one: str, other: str) -> None:
    cache = DayCache(file)
    with (
        faulty.server(faulty.answer({})) as there,
        cached_session(cache) as session,
        cache.collecting("k", *DAY_ARGUMENTS) as pending,
    ):
        for cursor in (one, other):
            session.get(there.url, params={"cursor": cursor}, force_refresh=True)
        assert len(pending.pages) == 2


def test_a_walk_that_fails_stores_nothing(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({})) as there, cached_session(cache) as session:
        with contextlib.suppress(el.AnswerError), cache.collecting("k", *DAY_ARGUMENTS):
            session.get(there.url)
            raise el.AnswerError("not the documented shape")
        session.get(there.url)
    assert not file.path.exists()


def test_a_walk_never_takes_a_page_from_the_store(file: DayFile) -> None:
    cache = DayCache(file)
    answers = [faulty.answer({"n": n}) for n in range(3)]
    with faulty.server(*answers) as there, cached_session(cache) as session:
        for n in range(3):
            with cache.collecting("k", *DAY_ARGUMENTS) as pending:
                assert session.get(there.url).json() == {"n": n}
                pending.commit(empty=False)
        with cache.answering("k"):
            assert session.get(there.url, only_if_cached=True).json() == {"n": 2}


@pytest.mark.parametrize("status", [301, 400, 401, 404, 429, 500, 503])
def test_an_error_is_never_stored(file: DayFile, status: int) -> None:
    cache = DayCache(file)
    with (
        faulty.server(faulty.error(status)) as there,
        cached_session(cache) as session,
        cache.collecting("k", *DAY_ARGUMENTS) as pending,
    ):
        session.get(there.url, allow_redirects=False)
        assert pending.pages == {}


def test_a_post_is_never_stored_and_no_secret_reaches_the_file(file: DayFile) -> None:
    cache = DayCache(file)
    body = {"access_token": "tok-en", "refresh_token": "re-fresh"}
    with (
        faulty.server(faulty.answer(body), faulty.answer({})) as there,
        cached_session(cache) as session,
        cache.collecting("k", *DAY_ARGUMENTS) as pending,
    ):
        session.post(there.url, data={"client_secret": "s3cret"})
        assert pending.pages == {}
        session.get(
            there.url,
            params={"access_token": "tok-en", "code": "c0de"},
            headers={"authorization": "Bearer tok-en", "Cookie": "a=c00kie"},
        )
        pending.commit(empty=False)
    content = file.path.read_bytes()
    assert bodies(file) == [b"{}"]
    for secret in (b"tok-en", b"re-fresh", b"s3cret", b"c0de", b"c00kie"):
        assert secret not in content


def test_the_librarys_own_list_of_ignored_parameters_is_kept(file: DayFile) -> None:
    ignored = cached_session(DayCache(file)).settings.ignored_parameters
    assert set(DEFAULT_IGNORED_PARAMS) <= set(ignored)
    assert "client_secret" in ignored


def test_an_old_answer_never_stands_in_for_an_error(file: DayFile) -> None:
    settings = cached_session(DayCache(file)).settings
    assert settings.stale_if_error is False
    assert settings.cache_control is False


# Killed


REFRESHER = """
    import sys
    import eyelog as el
    token = el.Token("access-token-of-tests")
    client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
    print("begun", flush=True)
    while True:
        client.standard_mode_logs("2024-03-01", "2024-03-08", refresh=True)
"""


def walk_number(_: datetime, walk: int) -> float:
    return walk


@pytest.mark.slow
@posix
def test_a_refresh_killed_at_any_moment_leaves_each_day_wholly_old_or_new(tmp_path: Path) -> None:
    script = Paged(size=8, value=walk_number, delay=0.001)
    with faulty.server(script) as there:
        token = el.Token("access-token-of-tests")
        client = el.Client(there.url, application=None, token=token, home=tmp_path)
        client.standard_mode_logs("2024-03-01", "2024-03-08")
        mixed, seen = 0, {0.0}
        for n in range(4):
            command = [sys.executable, "-c", textwrap.dedent(REFRESHER), there.url, str(tmp_path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == b"begun\n"
                before = there.count()
                while there.count() < before + 10 + 7 * n:
                    time.sleep(0.003)
                child.kill()
            offline = el.Client(there.url, application=None, home=tmp_path, offline=True)
            frame = offline.standard_mode_logs("2024-03-01", "2024-03-08")
            assert len(frame) == 8 * 24
            walks = frame["stp_s"].groupby(frame.index.date).nunique()
            assert walks.tolist() == [1] * 8
            mixed += 0 < len(seen & set(frame["stp_s"])) < 8
            seen = set(frame["stp_s"])
        assert mixed, "no kill came between two days: the test shows nothing"
