"""Tokens: issued for codes and refresh tokens; refused when used, expired, revoked or another's."""

import base64
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest
import requests

from support import live
from support.live import REDIRECT, Live
from support.login_page import PASSWORD, Browser
from support.operating import Operator
from support.replies import oauth_error

# The example of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def another(there: Live) -> dict[str, str]:
    """Register another application; return how it proves itself."""
    return dict(
        zip(("client_id", "client_secret"), there.operator.application(REDIRECT), strict=True)
    )


def is_refused(answer: requests.Response, status: int = 400, error: str = "invalid_grant") -> bool:
    return oauth_error(answer, status) == error


# For a code.


def test_a_code_gives_the_documented_token_answer(there: Live) -> None:
    answer = there.exchange(there.code("ada"))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert set(body) == {"access_token", "refresh_token", "token_type", "expires_in", "scope"}
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 30 * 24 * 3600
    assert len(body["access_token"]) >= 43
    assert there.opens(body["access_token"])


def test_a_code_used_again_is_refused_and_revokes_what_it_gave(there: Live) -> None:
    code = there.code("ada")
    tokens = there.exchange(code).json()
    newer = there.refresh(tokens["refresh_token"]).json()
    noted = there.archive / "_ended.jsonl"
    before = noted.read_text().count("\n") if noted.exists() else 0
    for _ in range(5):
        assert is_refused(there.exchange(code))
        there.revoke(tokens["refresh_token"], bearer=there.login("ada")["access_token"])
    assert noted.read_text().count("\n") == before + 1  # replays are not noted again
    assert not there.opens(tokens["access_token"])
    assert not there.opens(newer["access_token"])
    assert is_refused(there.refresh(tokens["refresh_token"]))


def test_simultaneous_uses_of_one_code_give_one_token_which_ends(there: Live) -> None:
    code = there.code("ada")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: there.exchange(code), range(8)))
    (given,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert there.why_refused(given["access_token"]) == "the access token is revoked"


def test_a_code_of_another_application_is_refused_and_not_spent_and_an_old_one_too(
    there: Live,
) -> None:
    code, old = there.code("ada"), there.code("ada")
    assert is_refused(there.exchange(code, **another(there)))
    assert there.exchange(code).status_code == 200
    there.expire_codes()
    assert is_refused(there.exchange(old))


@pytest.mark.parametrize("uri", ["http://127.0.0.1/other", "https://evil.example/callback"])
def test_a_redirect_uri_that_is_not_registered_is_refused(there: Live, uri: str) -> None:
    assert is_refused(there.exchange(there.code("ada"), redirect_uri=uri))
    assert is_refused(there.refresh(there.login("ada")["refresh_token"], redirect_uri=uri))


def test_a_code_is_bound_to_the_port_of_its_login(there: Live) -> None:
    uri = "http://127.0.0.1:5001/callback"
    code = there.operator.code("ada", there.client_id, uri)
    assert is_refused(there.exchange(code))
    assert there.exchange(code, redirect_uri=uri).status_code == 200


def test_a_code_with_a_challenge_needs_its_verifier_and_one_without_needs_none(there: Live) -> None:
    browser = Browser(there)
    asked = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    page = browser.open(redirect_uri=REDIRECT, **asked)
    sent = urlsplit(browser.send(page, password=PASSWORD).headers["Location"])
    (code,) = parse_qs(sent.query)["code"]
    for wrong in ({}, {"code_verifier": "w" * 43}, {"code_verifier": CHALLENGE}):
        assert is_refused(there.exchange(code, **wrong))
    assert there.exchange(code, code_verifier=VERIFIER).status_code == 200
    assert is_refused(there.exchange(there.code("ada"), code_verifier=VERIFIER))


# For a refresh token.


def test_a_refresh_gives_a_new_access_token_and_the_same_refresh_token(there: Live) -> None:
    first = there.login("ada")
    second = there.refresh(first["refresh_token"]).json()
    assert set(second) == set(first)
    assert second["refresh_token"] == first["refresh_token"]
    assert second["access_token"] != first["access_token"]
    assert there.opens(first["access_token"])
    assert there.opens(second["access_token"])


def test_an_expired_access_token_is_refused_and_its_refresh_token_is_not(there: Live) -> None:
    before = Counter(one["kind"] for one in there.operator.tokens())
    tokens = there.login("bea")
    there.expire_token(tokens["access_token"])
    assert "has expired" in there.why_refused(tokens["access_token"])
    listed = Counter(one["kind"] for one in there.operator.tokens())
    assert listed - before == {"refresh": 1}
    assert there.opens(there.refresh(tokens["refresh_token"]).json()["access_token"])


def test_access_and_refresh_tokens_are_not_interchangeable(there: Live) -> None:
    tokens = there.login("ada")
    assert is_refused(there.refresh(tokens["access_token"]))
    assert there.why_refused(tokens["refresh_token"]) == "the access token is unknown"


def test_a_refresh_token_of_another_application_is_refused(there: Live) -> None:
    assert is_refused(there.refresh(there.login("ada")["refresh_token"], **another(there)))


# The form, and who sends it.


@pytest.mark.parametrize("name", ["client_id", "client_secret", "redirect_uri", "code"])
def test_a_missing_or_empty_parameter_is_named(there: Live, name: str) -> None:
    for value in (None, ""):
        answer = there.token(**{"grant_type": "authorization_code", "code": "x", name: value})
        assert is_refused(answer, error="invalid_request")
        assert name in answer.json()["error_description"]
    answer = there.token(grant_type="refresh_token")
    assert is_refused(answer, error="invalid_request")
    assert "refresh_token" in answer.json()["error_description"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"grant_type": "refresh_token"}', "application/json"),
        (b"grant_type=refresh_token", "text/plain"),
        (b"grant_type=%ff&x=\xff", "application/x-www-form-urlencoded"),
        (b"&".join([b"a=1"] * 99), "application/x-www-form-urlencoded"),
        (b"grant_type=a&grant_type=b", "application/x-www-form-urlencoded"),
    ],
)
def test_a_body_that_is_not_a_valid_form_is_refused(there: Live, body: bytes, kind: str) -> None:
    answer = there.ask("/v1/oauth/token", "POST", data=body, headers={"Content-Type": kind})
    assert is_refused(answer, error="invalid_request")


def test_another_grant_type_is_not_supported(there: Live) -> None:
    assert is_refused(there.token(grant_type="password"), error="unsupported_grant_type")
    assert is_refused(there.token(), error="invalid_request")


@pytest.mark.parametrize("wrong", [{"client_secret": "x"}, {"client_id": "x"}, {"client_id": "\0"}])
def test_an_application_that_cannot_prove_itself_is_refused(there: Live, wrong: Any) -> None:
    code = there.code("ada")
    answer = there.exchange(code, **wrong)
    assert is_refused(answer, 401, "invalid_client")
    assert "WWW-Authenticate" in answer.headers
    assert there.exchange(code).status_code == 200


def _basic(client_id: str, secret: str) -> dict[str, str]:
    text = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()
    return {"Authorization": f"Basic {base64.b64encode(text).decode()}"}


def _post(there: Live, headers: dict[str, str], **form: str) -> requests.Response:
    whole = {"grant_type": "authorization_code", "redirect_uri": REDIRECT, **form}
    return there.ask("/v1/oauth/token", "POST", data=whole, headers=headers)


def test_an_application_may_prove_itself_by_http_basic_and_not_twice(there: Live) -> None:
    headers = _basic(there.client_id, there.client_secret)
    code = there.code("ada")
    for more in ({"client_secret": there.client_secret}, {"client_id": "another"}):
        assert is_refused(_post(there, headers, code=code, **more), error="invalid_request")
    answer = _post(there, headers, code=code)
    assert answer.status_code == 200, answer.text
    assert there.opens(answer.json()["access_token"])
    named = _post(there, headers, code=there.code("ada"), client_id=there.client_id)
    assert named.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        _basic("nobody", "x"),
        _basic("a:b", "c%d"),
        {"Authorization": "Basic"},
        {"Authorization": "Basic !!!"},
        {"Authorization": "basic " + base64.b64encode(b"no colon").decode()},
        {"Authorization": "Basic " + base64.b64encode(b"\xff:\xfe").decode()},
        {"Authorization": "Basic " + base64.b64encode(b"%ff:x").decode()},
    ],
)
def test_wrong_basic_credentials_are_challenged_as_basic(
    there: Live, headers: dict[str, str]
) -> None:
    answer = _post(there, headers, code="x")
    assert is_refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="eyelog"'


# What a bearer shows.


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (None, ""),
        ("Basic YTpi", ""),
        ("Digest x", ""),
        ("Bearertoken", ""),
        ("", ""),
        ("Bearer", ', error="invalid_token"'),
        ("Bearer a b", ', error="invalid_token"'),
        ('Bearer "', ', error="invalid_token"'),
        ("Bearer unknown", ', error="invalid_token"'),
    ],
)
def test_without_a_valid_bearer_token_nothing_is_revealed(
    there: Live, header: str | None, error: str
) -> None:
    headers = {} if header is None else {"Authorization": header}
    for path in ("/v2/users/me/official/computed_data", "/v2/users/me/official/standard_mode_logs"):
        # Even a broken query is not commented on.
        answer = there.ask(path, params={"x": "1"}, headers=headers)
        assert is_refused(answer, 401, "invalid_token" if error else "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith(f'Bearer realm="eyelog"{error}')
        assert error or answer.headers["WWW-Authenticate"] == 'Bearer realm="eyelog"'
    if header is None or "Basic" not in header:
        oauth_error(there.ask("/v1/oauth/revoke", "POST", headers=headers), 401)


def test_the_bearer_scheme_is_case_insensitive(there: Live, token: str) -> None:
    form, headers = {"token": "never issued"}, {"Authorization": f"bEARER {token}"}
    answer = there.ask("/v1/oauth/revoke", "POST", data=form, headers=headers)
    assert answer.status_code == 200


# How they end.


def test_a_revoked_access_token_is_refused_and_its_refresh_token_stays_valid(there: Live) -> None:
    tokens = there.login("ada")
    answer = there.revoke(tokens["access_token"], bearer=tokens["access_token"])
    assert (answer.status_code, answer.json()) == (200, {})
    assert there.why_refused(tokens["access_token"]) == "the access token is revoked"
    newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
    assert there.opens(newer)
    for known in (tokens["access_token"], "never issued"):  # RFC 7009: as if it was revoked
        again = there.revoke(known, bearer=newer)
        assert (again.status_code, again.json()) == (200, {})
    assert is_refused(there.revoke("", bearer=newer), error="invalid_request")
    assert there.opens(newer)


def test_revoking_a_refresh_token_revokes_its_access_tokens(there: Live) -> None:
    tokens, kept = there.login("ada"), there.login("ada")["access_token"]
    newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
    assert there.revoke(tokens["refresh_token"], bearer=kept).status_code == 200
    assert is_refused(there.refresh(tokens["refresh_token"]))
    assert not there.opens(tokens["access_token"])
    assert not there.opens(newer)
    assert there.opens(kept)


def test_nobody_revokes_the_token_of_another_account_or_application(there: Live) -> None:
    mine, hers = there.login("ada")["access_token"], there.login("bea")["access_token"]
    other = another(there)
    code = there.operator.code("ada", other["client_id"], REDIRECT)
    others = there.exchange(code, **other).json()["access_token"]
    for bearer in (hers, others):
        assert is_refused(there.revoke(mine, bearer=bearer), error="unauthorized_client")
    assert there.opens(mine)


def test_the_operator_ends_the_tokens_of_an_account_an_application_or_all(tmp_path: Path) -> None:
    with live.service(tmp_path / "a", {"ada": [], "bea": []}) as there:
        operator, first = there.operator, there.client_id
        second, secret = operator.application(REDIRECT, "Sleep study")
        named = {"client_id": second, "client_secret": secret}
        everything = {(account, one) for account in ("ada", "bea") for one in (first, second)}

        def log_in() -> None:
            for account in ("ada", "bea"):
                there.login(account)
                code = operator.code(account, second, REDIRECT)
                assert there.exchange(code, **named).status_code == 200

        def valid() -> set[tuple[str, str]]:
            return {(one["account"], one["client_id"]) for one in operator.tokens()}

        log_in()
        assert valid() == everything
        said = operator("revoke", "--account", "ada")
        assert said.count("ended: 1 refresh token and 1 access token of account 'ada'") == 2
        assert valid() == {("bea", first), ("bea", second)}
        operator("revoke", "--application", "Sleep study")
        assert valid() == {("bea", first)}
        log_in()
        waiting = there.code("bea")
        operator("revoke", "--account", "bea", "--application", second)
        assert valid() == everything - {("bea", second)}
        assert operator("revoke", "--all").count("ended: ") == 3
        assert valid() == set()
        assert is_refused(there.exchange(waiting))  # a code that was not exchanged yet


def test_a_token_whose_application_is_gone_from_a_damaged_state_is_refused(there: Live) -> None:
    other = another(there)
    code = there.operator.code("ada", other["client_id"], REDIRECT)
    tokens = there.exchange(code, **other).json()
    assert there.opens(tokens["access_token"])
    there.forget_application(other["client_id"])
    assert "application of the access token was removed" in there.why_refused(
        tokens["access_token"]
    )


def _may_send(there: Live, token: str) -> str:
    """Return why a token may not send records; nothing if it may."""
    answer = there.ask("/v1/records", "POST", token=token)
    assert answer.status_code in (400, 401)
    return str(answer.json()["error_description"]) if answer.status_code == 401 else ""


def test_an_upload_token_ends_with_its_account_or_after_a_year_without_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live.service(tmp_path / "a", {"una": []}) as there:
        operator, now = there.operator, time.time
        token = operator("upload-token", "una").strip()
        assert _may_send(there, token) == ""
        with monkeypatch.context() as later:
            later.setattr(time, "time", lambda: now() + 370 * 86400)
            assert "was not used for a year" in _may_send(there, token)
            assert operator.tokens() == []
        operator("disable", "una")
        assert "disabled" in _may_send(there, token)
        assert "is disabled" in operator.refused("upload-token", "una")
        operator("enable", "una")
        assert "1 upload token of account 'una'" in operator("revoke", "--account", "una")
        assert _may_send(there, token) == "the access token is revoked"


# What is done with outdated ones, and with a state that others hold.

Alter = Callable[..., None]


@pytest.fixture
def alter(operator: Operator, tmp_path: Path) -> Alter:
    """Change rows of a state with an application that has access to Ada's records."""
    operator.add("ada")

    def run(sql: str, *values: object) -> None:
        with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as db, db:
            assert db.execute(sql, values).rowcount

    return run


def test_codes_and_access_tokens_are_deleted_a_month_after_they_expired(
    operator: Operator, alter: Alter, tmp_path: Path
) -> None:
    day, now = 86400, time.time()

    def expired(days: int) -> str:
        """Return what a check says, and then starts a service, which cleans up."""
        alter("UPDATE token SET expires = ? WHERE kind = 'access'", now - days * day)
        alter("UPDATE code SET expires = ?", now - days * day)
        alter("UPDATE token SET issued = ? WHERE kind = 'refresh'", now - 700 * day)
        alter("UPDATE token SET used = ? WHERE kind = 'refresh'", now - 700 * day)
        (_, text) = operator.findings()["expired rows"]
        with live.running(tmp_path / "archive"):
            deadline = time.monotonic() + 5
            while operator.findings()["expired rows"][0] != "ok":
                assert time.monotonic() < deadline
                time.sleep(0.02)
        return text

    client_id, secret = operator.application(REDIRECT)
    code = operator.code("ada", client_id, REDIRECT)
    with live.running(tmp_path / "archive") as url:
        there = Live(url, tmp_path / "archive", client_id, secret)
        refresh = there.exchange(code).json()["refresh_token"]
    assert expired(29) == "none to delete"
    alter("DELETE FROM meta WHERE name = 'cleaned'")  # as if an hour had passed
    assert expired(31).startswith("2 to delete")
    (left,) = operator.tokens()
    assert (left["kind"], left["expires"]) == ("refresh", None)  # which does not expire
    with live.running(tmp_path / "archive") as url:
        there = Live(url, tmp_path / "archive", client_id, secret)
        assert there.refresh(refresh).status_code == 200


def test_a_state_that_another_program_reads_or_locks_delays_no_request_only_to_note_a_use(
    tmp_path: Path, patient: None
) -> None:
    with live.service(tmp_path / "a", {"ada": []}, requests_per_hour=0) as there:
        access = there.login("ada")["access_token"]
        file = there.archive / "_service.sqlite"
        for lock in ("BEGIN IMMEDIATE", "BEGIN"):
            with closing(sqlite3.connect(file, isolation_level=None)) as other:
                other.execute(lock)
                other.execute("SELECT * FROM account").fetchall()
                assert there.opens(access)
        assert all(one["last_used"] is None for one in there.operator.tokens())
        assert there.opens(access)
        assert any(one["last_used"] is not None for one in there.operator.tokens())
