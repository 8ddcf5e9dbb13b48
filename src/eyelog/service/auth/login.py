"""The authorization endpoint: a wearer logs in and consents, the application gets a code.

RFC 6749, section 4.1. Nothing is ever sent to an address that the application did not register.
"""

import hashlib
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from anyio import CapacityLimiter, to_thread
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.auth.forms import filled, read_form
from eyelog.service.auth.grants import SCOPE, granted
from eyelog.service.auth.pages import error_page, login_page
from eyelog.service.auth.redirects import form_target, matches
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.throttle import Throttle, guesser
from eyelog.service.responses import Problem

__all__ = ["Login", "show_login", "take_login"]

_COOKIE, _DEVICE_COOKIE = "eyelog_login", "eyelog_device"
_PATH = "/v1/oauth/authorize"
_FORM_SECONDS = 1800
_DEVICE_SECONDS = 365 * 24 * 3600
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")


@dataclass(frozen=True, slots=True)
class _LoginRequest:
    """What an application asks for, checked."""

    client_id: str
    redirect_uri: str
    state: str | None
    challenge: str | None
    scope: str = SCOPE


class Login:
    """What the login page needs besides the registry: signed forms and cookies, and the throttle.

    Parameters
    ----------
    key : function
        Returns the key that signs forms and cookies; the operator may replace it at any time.
    throttle : Throttle
        Says how long to wait after wrong passwords.
    """

    def __init__(self, key: Callable[[], bytes], throttle: Throttle) -> None:
        self._key = key
        self.throttle = throttle
        self.at_once = CapacityLimiter(2)  # each check costs 16 MB and much of a core

    def _signer(self, salt: str) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(
            self._key(), salt=salt, signer_kwargs={"digest_method": hashlib.sha256}
        )

    @property
    def form(self) -> URLSafeTimedSerializer:
        """Signs the hidden field of the form."""
        return self._signer("login")

    @property
    def _browser(self) -> URLSafeTimedSerializer:
        return self._signer("browser")

    @property
    def _device(self) -> URLSafeTimedSerializer:
        return self._signer("device")

    def browser(self, cookie: str) -> str:
        """Return the cookie of this browser; one that was not made here is replaced."""
        with suppress(BadSignature):
            self._browser.loads(cookie, max_age=_FORM_SECONDS)
            return cookie
        return self._browser.dumps(secrets.token_urlsafe(16))

    def device(self, cookie: str, name: str) -> str | None:
        """Return the mark of a browser that has logged in to this name before."""
        with suppress(BadSignature, ValueError, TypeError):
            mark, known_name = self._device.loads(cookie, max_age=_DEVICE_SECONDS)
            return str(mark) if known_name == name else None
        return None

    def device_cookie(self, name: str) -> str:
        """Return the cookie of a browser that has just logged in to `name`."""
        return self._device.dumps([secrets.token_urlsafe(16), name])


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
        _check_origin(request)
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
    device = login.device(request.cookies.get(_DEVICE_COOKIE, ""), name)
    address = request.client.host if request.client else ""
    who = guesser(name, address=address, device=device)
    wait_s = await to_thread.run_sync(login.throttle.take_try, who)
    if wait_s:
        page = _page(
            request,
            login_request,
            name=name,
            error=f"Too many wrong passwords. Try again in {_in_words(wait_s)}.",
            status=429,
        )
        page.headers["Retry-After"] = str(wait_s)
        return page
    correct = await to_thread.run_sync(
        registry.check_login, name, form.get("password", ""), limiter=login.at_once
    )
    if not correct:
        return _page(request, login_request, name=name, error="Wrong name or password.", status=400)
    await to_thread.run_sync(login.throttle.forget, who)
    code = await to_thread.run_sync(
        lambda: registry.issue_code(
            name,
            login_request.client_id,
            login_request.redirect_uri,
            challenge=login_request.challenge,
            scope=login_request.scope,
        )
    )
    answer = _send_back(login_request.redirect_uri, {"code": code}, login_request.state)
    _set_cookie(request, answer, _DEVICE_COOKIE, login.device_cookie(name), _DEVICE_SECONDS)
    return answer


def _in_words(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{-(-seconds // 60)} min"


def _check_origin(request: Request) -> None:
    """Refuse a form that another site sends (browsers say so themselves)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign:
        raise Problem(403, "access_denied", "The form was sent from another site.")


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
    return _LoginRequest(client_id, redirect_uri, state, challenge, granted(query.get("scope")))


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
    browser = login.browser(request.cookies.get(_COOKIE, ""))
    parts = (
        login_request.client_id,
        login_request.redirect_uri,
        login_request.state,
        login_request.challenge,
        login_request.scope,
    )
    page = login_page(
        status=status,
        form_target=form_target(login_request.redirect_uri),
        client_id=login_request.client_id,
        redirect_uri=login_request.redirect_uri,
        scope=login_request.scope,
        form=login.form.dumps([browser, *parts]),
        name=name,
        error=error,
    )
    _set_cookie(request, page, _COOKIE, browser, _FORM_SECONDS)
    return page


def _set_cookie(request: Request, answer: Response, name: str, value: str, seconds: int) -> None:
    answer.set_cookie(
        name,
        value,
        max_age=seconds,
        path=request.scope.get("root_path", "") + _PATH,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def _signed(login: Login, form: str, cookie: str) -> _LoginRequest:
    """Return the request that the form belongs to, if this browser got the form recently."""
    try:
        browser, *parts = login.form.loads(form, max_age=_FORM_SECONDS)
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
