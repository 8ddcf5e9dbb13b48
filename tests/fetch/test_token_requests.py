"""Exchange, refresh and revoke are sent as the contract says."""

from datetime import UTC, datetime, timedelta

import pytest

import eyelog as el
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, spent

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


@pytest.mark.parametrize("saved", [spent(), fresh()])
def test_a_token_stays_if_the_service_refuses_the_application_that_revokes_it(home, saved):
    with faulty.server(faulty.error(400, "invalid_client", "who?")) as there:
        who = credentials(home, there.url, saved=saved)
        with pytest.raises(el.AuthorizationError, match="EYELOG_CLIENT_ID"):
            who.revoke()
    assert who.store.load() is not None


def test_without_its_application_an_expired_token_is_kept_and_the_reason_said(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, application=None, saved=spent())
        with pytest.raises(el.AuthorizationError, match="EYELOG_CLIENT_ID"):
            who.revoke()
    assert who.store.load() is not None


def test_an_answer_without_a_refresh_token_keeps_the_old_one(home):
    with faulty.server(Authority(with_refresh_token=False)) as there:
        who = credentials(home, there.url, saved=spent())
        assert who.refresh().refresh_token == "refresh-token-0"
        assert who.store.load().refresh_token == "refresh-token-0"


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [(3600, 3600), ("3600", 3600), (3600.5, 3600), (-5, 0)],
)
def test_the_end_of_a_token_is_counted_from_now(home, expires_in, seconds):
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
