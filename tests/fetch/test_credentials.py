"""One token for all threads and processes, renewed once."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import eyelog as el
from eyelog.fetch.oauth import TokenFile
from eyelog.fetch.session import fetch
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, session_of, spent
from support.paths import TESTS

pytestmark = pytest.mark.usefixtures("quick")


def test_a_token_that_could_not_be_revoked_is_kept(home):
    with faulty.server(faulty.error(500)) as there:
        who = credentials(home, there.url, saved=fresh())
        with pytest.raises(el.ServerFault, match="cannot revoke"):
            who.revoke()
    assert who.store.load() == fresh(expires_at=who.store.load().expires_at)


def test_without_a_token_nothing_is_created_and_the_command_to_log_in_names_the_account(home):
    who = credentials(home, "http://127.0.0.1:9", account="anna maria")
    with pytest.raises(el.AuthorizationError, match="eyelog login --account 'anna maria'"):
        who.bearer()
    assert not (home / "tokens").exists()


def test_a_refused_token_is_renewed_by_the_command_of_its_account(home):
    refusals = faulty.error(401, "invalid_token", "no")
    with faulty.server(refusals) as there:
        who = credentials(home, there.url, account="anna", saved=fresh(refresh_token=None))
        with pytest.raises(el.AuthorizationError, match="run `eyelog login --account anna`"):
            fetch(session_of(who), f"{there.url}/v2/x", where="a day")


def test_a_refresh_whose_answer_could_not_be_read_in_time_is_not_sent(home, monkeypatch):
    monkeypatch.setattr("eyelog.fetch.session.TOTAL_TIMEOUT_S", 1.0)
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(el.Unreachable):
            who.bearer()
        assert there.requests == []


def test_a_damaged_token_file_can_be_forgotten(home):
    who = credentials(home, "http://127.0.0.1:9", saved=fresh())
    who.store.path.write_text("{")
    assert who.forget()
    assert not who.store.path.exists()


def test_a_rotated_refresh_token_is_kept_and_used_next(home):
    with faulty.server(Authority(rotate=True)) as there:
        who = credentials(home, there.url, saved=spent())
        assert who.refresh().refresh_token == "refresh-token-1"
        assert who.store.load().refresh_token == "refresh-token-1"
        assert who.refresh().access_token == "access-token-2"


def test_a_final_refusal_ends_with_a_new_login(home):
    with faulty.server(Authority(refresh_token="another")) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(el.AuthorizationError, match="invalid_grant") as caught:
            who.bearer()
        assert "refresh-token-0" not in str(caught.value)
        who.exchange(authority.CODE)
        assert who.bearer() == "access-token-1"


def test_a_login_in_another_process_is_seen_after_a_final_refusal(home):
    with faulty.server(Authority(refresh_token="another", live={"new"})) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(el.AuthorizationError):
            who.bearer()
        TokenFile(home, "me", there.url).save(el.Token("new", "another"))
        assert who.bearer() == "new"


def test_a_network_error_is_not_final(home):
    good = faulty.answer({"access_token": "good", "token_type": "Bearer", "expires_in": 60_000})
    with faulty.server(faulty.RESET, good) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(el.Unreachable) as caught:
            who.bearer()
        assert caught.value.retryable
        assert who.bearer() == "good"


@pytest.mark.parametrize(
    "have",
    [
        {},
        {"saved": spent(refresh_token=None)},
        {"token": spent(refresh_token=None)},
        {"saved": spent(), "application": None},
    ],
)
def test_a_token_that_cannot_be_renewed_says_to_log_in(home, have):
    who = credentials(home, "http://127.0.0.1:9", **have)
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        who.bearer()


def test_the_login_to_run_names_the_account(home):
    with pytest.raises(el.AuthorizationError, match="`eyelog login --account 'anna k'`"):
        credentials(home, "http://127.0.0.1:9", account="anna k").bearer()


def test_plain_http_to_another_machine_warns(home):
    with pytest.warns(el.EyelogWarning, match="plain http"):
        credentials(home, "http://lab.example")


def test_a_missing_token_file_is_no_error_until_it_is_needed(home):
    who = credentials(home, "http://127.0.0.1:9")
    assert who.token is None
    assert not home.exists()


def test_a_given_token_wins_over_the_file_and_stays_in_memory(home):
    with faulty.server(Authority(rotate=True)) as there:
        saved = fresh(access_token="of-the-file")
        who = credentials(home, there.url, saved=saved, token=spent())
        assert who.bearer() == "access-token-1"
        assert who.token.refresh_token == "refresh-token-1"
        assert who.store.load() == saved


def test_a_refreshed_token_that_cannot_be_saved_still_serves_this_process(home, monkeypatch):
    with faulty.server(Authority(rotate=True)) as there:
        who = credentials(home, there.url, saved=spent())

        def full(token: el.Token) -> None:
            raise el.ConfigurationError(f"disk full{token.scope[:0]}")

        monkeypatch.setattr(who.store, "save", full)
        with pytest.warns(el.EyelogWarning, match="could not be saved"):
            assert who.bearer() == "access-token-1"
        assert who.bearer() == "access-token-1"
        assert who.bearer(rejected="access-token-1") == "access-token-2"


def test_a_folder_that_cannot_be_written_is_met_before_the_refresh_not_after_it(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        who.store.path.with_suffix(".lock").mkdir()
        with pytest.raises(el.ConfigurationError, match="cannot lock"):
            who.bearer()
        assert there.requests == []


# One refresh for everybody


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("known", [True, False])
def test_thirty_two_threads_make_one_refresh(home, rotate, known):
    """Both where the end is known beforehand and where it is met on a 401."""
    with faulty.server(Authority(rotate=rotate, delay=0.1)) as there:
        who = credentials(home, there.url, saved=spent() if known else fresh())
        session = session_of(who, workers=32)
        barrier = threading.Barrier(32)

        def one(_: int) -> int:
            barrier.wait()
            return fetch(session, there.url + authority.DATA, where="data").status_code

        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(one, range(32))) == {200}
        session.close()
        assert there.count(path="/v1/oauth/token") == 1
        assert there.count(path=authority.DATA) <= (32 if known else 64)


CHILD = """
import sys
from pathlib import Path
from support import authority
from support.fetching import credentials, session_of
from eyelog.fetch.session import fetch
who = credentials(Path(sys.argv[1]), sys.argv[2])
session = session_of(who)
before = who.token
print("ready", flush=True)
sys.stdin.readline()
print(fetch(session, sys.argv[2] + authority.DATA, where="data").status_code, flush=True)
"""


@pytest.mark.slow("four processes race")
@pytest.mark.parametrize("known", [True, False])
def test_four_processes_make_one_refresh(home, known):
    with faulty.server(Authority(rotate=True, delay=0.3)) as there:
        who = credentials(home, there.url, saved=spent() if known else fresh())
        children = [
            subprocess.Popen(
                [sys.executable, "-W", "error", "-c", CHILD, str(home), there.url],
                cwd=TESTS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(4)
        ]
        assert [child.stdout.readline() for child in children] == ["ready\n"] * 4
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [child.communicate(timeout=60)[0] for child in children] == ["200\n"] * 4
        assert there.count(path="/v1/oauth/token") == 1
        assert who.store.load().refresh_token == "refresh-token-1"


def test_thirty_two_threads_share_one_final_refusal(home):
    with faulty.server(Authority(refresh_token="another", delay=0.05)) as there:
        who = credentials(home, there.url, saved=spent())

        def one(_: int) -> type:
            try:
                who.bearer()
            except el.AuthorizationError as fault:
                return type(fault)
            return str

        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(one, range(32))) == {el.AuthorizationError}
        assert len(there.requests) == 1
