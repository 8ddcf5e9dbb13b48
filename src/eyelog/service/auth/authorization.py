"""The authorization endpoint: a wearer logs in and consents, the application gets a code.

RFC 6749, section 4.1. Nothing is ever sent to an address that the application did not register.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import partial
from urllib.parse import parse_qsl, urlencode

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.auth.forms import filled
from eyelog.service.auth.grants import granted
from eyelog.service.auth.login_pages import error_page, login_page
from eyelog.service.auth.password_tries import client_address
from eyelog.service.auth.redirects import form_target, matches
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.signed_forms import SignedForms
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem

__all__ = ["login_forms", "show_login", "take_login"]

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
        await to_thread.run_sync(_note, request, "login_denied", login_request)
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
    await to_thread.run_sync(_note, request, "login", login_request, name)
    answer = _send_back(login_request.redirect_uri, {"code": code}, login_request.state)
    tries.remember(request, answer, name, _PATH)
    return answer


def _note(
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
        raise Problem(
            400,
            "invalid_request",
            "redirect_uri is missing, or is not the address that the application registered.",
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
    """Return the login page, with its form bound to this browser by a cookie."""
    page = partial(
        login_page,
        status=status,
        form_target=form_target(login_request.redirect_uri),
        application=login_request.application,
        client_id=login_request.client_id,
        redirect_uri=login_request.redirect_uri,
        scope=login_request.scope,
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
