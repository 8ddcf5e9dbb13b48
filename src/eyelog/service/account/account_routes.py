"""The wearer's own page: log in, see and withdraw access, change the password, get one's data.

All forms are sent to ``/account`` itself, each with its action in `do`. They are bound to this
browser and to the wearer who is logged in.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Unpack

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.store import Archive
from eyelog.browser import page_headers
from eyelog.catalogue import INTERVAL_SECONDS
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.service.access_log import ACCOUNT
from eyelog.service.account.account_page import (
    Shown,
    UploadNotice,
    account_page,
    days_page,
    deleted_page,
    login_page,
    trouble_page,
)
from eyelog.service.account.download import TooMany, clock_sentence, stored_months
from eyelog.service.account.own_days import OwnDays, own_days, own_report
from eyelog.service.account.wearer_session import ENDED, PATH
from eyelog.service.apart import Failed
from eyelog.service.auth.grants import Bearer
from eyelog.service.auth.login_pages import LoginShown
from eyelog.service.auth.password_rules import check_password_rules
from eyelog.service.auth.password_tries import client_address
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.signed_forms import SignedForms, check_origin
from eyelog.service.erase import erase_account
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem
from eyelog.service.uploads.upload_routes import arriving, note_upload

__all__ = ["account_forms", "note", "see_page", "show_account", "take_account", "wrong_passwords"]

# The action just done, in the address that the browser is sent to: ?done=...
_DONE = {
    "withdrawn": "Access is withdrawn. The application can read nothing more.",
    "changed": "Your password is changed, and other browsers are logged out.",
    "chosen": "Your password is set. You are logged in.",
    "ended": "Your upload tokens have ended.",
    "logged-out": "You have logged out.",
}

_log = logging.getLogger("eyelog.service")


def account_forms(key: Callable[[], bytes]) -> SignedForms:
    """Return the forms of the wearer's own page."""
    return SignedForms(key, "account", cookie="eyelog_account", path=PATH)


async def show_account(request: Request) -> Response:
    """Answer GET /account: the wearer's page, or the login to it."""
    done = _DONE.get(request.query_params.get("done", ""), "")
    sessions = parts_of(request).sessions
    account = await to_thread.run_sync(sessions.account, request)
    if account is None:
        if not done and sessions.has_cookie(request):
            return _ended(request)
        return _login(request, note=done)
    request.scope[ACCOUNT] = account
    if request.query_params.get("show") == "days":
        return await _show_days(request, account)
    return await _account(request, account, note=done)


async def take_account(request: Request) -> Response:
    """Answer POST /account: a form of the page."""
    forms = parts_of(request).account_forms
    sessions = parts_of(request).sessions
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await _take_files(request)
    try:
        form, (signed_for,) = await forms.read(request)
    except Problem as problem:
        return trouble_page(problem.status, "Your request was not accepted", problem.description)
    do = form.get("do")
    if signed_for == "" and do == "log-in":
        return await _log_in(request, form)
    account = await to_thread.run_sync(sessions.account, request)
    if account is None:
        return _ended(request, status=403)
    request.scope[ACCOUNT] = account
    action = _ACTIONS.get(do or "")
    if signed_for != account or action is None:
        return trouble_page(
            400,
            "Your request was not accepted",
            "The form belongs to another login. Open your account page again.",
        )
    return await action(request, account, form)


async def _log_in(request: Request, form: dict[str, str]) -> Response:
    name = form.get("name", "").strip()
    tries = parts_of(request).password_tries
    if refusal := await tries.refusal(request, name, form, partial(_login, request)):
        return refusal
    answer = see_page()
    sessions = parts_of(request).sessions
    await to_thread.run_sync(sessions.start, request, answer, name)
    tries.remember(request, answer, name, PATH)
    await note(request, "login", name, page="account")
    return answer


async def _take_files(request: Request) -> Response:
    """Import the files of the page's form, and show what happened to them."""
    forms = parts_of(request).account_forms
    sessions = parts_of(request).sessions
    account = await to_thread.run_sync(sessions.account, request)
    if account is None:  # before anything is kept
        return _closing(_ended(request, status=403))
    request.scope[ACCOUNT] = account
    uploads = parts_of(request).uploads
    fields: dict[str, str] = {}
    try:
        check_origin(request)
        async with arriving(request, account, fields=fields) as arrived:
            if forms.values(request, fields.get("form", "")) != [account]:
                raise Problem(400, "invalid_request", "The form belongs to another login.")
            answer = await uploads.take(account, arrived)
    except Problem as problem:
        if await to_thread.run_sync(sessions.account, request) is None:  # deleted meanwhile
            return _closing(_ended(request, status=problem.status))
        wrong = {"files": _sentence(problem.description)}
        page = await _account(request, account, status=problem.status, wrong=wrong)
        page.headers.update({k: v for k, v in problem.headers.items() if k == "Retry-After"})
        return _closing(page)
    await note_upload(request, Bearer(account, "", ""), arrived, answer)
    return await _account(request, account, arrived=_arrived(answer))


def _closing(page: Response) -> Response:
    """Close the connection after a page, without waiting for the rest of the body."""
    page.headers["Connection"] = "close"
    return page


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _arrived(answer: dict[str, Any]) -> UploadNotice:
    new = answer["new"]
    summary = "1 new record arrived." if new == 1 else f"{new:,} new records arrived."
    if not new:
        summary = "Nothing new arrived: the records were here before."
    lines = []
    for file in answer["files"]:
        if "refused" in file:
            lines.append(f"{file['name']}: not taken: {file['refused']}")
            continue
        line = f"{file['name']}: {file['read']:,} records, {file['new']:,} new"
        if differing := len(file["conflicts"]) + file.get("more_conflicts", 0):
            line += f"; {differing:,} other values than stored before, which stay"
        lines.append(line)
    return UploadNotice(summary, lines, not any("refused" in file for file in answer["files"]))


async def _show_days(request: Request, account: str) -> Response:
    registry = parts_of(request).registry
    apart = parts_of(request).apart
    try:
        encoded = await apart.whole(own_days, archive=str(registry.archive), account=account)
    except Failed as failed:
        return _not_made(account, "days", failed)
    return days_page(account, msgspec.json.decode(encoded, type=list[OwnDays]))


async def _report(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    registry = parts_of(request).registry
    if not await to_thread.run_sync(stored_months, registry.archive, account):
        return trouble_page(404, "There is no report", "There are no records of yours here yet.")
    apart = parts_of(request).apart
    try:
        made = await apart.whole(own_report, archive=str(registry.archive), account=account)
    except Failed as failed:
        return _not_made(account, "report", failed)
    await note(request, "report", account)
    name = f"eyelog-report-{datetime.now(UTC):%Y-%m-%d}.html"
    headers = page_headers() | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(made, headers=headers, media_type="text/html")


def _not_made(account: str, what: str, failed: Failed) -> Response:
    _log.error("the %s of %r could not be made: %s", what, account, failed)
    return trouble_page(
        500,
        "This cannot be shown",
        "Part of your records cannot be read. Please tell the person who runs this service.",
    )


async def _delete(request: Request, account: str, form: dict[str, str]) -> Response:
    if not form.get("password"):
        wrong = {"password": "Enter your password."}
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "password", "The password is wrong."):
        return refusal
    registry = parts_of(request).registry
    files = await to_thread.run_sync(_erase, registry, account)
    await to_thread.run_sync(partial(parts_of(request).audit.write, "erase", places=files))
    answer = deleted_page(files)
    sessions = parts_of(request).sessions
    sessions.forget(request, answer)
    return answer


async def _refusal(
    request: Request, account: str, form: dict[str, str], field: str, text: str
) -> Response | None:
    """Return the page that says that the password in a field is wrong; None if it is right."""
    refused = await parts_of(request).password_tries.check(request, account, form[field])
    if refused is None:
        return None
    wrong = {field: refused.text(text)}
    return refused.delay(await _account(request, account, status=refused.status, wrong=wrong))


def _erase(registry: Registry, account: str) -> int:
    """Delete everything of an account; return how many files."""
    removed = erase_account(registry, account, dry_run=False)  # the login first
    return len({one.path for one in removed}) + len(Archive(registry.archive).erase(account))


async def _withdraw(request: Request, account: str, form: dict[str, str]) -> Response:
    registry = parts_of(request).registry
    grants = await to_thread.run_sync(registry.grants.of_account, account)
    for grant in grants:
        if grant.grant_id == form.get("grant"):
            ended = await to_thread.run_sync(registry.grants.withdraw, account, grant.client_id)
            await note(request, "withdraw", account, application=grant.client_id, tokens=ended)
    return see_page("withdrawn")


async def _change_password(request: Request, account: str, form: dict[str, str]) -> Response:
    registry = parts_of(request).registry
    wrong = wrong_passwords(account, form)
    if wrong:
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "old", "The old password is wrong."):
        return refusal
    await to_thread.run_sync(registry.accounts.set_password, account, form["new"])
    await note(request, "password_changed", account)
    answer = see_page("changed")
    sessions = parts_of(request).sessions
    await to_thread.run_sync(sessions.start, request, answer, account)
    return answer


def wrong_passwords(
    account: str,
    form: dict[str, str],
    names: tuple[str, ...] = ("old", "new", "again"),
) -> dict[str, str]:
    """Return the faults of a password change that show before the old password is checked."""
    empty = {
        "old": "Enter your old password.",
        "new": "Enter a new password.",
        "again": "Enter the new password once more.",
    }
    wrong = {name: empty[name] for name in names if not form.get(name)}
    if "new" not in wrong:
        try:
            check_password_rules(form["new"], account=account)
        except ConfigurationError as rule:
            reason = str(rule).removeprefix(f"the password of account {account!r} ")
            wrong["new"] = f"The new password {reason}."
        else:
            if "again" not in wrong and form["again"] != form["new"]:
                wrong["again"] = "The two new passwords differ."
    return {name: wrong[name] for name in empty if name in wrong}


async def _download(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    downloads = parts_of(request).downloads
    try:
        answer = await downloads.begin(account)
    except TooMany as busy:
        return trouble_page(503, "The download cannot begin now", str(busy))
    except ArchiveError as damaged:
        _log.error("the download of %r failed: %s", account, damaged)
        return trouble_page(
            500,
            "Your data cannot be downloaded",
            "Part of it cannot be read. Please tell the person who runs this service.",
        )
    try:
        await note(request, "download", account)
    except BaseException:  # the request has timed out: no answer will be sent
        downloads.end(account)
        raise
    return answer


async def _make_upload_token(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    registry = parts_of(request).registry
    try:
        token = await to_thread.run_sync(registry.grants.issue_upload_token, account)
    except ConfigurationError:
        wrong = {"token": "You have many upload tokens already: end them first."}
        return await _account(request, account, status=400, wrong=wrong)
    await note(request, "upload_token", account)
    return await _account(request, account, token=token)


async def _end_upload_tokens(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    registry = parts_of(request).registry
    ended = await to_thread.run_sync(registry.grants.end_upload_tokens, account)
    await note(request, "upload_tokens_ended", account, tokens=ended)
    return see_page("ended")


async def _log_out(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    answer = see_page("logged-out")
    sessions = parts_of(request).sessions
    await to_thread.run_sync(sessions.end, request, answer, account)
    return answer


_ACTIONS = {
    "withdraw": _withdraw,
    "change-password": _change_password,
    "download": _download,
    "report": _report,
    "delete": _delete,
    "make-upload-token": _make_upload_token,
    "end-upload-tokens": _end_upload_tokens,
    "log-out": _log_out,
}


def see_page(done: str = "") -> Response:
    """Send the browser to the page, so that a reload repeats nothing."""
    target = f"account?done={done}" if done else "account"
    return Response(status_code=303, headers=page_headers() | {"Location": target})


def _login(request: Request, **shown: Unpack[LoginShown]) -> Response:
    forms = parts_of(request).account_forms
    return forms.page(request, lambda form: login_page(form=form, **shown), "")


def _ended(request: Request, *, status: int = 200) -> Response:
    page = _login(request, status=status, note=ENDED)
    sessions = parts_of(request).sessions
    sessions.forget(request, page)
    return page


async def _account(
    request: Request,
    account: str,
    *,
    status: int = 200,
    wrong: dict[str, str] | None = None,
    note: str = "",
    token: str = "",
    arrived: UploadNotice | None = None,
) -> Response:
    forms = parts_of(request).account_forms
    registry = parts_of(request).registry
    browser = forms.browser(request)
    stored = await to_thread.run_sync(stored_months, registry.archive, account)
    times = await to_thread.run_sync(clock_sentence, registry.archive, account)
    kept_days = await to_thread.run_sync(registry.retention.days_of, account)
    shown = Shown(
        account=account,
        form=forms.sign(browser, account),
        grants=await to_thread.run_sync(registry.grants.of_account, account),
        records=[
            (f"{INTERVAL_SECONDS[log]}-second log", months[0], months[-1])
            for log, months in stored.items()
        ],
        times=times,
        tokens=await to_thread.run_sync(registry.grants.upload_tokens, account),
        token=token,
        kept_days=kept_days,
        arrived=arrived,
    )
    page = account_page(shown, status=status, wrong=wrong, note=note)
    forms.bind(request, page, browser)
    return page


async def note(request: Request, event: str, account: str, **more: Any) -> None:
    """Write what somebody did on a page to the audit log; values that are None are left out."""
    write = partial(parts_of(request).audit.write, event, account=account)
    await to_thread.run_sync(partial(write, address=client_address(request), **more))
