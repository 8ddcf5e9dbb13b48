"""The two OAuth requests of the contract: ask for a token, revoke one.

Both go through a plain session, never through a cache, and hold no state.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from eyelog.access.auth.application import Application
from eyelog.access.auth.tokens import Token
from eyelog.access.http.adapter import TIMEOUT
from eyelog.access.http.faults import error_object, refusal, unreachable
from eyelog.access.http.session import plain_session
from eyelog.errors import AnswerError, AuthorizationError, ConfigurationError, RequestError

__all__ = ["ask_for_token", "revoke_token"]

_FINAL = frozenset({"invalid_grant", "invalid_client"})
"""Errors of the token endpoint that asking again cannot mend."""

_LONGEST = timedelta(days=36_500)


def ask_for_token(
    base_url: str,
    application: Application,
    form: Mapping[str, str],
    *,
    where: str,
    redirect_uri: str | None = None,
    previous: Token | None = None,
    secrets: Iterable[str] = (),
) -> Token:
    """Return the token that the token endpoint gives for `form` (the grant's own fields).

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application
        Goes into the form, as the contract has it: no Authorization header.
    form : mapping
        ``grant_type`` and what belongs to it.
    where : str
        Stands in front of an error's message.
    redirect_uri : str, optional
        Sent instead of the registered one; needed on refresh too.
    previous : Token, optional
        What a refresh's answer leaves out is kept from it: the refresh token above all.
    secrets : iterable of str
        Values that must not be shown.

    Raises
    ------
    AuthorizationError
        If the grant or the application is refused: asking again cannot help.
    Refused, RateLimited, ServerFault, Unreachable
        If it went wrong otherwise.
    AnswerError
        If a 2xx holds no token.
    """
    whole = {
        **form,
        "redirect_uri": redirect_uri or application.redirect_uri,
        "client_id": application.client_id,
        "client_secret": application.client_secret,
    }
    response = _post(base_url + "/v1/oauth/token", whole, where=where)
    # Some services say 200 and mean 400.
    if not _fine(response) or error_object(response):
        raise _token_refusal(response, where, secrets)
    return _token_of(response, previous, where)


def revoke_token(base_url: str, token: str, *, where: str, secrets: Iterable[str] = ()) -> None:
    """Revoke an access token; one that the service no longer accepts is as good as revoked."""
    response = _post(
        base_url + "/v1/oauth/revoke",
        {"token": token},
        where=where,
        headers={"Authorization": f"Bearer {token}"},
    )
    if not _fine(response) and response.status_code != 401:
        raise refusal(response, where=where, secrets=secrets)


def _fine(response: requests.Response) -> bool:
    return 200 <= response.status_code < 300


def _post(
    url: str, form: Mapping[str, str], *, where: str, headers: Mapping[str, str] | None = None
) -> requests.Response:
    with plain_session() as session:
        try:
            return session.post(
                url, data=form, headers=headers, timeout=TIMEOUT, allow_redirects=False
            )
        except requests.RequestException as fault:
            # Not chained: the library's texts may quote what was sent.
            raise unreachable(fault, method="POST", url=url, where=where) from None


def _token_refusal(response: requests.Response, where: str, secrets: Iterable[str]) -> RequestError:
    status, error = response.status_code, error_object(response).get("error")
    advice = None
    if error == "invalid_grant":
        advice = "run `eyelog login`"
    elif error == "invalid_client" or status == 401:
        advice = "check EYELOG_CLIENT_ID and EYELOG_CLIENT_SECRET, then run `eyelog login`"
    fault = refusal(response, where=where, secrets=secrets, advice=advice)
    if error in _FINAL and status < 500:
        return AuthorizationError(str(fault), status=status, url=fault.url)
    return fault


def _token_of(response: requests.Response, previous: Token | None, where: str) -> Token:
    """Return the token of a 2xx answer."""
    try:
        said: Any = response.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("access_token"), str):
        raise AnswerError(f"{where}: the token endpoint's answer holds no access_token")
    kept = previous or Token("-")
    try:
        return Token(
            access_token=said["access_token"],
            refresh_token=said.get("refresh_token") or kept.refresh_token,
            token_type=said.get("token_type") or "Bearer",
            expires_at=_end(said.get("expires_in")),
            scope=said["scope"] if isinstance(said.get("scope"), str) else kept.scope,
        )
    except ConfigurationError as fault:
        raise AnswerError(f"{where}: the token endpoint's answer is no token ({fault})") from None


def _end(expires_in: object) -> datetime | None:
    """Return when the token ends; None where the service does not say it in a usable way.

    By then the old token may be spent, so a strange number is no reason to lose the new one.
    """
    try:
        seconds = timedelta(seconds=float(expires_in))  # type: ignore[arg-type] # caught below
    except (TypeError, ValueError, OverflowError):
        return None
    return datetime.now(UTC) + min(max(seconds, timedelta()), _LONGEST)
