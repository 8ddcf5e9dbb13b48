"""Forms, each parameter once, and those that only the browser which got them can send back.

An empty parameter counts as missing. A wearer's session in a browser is a signed cookie that ends
soon, or with the password.
"""

import hashlib
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.auth.registry import Registry
from eyelog_service.responses import Problem, bad_request, by_name

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
        raise bad_request(f"the body must be a form: Content-Type {FORM}")
    body = await request.body()
    try:
        return filled(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise bad_request("the body is not a readable form") from None


def filled(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return the parameters that have a value, by name; none may be repeated."""
    return {name: value for name, value in by_name(pairs).items() if value}


def require(form: dict[str, str], *names: str) -> list[str]:
    """Return the values of `names`; refuse a form that lacks any, naming them."""
    missing = [name for name in names if name not in form]
    if missing:
        raise bad_request(f"missing from the form: {', '.join(missing)}")
    return [form[name] for name in names]


_SECONDS = 1800


def serializer(key: bytes, purpose: str) -> URLSafeTimedSerializer:
    """Return the signer of texts for one purpose; no other purpose accepts them."""
    return URLSafeTimedSerializer(
        key, salt=purpose, signer_kwargs={"digest_method": hashlib.sha256}
    )


class SignedForms:
    """Forms of one page, each bound to a browser by a cookie.

    Parameters
    ----------
    key : function
        Returns the key that signs forms and cookies; the operator may replace it at any time.
    purpose : str
        Which page: no other page accepts its forms.
    cookie, path : str
        The name of the cookie, and the address to which browsers send it.
    samesite : {"lax", "strict"}
        Strict, unless people arrive on the page by a link of another site.
    """

    def __init__(
        self,
        key: Callable[[], bytes],
        purpose: str,
        *,
        cookie: str,
        path: str,
        samesite: str = "strict",
    ) -> None:
        self._key, self._purpose = key, purpose
        self._cookie, self._path, self._samesite = cookie, path, samesite

    @property
    def _forms(self) -> URLSafeTimedSerializer:
        return serializer(self._key(), self._purpose)

    @property
    def _browsers(self) -> URLSafeTimedSerializer:
        return serializer(self._key(), f"browser of {self._purpose}")

    def browser(self, request: Request) -> str:
        """Return the cookie of this browser; one that was not made here is replaced."""
        cookie = request.cookies.get(self._cookie, "")
        with suppress(BadSignature):
            self._browsers.loads(cookie, max_age=_SECONDS)
            return cookie
        return self._browsers.dumps(secrets.token_urlsafe(16))

    def sign(self, browser: str, *values: Any) -> str:
        """Return the hidden field of a form for the browser with this cookie."""
        return self._forms.dumps([browser, *values])

    def bind(self, request: Request, answer: Response, browser: str) -> None:
        """Let the browser keep its cookie."""
        set_cookie(
            request, answer, self._cookie, browser, _SECONDS, self._path, samesite=self._samesite
        )

    def page(self, request: Request, of_form: Callable[[str], Response], *values: Any) -> Response:
        """Return the page that `of_form` makes from the hidden field, only for this browser."""
        browser = self.browser(request)
        answer = of_form(self.sign(browser, *values))
        self.bind(request, answer, browser)
        return answer

    def values(self, request: Request, form: str) -> list[Any]:
        """Return the signed text, if this browser got the form recently.

        Raises
        ------
        Problem
            400, if the form is old, another browser's, or not from here.
        """
        cookie = request.cookies.get(self._cookie, "")
        try:
            signed: list[Any] = self._forms.loads(form, max_age=_SECONDS)
            browser, *values = signed
            if secrets.compare_digest(str(browser).encode(), cookie.encode()):
                return values
        except (BadSignature, ValueError, TypeError):
            pass
        raise bad_request("The form is too old, or belongs to another browser (are cookies off?).")

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


def check_origin(request: Request) -> None:
    """Raise a `Problem` if another site sends a form (browsers say so themselves)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign:
        raise Problem(403, "access_denied", "The form was sent from another site.")


def set_cookie(
    request: Request,
    answer: Response,
    name: str,
    value: str,
    seconds: int,
    path: str,
    *,
    samesite: Any = "strict",
) -> None:
    """Set a cookie that only this service reads, on one path; `seconds=0` deletes it."""
    answer.set_cookie(
        name,
        value,
        max_age=seconds,
        path=f"{request.scope.get('root_path', '')}{path}",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite=samesite,
    )


PATH = "/account"
_COOKIE = "eyelog_session"
MINUTES = 30
ENDED = (
    f"Your session has ended: {MINUTES} minutes have passed, you logged out elsewhere, or the"
    " password was changed. Log in again."
)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Starts, finds and ends the sessions of wearers.

    The service keeps no list of them. A cookie holds the account's name and its mark, which changes
    with the password, with each logout, and when the operator disables the account.
    """

    registry: Registry

    def start(self, request: Request, answer: Response, account: str) -> None:
        """Begin a session of an account in this browser."""
        cookie = self._signer().dumps([account, self.registry.accounts.session_mark(account)])
        set_cookie(request, answer, _COOKIE, cookie, MINUTES * 60, PATH)

    def account(self, request: Request) -> str | None:
        """Return whose session it is; None if there is none, or it has ended."""
        with suppress(BadSignature, ValueError, TypeError):
            cookie = request.cookies.get(_COOKIE, "")
            account, mark = self._signer().loads(cookie, max_age=MINUTES * 60)
            now = self.registry.accounts.session_mark(account)
            if now is not None and compare_digest(now, mark):
                return str(account)
        return None

    def has_cookie(self, request: Request) -> bool:
        """Return whether the browser sent the cookie of a session, ended or not."""
        return _COOKIE in request.cookies

    def end(self, request: Request, answer: Response, account: str) -> None:
        """End all sessions of an account, so that every copy of the cookie is void."""
        self.registry.accounts.end_sessions(account)
        self.forget(request, answer)

    def forget(self, request: Request, answer: Response) -> None:
        """Remove the cookie from this browser."""
        set_cookie(request, answer, _COOKIE, "", 0, PATH)

    def _signer(self) -> URLSafeTimedSerializer:
        return serializer(self.registry.signing_key(), "session")
