"""Clients that others wrote log in, read, renew and withdraw their token as they are."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from requests_oauthlib import OAuth2Session

import eyelog as el
from support import live
from support.live import COMPUTED, Live
from support.login_page import CALLBACK, PASSWORD, Browser

DAY = ("2026-10-20T00:00:00+09:00", "2026-10-20T23:59:59+09:00")


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    frame = el.sample().loc["2026-10-20"]
    with live.service(tmp_path / "archive", {"ada": [frame]}, password=PASSWORD) as service:
        application = service.operator.application(CALLBACK, "a study")
        yield Live(service.url, service.archive, *application, CALLBACK)


def consent(there: Live, address: str) -> str:
    """Log in as a wearer at the address that a client gives; return where it sends the browser."""
    browser = Browser(there)
    query = {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()}
    page = browser.open(**query)
    return str(browser.send(page, password=PASSWORD).headers["Location"])


def records(answer: requests.Response) -> int:
    assert answer.status_code == 200, answer.text
    return sum(len(hour) for hour in answer.json()[COMPUTED].values())


def with_requests_oauthlib(there: Live) -> tuple[Any, Callable[[], Any], Callable[[], Any]]:
    client = OAuth2Session(there.client_id, redirect_uri=CALLBACK, pkce="S256")
    address, _ = client.authorization_url(f"{there.url}/v1/oauth/authorize")
    token_url, secret = f"{there.url}/v1/oauth/token", there.client_secret
    client.fetch_token(
        token_url, authorization_response=consent(there, address), client_secret=secret
    )
    own = {"client_id": there.client_id, "client_secret": secret}
    body = client._client.prepare_token_revocation_request(
        f"{there.url}/v1/oauth/revoke", client.token["refresh_token"], **own
    )
    return (
        client,
        lambda: client.refresh_token(token_url, **own),
        lambda: requests.post(body[0], headers=body[1], data=body[2], timeout=30),
    )


def with_authlib(there: Live) -> tuple[Any, Callable[[], Any], Callable[[], Any]]:
    client = AuthlibSession(
        there.client_id, there.client_secret, redirect_uri=CALLBACK, code_challenge_method="S256"
    )
    verifier = "v" * 64
    address, _ = client.create_authorization_url(
        f"{there.url}/v1/oauth/authorize", code_verifier=verifier
    )
    token_url = f"{there.url}/v1/oauth/token"
    client.fetch_token(
        token_url, authorization_response=consent(there, address), code_verifier=verifier
    )
    return (
        client,
        lambda: client.refresh_token(token_url),
        lambda: client.revoke_token(
            f"{there.url}/v1/oauth/revoke", token=client.token["refresh_token"]
        ),
    )


@pytest.mark.parametrize("client_of", [with_requests_oauthlib, with_authlib])
def test_a_client_of_others_logs_in_reads_renews_and_withdraws(
    client_of: Callable[..., Any], there: Live
) -> None:
    client, refresh, revoke = client_of(there)
    url = f"{there.url}/v2/users/me/official/{COMPUTED}"
    params = {"date_from": DAY[0], "date_to": DAY[1]}
    assert records(client.get(url, params=params)) == 500
    first = client.token["access_token"]
    refresh()
    assert client.token["access_token"] != first
    assert records(client.get(url, params=params)) == 500
    assert revoke().status_code == 200
    for token in (first, client.token["access_token"]):
        assert there.get(COMPUTED, *DAY, token=token).status_code == 401


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_walks_a_day_and_revokes_as_the_contract_says(there: Live) -> None:
    def curl(*arguments: str) -> Any:
        command = ["curl", "--silent", "--show-error", "--fail-with-body", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    form = {"grant_type": "authorization_code", "code": there.code("ada")}
    form |= {"client_id": there.client_id, "client_secret": there.client_secret}
    form |= {"redirect_uri": there.redirect_uri}
    posted = [part for pair in form.items() for part in ("--data-urlencode", "=".join(pair))]
    token = curl(*posted, f"{there.url}/v1/oauth/token")["access_token"]
    bearer = ("--header", f"Authorization: Bearer {token}")
    asked = {"date_from": DAY[0], "date_to": DAY[1]}
    found, pages = 0, 0
    while pages == 0 or asked["cursor"]:
        query = [part for pair in asked.items() for part in ("--data-urlencode", "=".join(pair))]
        page = curl("--get", *query, *bearer, f"{there.url}/v2/users/me/official/{COMPUTED}")
        found += sum(len(hour) for hour in page[COMPUTED].values())
        asked["cursor"], pages = page["cursor"] or "", pages + 1
    assert found == len(el.sample().loc["2026-10-20"])
    revoked = curl("--data-urlencode", f"token={token}", *bearer, f"{there.url}/v1/oauth/revoke")
    assert revoked == {}
    assert there.get(COMPUTED, *DAY, token=token).status_code == 401


def test_an_application_cannot_revoke_what_another_was_given(there: Live) -> None:
    tokens = there.login("ada")
    other = there.operator.application(CALLBACK, "another study")
    form = {"token": tokens["refresh_token"]}
    url = f"{there.url}/v1/oauth/revoke"
    refused = requests.post(url, data=form, auth=other, timeout=30)
    assert (refused.status_code, refused.json()["error"]) == (400, "unauthorized_client")
    wrong = requests.post(url, data=form, auth=(there.client_id, "no secret"), timeout=30)
    assert (wrong.status_code, wrong.json()["error"]) == (401, "invalid_client")
    assert there.get(COMPUTED, *DAY, token=tokens["access_token"]).status_code == 200
