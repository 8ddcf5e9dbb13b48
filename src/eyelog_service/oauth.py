"""OAuth 2.0: the login with its code, the tokens for it, and their end.

RFC 6749 (codes, tokens and their errors), RFC 6750 (bearer tokens), RFC 7009 (revocation), RFC 7636
(PKCE, only S256). Nothing is ever sent to an address that the application did not register.

Here are also the forms that only the browser which got them can send back, the sessions of wearers,
and the pace at which passwords are checked.
"""

import base64
import hashlib
import ipaddress
import math
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from anyio import CapacityLimiter, to_thread
from itsdangerous import BadSignature, URLSafeTimedSerializer
from jinja2 import Template
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service import web
from eyelog_service.accounts import form_target, matches
from eyelog_service.browser import html, page_template
from eyelog_service.grants import (
    ACCESS_SECONDS,
    SCOPE,
    WRITE,
    Bearer,
    GrantRefused,
    Registry,
    Tokens,
    granted,
)
from eyelog_service.state import State, digest, run

# Forms: each parameter once, and an empty one counts as missing.

FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 50


async def read_form(request: Request) -> dict[str, str]:
    """Return the parameters of a form-encoded body.

    Raises
    ------
    Problem
        400 ``invalid_request``, if the body is not form-encoded or repeats a parameter.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise web.bad_request(f"the body must be a form: Content-Type {FORM}")
    body = await request.body()
    try:
        return filled(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise web.bad_request("the body is not a readable form") from None


def filled(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return the parameters that have a value, by name; none may be repeated."""
    return {name: value for name, value in web.by_name(pairs).items() if value}


def require(form: dict[str, str], *names: str) -> list[str]:
    """Return the values of `names`; refuse a form that lacks any, naming them."""
    missing = [name for name in names if name not in form]
    if missing:
        raise web.bad_request(f"missing from the form: {', '.join(missing)}")
    return [form[name] for name in names]


_SECONDS = 1800


def signer(request: Request, purpose: str) -> URLSafeTimedSerializer:
    """Return the signer of texts for one purpose; no other purpose accepts them."""
    key = web.parts_of(request).registry.signing_key()  # which the operator may replace at any time
    return URLSafeTimedSerializer(
        key, salt=purpose, signer_kwargs={"digest_method": hashlib.sha256}
    )


@dataclass(frozen=True, slots=True)
class SignedForms:
    """Forms of one page, each bound to a browser by a cookie.

    Parameters
    ----------
    purpose : str
        Which page: no other page accepts its forms.
    path : str
        The address to which browsers send the cookie.
    samesite : {"lax", "strict"}
        Strict, unless people arrive on the page by a link of another site.
    """

    purpose: str
    path: str
    samesite: str = "strict"

    def page(self, request: Request, template: Template, *values: Any, **shown: Any) -> Response:
        """Return a page whose form, signed with `values`, only this browser can send back.

        A cookie that was not made here is replaced. `shown` is for `web.form_page`.
        """
        browser, browsers = self._cookie(request), signer(request, f"browser of {self.purpose}")
        try:
            browsers.loads(browser, max_age=_SECONDS)
        except BadSignature:
            browser = browsers.dumps(secrets.token_urlsafe(16))
        form = signer(request, self.purpose).dumps([browser, *values])
        answer = web.form_page(template, form=form, **shown)
        how = {"path": self.path, "max_age": _SECONDS, "samesite": self.samesite}
        set_cookie(request, answer, f"eyelog_{self.purpose}", browser, **how)
        return answer

    def values(self, request: Request, form: str) -> list[Any]:
        """Return the values that were signed, if this browser got the form recently.

        Raises
        ------
        Problem
            400, if the form is old, another browser's, or not from here.
        """
        with suppress(BadSignature, ValueError, TypeError):
            browser, *values = list[Any](
                signer(request, self.purpose).loads(form, max_age=_SECONDS)
            )
            if compare_digest(str(browser).encode(), self._cookie(request).encode()):
                return values
        text = "The form is too old, or belongs to another browser (are cookies off?)."
        raise web.bad_request(text)

    async def read(self, request: Request) -> tuple[dict[str, str], list[Any]]:
        """Return a form that this browser sends back, and the values that were signed into it.

        Raises
        ------
        Problem
            400 or 403, if the body is not a form, or the form is old, another browser's, or sent
            from another site.
        """
        check_origin(request)
        form = await read_form(request)
        return form, self.values(request, form.get("form", ""))

    def _cookie(self, request: Request) -> str:
        return request.cookies.get(f"eyelog_{self.purpose}", "")


def check_origin(request: Request) -> None:
    """Raise a `Problem` if another site sends a form (browsers say so themselves)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign:
        raise web.Problem(403, "access_denied", "The form was sent from another site.")


def set_cookie(request: Request, answer: Response, name: str, value: str, **how: Any) -> None:
    """Set a cookie that only this service reads; `how` are its path, max_age and samesite."""
    how["path"] = f"{request.scope.get('root_path', '')}{how['path']}"
    more: dict[str, Any] = {
        "samesite": "strict",
        "secure": request.url.scheme == "https",
        "httponly": True,
    } | how
    answer.set_cookie(name, value, **more)


# Sessions of wearers. The service keeps no list of them: a cookie holds the account's name and its
# mark, which changes with the password, with each logout, and when the operator disables it.

PATH = "/account"
SESSION = "eyelog_session"
MINUTES = 30
ENDED = (
    f"Your session has ended: {MINUTES} minutes have passed, you logged out elsewhere, or the"
    " password was changed. Log in again."
)


def start_session(request: Request, answer: Response, account: str) -> None:
    """Begin a session of an account in this browser."""
    mark = web.parts_of(request).registry.accounts.session_mark(account)
    cookie = signer(request, "session").dumps([account, mark])
    set_cookie(request, answer, SESSION, cookie, path=PATH, max_age=MINUTES * 60)


def session_of(request: Request) -> str | None:
    """Return whose session it is; None if there is none, or it has ended."""
    with suppress(BadSignature, ValueError, TypeError):
        cookie = request.cookies.get(SESSION, "")
        account, mark = signer(request, "session").loads(cookie, max_age=MINUTES * 60)
        now = web.parts_of(request).registry.accounts.session_mark(account)
        if now is not None and compare_digest(now, mark):
            return str(account)
    return None


def forget_session(request: Request, answer: Response) -> None:
    """Remove the cookie from this browser."""
    set_cookie(request, answer, SESSION, "", path=PATH, max_age=0)


# Passwords that somebody typed, checked at the pace that wrong ones allow.

_FREE = 5
"""Tries without a delay. Then it is 2 s, and doubles up to `_LONGEST_S`."""
_FREE_OF_ADDRESS = 20
"""The same for an address, with whatever names: a lab's wearers may share one."""
_LONGEST_S = 300
_FORGET_S = 3600
"""Seconds without a try after which the count starts again."""
_MOST_WAITING = 8
"""Passwords from one address that are being checked or waiting, in one process."""
_BUSY_S = 5
_AT_ONCE = 2
"""Passwords that are checked at the same time, by all processes: each takes much of a core."""


def _later(wait_s: int, text: str) -> web.Problem:
    return web.Problem(429, "slow_down", text, headers={"Retry-After": str(wait_s)})


class PasswordTries:
    """Checks passwords.

    Wrong ones are counted for a name and the address they come from, so that a stranger who guesses
    Ada's password keeps nobody out elsewhere; and for an address and all names together, so that
    one password cannot be tried on every account. The counts are in the service's state, which all
    its processes share.

    Parameters
    ----------
    registry : Registry
        The accounts, and the state with the counts.
    workers : int
        How many processes check passwords on this machine.
    """

    def __init__(self, registry: Registry, workers: int = 1) -> None:
        self._registry = registry
        self.at_once = CapacityLimiter(max(1, _AT_ONCE // workers))
        self._counting = CapacityLimiter(4)  # a flood leaves threads for others
        self._waiting: Counter[str] = Counter()

    async def check(
        self,
        request: Request,
        name: str,
        password: str,
        *,
        wrong: str = "Wrong name or password.",
        application: str | None = None,
    ) -> web.Problem | None:
        """Return what is wrong with a password, which is counted and goes to the audit log."""
        address, state = web.client_address(request), self._registry.state
        if self._waiting[address] >= _MOST_WAITING:
            text = f"Too many logins from your network at once. Try again in {_BUSY_S} s."
            return _later(_BUSY_S, text)
        self._waiting[address] += 1
        try:
            keys, accounts = _keys(name, address), self._registry.accounts
            wait_s = await to_thread.run_sync(_take_try, state, keys, limiter=self._counting)
            if not wait_s and await to_thread.run_sync(
                accounts.check_login, name, password, limiter=self.at_once
            ):
                await to_thread.run_sync(_forget, state, keys)
                return None
            # A name without an account may be a password typed into the wrong field.
            known = name if await to_thread.run_sync(accounts.has, name) else None
            what = {"application": application, "wait_s": wait_s or None}
            await web.note(request, "login_failed", known, **what)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]
        if not wait_s:
            return web.bad_request(wrong)
        wait = f"{wait_s} s" if wait_s < 100 else f"{-(-wait_s // 60)} min"
        return _later(wait_s, f"Too many wrong passwords. Try again in {wait}.")

    async def refusal(
        self,
        request: Request,
        form: dict[str, str],
        page: Callable[..., Response],
        *,
        application: str | None = None,
    ) -> Response | None:
        """Return the page of a login again, saying what is wrong, unless the form is right.

        Parameters
        ----------
        request : Request
            The filled form.
        form : dict of str to str
            What it says. An empty field is not counted as a guess.
        page : callable
            The page of the login: takes what `web.form_page` takes.
        application : str, optional
            The application that asked for the login.
        """
        name = form.get("name", "").strip()
        empty = {} if name else {"name": "Enter your name."}
        empty |= {} if form.get("password") else {"password": "Enter your password."}
        if empty:
            return page(status=400, name=name, wrong=empty)
        wrong = await self.check(request, name, form["password"], application=application)
        if wrong is None:
            return None
        return page(problem=wrong, name=name, error=wrong.description)


def _keys(name: str, address: str) -> dict[str, bytes]:
    """Return the keys under which a try is counted: of the name, and of the address alone.

    Of an address of IPv6 only the first 64 bits are used: one household has all of the others.
    """
    host = web.address_of(address)
    household = str(host or address)
    if host is not None and host.version == 6:
        household = str(ipaddress.ip_network((int(host), 64), strict=False))
    return {
        "of_name": digest(f"address\n{household}\n{name}"),
        "of_address": digest(f"network\n{household}"),
    }


def _take_try(state: State, keys: dict[str, bytes]) -> int:
    """Count one try and return 0, or the seconds until another try is allowed.

    A try is counted before the password is checked, so that guesses made at the same time count
    too. A refused one is not counted, so that waiting always ends.
    """
    now, free = time.time(), {keys["of_name"]: _FREE, keys["of_address"]: _FREE_OF_ADDRESS}
    sql = "SELECT who, n, last FROM login_try WHERE who IN (:of_name, :of_address)"

    def wait_s(rows: Iterable[Any]) -> int:
        waits = [
            last + min(2.0 ** min(n - free[bytes(who)] + 1, 30), _LONGEST_S) - now
            for who, n, last in rows
            if n >= free[bytes(who)]
        ]
        return math.ceil(max(waits, default=0.0))

    # In a flood most are refused: they must not wait for the lock, nor keep others from it.
    if 0 < (known := wait_s(state.rows(sql, **keys))) <= _LONGEST_S:
        return known
    with state.write() as db:
        # A time that is to come is from a clock that was set back since, or damaged.
        run(db, "DELETE FROM login_try WHERE last < :old", old=now - _FORGET_S)
        run(db, "UPDATE login_try SET last = :now WHERE last > :now", now=now)
        if (known := wait_s(run(db, sql, **keys))) > 0:
            return known
        count = (
            "INSERT INTO login_try VALUES (:of_name, 1, :now), (:of_address, 1, :now)"
            " ON CONFLICT (who) DO UPDATE SET n = login_try.n + 1, last = excluded.last"
        )
        run(db, count, now=now, **keys)
    return 0


def _forget(state: State, keys: dict[str, bytes]) -> None:
    """Forget the tries after the right password; of the address and all names, only this one."""
    with state.write() as db:
        run(db, "DELETE FROM login_try WHERE who = :of_name", **keys)
        # Somebody who has one password must not be free to guess the others.
        run(db, "UPDATE login_try SET n = n - 1 WHERE who = :of_address AND n > 0", **keys)


_LOGIN = page_template(html("login.html"))
AUTHORIZE = "/v1/oauth/authorize"
_FORMS = SignedForms("login", AUTHORIZE, "lax")  # people come from other sites
_ONLY_CODE = "response_type must be code"
_ONLY_S256 = "code_challenge_method must be S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
_LONGEST_NAME = 128  # characters that the page accepts; a name of an account has at most 64


class _LoginRequest(NamedTuple):
    """What an application asks for, checked."""

    client_id: str
    application: str  # the name that people see
    redirect_uri: str
    state: str | None
    challenge: str | None
    scope: str


async def show_login(request: Request) -> Response:
    """Answer GET /v1/oauth/authorize with the login page."""
    text = request.scope["query_string"].decode("latin-1")
    query = filled(parse_qsl(text, keep_blank_values=True))
    asked = await to_thread.run_sync(_asked, web.parts_of(request).registry, query)
    challenge, method = asked.challenge, query.get("code_challenge_method")
    is_hash = challenge is None or _CHALLENGE.fullmatch(challenge)
    for is_fault, error, description in (
        ("response_type" not in query, "invalid_request", "response_type is missing"),
        (query.get("response_type") != "code", "unsupported_response_type", _ONLY_CODE),
        (challenge is None and method is not None, "invalid_request", "code_challenge is missing"),
        (challenge is not None and method != "S256", "invalid_request", _ONLY_S256),
        (not is_hash, "invalid_request", "code_challenge is not a base64url SHA-256"),
    ):
        if is_fault:
            return _send_back(asked, error=error, error_description=description)
    hint = query.get("login_hint", "")
    usable = len(hint) <= _LONGEST_NAME and hint.isprintable()
    return _page(request, asked, name=hint if usable else "")


async def take_login(request: Request) -> Response:
    """Answer POST /v1/oauth/authorize: the filled form of the login page."""
    form, signed = await _FORMS.read(request)
    asked = _LoginRequest(*signed)
    again = partial(_page, request, asked)
    name, decision = form.get("name", "").strip(), form.get("decision")
    if decision == "deny":
        await web.note(request, "login_denied", application=asked.client_id)
        description = "the wearer denied access"
        return _send_back(asked, error="access_denied", error_description=description)
    if decision != "allow":
        return again(name=name, error="Choose Allow or Deny.", status=400)
    parts, application = web.parts_of(request), asked.client_id
    if refusal := await parts.tries.refusal(request, form, again, application=application):
        return refusal
    issue = partial(parts.registry.grants.issue_code, challenge=asked.challenge, scope=asked.scope)
    code = await to_thread.run_sync(issue, name, application, asked.redirect_uri)
    await web.note(request, "login", name, application=application)
    return _send_back(asked, code=code)


def _asked(registry: Registry, query: dict[str, str]) -> _LoginRequest:
    """Return what is asked for; errors stay on this page until the redirect URI is checked."""
    client_id, redirect_uri = query.get("client_id"), query.get("redirect_uri")
    application = registry.applications.get(client_id) if client_id else None
    if application is None:
        raise web.Problem(400, "invalid_client", "No application has this client_id.")
    if redirect_uri is None or not matches(application.redirect_uri, redirect_uri):
        raise web.bad_request(
            "redirect_uri is missing, or is not the address that the application registered."
        )
    state, challenge = query.get("state"), query.get("code_challenge")
    scope = granted(query.get("scope"))
    return _LoginRequest(
        application.client_id,
        application.label,
        redirect_uri,
        state,
        challenge,
        scope,
    )


def _page(request: Request, asked: _LoginRequest, **shown: Any) -> Response:
    """Return the page that asks for name, password and consent, bound to this browser."""
    scopes = asked.scope.split()
    writes, reads = WRITE in scopes, scopes != [WRITE]
    act = "read your data" if reads else "add to your data"
    if reads and writes:
        act = "read your data, and add to them"
    question = f"Allow {asked.application} to {act}?"
    # Browsers also apply the policy to the redirect that follows the form.
    targets = f"'self' {form_target(asked.redirect_uri)}"
    shown |= {"question": question, "asked": asked, "reads": reads, "writes": writes}
    return _FORMS.page(request, _LOGIN, *asked, title=question, targets=targets, **shown)


def _send_back(asked: _LoginRequest, **values: str) -> Response:
    """Redirect the browser to the application."""
    query = urlencode(values | ({} if asked.state is None else {"state": asked.state}))
    separator = "&" if "?" in asked.redirect_uri else "?"
    headers = {
        "Location": f"{asked.redirect_uri}{separator}{query}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return Response(status_code=303, headers=headers)


_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_REALM = 'Bearer realm="eyelog"'
_IS_BEARER = re.compile(r"\s*bearer(\s|$)", re.IGNORECASE)
_BASIC = re.compile(r"\s*basic(\s+|$)", re.IGNORECASE)
_BEARER = re.compile(r"bearer +([A-Za-z0-9\-._~+/]+=*)", re.IGNORECASE)


async def token(request: Request) -> Response:
    """Answer POST /v1/oauth/token: a code or a refresh token for an access token."""
    form = await read_form(request)
    tokens = await to_thread.run_sync(_grant, request, form)
    event = "refresh" if form["grant_type"] == "refresh_token" else "token"
    await web.note(request, event, tokens.account, application=tokens.client_id)
    answer = {
        "access_token": tokens.access,
        "refresh_token": tokens.refresh,
        "token_type": "Bearer",
        "expires_in": ACCESS_SECONDS,
        "scope": tokens.scope,
    }
    return web.json_answer(answer, headers=_NO_STORE)


# What each grant needs. The contract asks for the address with a refresh too; RFC 6749, section 6,
# does not.
_NEEDED = {"authorization_code": ("code", "redirect_uri"), "refresh_token": ("refresh_token",)}


def _grant(request: Request, form: dict[str, str]) -> Tokens:
    """Return the tokens that an application gets for a code or a refresh token."""
    (grant_type,) = require(form, "grant_type")
    if grant_type not in _NEEDED:
        text = f"grant_type must be {' or '.join(_NEEDED)}"
        raise web.Problem(400, "unsupported_grant_type", text)
    application, grants = _application(request, form), web.parts_of(request).registry.grants
    used, *_ = require(form, *_NEEDED[grant_type])
    redirect_uri = form.get("redirect_uri", application.redirect_uri)
    try:
        if not matches(application.redirect_uri, redirect_uri):
            text = "redirect_uri is not the address that the application registered"
            raise GrantRefused(text)
        if grant_type == "refresh_token":
            return grants.refresh(used, application.client_id)
        verifier = form.get("code_verifier")
        return grants.exchange(used, application.client_id, redirect_uri, verifier)
    except GrantRefused as refused:
        raise web.Problem(400, "invalid_grant", str(refused)) from None


def _application(request: Request, form: dict[str, str]) -> Any:
    """Return the application that a form comes from.

    It proves itself by its secret in the form, or by HTTP Basic (RFC 6749, section 2.3.1).
    """
    headers, scheme = request.headers.getlist("authorization"), "Form"
    fault = "client_id or client_secret is wrong"
    if any(_BASIC.match(header) for header in headers):
        if "client_secret" in form or len(headers) > 1:
            raise web.bad_request(
                "send the application's secret once: in the header Authorization or in the form"
            )
        scheme, client_id, secret = "Basic", "", ""
        try:
            text = base64.b64decode(_BASIC.sub("", headers[0]).strip(), validate=True).decode()
            pair = [unquote_plus(part, errors="strict") for part in text.split(":", 1)]
            client_id, secret = pair
        except ValueError:
            fault = "the Authorization header is not readable"
        else:
            if form.get("client_id", client_id) != client_id:
                raise web.bad_request("the client_id of the form is not that of the header")
    else:
        client_id, secret = require(form, "client_id", "client_secret")
    applications = web.parts_of(request).registry.applications
    if (application := applications.authenticated(client_id, secret)) is None:
        challenge = {"WWW-Authenticate": f'{scheme} realm="eyelog"'}
        raise web.Problem(401, "invalid_client", fault, headers=challenge)
    return application


async def revoke(request: Request) -> Response:
    """Answer POST /v1/oauth/revoke: make one of the caller's own tokens unusable.

    The caller is the bearer of a token, as the contract has it, or an application with its id and
    secret (RFC 7009, section 2.1).
    """
    headers = request.headers.getlist("authorization")
    is_basic = any(_BASIC.match(header) for header in headers)
    may_be_application = is_basic or (not headers and "content-type" in request.headers)
    form = await read_form(request) if may_be_application else {}
    if is_basic or "client_secret" in form:
        application = await to_thread.run_sync(_application, request, form)
        client_id, account = application.client_id, None
    else:
        bearer = await to_thread.run_sync(authenticate, request)
        client_id, account = bearer.client_id, bearer.account
        form = await read_form(request)
    (revoked,), grants = require(form, "token"), web.parts_of(request).registry.grants
    try:
        whose = await to_thread.run_sync(grants.revoke, revoked, client_id, account)
    except GrantRefused as refused:
        raise web.Problem(400, "unauthorized_client", str(refused)) from None
    await web.note(request, "revoke", whose, application=client_id)
    return web.json_answer({}, headers=_NO_STORE)


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
        text = "send the access token in the header Authorization: Bearer ACCESS_TOKEN"
        raise web.Problem(401, "unauthorized", text, headers={"WWW-Authenticate": _REALM})
    match = _BEARER.fullmatch(headers[0].strip()) if len(headers) == 1 else None
    bearer: Bearer | str = "the Authorization header is not one bearer token"
    if match:
        bearer = web.parts_of(request).registry.grants.bearer(match[1])
    if isinstance(bearer, Bearer):
        return bearer
    challenge = f'{_REALM}, error="invalid_token", error_description="{bearer}"'
    raise web.Problem(401, "invalid_token", bearer, headers={"WWW-Authenticate": challenge})


_MAY_NOT = {
    SCOPE: "this token cannot read: it may only add records",
    WRITE: "this token cannot add records: ask the wearer for the scope write",
}


def allowed(request: Request, scope: str) -> Bearer:
    """Return the bearer of a request to read or to write; raise as `authenticate` does, or 403."""
    bearer = authenticate(request)
    if not (bearer.writes if scope == WRITE else bearer.reads):
        text = _MAY_NOT[scope]
        challenge = f'error="insufficient_scope", error_description="{text}", scope="{scope}"'
        headers = {"WWW-Authenticate": f"{_REALM}, {challenge}"}
        raise web.Problem(403, "insufficient_scope", text, headers=headers)
    return bearer
