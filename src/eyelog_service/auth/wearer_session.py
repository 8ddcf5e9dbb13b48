"""A wearer's session in one browser: a signed cookie that ends soon, or with the password."""

from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.auth.forms import serializer, set_cookie
from eyelog_service.auth.registry import Registry

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
