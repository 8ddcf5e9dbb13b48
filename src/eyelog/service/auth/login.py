"""The authorization endpoint: a wearer logs in and consents, the application gets a code.

RFC 6749, section 4.1. Nothing is ever sent to an address that the application did not register.
"""

import hashlib
import re
import secrets
import time
from collections import deque
from dataclasses import dataclass
from threading import Lock
from urllib.parse import parse_qsl, urlencode

from anyio import CapacityLimiter, to_thread
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.auth.forms import filled, read_form
from eyelog.service.auth.pages import error_page, login_page
from eyelog.service.auth.redirects import form_target, matches
from eyelog.service.auth.registry import SCOPE, Registry
from eyelog.service.responses import Problem

__all__ = ["Login", "show_login", "take_login"]

_COOKIE = "eyelog_login"
_PATH = "/v1/oauth/authorize"
_FORM_SECONDS = 1800
_BROWSER = re.compile(r"[A-Za-z0-9\-_]{22}")
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
_TRIES_PER_NAME, _TRIES_IN_ALL, _TRIES_SECONDS = 10, 200, 600.0


@dataclass(frozen=True, slots=True)
class _LoginRequest:
    """What an application asks for, checked."""

    client_id: str
    redirect_uri: str
    state: str | None
    challenge: str | None


class Login:
    """What the login page needs besides the registry: signed forms, and a count of tries.

    Ten wrong passwords for one name within ten minutes close the login for that name, 200 for
    all names together close it for everyone, until the oldest of them is ten minutes old.
    """

    def __init__(self, key: bytes) -> None:
        self.signer = URLSafeTimedSerializer(
            key, salt="login", signer_kwargs={"digest_method": hashlib.sha256}
        )
        self.at_once = CapacityLimiter(2)  # each check costs 16 MB and much of a core
        self._tries: deque[tuple[float, str]] = deque()
        self._lock = Lock()

    def take_try(self, name: str) -> int:
        """Count one try for `name` and return 0, or the seconds until another try is allowed."""
        now = time.monotonic()
        with self._lock:
            while self._tries and self._tries[0][0] <= now - _TRIES_SECONDS:
                self._tries.popleft()
            of_name = [time_s for time_s, who in self._tries if who == name]
            of_all = [time_s for time_s, _ in self._tries]
            for times, most in ((of_name, _TRIES_PER_NAME), (of_all, _TRIES_IN_ALL)):
                if len(times) >= most:
                    return int(times[-most] + _TRIES_SECONDS - now) + 1
            self._tries.append((now, name))
        return 0

    def forget_tries(self, name: str) -> None:
        """Forget the tries for `name`, after the right password."""
        with self._lock:
            self._tries = deque(entry for entry in self._tries if entry[1] != name)


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
        login_request = await to_thread.run_sync(_check, request.app.state.registry, query)
    except Problem as problem:
        return _refused(request, problem)
    except _Refusal as refusal:
        return refusal.answer
    return _page(request, login_request)


async def take_login(request: Request) -> Response:
    """Answer POST /v1/oauth/authorize: the filled form of the login page."""
    login: Login = request.app.state.login
    registry: Registry = request.app.state.registry
    try:
        form = await read_form(request)
        login_request = _signed(login, form.get("form", ""), request.cookies.get(_COOKIE, ""))
    except Problem as problem:
        return _refused(request, problem)
    name, decision = form.get("name", ""), form.get("decision")
    if decision == "deny":
        denied = {"error": "access_denied", "error_description": "the wearer denied access"}
        return _send_back(login_request.redirect_uri, denied, login_request.state)
    if decision != "allow":
        return _page(request, login_request, name=name, error="Choose Allow or Deny.", status=400)
    wait_s = login.take_try(name)
    if wait_s:
        minutes = -(-wait_s // 60)
        page = _page(
            request,
            login_request,
            name=name,
            error=f"Too many wrong passwords. Try again in {minutes} min.",
            status=429,
        )
        page.headers["Retry-After"] = str(wait_s)
        return page
    correct = await to_thread.run_sync(
        registry.check_login, name, form.get("password", ""), limiter=login.at_once
    )
    if not correct:
        return _page(request, login_request, name=name, error="Wrong name or password.", status=400)
    login.forget_tries(name)
    code = await to_thread.run_sync(
        lambda: registry.issue_code(
            name,
            login_request.client_id,
            login_request.redirect_uri,
            challenge=login_request.challenge,
        )
    )
    return _send_back(login_request.redirect_uri, {"code": code}, login_request.state)


def _check(registry: Registry, query: dict[str, str]) -> _LoginRequest:
    """Return the request; until the redirect URI is checked, errors stay on this page."""
    client_id, redirect_uri = query.get("client_id"), query.get("redirect_uri")
    registered = registry.redirect_uri(client_id) if client_id else None
    if client_id is None or registered is None:
        raise Problem(400, "invalid_client", "No application has this client_id.")
    if redirect_uri is None or not matches(registered, redirect_uri):
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
    return _LoginRequest(client_id, redirect_uri, state, challenge)


def _page(
    request: Request,
    login_request: _LoginRequest,
    *,
    name: str = "",
    error: str = "",
    status: int = 200,
) -> Response:
    """Return the login page, with its form bound to this browser by a cookie."""
    login: Login = request.app.state.login
    browser = request.cookies.get(_COOKIE, "")
    if not _BROWSER.fullmatch(browser):
        browser = secrets.token_urlsafe(16)
    parts = (
        login_request.client_id,
        login_request.redirect_uri,
        login_request.state,
        login_request.challenge,
    )
    page = login_page(
        status=status,
        form_target=form_target(login_request.redirect_uri),
        client_id=login_request.client_id,
        redirect_uri=login_request.redirect_uri,
        scope=SCOPE,
        form=login.signer.dumps([browser, *parts]),
        name=name,
        error=error,
    )
    page.set_cookie(
        _COOKIE,
        browser,
        max_age=_FORM_SECONDS,
        path=_PATH,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return page


def _signed(login: Login, form: str, cookie: str) -> _LoginRequest:
    """Return the request that the form belongs to, if this browser got the form recently."""
    try:
        browser, *parts = login.signer.loads(form, max_age=_FORM_SECONDS)
        same = secrets.compare_digest(str(browser).encode(), cookie.encode())
    except (BadSignature, ValueError, TypeError):
        same, parts = False, []
    if not same:
        raise Problem(
            400,
            "invalid_request",
            "The form is too old, or belongs to another browser (are cookies off?).",
        )
    return _LoginRequest(*parts)


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
