"""Forms that lack a parameter, repeat one or cannot be read."""

import pytest
import requests

from support.live import Live
from support.replies import oauth_error


@pytest.mark.parametrize("name", ["client_id", "client_secret", "redirect_uri", "code"])
def test_a_missing_or_empty_parameter_is_named(there: Live, name: str) -> None:
    for value in (None, ""):
        answer = there.token(**{"grant_type": "authorization_code", "code": "x", name: value})
        assert oauth_error(answer, 400) == "invalid_request"
        assert name in answer.json()["error_description"]


def test_a_missing_refresh_token_is_named(there: Live) -> None:
    answer = there.token(grant_type="refresh_token")
    assert oauth_error(answer, 400) == "invalid_request"
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
    answer = requests.post(
        f"{there.url}/v1/oauth/token", data=body, headers={"Content-Type": kind}, timeout=30
    )
    assert oauth_error(answer, 400) == "invalid_request"
