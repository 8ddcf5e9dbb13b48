"""OAuth 2.0: the login with its code, the tokens for it, and their end.

RFC 6749 (codes, tokens and their errors), RFC 6750 (bearer tokens), RFC 7009 (revocation), RFC 7636
(PKCE, only S256). Nothing is ever sent to an address that the application did not register.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.auth.accounts import form_target, matches
from eyelog_service.auth.forms import SignedForms, filled, read_form, require
from eyelog_service.auth.grants import ACCESS_SECONDS, SCOPE, WRITE, Bearer, GrantRefused, granted
from eyelog_service.auth.password_tries import client_address
from eyelog_service.auth.registry import Registry
from eyelog_service.browser import html, page_template
from eyelog_service.parts import parts_of
from eyelog_service.responses import Problem, bad_request, form_page, json_answer

_LOGIN = page_template(html("login.html"))
_ERROR = page_template(html("login-error.html"))
_PATH = "/v1/oauth/authorize"
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
_LONGEST_NAME = 128  # characters that the page accepts; a name of an account has at most 64


@dataclass(frozen=True, slots=True)
class _LoginRequest:
    """What an application asks for, checked."""

    client_id: str
    application: str  # the name that people see
    redirect_uri: str
    state: str | None
    challenge: str | None
    scope: str


def login_forms(key: Callable[[], bytes]) -> SignedForms:
    """Return the forms of the login page. People arrive there from other sites, hence "lax"."""
    return SignedForms(key, "login", cookie="eyelog_login", path=_PATH, samesite="lax")


class _Refusal(Exception):
    """A request that is refused by a redirect back to the application."""

    def __init__(self, to: str, error: str, description: str, state: str | None) -> None:
        super().__init__(description)
        self.answer = _send_back(to, {"error": error, "error_description": description}, state)


async def show_login(request: Request) -> Response:
    """Answer GET /v1/oauth/authorize with the login page."""
    try:
        text = request.scope["query_string"].decode("latin-1")
        query = filled(parse_qsl(text, keep_blank_values=True))
        login_request = await to_thread.run_sync(_check, parts_of(request).registry, query)
    except Problem as problem:
        return _refused(request, problem)
    except _Refusal as refusal:
        return refusal.answer
    hint = query.get("login_hint", "")
    usable = len(hint) <= _LONGEST_NAME and hint.isprintable()
    return _page(request, login_request, name=hint if usable else "")


async def take_login(request: Request) -> Response:
    """Answer POST /v1/oauth/authorize: the filled form of the login page."""
    forms = parts_of(request).login_forms
    tries = parts_of(request).password_tries
    registry = parts_of(request).registry
    try:
        form, signed = await forms.read(request)
    except Problem as problem:
        return _refused(request, problem)
    login_request = _LoginRequest(*signed)
    name, decision = form.get("name", "").strip(), form.get("decision")
    if decision == "deny":
        await to_thread.run_sync(_note_login, request, "login_denied", login_request)
        denied = {"error": "access_denied", "error_description": "the wearer denied access"}
        return _send_back(login_request.redirect_uri, denied, login_request.state)
    if decision != "allow":
        return _page(request, login_request, name=name, error="Choose Allow or Deny.", status=400)
    again = partial(_page, request, login_request)
    application = login_request.client_id
    if refusal := await tries.refusal(request, name, form, again, application=application):
        return refusal
    code = await to_thread.run_sync(
        lambda: registry.grants.issue_code(
            name,
            login_request.client_id,
            login_request.redirect_uri,
            challenge=login_request.challenge,
            scope=login_request.scope,
        )
    )
    await to_thread.run_sync(_note_login, request, "login", login_request, name)
    return _send_back(login_request.redirect_uri, {"code": code}, login_request.state)


def _note_login(
    request: Request, event: str, login_request: _LoginRequest, account: str | None = None
) -> None:
    parts_of(request).audit.write(
        event,
        account=account,
        application=login_request.client_id,
        address=client_address(request),
    )


def _check(registry: Registry, query: dict[str, str]) -> _LoginRequest:
    """Return the request; until the redirect URI is checked, errors stay on this page."""
    client_id, redirect_uri = query.get("client_id"), query.get("redirect_uri")
    application = registry.applications.get(client_id) if client_id else None
    if application is None:
        raise Problem(400, "invalid_client", "No application has this client_id.")
    if redirect_uri is None or not matches(application.redirect_uri, redirect_uri):
        raise bad_request(
            "redirect_uri is missing, or is not the address that the application registered."
        )
    state = query.get("state")

    def refuse(error: str, description: str) -> _Refusal:
        return _Refusal(redirect_uri, error, description, state)

    if "response_type" not in query:
        raise refuse("invalid_request", "response_type is missing")
    if query["response_type"] != "code":
        raise refuse("unsupported_response_type", "response_type must be code")
    challenge, method = query.get("code_challenge"), query.get("code_challenge_method")
    if challenge is None and method is not None:
        raise refuse("invalid_request", "code_challenge is missing")
    if challenge is not None and method != "S256":
        raise refuse("invalid_request", "code_challenge_method must be S256")
    if challenge is not None and not _CHALLENGE.fullmatch(challenge):
        raise refuse("invalid_request", "code_challenge is not a base64url SHA-256")
    return _LoginRequest(
        application.client_id,
        application.label,
        redirect_uri,
        state,
        challenge,
        granted(query.get("scope")),
    )


def _page(
    request: Request,
    login_request: _LoginRequest,
    *,
    name: str = "",
    wrong: Mapping[str, str] | None = None,
    error: str = "",
    status: int = 200,
) -> Response:
    """Return the page that asks for name, password and consent, bound to this browser."""
    scopes = login_request.scope.split()
    writes, reads = WRITE in scopes, scopes != [WRITE]
    act = "read your data" if reads else "add to your data"
    if reads and writes:
        act = "read your data, and add to them"
    question = f"Allow {login_request.application} to {act}?"
    page = partial(
        form_page,
        _LOGIN,
        status=status,
        title=error or " ".join((wrong or {}).values()) or question,
        question=question,
        # Browsers also apply the policy to the redirect that follows the form.
        targets=f"'self' {form_target(login_request.redirect_uri)}",
        asked=login_request,
        reads=reads,
        writes=writes,
        name=name,
        wrong=wrong or {},
        error=error,
    )
    forms = parts_of(request).login_forms
    return forms.page(request, lambda form: page(form=form), *astuple(login_request))


def _send_back(redirect_uri: str, values: dict[str, str], state: str | None) -> Response:
    """Redirect the browser to the application."""
    query = urlencode(values | ({} if state is None else {"state": state}))
    separator = "&" if "?" in redirect_uri else "?"
    headers = {
        "Location": f"{redirect_uri}{separator}{query}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return Response(status_code=303, headers=headers)


def _refused(request: Request, problem: Problem) -> Response:
    """Show a person a page; let a program have the JSON error."""
    if "text/html" in request.headers.get("accept", ""):
        return error_page(problem.status, problem.description)
    raise problem


def error_page(
    status: int, description: str, *, title: str = "This login cannot continue"
) -> Response:
    """Return the page for a login that cannot start or continue."""
    return form_page(_ERROR, title=title, status=status, targets="'none'", description=description)


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
        scheme = "Basic" if basic else "Form"
        answer = await to_thread.run_sync(_grant, request, form, scheme)
    except Problem as problem:
        problem.headers |= _NO_STORE
        raise
    return json_answer(answer, headers=_NO_STORE)


def _basic(headers: list[str], form: dict[str, str]) -> dict[str, str]:
    """Return the application's id and secret from HTTP Basic (RFC 6749, section 2.3.1)."""
    if not any(_BASIC.match(header) for header in headers):
        return {}
    if "client_secret" in form or len(headers) > 1:
        raise bad_request(
            "send the application's secret once: in the header Authorization or in the form"
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
        raise bad_request("the client_id of the form is not that of the header")
    return {"client_id": client_id, "client_secret": secret}


def _wrong_client(description: str, *, scheme: str) -> Problem:
    return Problem(
        401,
        "invalid_client",
        description,
        headers={"WWW-Authenticate": f'{scheme} realm="eyelog"'},
    )


def _application(registry: Registry, form: dict[str, str], scheme: str) -> str:
    """Return the id of the application that a form comes from."""
    client_id, secret = require(form, "client_id", "client_secret")
    if not registry.applications.check_secret(client_id, secret):
        raise _wrong_client("client_id or client_secret is wrong", scheme=scheme)
    return client_id


def _grant(request: Request, form: dict[str, str], scheme: str) -> dict[str, Any]:
    """Return the answer to a code or refresh token, and note for whom a token was issued."""
    registry = parts_of(request).registry
    also = () if form.get("grant_type") == "refresh_token" else ("redirect_uri",)
    grant_type, *_ = require(form, "grant_type", "client_id", "client_secret", *also)
    if grant_type not in ("authorization_code", "refresh_token"):
        raise Problem(
            400,
            "unsupported_grant_type",
            "grant_type must be authorization_code or refresh_token",
        )
    client_id = _application(registry, form, scheme)
    # The contract asks for it with a refresh too; RFC 6749, section 6, does not.
    redirect_uri = form.get("redirect_uri")
    application = registry.applications.get(client_id)
    if application is None or (
        redirect_uri is not None and not matches(application.redirect_uri, redirect_uri)
    ):
        raise Problem(
            400, "invalid_grant", "redirect_uri is not the address that the application registered"
        )
    try:
        if grant_type == "authorization_code":
            (code,) = require(form, "code")
            access, refresh = registry.grants.exchange(
                code, client_id, form["redirect_uri"], form.get("code_verifier")
            )
        else:
            (refresh,) = require(form, "refresh_token")
            access = registry.grants.refresh(refresh, client_id)
    except GrantRefused as refused:
        raise Problem(400, "invalid_grant", str(refused)) from None
    owner = registry.grants.owner(access)
    parts_of(request).audit.write(
        "token" if grant_type == "authorization_code" else "refresh",
        account=owner.account if owner else None,
        application=client_id,
        address=client_address(request),
    )
    return {
        "access_token": access,
        "refresh_token": refresh,
        "token_type": "Bearer",
        "expires_in": ACCESS_SECONDS,
        "scope": owner.scope if owner else SCOPE,
    }


async def revoke(request: Request) -> Response:
    """Answer POST /v1/oauth/revoke: make one of the caller's own tokens unusable.

    The caller is the bearer of a token, as the contract has it, or an application with its id and
    secret (RFC 7009, section 2.1).
    """
    registry = parts_of(request).registry
    headers = request.headers.getlist("authorization")
    caller = None
    is_basic = any(_BASIC.match(header) for header in headers)
    if (headers and not is_basic) or "content-type" not in request.headers:
        caller = await to_thread.run_sync(authenticate, request)
    form = await read_form(request)
    basic = _basic(headers, form)
    if caller is None and not basic and "client_secret" not in form:
        caller = await to_thread.run_sync(authenticate, request)  # which says what is missing
    if caller is None:
        scheme = "Basic" if basic else "Form"
        client_id = await to_thread.run_sync(_application, registry, form | basic, scheme)
        account = None
    else:
        client_id, account = caller.client_id, caller.account
    (revoked,) = require(form, "token")
    owner = await to_thread.run_sync(registry.grants.owner, revoked)
    if not await to_thread.run_sync(registry.grants.revoke, revoked, client_id, account):
        raise Problem(
            400,
            "unauthorized_client",
            "the token belongs to another application or account and was not revoked",
        )
    await to_thread.run_sync(
        partial(
            parts_of(request).audit.write,
            "revoke",
            account=owner.account if account is None and owner is not None else account,
            application=client_id,
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
        raise _Insufficient(SCOPE, "this token cannot read: it may only add records")
    return bearer


def may_write(request: Request) -> Bearer:
    """Return the bearer of an upload; raise as `authenticate` does, or 403."""
    bearer = authenticate(request)
    if not bearer.writes:
        text = "this token cannot add records: ask the wearer for the scope write"
        raise _Insufficient(WRITE, text)
    return bearer


class _Insufficient(Problem):
    """A bearer whom the wearer did not allow this."""

    def __init__(self, scope: str, text: str) -> None:
        challenge = f'error="insufficient_scope", error_description="{text}", scope="{scope}"'
        headers = {"WWW-Authenticate": f"{_REALM}, {challenge}"}
        super().__init__(403, "insufficient_scope", text, headers=headers)
