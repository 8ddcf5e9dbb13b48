"""Tokens: issued for codes and refresh tokens; refused when used, expired, revoked or another's."""

import base64
import hashlib
from typing import Any
from urllib.parse import quote_plus

import pytest
import requests

from support.live import REDIRECT, STANDARD, Live
from support.replies import oauth_error

RANGE = ("2026-10-24T00:00:00Z", "2026-10-24T00:10:00Z")


VERIFIER = "v" * 43


CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]


def _opens(there: Live, access_token: str) -> bool:
    return there.get(STANDARD, *RANGE, token=access_token).status_code == 200


def test_a_code_gives_the_documented_token_answer(there: Live) -> None:
    answer = there.exchange(there.code("ada"))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert set(body) == {"access_token", "refresh_token", "token_type", "expires_in", "scope"}
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 30 * 24 * 3600
    assert len(body["access_token"]) >= 43
    assert _opens(there, body["access_token"])


def test_a_code_used_again_is_refused_and_revokes_what_it_gave(there: Live) -> None:
    code = there.code("ada")
    tokens = there.exchange(code).json()
    newer = there.refresh(tokens["refresh_token"]).json()
    assert oauth_error(there.exchange(code), 400) == "invalid_grant"
    assert not _opens(there, tokens["access_token"])
    assert not _opens(there, newer["access_token"])
    assert oauth_error(there.refresh(tokens["refresh_token"]), 400) == "invalid_grant"


def test_a_code_expires(there: Live) -> None:
    code = there.code("ada")
    there.expire_codes()
    assert oauth_error(there.exchange(code), 400) == "invalid_grant"


def test_a_code_of_another_application_is_refused_and_not_spent(there: Live) -> None:
    code = there.code("ada")
    client_id, secret = there.registry.applications.add(REDIRECT)
    other = {"client_id": client_id, "client_secret": secret}
    assert oauth_error(there.exchange(code, **other), 400) == "invalid_grant"
    assert there.exchange(code).status_code == 200


@pytest.mark.parametrize("uri", ["http://127.0.0.1/other", "https://evil.example/callback"])
def test_a_redirect_uri_that_is_not_registered_is_refused(there: Live, uri: str) -> None:
    assert oauth_error(there.exchange(there.code("ada"), redirect_uri=uri), 400) == "invalid_grant"
    refresh = there.login("ada")["refresh_token"]
    assert oauth_error(there.refresh(refresh, redirect_uri=uri), 400) == "invalid_grant"


def test_a_code_is_bound_to_the_port_of_its_login(there: Live) -> None:
    uri = "http://127.0.0.1:5001/callback"
    code = there.registry.grants.issue_code("ada", there.client_id, uri)
    assert oauth_error(there.exchange(code), 400) == "invalid_grant"
    assert there.exchange(code, redirect_uri=uri).status_code == 200


def test_a_code_with_a_challenge_needs_its_verifier(there: Live) -> None:
    code = there.code("ada", challenge=CHALLENGE)
    assert oauth_error(there.exchange(code), 400) == "invalid_grant"
    assert oauth_error(there.exchange(code, code_verifier="w" * 43), 400) == "invalid_grant"
    assert oauth_error(there.exchange(code, code_verifier=CHALLENGE), 400) == "invalid_grant"
    assert there.exchange(code, code_verifier=VERIFIER).status_code == 200


def test_a_verifier_without_a_challenge_is_refused(there: Live) -> None:
    assert (
        oauth_error(there.exchange(there.code("ada"), code_verifier=VERIFIER), 400)
        == "invalid_grant"
    )


def test_a_refresh_gives_a_new_access_token_and_the_same_refresh_token(there: Live) -> None:
    first = there.login("ada")
    second = there.refresh(first["refresh_token"]).json()
    assert set(second) == set(first)
    assert second["refresh_token"] == first["refresh_token"]
    assert second["access_token"] != first["access_token"]
    assert _opens(there, first["access_token"])
    assert _opens(there, second["access_token"])


def test_an_expired_access_token_is_refused_and_its_refresh_token_is_not(there: Live) -> None:
    tokens = there.login("bea")
    there.registry.grants.bearer(tokens["access_token"])
    there.expire_token(tokens["access_token"])
    answer = there.get(STANDARD, *RANGE, token=tokens["access_token"])
    assert oauth_error(answer, 401) == "invalid_token"
    assert "expired" in answer.json()["error_description"]
    newer = there.refresh(tokens["refresh_token"]).json()
    assert _opens(there, newer["access_token"])


def test_a_token_whose_application_is_gone_from_the_state_is_refused(there: Live) -> None:
    client_id, secret = there.registry.applications.add(REDIRECT)
    code = there.registry.grants.issue_code("ada", client_id, REDIRECT)
    tokens = there.exchange(code, client_id=client_id, client_secret=secret).json()
    assert _opens(there, tokens["access_token"])
    there.forget_application(client_id)
    answer = there.get(STANDARD, *RANGE, token=tokens["access_token"])
    assert oauth_error(answer, 401) == "invalid_token"
    assert "application of the access token was removed" in answer.json()["error_description"]


def test_access_and_refresh_tokens_are_not_interchangeable(there: Live) -> None:
    tokens = there.login("ada")
    assert oauth_error(there.refresh(tokens["access_token"]), 400) == "invalid_grant"
    answer = there.get(STANDARD, *RANGE, token=tokens["refresh_token"])
    assert oauth_error(answer, 401) == "invalid_token"


def test_a_refresh_token_of_another_application_is_refused(there: Live) -> None:
    client_id, secret = there.registry.applications.add(REDIRECT)
    refresh = there.login("ada")["refresh_token"]
    answer = there.refresh(refresh, client_id=client_id, client_secret=secret)
    assert oauth_error(answer, 400) == "invalid_grant"


def test_another_grant_type_is_not_supported(there: Live) -> None:
    assert oauth_error(there.token(grant_type="password"), 400) == "unsupported_grant_type"
    assert oauth_error(there.token(), 400) == "invalid_request"


@pytest.mark.parametrize("wrong", [{"client_secret": "x"}, {"client_id": "x"}])
def test_an_application_that_cannot_prove_itself_is_refused(there: Live, wrong: Any) -> None:
    code = there.code("ada")
    answer = there.exchange(code, **wrong)
    assert oauth_error(answer, 401) == "invalid_client"
    assert "WWW-Authenticate" in answer.headers
    assert there.exchange(code).status_code == 200


@pytest.mark.parametrize(
    ("header", "challenge"),
    [
        (None, 'Bearer realm="eyelog"'),
        ("Bearer", 'Bearer realm="eyelog", error="invalid_token"'),
        ("Bearer a b", 'Bearer realm="eyelog", error="invalid_token"'),
        ('Bearer "', 'Bearer realm="eyelog", error="invalid_token"'),
        ("Bearer unknown", 'Bearer realm="eyelog", error="invalid_token"'),
    ],
)
def test_without_a_valid_bearer_token_nothing_is_revealed(
    there: Live, header: str | None, challenge: str
) -> None:
    headers = {} if header is None else {"Authorization": header}
    for path in ("/v2/users/me/official/computed_data", "/v2/users/me/official/standard_mode_logs"):
        # Even a broken query is not commented on.
        answer = requests.get(there.url + path, params={"x": "1"}, headers=headers, timeout=30)
        oauth_error(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith(challenge)
    oauth_error(requests.post(f"{there.url}/v1/oauth/revoke", headers=headers, timeout=30), 401)


@pytest.mark.parametrize("scheme", ["Basic YTpi", "Digest x", "Bearertoken", ""])
def test_another_scheme_gets_a_challenge_without_an_error(there: Live, scheme: str) -> None:
    answer = requests.get(
        f"{there.url}/v2/users/me/official/{STANDARD}",
        headers={"Authorization": scheme},
        timeout=30,
    )
    assert oauth_error(answer, 401) == "unauthorized"
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="eyelog"'


def _basic(client_id: str, secret: str) -> dict[str, str]:
    text = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()
    return {"Authorization": f"Basic {base64.b64encode(text).decode()}"}


def _post(there: Live, headers: dict[str, str], **form: str) -> requests.Response:
    whole = {"grant_type": "authorization_code", "redirect_uri": REDIRECT, **form}
    return requests.post(f"{there.url}/v1/oauth/token", data=whole, headers=headers, timeout=30)


def test_an_application_may_prove_itself_by_http_basic(there: Live) -> None:
    headers = _basic(there.client_id, there.client_secret)
    answer = _post(there, headers, code=there.code("ada"))
    assert answer.status_code == 200, answer.text
    assert _opens(there, answer.json()["access_token"])
    named = _post(there, headers, code=there.code("ada"), client_id=there.client_id)
    assert named.status_code == 200


def test_basic_and_form_together_are_refused(there: Live) -> None:
    headers = _basic(there.client_id, there.client_secret)
    code = there.code("ada")
    for more in ({"client_secret": there.client_secret}, {"client_id": "another"}):
        assert oauth_error(_post(there, headers, code=code, **more), 400) == "invalid_request"
    assert _post(there, headers, code=code).status_code == 200


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
    assert oauth_error(answer, 401) == "invalid_client"
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="eyelog"'
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_bearer_scheme_is_case_insensitive(there: Live, token: str) -> None:
    answer = requests.get(
        f"{there.url}/v2/users/me/official/{STANDARD}",
        params=dict(zip(("date_from", "date_to"), RANGE, strict=True)),
        headers={"Authorization": f"bEARER {token}"},
        timeout=30,
    )
    assert answer.status_code == 200


def test_a_revoked_access_token_is_refused_and_its_refresh_token_stays_valid(there: Live) -> None:
    tokens = there.login("ada")
    answer = there.revoke(tokens["access_token"], bearer=tokens["access_token"])
    assert (answer.status_code, answer.json()) == (200, {})
    refused = there.get(STANDARD, *RANGE, token=tokens["access_token"])
    assert oauth_error(refused, 401) == "invalid_token"
    assert "revoked" in refused.json()["error_description"]
    newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
    assert _opens(there, newer)
    again = there.revoke(tokens["access_token"], bearer=newer)
    assert (again.status_code, again.json()) == (200, {})


def test_an_unknown_token_counts_as_revoked(there: Live, token: str) -> None:
    answer = there.revoke("never issued", bearer=token)
    assert (answer.status_code, answer.json()) == (200, {})


def test_revoking_a_refresh_token_revokes_its_access_tokens(there: Live) -> None:
    tokens, kept = there.login("ada"), there.login("ada")["access_token"]
    newer = there.refresh(tokens["refresh_token"]).json()["access_token"]
    assert there.revoke(tokens["refresh_token"], bearer=kept).status_code == 200
    assert oauth_error(there.refresh(tokens["refresh_token"]), 400) == "invalid_grant"
    assert not _opens(there, tokens["access_token"])
    assert not _opens(there, newer)
    assert _opens(there, kept)


def test_nobody_revokes_the_token_of_another_account(there: Live) -> None:
    ada, bea = there.login("ada")["access_token"], there.login("bea")["access_token"]
    assert oauth_error(there.revoke(ada, bearer=bea), 400) == "unauthorized_client"
    assert _opens(there, ada)


def test_nobody_revokes_the_token_of_another_application(there: Live) -> None:
    client_id, secret = there.registry.applications.add(REDIRECT)
    code = there.registry.grants.issue_code("ada", client_id, REDIRECT)
    other = there.exchange(code, client_id=client_id, client_secret=secret).json()["access_token"]
    mine = there.login("ada")["access_token"]
    assert oauth_error(there.revoke(mine, bearer=other), 400) == "unauthorized_client"
    assert _opens(there, mine)


def test_revoke_needs_a_token_in_its_form(there: Live, token: str) -> None:
    answer = there.revoke("", bearer=token)
    assert oauth_error(answer, 400) == "invalid_request"
    assert _opens(there, token)
