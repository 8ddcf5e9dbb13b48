"""OAuth 2.0: the token and revoke endpoints, and the bearer of an access token.

RFC 6749 (tokens and their errors), RFC 6750 (bearer tokens), RFC 7009 (revocation), RFC 7636
(PKCE, only S256).
"""

import base64
import re
from functools import partial
from typing import Any
from urllib.parse import unquote_plus

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.auth.forms import read_form, require
from eyelog.service.auth.grants import ACCESS_SECONDS, SCOPE, WRITE, Bearer, GrantRefused
from eyelog.service.auth.redirects import matches
from eyelog.service.auth.registry import Registry
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem, json_answer

__all__ = ["authenticate", "may_read", "may_write", "revoke", "token"]

_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_REALM = 'Bearer realm="eyelog"'
_IS_BEARER = re.compile(r"\s*bearer(\s|$)", re.IGNORECASE)
_BASIC = re.compile(r"\s*basic(\s+|$)", re.IGNORECASE)
_BEARER = re.compile(r"bearer +([A-Za-z0-9\-._~+/]+=*)", re.IGNORECASE)


async def token(request: Request) -> Response:
    """Answer POST /v1/oauth/token: a code or a refresh token for an access token."""
    form = await read_form(request)
    try:
        basic = _basic(request.headers.getlist("authorization"), form)
        form |= basic
        answer = await to_thread.run_sync(
            _grant, parts_of(request).registry, form, "Basic" if basic else "Form"
        )
        await to_thread.run_sync(_note, request, form, answer["access_token"])
    except Problem as problem:
        problem.headers |= _NO_STORE
        raise
    return json_answer(answer, headers=_NO_STORE)


def _basic(headers: list[str], form: dict[str, str]) -> dict[str, str]:
    """Return the application's id and secret from HTTP Basic (RFC 6749, section 2.3.1)."""
    if not any(_BASIC.match(header) for header in headers):
        return {}
    if "client_secret" in form or len(headers) > 1:
        raise Problem(
            400,
            "invalid_request",
            "send the application's secret once: in the header Authorization or in the form",
        )
    try:
        text = base64.b64decode(_BASIC.sub("", headers[0]).strip(), validate=True).decode()
        client_id, colon, secret = text.partition(":")
        if not colon:
            raise ValueError
        client_id, secret = (unquote_plus(part, errors="strict") for part in (client_id, secret))
    except ValueError:
        raise _wrong_client("the Authorization header is not readable", scheme="Basic") from None
    if form.get("client_id", client_id) != client_id:
        raise Problem(400, "invalid_request", "the client_id of the form is not that of the header")
    return {"client_id": client_id, "client_secret": secret}


def _wrong_client(description: str, *, scheme: str) -> Problem:
    return Problem(
        401,
        "invalid_client",
        description,
        headers={"WWW-Authenticate": f'{scheme} realm="eyelog"'},
    )


def _grant(registry: Registry, form: dict[str, str], scheme: str) -> dict[str, Any]:
    grant_type, client_id, secret, redirect_uri = require(
        form, "grant_type", "client_id", "client_secret", "redirect_uri"
    )
    if grant_type not in ("authorization_code", "refresh_token"):
        raise Problem(
            400,
            "unsupported_grant_type",
            "grant_type must be authorization_code or refresh_token",
        )
    if not registry.applications.check_secret(client_id, secret):
        raise _wrong_client("client_id or client_secret is wrong", scheme=scheme)
    registered = registry.applications.redirect_uri(client_id)
    if registered is None or not matches(registered, redirect_uri):
        raise Problem(
            400, "invalid_grant", "redirect_uri is not the address that the application registered"
        )
    try:
        if grant_type == "authorization_code":
            (code,) = require(form, "code")
            access, refresh = registry.grants.exchange(
                code, client_id, redirect_uri, form.get("code_verifier")
            )
        else:
            (refresh,) = require(form, "refresh_token")
            access = registry.grants.refresh(refresh, client_id)
    except GrantRefused as refused:
        raise Problem(400, "invalid_grant", str(refused)) from None
    return {
        "access_token": access,
        "refresh_token": refresh,
        "token_type": "Bearer",
        "expires_in": ACCESS_SECONDS,
        "scope": registry.grants.scope(access),
    }


def _note(request: Request, form: dict[str, str], access_token: str) -> None:
    """Write to the audit log for whom a token was issued."""
    owner = parts_of(request).registry.grants.owner(access_token)
    parts_of(request).metrics.count("tokens_issued")
    parts_of(request).audit.write(
        "token" if form["grant_type"] == "authorization_code" else "refresh",
        account=None if owner is None else owner.account,
        application=None if owner is None else owner.client_id,
        address=request.client and request.client.host,
    )


async def revoke(request: Request) -> Response:
    """Answer POST /v1/oauth/revoke: make one of the caller's own tokens unusable."""
    registry = parts_of(request).registry
    caller = await to_thread.run_sync(authenticate, request)
    (revoked,) = require(await read_form(request), "token")
    if not await to_thread.run_sync(registry.grants.revoke, revoked, caller):
        raise Problem(
            400,
            "unauthorized_client",
            "the token belongs to another application or account and was not revoked",
        )
    await to_thread.run_sync(
        partial(
            parts_of(request).audit.write,
            "revoke",
            account=caller.account,
            application=caller.client_id,
            address=request.client and request.client.host,
        )
    )
    return json_answer({}, headers=_NO_STORE)


def authenticate(request: Request) -> Bearer:
    """Return the account and application of the request's bearer token.

    Raises
    ------
    Problem
        401 with ``WWW-Authenticate``, if there is no bearer token or it is not valid.
    """
    headers = request.headers.getlist("authorization")
    if not any(_IS_BEARER.match(header) for header in headers):
        # Without a bearer token, no error in the challenge: RFC 6750, section 3.1.
        raise Problem(
            401,
            "unauthorized",
            "send the access token in the header Authorization: Bearer ACCESS_TOKEN",
            headers={"WWW-Authenticate": _REALM},
        )
    match = _BEARER.fullmatch(headers[0].strip()) if len(headers) == 1 else None
    registry = parts_of(request).registry
    bearer = (
        registry.grants.bearer(match[1])
        if match
        else "the Authorization header is not one bearer token"
    )
    if isinstance(bearer, Bearer):
        return bearer
    challenge = f'{_REALM}, error="invalid_token", error_description="{bearer}"'
    raise Problem(401, "invalid_token", bearer, headers={"WWW-Authenticate": challenge})


def may_read(request: Request) -> Bearer:
    """Return the bearer of a request for data; raise as `authenticate` does, or 403."""
    bearer = authenticate(request)
    if not bearer.reads:
        raise _insufficient(SCOPE, "this token cannot read: it may only add records")
    return bearer


def may_write(request: Request) -> Bearer:
    """Return the bearer of an upload; raise as `authenticate` does, or 403."""
    bearer = authenticate(request)
    if not bearer.writes:
        raise _insufficient(
            WRITE, "this token cannot add records: ask the wearer for the scope write"
        )
    return bearer


def _insufficient(scope: str, description: str) -> Problem:
    challenge = (
        f'{_REALM}, error="insufficient_scope", error_description="{description}", scope="{scope}"'
    )
    return Problem(403, "insufficient_scope", description, headers={"WWW-Authenticate": challenge})
