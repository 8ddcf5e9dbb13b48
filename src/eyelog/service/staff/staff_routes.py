"""The page of a study's staff at ``/staff``: a login of its own, and only the wearers of the study.

It shows what came in, and no password, token or secret of anybody. An admin sees every study.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Generator
from functools import partial
from typing import Final, Unpack

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from eyelog.browser import page_headers
from eyelog.service.access_log import ACCOUNT
from eyelog.service.account.account_routes import note
from eyelog.service.account.wearer_session import ENDED, Sessions
from eyelog.service.apart import Failed, run_apart
from eyelog.service.auth.accounts import Account
from eyelog.service.auth.login_pages import LoginShown
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.signed_forms import SignedForms
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem
from eyelog.service.staff.staff_page import StudyView, login_page, staff_page, trouble_page
from eyelog.service.staff.study_tables import months_of_study, study_tables
from eyelog.service.staff.study_wear import StudyWear, study_wear

__all__ = ["PATH", "Staff", "show_staff", "staff_forms", "take_staff"]

PATH: Final = "/staff"
_ROLES: Final = ("staff", "admin")
_AT_ONCE: Final = 20  # wearers on one page
_ARRIVALS: Final = 20

_log = logging.getLogger("eyelog.service")


def staff_forms(key: Callable[[], bytes]) -> SignedForms:
    """Return the forms of the page."""
    return SignedForms(key, "staff", cookie="eyelog_staff", path=PATH)


class Staff:
    """Who is logged in on the page, and the downloads under way.

    Parameters
    ----------
    registry : Registry
        Of the service.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.forms = staff_forms(registry.signing_key)
        self.sessions = Sessions(
            registry, purpose="staff", cookie="eyelog_staff_session", path=PATH
        )
        self.downloads = CapacityLimiter(2)  # of a process; each takes a core

    def member(self, request: Request) -> Account | None:
        """Return who is logged in; None if nobody is, or the account is not a member of staff."""
        name = self.sessions.account(request)
        if name is None or not self.registry.accounts.has(name):
            return None
        account = self.registry.accounts.find(name)
        return account if account.role in _ROLES and not account.disabled else None

    def wearers(self, member: Account) -> list[str]:
        """Return the wearers whom a member may see, sorted."""
        return [
            one.name
            for one in self.registry.accounts.all()
            if one.role == "wearer" and (member.role == "admin" or one.study == member.study)
        ]


async def show_staff(request: Request) -> Response:
    """Answer GET /staff: the study, or the login to it."""
    staff = parts_of(request).staff
    member = await to_thread.run_sync(staff.member, request)
    if member is None:
        ended = staff.sessions.has_cookie(request) and "done" not in request.query_params
        return _login(request, note=ENDED if ended else "")
    request.scope[ACCOUNT] = member.name
    return await _study(request, member)


async def take_staff(request: Request) -> Response:
    """Answer POST /staff: a form of the page."""
    staff = parts_of(request).staff
    try:
        form, (signed_for,) = await staff.forms.read(request)
    except Problem as problem:
        return trouble_page(problem.status, "Your request was not accepted", problem.description)
    do = form.get("do")
    if signed_for == "" and do == "log-in":
        return await _log_in(request, form)
    member = await to_thread.run_sync(staff.member, request)
    if member is None:
        return _login(request, status=403, note=ENDED)
    request.scope[ACCOUNT] = member.name
    if signed_for == member.name and do == "log-out":
        answer = _see_page("?done=logged-out")
        await to_thread.run_sync(staff.sessions.end, request, answer, member.name)
        return answer
    if signed_for == member.name and do == "download":
        return await _download(request, member, form.get("month", ""))
    text = "The form belongs to another login. Open the page again."
    return trouble_page(400, "Your request was not accepted", text)


async def _log_in(request: Request, form: dict[str, str]) -> Response:
    staff = parts_of(request).staff
    name = form.get("name", "").strip()
    tries = parts_of(request).password_tries
    if refusal := await tries.refusal(request, name, form, partial(_login, request)):
        return refusal
    account = await to_thread.run_sync(staff.registry.accounts.find, name)
    if account.role not in _ROLES:
        error = "This page is for the staff of a study. Wearers have a page of their own."
        return _login(request, status=403, name=name, error=error)
    answer = _see_page()
    await to_thread.run_sync(staff.sessions.start, request, answer, name)
    tries.remember(request, answer, name, PATH)
    await note(request, "login", name, page="staff")
    return answer


async def _study(request: Request, member: Account) -> Response:
    staff = parts_of(request).staff
    registry = staff.registry
    wearers = await to_thread.run_sync(staff.wearers, member)
    pages = max(1, -(-len(wearers) // _AT_ONCE))
    page_text = request.query_params.get("page", "1")
    page = min(pages, max(1, int(page_text))) if page_text.isdecimal() and len(page_text) < 6 else 1
    shown = wearers[(page - 1) * _AT_ONCE : page * _AT_ONCE]
    apart = parts_of(request).apart
    archive = str(registry.archive)
    try:
        encoded = await apart.whole(
            study_wear, archive=archive, accounts=wearers, shown=shown, now=time.time()
        )
    except Failed as failed:
        _log.error("the page of the staff %r could not be made: %s", member.name, failed)
        text = "Part of the records cannot be read. Please tell the person who runs this service."
        return trouble_page(500, "This cannot be shown", text)
    uploads = parts_of(request).uploads
    browser = staff.forms.browser(request)
    answer = staff_page(
        StudyView(
            who=member.name,
            name="" if member.role == "admin" else member.study,
            form=staff.forms.sign(browser, member.name),
            wearers=len(wearers),
            wear=msgspec.json.decode(encoded, type=StudyWear),
            arrivals=await to_thread.run_sync(uploads.sent.latest, set(wearers), _ARRIVALS),
            months=await to_thread.run_sync(months_of_study, archive, wearers),
            page=page,
            pages=pages,
        )
    )
    staff.forms.bind(request, answer, browser)
    return answer


async def _download(request: Request, member: Account, month: str) -> Response:
    staff = parts_of(request).staff
    archive = str(staff.registry.archive)
    wearers = await to_thread.run_sync(staff.wearers, member)
    if month not in await to_thread.run_sync(months_of_study, archive, wearers):
        return trouble_page(400, "There are no tables", "The study has no records of that month.")
    if staff.downloads.available_tokens < 1:
        text = "Others are downloading: try again in a few minutes."
        return trouble_page(503, "The download cannot begin now", text)
    parts = run_apart(study_tables, archive=archive, accounts=wearers, month=month)
    try:
        first = await to_thread.run_sync(next, parts, b"", limiter=staff.downloads)
    except Failed as failed:
        _log.error("the tables of %r could not be made: %s", member.name, failed)
        text = "Part of the records cannot be read. Please tell the person who runs this service."
        return trouble_page(500, "The tables cannot be made", text)
    await note(request, "study_download", member.name, month=month)
    name = f"eyelog-study-{month}.zip"
    headers = page_headers() | {"Content-Disposition": f'attachment; filename="{name}"'}
    body = _rest(first, parts, staff.downloads)
    return StreamingResponse(body, headers=headers, media_type="application/zip")


async def _rest(
    first: bytes, parts: Generator[bytes, None, None], limiter: CapacityLimiter
) -> AsyncIterator[bytes]:
    try:
        yield first
        while part := await to_thread.run_sync(next, parts, b"", limiter=limiter):
            yield part
    finally:
        parts.close()  # nobody waits for the rest


def _see_page(query: str = "") -> Response:
    """Send the browser to the page, so that a reload repeats nothing."""
    return Response(status_code=303, headers=page_headers() | {"Location": f"staff{query}"})


def _login(request: Request, **shown: Unpack[LoginShown]) -> Response:
    forms = parts_of(request).staff.forms
    return forms.page(request, lambda form: login_page(form=form, **shown), "")
