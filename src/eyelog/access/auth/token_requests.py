"""The two OAuth requests of the contract: get a token, revoke a token.

Both use a plain session, never a cache, and have no state.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from eyelog.access.auth.application import Application
from eyelog.access.auth.token_file import Token
from eyelog.access.http.adapter import TIMEOUT
from eyelog.access.http.faults import error_object, refusal, unreachable
from eyelog.access.http.session import plain_session
from eyelog.errors import AnswerError, AuthorizationError, ConfigurationError, RequestError

__all__ = ["ask_for_token", "revoke_token"]

_FINAL = frozenset({"invalid_grant", "invalid_client"})
"""Errors of the token endpoint after which asking again cannot help."""

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
    """Return the token that the token endpoint issues for `form` (the fields of the grant).

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application
        Sent in the form, as the contract says: there is no Authorization header.
    form : mapping
        ``grant_type`` and its fields.
    where : str
        The beginning of an error message.
    redirect_uri : str, optional
        Sent instead of the registered one; a refresh needs it too.
    previous : Token, optional
        The source of values missing from the answer to a refresh, above all the refresh token.
    secrets : iterable of str
        Values that must not be shown.

    Raises
    ------
    AuthorizationError
        If the grant or the application is refused: asking again cannot help.
    Refused, RateLimited, ServerFault, Unreachable
        If the request fails otherwise.
    AnswerError
        If a 2xx has no token.
    """
    data = {
        **form,
        "redirect_uri": redirect_uri or application.redirect_uri,
        "client_id": application.client_id,
        "client_secret": application.client_secret,
    }
    response = _post(base_url + "/v1/oauth/token", data, where=where)
    # Some services send an error with status 200.
    if not _fine(response) or error_object(response):
        raise _token_refusal(response, where, secrets)
    return _token_of(response, previous, where)


def revoke_token(
    base_url: str, token: str, *, bearer: str, where: str, secrets: Iterable[str] = ()
) -> bool:
    """Revoke an access or refresh token; return False if the service does not accept `bearer`.

    A token unknown to the service counts as revoked (RFC 7009, section 2.2).
    """
    response = _post(
        base_url + "/v1/oauth/revoke",
        {"token": token},
        where=where,
        headers={"Authorization": f"Bearer {bearer}"},
    )
    if not _fine(response) and response.status_code != 401:
        raise refusal(response, where=where, secrets=secrets)
    return response.status_code != 401


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
        body: Any = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("access_token"), str):
        raise AnswerError(f"{where}: the answer of the token endpoint has no access_token")
    old = previous or Token("-")
    try:
        return Token(
            access_token=body["access_token"],
            refresh_token=body.get("refresh_token") or old.refresh_token,
            token_type=body.get("token_type") or "Bearer",
            expires_at=_end(body.get("expires_in")),
            scope=body["scope"] if isinstance(body.get("scope"), str) else old.scope,
        )
    except ConfigurationError as fault:
        raise AnswerError(
            f"{where}: the answer of the token endpoint is not a token ({fault})"
        ) from None


def _end(expires_in: object) -> datetime | None:
    """Return when the token ends; None if the service does not say so in a usable way.

    The old token may have been used up by now, so an odd number must not lose the new one.
    """
    try:
        seconds = timedelta(seconds=float(expires_in))  # type: ignore[arg-type] # caught below
    except (TypeError, ValueError, OverflowError):
        return None
    return datetime.now(UTC) + min(max(seconds, timedelta()), _LONGEST)
