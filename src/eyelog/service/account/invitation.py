"""The page behind an invitation: the wearer chooses a password, once."""

from collections.abc import Callable

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.access_log import ACCOUNT
from eyelog.service.account.account_page import invitation_page, trouble_page
from eyelog.service.account.account_routes import see_page, wrong_passwords
from eyelog.service.auth.password_tries import client_address
from eyelog.service.auth.signed_forms import SignedForms
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem

__all__ = ["PATH", "invitation_forms", "show_invitation", "take_invitation"]

PATH = "/invitation"
_ENDED = (
    "This link has been used, has expired, or is not complete. Please ask the person who runs this"
    " service for a password."
)


def invitation_forms(key: Callable[[], bytes]) -> SignedForms:
    """Return the forms of this page. People arrive on it from their mail, hence "lax"."""
    return SignedForms(key, "invitation", cookie="eyelog_invitation", path=PATH, samesite="lax")


async def show_invitation(request: Request) -> Response:
    """Answer GET /invitation: the form. Only sending it uses the link: mail programs look at it."""
    registry = parts_of(request).registry
    code = request.query_params.get("code", "")
    account = await to_thread.run_sync(registry.accounts.invited, code)
    return _ended() if account is None else _page(request, account, code)


async def take_invitation(request: Request) -> Response:
    """Answer POST /invitation: the password that the wearer has chosen."""
    registry = parts_of(request).registry
    forms = parts_of(request).invitation_forms
    tries = parts_of(request).password_tries
    try:
        form, (code,) = await forms.read(request)
    except Problem as problem:
        return trouble_page(problem.status, "Your request was not accepted", problem.description)
    account = await to_thread.run_sync(registry.accounts.invited, code)
    if account is None:
        return _ended()
    if wrong := wrong_passwords(account, form, names=("new", "again")):
        return _page(request, account, code, wrong=wrong)
    accepted = await to_thread.run_sync(
        registry.accounts.accept_invitation, code, form["new"], limiter=tries.at_once
    )
    if not accepted:
        return _ended()
    request.scope[ACCOUNT] = account
    answer = see_page("chosen")
    sessions = parts_of(request).sessions
    await to_thread.run_sync(sessions.start, request, answer, account)
    await to_thread.run_sync(_note, request, account)
    return answer


def _page(
    request: Request, account: str, code: str, *, wrong: dict[str, str] | None = None
) -> Response:
    forms = parts_of(request).invitation_forms
    return forms.page(
        request, lambda form: invitation_page(account=account, form=form, wrong=wrong or {}), code
    )


def _ended() -> Response:
    return trouble_page(404, "This link cannot be used", _ENDED)


def _note(request: Request, account: str) -> None:
    parts_of(request).audit.write(
        "invitation_accepted", account=account, address=client_address(request)
    )
