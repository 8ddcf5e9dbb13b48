"""Exchange, refresh and revoke as the contract has them; one refresh for everybody."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from eyelog.access.auth.application import Application, authorize_url
from eyelog.access.auth.tokens import Token, TokenStore
from eyelog.access.environment import application_from_environment, login_page_from_environment
from eyelog.access.http import adapter
from eyelog.access.http.session import fetch
from eyelog.errors import (
    AnswerError,
    AuthorizationError,
    ConfigurationError,
    EyelogWarning,
    RateLimited,
    Refused,
    ServerFault,
    Unreachable,
)
from support import authority, faulty
from support.access import APPLICATION, credentials, fresh, session_of, spent
from support.authority import Authority
from support.paths import TESTS

FORM = {
    "redirect_uri": authority.REDIRECT_URI,
    "client_id": authority.CLIENT_ID,
    "client_secret": authority.CLIENT_SECRET,
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(adapter, "BACKOFF", 0.01)


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


def test_revoking_sends_the_bearer_and_forgets_the_token(home):
    with faulty.server(Authority(live={"access-token-0"})) as there:
        who = credentials(home, there.url, saved=fresh())
        who.revoke()
        (seen,) = there.requests
        assert (seen.method, seen.path) == ("POST", "/v1/oauth/revoke")
        assert seen.form == {"token": "access-token-0"}
        assert seen.bearer == "access-token-0"
        assert seen.headers["accept"] == "application/json"
        assert seen.headers["content-type"] == "application/x-www-form-urlencoded"
        assert who.store.load() is None
        with pytest.raises(AuthorizationError, match="eyelog login"):
            who.bearer()
        with pytest.raises(AuthorizationError, match="eyelog login"):
            who.revoke()
        assert len(there.requests) == 1


def test_a_token_the_service_no_longer_knows_is_as_good_as_revoked(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        who.revoke()
    assert who.store.load() is None


def test_a_token_that_could_not_be_revoked_is_kept(home):
    with faulty.server(faulty.error(500)) as there:
        who = credentials(home, there.url, saved=fresh())
        with pytest.raises(ServerFault, match="cannot revoke"):
            who.revoke()
    assert who.store.load() == fresh(expires_at=who.store.load().expires_at)


def test_an_answer_without_a_refresh_token_keeps_the_old_one(home):
    with faulty.server(Authority(with_refresh_token=False)) as there:
        who = credentials(home, there.url, saved=spent())
        assert who.refresh().refresh_token == "refresh-token-0"
        assert who.store.load().refresh_token == "refresh-token-0"


def test_a_rotated_refresh_token_is_kept_and_used_next(home):
    with faulty.server(Authority(rotate=True)) as there:
        who = credentials(home, there.url, saved=spent())
        assert who.refresh().refresh_token == "refresh-token-1"
        assert who.store.load().refresh_token == "refresh-token-1"
        assert who.refresh().access_token == "access-token-2"


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [(3600, 3600), ("3600", 3600), (3600.5, 3600), (-5, 0)],
)
def test_the_end_of_a_token_is_reckoned_from_now(home, expires_in, seconds):
    with faulty.server(Authority(expires_in=expires_in)) as there:
        end = credentials(home, there.url, saved=spent()).refresh().expires_at
    assert near(end, seconds)


@pytest.mark.parametrize("expires_in", [None, "soon", [], {}, 10**30])
def test_a_strange_expiry_is_unknown_rather_than_a_lost_token(home, expires_in):
    with faulty.server(Authority(expires_in=expires_in)) as there:
        assert credentials(home, there.url, saved=spent()).refresh().expires_at is None


# What goes wrong


@pytest.mark.parametrize(
    ("answer", "kind", "final"),
    [
        (faulty.error(400, "invalid_grant", "it has been used"), AuthorizationError, True),
        (faulty.error(401, "invalid_client", "who?"), AuthorizationError, True),
        (faulty.error(400, "invalid_client", "who?"), AuthorizationError, True),
        (faulty.error(200, "invalid_grant", "it has been used"), AuthorizationError, True),
        (faulty.error(400, "invalid_request", "no"), Refused, False),
        (faulty.error(403, "access_denied", "no"), Refused, False),
        (faulty.html(404), Refused, False),
        (faulty.error(429, retry_after="61"), RateLimited, False),
        (faulty.error(500), ServerFault, False),
        (faulty.error(503), ServerFault, False),
        (faulty.html(200), AnswerError, False),
        (faulty.empty(200), AnswerError, False),
        (faulty.answer({"token_type": "bearer"}), AnswerError, False),
        (faulty.answer({"access_token": 7}), AnswerError, False),
        (faulty.answer({"access_token": "a b"}), AnswerError, False),
        (faulty.answer({"access_token": "a", "token_type": "mac"}), AnswerError, False),
        (faulty.answer([1]), AnswerError, False),
        (faulty.half({"access_token": "abc"}), Unreachable, False),
        (faulty.RESET, Unreachable, False),
        (faulty.Answer(302, b"", {"Location": "http://localhost:1/"}), Refused, False),
    ],
)
def test_a_failed_refresh_is_a_typed_error_and_only_a_refusal_is_final(home, answer, kind, final):
    with faulty.server(answer) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(kind) as told:
            who.bearer()
        asked = len(there.requests)
        with pytest.raises(kind):
            who.bearer()
        assert (len(there.requests) == asked) is final
    assert who.store.load() is not None
    assert "me" in str(told.value)
    for secret in ("refresh-token-0", "access-token-0", authority.CLIENT_SECRET):
        assert secret not in str(told.value)
    if kind is AuthorizationError:
        assert "eyelog login" in str(told.value)


def test_a_final_refusal_ends_with_a_new_login(home):
    with faulty.server(Authority(refresh_token="another")) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(AuthorizationError, match="invalid_grant") as told:
            who.bearer()
        assert "refresh-token-0" not in str(told.value)
        who.exchange(authority.CODE)
        assert who.bearer() == "access-token-1"


def test_a_login_in_another_process_is_seen_after_a_final_refusal(home):
    with faulty.server(Authority(refresh_token="another", live={"new"})) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(AuthorizationError):
            who.bearer()
        TokenStore(home, "me", there.url).save(Token("new", "another"))
        assert who.bearer() == "new"


def test_a_network_error_is_not_final(home):
    good = faulty.answer({"access_token": "good", "token_type": "Bearer", "expires_in": 60_000})
    with faulty.server(faulty.RESET, good) as there:
        who = credentials(home, there.url, saved=spent())
        with pytest.raises(Unreachable) as told:
            who.bearer()
        assert told.value.retryable
        assert who.bearer() == "good"


def test_a_busy_token_endpoint_is_asked_again_but_a_lost_answer_is_not(home):
    good = faulty.answer({"access_token": "good", "token_type": "Bearer", "expires_in": 60_000})
    busy = faulty.error(503, retry_after="0")
    with faulty.server(busy, faulty.error(429), good) as there:
        assert credentials(home, there.url, saved=spent()).bearer() == "good"
    # With a lost answer the refresh token may be spent: sending it again is the user's choice.
    with faulty.server(faulty.error(500), good) as there:
        with pytest.raises(ServerFault):
            credentials(home, there.url, saved=spent()).bearer()
        assert len(there.requests) == 1


@pytest.mark.parametrize(
    "have",
    [
        {},
        {"saved": spent(refresh_token=None)},
        {"token": spent(refresh_token=None)},
        {"saved": spent(), "application": None},
    ],
)
def test_what_cannot_be_renewed_says_to_log_in(home, have):
    who = credentials(home, "http://127.0.0.1:9", **have)
    with pytest.raises(AuthorizationError, match="eyelog login"):
        who.bearer()


def test_the_login_to_run_names_the_account(home):
    with pytest.raises(AuthorizationError, match="`eyelog login --account 'anna k'`"):
        credentials(home, "http://127.0.0.1:9", account="anna k").bearer()


def test_plain_http_to_another_machine_warns(home):
    with pytest.warns(EyelogWarning, match="plain http"):
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

        def full(token: Token) -> None:
            raise ConfigurationError(f"disk full{token.scope[:0]}")

        monkeypatch.setattr(who.store, "save", full)
        with pytest.warns(EyelogWarning, match="could not be saved"):
            assert who.bearer() == "access-token-1"
        assert who.bearer() == "access-token-1"
        assert who.bearer(rejected="access-token-1") == "access-token-2"


def test_a_folder_that_cannot_be_written_is_met_before_the_refresh_not_after_it(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=spent())
        who.store.path.with_suffix(".lock").mkdir()
        with pytest.raises(ConfigurationError, match="cannot lock"):
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
from support.access import credentials, session_of
from eyelog.access.http.session import fetch
who = credentials(Path(sys.argv[1]), sys.argv[2])
session = session_of(who)
before = who.token
print("ready", flush=True)
sys.stdin.readline()
print(fetch(session, sys.argv[2] + authority.DATA, where="data").status_code, flush=True)
"""


@pytest.mark.parametrize("known", [True, False])
def test_eight_processes_make_one_refresh(home, known):
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
            for _ in range(8)
        ]
        assert [child.stdout.readline() for child in children] == ["ready\n"] * 8
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [child.communicate(timeout=60)[0] for child in children] == ["200\n"] * 8
        assert there.count(path="/v1/oauth/token") == 1
        assert who.store.load().refresh_token == "refresh-token-1"


def test_thirty_two_threads_hear_one_final_refusal(home):
    with faulty.server(Authority(refresh_token="another", delay=0.05)) as there:
        who = credentials(home, there.url, saved=spent())

        def one(_: int) -> type:
            try:
                who.bearer()
            except AuthorizationError as fault:
                return type(fault)
            return str

        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(one, range(32))) == {AuthorizationError}
        assert len(there.requests) == 1


# Application and authorization address


def test_an_application_hides_its_secret():
    assert authority.CLIENT_SECRET not in repr(APPLICATION)


@pytest.mark.parametrize(
    "values", [("", "s", "http://127.0.0.1/"), ("i", " ", "http://127.0.0.1/")]
)
def test_an_application_needs_all_its_parts(values):
    with pytest.raises(ConfigurationError, match="is empty"):
        Application(*values)


def test_the_application_comes_from_the_environment_whole_or_not_at_all(monkeypatch):
    assert application_from_environment() is None
    monkeypatch.setenv("EYELOG_CLIENT_ID", "i")
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", "hunter22")
    with pytest.raises(ConfigurationError, match="EYELOG_REDIRECT_URI not set") as told:
        application_from_environment()
    assert "hunter22" not in str(told.value)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", "http://127.0.0.1:1/")
    assert application_from_environment() == Application("i", "hunter22", "http://127.0.0.1:1/")


def test_the_authorization_address_carries_state_and_challenge():
    url = authorize_url("https://h", APPLICATION, state="a b", code_challenge="c")
    assert url == (
        "https://h/v1/oauth/authorize?response_type=code&client_id=client-of-tests"
        "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&state=a+b&code_challenge=c"
        "&code_challenge_method=S256"
    )


def test_the_authorization_page_and_its_extra_parameters_are_configurable(monkeypatch):
    monkeypatch.setenv("EYELOG_AUTHORIZE_URL", "https://login.example/go?service_id=s%26t&v")
    page = login_page_from_environment()
    url = authorize_url("https://h", APPLICATION, state="s", code_challenge="c", page=page)
    assert url.startswith("https://login.example/go?response_type=code&")
    assert url.endswith("&service_id=s%26t&v=")


@pytest.mark.parametrize("page", ["https://l/?state=x", "ftp://l", "nonsense", "https://u:p@l/"])
def test_an_authorization_page_that_cannot_work_is_refused(page):
    with pytest.raises(ConfigurationError):
        authorize_url("https://h", APPLICATION, state="s", code_challenge="c", page=page)
