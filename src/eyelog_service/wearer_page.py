"""The wearer's own page: log in, see and withdraw access, change the password, get one's data.

All forms are sent to the page itself, each with its action in `do`. They are bound to this browser
and to the wearer who is logged in. No page has a script. Behind an invitation, a wearer chooses a
password, once.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.store import Archive
from eyelog.catalogue import INTERVAL_SECONDS
from eyelog.errors import ArchiveError, ConfigurationError, counted
from eyelog_service.apart import Failed
from eyelog_service.auth.accounts import check_password_rules
from eyelog_service.auth.forms import ENDED, MINUTES, PATH, SignedForms, check_origin
from eyelog_service.auth.grants import Bearer
from eyelog_service.auth.password_tries import client_address
from eyelog_service.auth.registry import Registry
from eyelog_service.browser import WIDE, html, page_headers, page_template
from eyelog_service.erase import erase_account
from eyelog_service.parts import parts_of
from eyelog_service.responses import Problem, bad_request, form_page
from eyelog_service.uploads import arriving, note_upload
from eyelog_service.wearer_data import (
    DAYS,
    OwnDays,
    TooMany,
    clock_sentence,
    own_days,
    own_report,
    stored_months,
)

_LOGIN = page_template(html("account-login.html"))
_ACCOUNT = page_template(html("account.html"))
_DAYS = page_template(html("account-days.html"))
_DELETED = page_template(html("account-deleted.html"))
_INVITATION = page_template(html("account-invitation.html"))
_TROUBLE = page_template(html("account-trouble.html"))

# The action just done, in the address that the browser is sent to: ?done=...
_DONE = {
    "withdrawn": "Access is withdrawn. The application can read nothing more.",
    "changed": "Your password is changed, and other browsers are logged out.",
    "chosen": "Your password is set. You are logged in.",
    "ended": "Your upload tokens have ended.",
    "logged-out": "You have logged out.",
}
_FOOTER = (
    f"You are logged out automatically {MINUTES} minutes after you log in. Logging out ends your"
    " sessions in every browser."
)

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
    if request.query_params.get("show") == "days":
        return await _show_days(request, account)
    return await _account(request, account, note=done)


async def take_account(request: Request) -> Response:
    """Answer POST /account: a form of the page."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await _take_files(request)
    try:
        form, (signed_for,) = await parts_of(request).account_forms.read(request)
    except Problem as problem:
        return _not_accepted(problem)
    do = form.get("do")
    if signed_for == "" and do == "log-in":
        return await _log_in(request, form)
    account = await to_thread.run_sync(parts_of(request).sessions.account, request)
    if account is None:
        return _ended(request, status=403)
    action = _ACTIONS.get(do or "")
    if signed_for != account or action is None:
        text = "The form belongs to another login. Open your account page again."
        return _not_accepted(bad_request(text))
    return await action(request, account, form)


async def _log_in(request: Request, form: dict[str, str]) -> Response:
    name = form.get("name", "").strip()
    tries = parts_of(request).password_tries
    if refusal := await tries.refusal(request, name, form, partial(_login, request)):
        return refusal
    answer = await _logged_in(request, name)
    await note(request, "login", name, page="account")
    return answer


async def _logged_in(request: Request, account: str, done: str = "") -> Response:
    """Begin a session, and send the browser to the page."""
    answer = see_page(done)
    await to_thread.run_sync(parts_of(request).sessions.start, request, answer, account)
    return answer


async def _take_files(request: Request) -> Response:
    """Import the files of the page's form, and show what happened to them."""
    shared = parts_of(request)
    account = await to_thread.run_sync(shared.sessions.account, request)
    if account is None:  # before anything is kept
        return _closing(_ended(request, status=403))
    fields: dict[str, str] = {}
    try:
        check_origin(request)
        async with arriving(request, account, fields=fields) as arrived:
            if shared.account_forms.values(request, fields.get("form", "")) != [account]:
                raise bad_request("The form belongs to another login.")
            answer = await shared.uploads.take(account, arrived)
    except Problem as problem:
        if await to_thread.run_sync(shared.sessions.account, request) is None:  # deleted meanwhile
            return _closing(_ended(request, status=problem.status))
        text = problem.description
        wrong = {"files": f"{text[:1].upper()}{text[1:].rstrip('.')}."}
        page = await _account(request, account, status=problem.status, wrong=wrong)
        page.headers.update({k: v for k, v in problem.headers.items() if k == "Retry-After"})
        return _closing(page)
    await note_upload(request, Bearer(account, "", ""), arrived, answer)
    new = answer["new"]
    summary = f"{counted(new, 'new record')} arrived."
    if not new:
        summary = "Nothing new arrived: the records were here before."
    return await _account(request, account, title=summary, files=answer["files"])


def _closing(page: Response) -> Response:
    """Close the connection after a page, without waiting for the rest of the body."""
    page.headers["Connection"] = "close"
    return page


async def _show_days(request: Request, account: str) -> Response:
    shared = parts_of(request)
    archive = str(shared.registry.archive)
    try:
        encoded = await shared.apart.whole(own_days, archive=archive, account=account)
    except Failed as failed:
        return _not_made(account, "days", failed)
    logs = msgspec.json.decode(encoded, type=list[OwnDays])
    return form_page(_DAYS, title="What arrived per day", layout=WIDE, who=account, logs=logs)


async def _report(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    shared = parts_of(request)
    archive = shared.registry.archive
    if not await to_thread.run_sync(stored_months, archive, account):
        return trouble_page(404, "There is no report", "There are no records of yours here yet.")
    try:
        made = await shared.apart.whole(own_report, archive=str(archive), account=account)
    except Failed as failed:
        return _not_made(account, "report", failed)
    await note(request, "report", account)
    name = f"eyelog-report-{datetime.now(UTC):%Y-%m-%d}.html"
    headers = page_headers() | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(made, headers=headers, media_type="text/html")


def _not_made(
    account: str, what: str, fault: Exception, title: str = "This cannot be shown"
) -> Response:
    _log.error("the %s of %r could not be made: %s", what, account, fault)
    text = "Part of your records cannot be read. Please tell the person who runs this service."
    return trouble_page(500, title, text)


async def _delete(request: Request, account: str, form: dict[str, str]) -> Response:
    if not form.get("password"):
        wrong = {"password": "Enter your password."}
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "password", "The password is wrong."):
        return refusal
    shared = parts_of(request)
    files = await to_thread.run_sync(_erase, shared.registry, account)
    await to_thread.run_sync(partial(shared.audit.write, "erase", places=files))
    answer = form_page(_DELETED, title="Everything is deleted", files=files)
    shared.sessions.forget(request, answer)
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
    registered = parts_of(request).registry.grants
    for grant in await to_thread.run_sync(registered.of_account, account):
        if grant.grant_id == form.get("grant"):
            ended = await to_thread.run_sync(registered.withdraw, account, grant.client_id)
            await note(request, "withdraw", account, application=grant.client_id, tokens=ended)
    return see_page("withdrawn")


async def _change_password(request: Request, account: str, form: dict[str, str]) -> Response:
    if wrong := wrong_passwords(account, form):
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "old", "The old password is wrong."):
        return refusal
    accounts = parts_of(request).registry.accounts
    await to_thread.run_sync(accounts.set_password, account, form["new"])
    await note(request, "password_changed", account)
    return await _logged_in(request, account, "changed")


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
        return _not_made(account, "download", damaged, "Your data cannot be downloaded")
    try:
        await note(request, "download", account)
    except BaseException:  # the request has timed out: no answer will be sent
        downloads.end(account)
        raise
    return answer


async def _make_upload_token(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    grants = parts_of(request).registry.grants
    try:
        token = await to_thread.run_sync(grants.issue_upload_token, account)
    except ConfigurationError:
        wrong = {"token": "You have many upload tokens already: end them first."}
        return await _account(request, account, status=400, wrong=wrong)
    await note(request, "upload_token", account)
    return await _account(request, account, token=token)


async def _end_upload_tokens(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    grants = parts_of(request).registry.grants
    ended = await to_thread.run_sync(grants.end_upload_tokens, account)
    await note(request, "upload_tokens_ended", account, tokens=ended)
    return see_page("ended")


async def _log_out(request: Request, account: str, form: dict[str, str]) -> Response:  # noqa: ARG001 (as all actions)
    answer = see_page("logged-out")
    await to_thread.run_sync(parts_of(request).sessions.end, request, answer, account)
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


def _login(
    request: Request,
    *,
    status: int = 200,
    name: str = "",
    wrong: dict[str, str] | None = None,
    error: str = "",
    note: str = "",
) -> Response:
    """Return the page that asks for name and password."""
    page = partial(
        form_page,
        _LOGIN,
        status=status,
        title=error or " ".join((wrong or {}).values()) or note or "Log in to your account",
        name=name,
        wrong=wrong or {},
        error=error,
        note=note,
    )
    return parts_of(request).account_forms.page(request, lambda form: page(form=form), "")


def _ended(request: Request, *, status: int = 200) -> Response:
    page = _login(request, status=status, note=ENDED)
    parts_of(request).sessions.forget(request, page)
    return page


async def _account(
    request: Request,
    account: str,
    *,
    status: int = 200,
    title: str = "",
    wrong: dict[str, str] | None = None,
    note: str = "",
    token: str = "",
    files: list[dict[str, Any]] | None = None,
) -> Response:
    """Return the page of a wearer who is logged in.

    `wrong` are texts by field, `token` is a new one to be shown once, and `files` are those that
    were just sent, as `uploads.import_upload` answers.
    """
    forms, registry = parts_of(request).account_forms, parts_of(request).registry
    browser = forms.browser(request)

    def page() -> Response:
        return form_page(
            _ACCOUNT,
            status=status,
            title=title or " ".join((wrong or {}).values()) or note or "Your account",
            layout=WIDE,
            who=account,
            form=forms.sign(browser, account),
            grants=registry.grants.of_account(account),
            records=[
                (INTERVAL_SECONDS[log], months[0], months[-1])
                for log, months in stored_months(registry.archive, account).items()
            ],
            times=clock_sentence(registry.archive, account),
            days=DAYS,
            kept_days=registry.retention.days_of(account),
            files=files,
            token=token,
            tokens=registry.grants.upload_tokens(account),
            wrong=wrong or {},
            note=note,
            footer=_FOOTER,
        )

    answer = await to_thread.run_sync(page)
    forms.bind(request, answer, browser)
    return answer


async def note(request: Request, event: str, account: str, **more: Any) -> None:
    """Write what somebody did on a page to the audit log; values that are None are left out."""
    write = partial(parts_of(request).audit.write, event, account=account)
    await to_thread.run_sync(partial(write, address=client_address(request), **more))


def trouble_page(status: int, title: str, description: str) -> Response:
    """Return the page for a request that cannot be answered."""
    return form_page(_TROUBLE, status=status, title=title, description=description)


def _not_accepted(problem: Problem) -> Response:
    return trouble_page(problem.status, "Your request was not accepted", problem.description)


INVITATION = "/invitation"
_USED_UP = (
    "This link has been used, has expired, or is not complete. Please ask the person who runs this"
    " service for a password."
)


def invitation_forms(key: Callable[[], bytes]) -> SignedForms:
    """Return the forms of this page. People arrive on it from their mail, hence "lax"."""
    return SignedForms(
        key, "invitation", cookie="eyelog_invitation", path=INVITATION, samesite="lax"
    )


async def show_invitation(request: Request) -> Response:
    """Answer GET /invitation: the form. Only sending it uses the link: mail programs look at it."""
    code = request.query_params.get("code", "")
    account = await to_thread.run_sync(parts_of(request).registry.accounts.invited, code)
    return _used_up() if account is None else _invitation(request, account, code)


async def take_invitation(request: Request) -> Response:
    """Answer POST /invitation: the password that the wearer has chosen."""
    shared = parts_of(request)
    try:
        form, (code,) = await shared.invitation_forms.read(request)
    except Problem as problem:
        return _not_accepted(problem)
    account = await to_thread.run_sync(shared.registry.accounts.invited, code)
    if account is None:
        return _used_up()
    if wrong := wrong_passwords(account, form, names=("new", "again")):
        return _invitation(request, account, code, wrong=wrong)
    accept, at_once = shared.registry.accounts.accept_invitation, shared.password_tries.at_once
    if not await to_thread.run_sync(accept, code, form["new"], limiter=at_once):
        return _used_up()
    answer = await _logged_in(request, account, "chosen")
    await note(request, "invitation_accepted", account)
    return answer


def _invitation(
    request: Request, account: str, code: str, *, wrong: dict[str, str] | None = None
) -> Response:
    """Return the page on which an invited wearer chooses a password."""
    page = partial(
        form_page,
        _INVITATION,
        status=400 if wrong else 200,
        title=" ".join((wrong or {}).values()) or "Choose your password",
        account=account,
        wrong=wrong or {},
    )
    return parts_of(request).invitation_forms.page(request, lambda form: page(form=form), code)


def _used_up() -> Response:
    return trouble_page(404, "This link cannot be used", _USED_UP)
