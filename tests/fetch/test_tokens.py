"""Tokens: their file, the requests of the contract, one refresh for threads and processes."""

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import eyelog as el
from eyelog.fetch import oauth
from eyelog.fetch.oauth import TokenFile
from eyelog.fetch.session import fetch
from eyelog.home import home_dir
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, session_of, spent
from support.paths import TESTS

URL = "http://127.0.0.1:8765"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_shows_neither_secret():
    shown = repr(fresh()) + str(fresh())
    assert "access-token-0" not in shown
    assert "refresh-token-0" not in shown


def test_a_token_is_expired_shortly_before_its_end():
    now = datetime.now(UTC)
    assert el.Token("a", expires_at=now + timedelta(seconds=5)).expired()
    assert not el.Token("a", expires_at=now + timedelta(seconds=15)).expired()
    assert not el.Token("a", expires_at=now + timedelta(seconds=5)).expired(timedelta(0))
    assert not el.Token("a").expired()


@pytest.mark.parametrize(
    "values",
    [
        {"access_token": ""},
        {"access_token": "two words"},
        {"access_token": "line\r\nX-Evil: 1"},
        {"access_token": None},
        {"access_token": 7},
        {"access_token": "a", "refresh_token": "b\n"},
        {"access_token": "a", "token_type": "mac"},
        {"access_token": "a", "expires_at": 1_900_000_000.0},
        {"access_token": "a", "expires_at": "2036-01-01T00:00:00Z"},
        {"access_token": "a", "expires_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - naive on purpose
    ],
)
def test_an_invalid_token_is_refused_without_being_shown(values):
    with pytest.raises(el.ConfigurationError) as caught:
        el.Token(**values)
    assert "Evil" not in str(caught.value)


def test_a_saved_token_is_loaded(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    assert store.load() is None
    store.save(fresh())
    saved = fresh(access_token="second", expires_at=None)
    store.save(saved)
    assert store.load() == saved
    store.delete()
    store.delete()
    assert store.load() is None


def test_the_file_is_0600_in_a_0700_folder_whatever_the_umask(home):
    old = os.umask(0)
    try:
        store = TokenFile(home_dir(), "me", URL)
        store.save(fresh())
        with store.lock():
            pass
    finally:
        os.umask(old)
    assert mode(home) == 0o700
    assert mode(store.path.parent) == 0o700
    assert {mode(each) for each in store.path.parent.iterdir()} == {0o600}


def test_a_file_open_to_others_is_closed_with_a_warning(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    store.path.chmod(0o644)
    with pytest.warns(el.EyelogWarning, match="now 0600"):
        store.load()
    assert mode(store.path) == 0o600
    store.load()


def test_each_account_and_service_has_its_own_file(tmp_path):
    names = [
        ("me", URL),
        ("Me", URL),
        ("a/b", URL),
        ("a_b", URL),
        ("me", URL + "/lab"),
        ("眼", URL),
    ]
    stores = [TokenFile(tmp_path, *each) for each in names]
    for i, store in enumerate(stores):
        store.save(fresh(access_token=f"token-{i}"))
    assert [store.load().access_token for store in stores] == [f"token-{i}" for i in range(6)]
    assert {store.path.parent for store in stores} == {tmp_path / "tokens"}


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"access_token": "a"}', "\x00"])
def test_a_damaged_file_says_to_log_in_again(tmp_path, content):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    store.path.write_text(content)
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        store.load()
    store.save(fresh())
    assert store.load().access_token == "access-token-0"
    other = TokenFile(tmp_path, "other", URL)
    other.path.write_bytes(store.path.read_bytes())
    other.path.chmod(0o600)
    with pytest.raises(el.AuthorizationError, match="damaged"):
        other.load()
    assert credentials(tmp_path, URL, account="other").forget()
    assert not other.path.exists()


def test_a_symbolic_link_is_neither_read_nor_written_through(tmp_path):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())
    target = tmp_path / "elsewhere.json"
    store.path.rename(target)
    store.path.symlink_to(target)
    with pytest.raises(el.ConfigurationError, match="symbolic link"):
        store.load()
    before = target.read_bytes()
    store.save(fresh(access_token="second"))
    assert target.read_bytes() == before
    assert not store.path.is_symlink()


def test_nothing_is_left_behind_if_saving_fails(tmp_path, monkeypatch):
    store = TokenFile(tmp_path, "me", URL)
    store.save(fresh())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(oauth.os, "fsync", full)
    with pytest.raises(el.ConfigurationError, match="No space left"):
        store.save(fresh(access_token="second"))
    monkeypatch.undo()
    assert [each.name for each in store.path.parent.iterdir()] == [store.path.name]
    assert store.load().access_token == "access-token-0"


def test_the_lock_keeps_others_out_and_gives_up_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(oauth, "LOCK_SECONDS", 0.2)
    errors = []

    def other() -> None:
        try:
            with TokenFile(tmp_path, "me", URL).lock():
                pass
        except el.Unreachable as fault:
            errors.append(fault)

    with TokenFile(tmp_path, "me", URL).lock():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert errors[0].retryable
    with TokenFile(tmp_path, "me", URL).lock():
        pass


FORM = {
    "redirect_uri": authority.REDIRECT_URI,
    "client_id": authority.CLIENT_ID,
    "client_secret": authority.CLIENT_SECRET,
}


pytestmark = pytest.mark.usefixtures("quick")


def near(ends: datetime | None, seconds: float) -> bool:
    assert ends is not None
    return abs(ends - datetime.now(UTC) - timedelta(seconds=seconds)) < timedelta(seconds=20)


# The three requests
def test_a_code_is_exchanged_as_the_contract_says_and_the_token_saved(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url)
        token = who.exchange(f" {authority.CODE}\n", code_verifier="v" * 43)
        (seen,) = there.requests
    assert (seen.method, seen.path, seen.query) == ("POST", "/v1/oauth/token", {})
    assert seen.form == FORM | {
        "grant_type": "authorization_code",
        "code": authority.CODE,
        "code_verifier": "v" * 43,
    }
    assert seen.headers["accept"] == "application/json"
    assert seen.headers["content-type"] == "application/x-www-form-urlencoded"
    assert "authorization" not in seen.headers
    assert near(token.expires_at, 2_592_000)
    assert (token.token_type, token.scope) == ("bearer", "all")
    assert who.store.load() == token == who.token


def test_a_refresh_sends_the_redirect_uri_too(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        token = who.refresh()
        (seen,) = there.requests
    assert seen.form == FORM | {"grant_type": "refresh_token", "refresh_token": "refresh-token-0"}
    assert seen.headers["accept"] == "application/json"
    assert "authorization" not in seen.headers
    assert who.store.load() == token


@pytest.mark.parametrize("whole_grant", [True, False])
def test_revoking_ends_the_refresh_token_and_the_access_token(home, whole_grant):
    known = Authority(live={"access-token-0"}, whole_grant=whole_grant)
    with faulty.server(known) as there:
        who = credentials(home, there.url, saved=fresh())
        who.revoke()
        for seen in there.requests:
            assert (seen.method, seen.path) == ("POST", "/v1/oauth/revoke")
            assert seen.bearer == "access-token-0"
            assert seen.headers["accept"] == "application/json"
            assert seen.headers["content-type"] == "application/x-www-form-urlencoded"
        assert [seen.form for seen in there.requests] == [
            {"token": "refresh-token-0"},
            {"token": "access-token-0"},
        ]
        assert known.live == set()
        assert known.refresh_token != "refresh-token-0"
        assert who.store.load() is None
        with pytest.raises(el.AuthorizationError, match="eyelog login"):
            who.bearer()
        with pytest.raises(el.AuthorizationError, match="eyelog login"):
            who.revoke()
        assert len(there.requests) == 2


@pytest.mark.parametrize("saved", [spent(), fresh()])
def test_an_access_token_that_has_ended_does_not_keep_the_refresh_token_alive(home, saved):
    with faulty.server(known := Authority()) as there:  # which knows of no access token
        who = credentials(home, there.url, saved=saved)
        who.revoke()
    assert known.issued == 1
    assert (known.live, known.refresh_token) == (set(), "none: revoked")
    assert who.store.load() is None


def test_a_grant_that_the_service_no_longer_knows_counts_as_revoked(home):
    with faulty.server(Authority(refresh_token="another")) as there:
        who = credentials(home, there.url, saved=spent())
        who.revoke()
    assert who.store.load() is None


@pytest.mark.parametrize(
    ("answer", "have", "says"),
    [
        (faulty.error(400, "invalid_client", "who?"), {"saved": spent()}, "EYELOG_CLIENT_ID"),
        (faulty.error(400, "invalid_client", "who?"), {"saved": fresh()}, "EYELOG_CLIENT_ID"),
        (Authority(), {"saved": spent(), "application": None}, "EYELOG_CLIENT_ID"),
        (faulty.error(500), {"saved": fresh()}, "cannot revoke"),
    ],
)
def test_a_token_that_could_not_be_revoked_is_kept(home, answer, have, says):
    with faulty.server(answer) as there:
        who = credentials(home, there.url, **have)
        with pytest.raises(el.RequestError, match=says):
            who.revoke()
    assert who.store.load() == have["saved"]


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [
        *((3600, 3600), ("3600", 3600), (3600.5, 3600), (-5, 0)),
        *((strange, None) for strange in (None, "soon", [], {}, 10**30)),
    ],
)
def test_the_end_of_a_token_is_counted_from_now_and_a_strange_one_unknown(
    home, expires_in, seconds
):
    with faulty.server(Authority(expires_in=expires_in)) as there:
        end = credentials(home, there.url, saved=spent()).refresh().expires_at
    assert end is None if seconds is None else near(end, seconds)


def test_an_answer_without_a_refresh_token_keeps_the_old_one(home):
    with faulty.server(Authority(with_refresh_token=False)) as there:
        who = credentials(home, there.url, saved=spent())
        assert who.refresh().refresh_token == "refresh-token-0"
        assert who.store.load().refresh_token == "refresh-token-0"


# What goes wrong
@pytest.mark.parametrize(
    ("answer", "kind", "final"),
    [
        (faulty.error(400, "invalid_grant", "it has been used"), el.AuthorizationError, True),
        (faulty.error(401, "invalid_client", "who?"), el.AuthorizationError, True),
        (faulty.error(400, "invalid_client", "who?"), el.AuthorizationError, True),
        (faulty.error(200, "invalid_grant", "it has been used"), el.AuthorizationError, True),
        (faulty.error(400, "invalid_request", "no"), el.Refused, False),
        (faulty.error(403, "access_denied", "no"), el.Refused, False),
        (faulty.html(404), el.Refused, False),
        (faulty.error(429, retry_after="61"), el.RateLimited, False),
        (faulty.error(500), el.ServerFault, False),
        (faulty.error(503), el.ServerFault, False),
        (faulty.html(200), el.AnswerError, False),
        (faulty.empty(200), el.AnswerError, False),
        (faulty.answer({"token_type": "bearer"}), el.AnswerError, False),
        (faulty.answer({"access_token": 7}), el.AnswerError, False),
        (faulty.answer({"access_token": "a b"}), el.AnswerError, False),
        (faulty.answer({"access_token": "a", "token_type": "mac"}), el.AnswerError, False),
        (faulty.answer([1]), el.AnswerError, False),
        (faulty.half({"access_token": "abc"}), el.Unreachable, False),
        (faulty.RESET, el.Unreachable, False),
        (faulty.Answer(302, b"", {"Location": "http://localhost:1/"}), el.Refused, False),
    ],
)
def test_a_failed_refresh_is_a_typed_error_and_only_a_refusal_is_final(home, answer, kind, final):
    with faulty.server(answer) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(kind) as caught:
            who.bearer()
        asked = len(there.requests)
        with pytest.raises(kind):
            who.bearer()
        assert (len(there.requests) == asked) is final
    assert who.store.load() is not None
    assert "me" in str(caught.value)
    for secret in ("refresh-token-0", "access-token-0", authority.CLIENT_SECRET):
        assert secret not in str(caught.value)
    if kind is el.AuthorizationError:
        assert "eyelog login" in str(caught.value)


def test_a_busy_token_endpoint_is_asked_again_but_a_lost_answer_is_not(home):
    good = faulty.answer({"access_token": "good", "token_type": "Bearer", "expires_in": 60_000})
    busy = faulty.error(503, retry_after="0")
    with faulty.server(busy, faulty.error(429), good) as there:
        assert credentials(home, there.url, saved=spent()).bearer() == "good"
    # With a lost answer the refresh token may be spent: sending it again is the user's choice.
    with faulty.server(faulty.error(500), good) as there:
        with pytest.raises(el.ServerFault):
            credentials(home, there.url, saved=spent()).bearer()
        assert len(there.requests) == 1


def test_a_refresh_whose_answer_could_not_be_read_in_time_is_not_sent(home, monkeypatch):
    monkeypatch.setattr("eyelog.fetch.session.TOTAL_TIMEOUT_S", 1.0)
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(el.Unreachable):
            who.bearer()
        assert there.requests == []


def test_a_final_refusal_is_shared_and_ends_with_a_new_login_here_or_elsewhere(home):
    known = Authority(refresh_token="another", live={"new"}, delay=0.05)
    with faulty.server(known) as there:
        who = credentials(home, there.url, saved=spent(), account="anna")

        def refused(_: int) -> str:
            with pytest.raises(el.AuthorizationError, match="invalid_grant") as caught:
                who.bearer()
            return str(caught.value)

        with ThreadPoolExecutor(32) as pool:
            said = set(pool.map(refused, range(32)))
        assert len(there.requests) == 1
        assert all("run `eyelog login --account anna`" in text for text in said)
        assert all("refresh-token-0" not in text for text in said)
        TokenFile(home, "anna", there.url).save(el.Token("new", "another"))
        assert who.bearer() == "new"
        who.exchange(authority.CODE)
        assert who.bearer() == "access-token-1"


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
    who = credentials(home, "http://127.0.0.1:9", account="anna maria", **have)
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        who.bearer()
    assert (home / "tokens").exists() is ("saved" in have)


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


def test_a_refused_token_is_renewed_by_the_command_of_its_account(home):
    refusals = faulty.error(401, "invalid_token", "no")
    with faulty.server(refusals) as there:
        who = credentials(home, there.url, account="anna", saved=fresh(refresh_token=None))
        with pytest.raises(el.AuthorizationError, match="run `eyelog login --account anna`"):
            fetch(session_of(who), f"{there.url}/v2/x", where="a day")
