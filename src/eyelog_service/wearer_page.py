"""The wearer's own page: log in, see and withdraw access, change the password, get one's data.

All forms are sent to the page itself, each with its action in `do`. They are bound to this browser
and to the wearer who is logged in. No page has a script. Behind an invitation, a wearer chooses a
password, once.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.store import Archive
from eyelog.catalogue import INTERVAL_SECONDS
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog_service.apart import Failed
from eyelog_service.auth.accounts import check_password_rules
from eyelog_service.auth.forms import SignedForms, check_origin
from eyelog_service.auth.grants import Bearer, Grant, Issued
from eyelog_service.auth.login_pages import NO_PASSWORD, form_page
from eyelog_service.auth.password_tries import client_address
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.wearer_session import ENDED, MINUTES, PATH
from eyelog_service.browser import WIDE, html, page_headers, page_template, rendered
from eyelog_service.erase import erase_account
from eyelog_service.parts import parts_of
from eyelog_service.responses import Problem, bad_request
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

# The action just done, in the address that the browser is sent to: ?done=...
_DONE = {
    "withdrawn": "Access is withdrawn. The application can read nothing more.",
    "changed": "Your password is changed, and other browsers are logged out.",
    "chosen": "Your password is set. You are logged in.",
    "ended": "Your upload tokens have ended.",
    "logged-out": "You have logged out.",
}

_log = logging.getLogger("eyelog.service")


@dataclass(frozen=True, slots=True)
class UploadNotice:
    """What happened to the files of an upload: a sentence, and a line for each."""

    summary: str
    lines: Sequence[str]
    all_taken: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a wearer's account page."""

    account: str
    form: str
    grants: Sequence[Grant]
    records: Sequence[tuple[str, str, str]]  # log, first month, last month
    times: str  # which clock the times of a download follow
    tokens: Sequence[Issued] = ()  # for uploads
    token: str = ""  # a new one, to be shown once
    kept_days: int | None = None  # by the study
    arrived: "UploadNotice | None" = None  # with the upload that was just sent


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
    await note(request, "login", name, page="account")
    return answer


async def _take_files(request: Request) -> Response:
    """Import the files of the page's form, and show what happened to them."""
    forms = parts_of(request).account_forms
    sessions = parts_of(request).sessions
    account = await to_thread.run_sync(sessions.account, request)
    if account is None:  # before anything is kept
        return _closing(_ended(request, status=403))
    uploads = parts_of(request).uploads
    fields: dict[str, str] = {}
    try:
        check_origin(request)
        async with arriving(request, account, fields=fields) as arrived:
            if forms.values(request, fields.get("form", "")) != [account]:
                raise bad_request("The form belongs to another login.")
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


def _login(request: Request, **shown: Any) -> Response:
    return parts_of(request).account_forms.page(request, partial(login_page, **shown), "")


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


_TARGET = "account"  # relative: a proxy may serve under its own path

_LOGIN = page_template(html("account-login.html"))
_ACCOUNT = page_template(html("account.html"))
_DAYS = page_template(html("account-days.html"))
_DELETED = page_template(html("account-deleted.html"))
_INVITATION = page_template(html("account-invitation.html"))
_TROUBLE = page_template(html("account-trouble.html"))


def login_page(
    form: str,
    *,
    status: int = 200,
    name: str = "",
    wrong: Mapping[str, str] | None = None,
    error: str = "",
    note: str = "",
) -> Response:
    """Return the page that asks for name and password."""
    wrong = wrong or {}
    happened = error or " ".join(wrong.values()) or note
    heading = "Log in to your account"
    text = rendered(
        _LOGIN,
        title=happened.rstrip(".") or heading,
        heading=heading,
        target=_TARGET,
        form=form,
        name=name,
        wrong=wrong,
        error=error,
        note=note,
        no_password=NO_PASSWORD,
    )
    return form_page(text, status)


def account_page(
    shown: Shown, *, status: int = 200, wrong: Mapping[str, str] | None = None, note: str = ""
) -> Response:
    """Return the page of a wearer who is logged in; `wrong` are texts by field."""
    wrong = wrong or {}
    text = rendered(
        _ACCOUNT,
        title=_as_title(
            " ".join(wrong.values()) or note or (shown.arrived.summary if shown.arrived else "")
        )
        or "Your account",
        heading="Your account",
        layout=WIDE,
        who=shown.account,
        account=shown.account,
        target=_TARGET,
        form=shown.form,
        grants=[
            {
                "grant_id": grant.grant_id,
                "name": grant.name or f"Application {grant.client_id}",
                "may": grant.may,
                "since": _moment(grant.since, "before this was noted"),
                "last_used": _moment(grant.last_used, "not yet"),
            }
            for grant in shown.grants
        ],
        records=[(log, _months(first, last)) for log, first, last in shown.records],
        times=shown.times,
        days=DAYS,
        kept_days=shown.kept_days,
        arrived=shown.arrived,
        token=shown.token,
        tokens=[
            (_moment(one.issued, "before this was noted"), _moment(one.last_used, "not yet"))
            for one in shown.tokens
        ],
        wrong=wrong,
        first_wrong=next(iter(wrong), ""),
        note=note,
        footer=(
            f"You are logged out automatically {MINUTES} minutes after you log in. Logging out ends"
            " your sessions in every browser."
        ),
    )
    return form_page(text, status)


def days_page(account: str, logs: Sequence[OwnDays]) -> Response:
    """Return the page with the last days of a wearer."""
    heading = "What arrived per day"
    text = rendered(
        _DAYS, title=heading, heading=heading, layout=WIDE, who=account, target=_TARGET, logs=logs
    )
    return form_page(text, 200)


def deleted_page(files: int) -> Response:
    """Return the page after everything of a wearer was deleted."""
    heading = "Everything is deleted"
    counted = "1 file" if files == 1 else f"{files:,} files"
    return form_page(rendered(_DELETED, title=heading, heading=heading, files=counted), 200)


def invitation_page(*, account: str, form: str, wrong: Mapping[str, str]) -> Response:
    """Return the page on which an invited wearer chooses a password."""
    heading = "Choose your password"
    text = rendered(
        _INVITATION,
        title=_as_title(" ".join(wrong.values())) or heading,
        heading=heading,
        account=account,
        target="invitation",
        form=form,
        wrong=wrong,
        first_wrong=next(iter(wrong), ""),
    )
    return form_page(text, 400 if wrong else 200)


def trouble_page(status: int, title: str, description: str) -> Response:
    """Return the page for a request that cannot be answered."""
    return form_page(
        rendered(_TROUBLE, title=title, heading=title, description=description), status
    )


def _as_title(sentences: str) -> str:
    return sentences.rstrip(".")


def _moment(seconds: float | None, otherwise: str) -> str:
    if seconds is None:
        return otherwise
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"


def _months(first: str, last: str) -> str:
    begin, end = (f"{datetime.strptime(month, '%Y-%m'):%B %Y}" for month in (first, last))  # noqa: DTZ007 (a month)
    return begin if begin == end else f"{begin} to {end}"


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
    registry = parts_of(request).registry
    code = request.query_params.get("code", "")
    account = await to_thread.run_sync(registry.accounts.invited, code)
    return _used_up() if account is None else _page(request, account, code)


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
        return _used_up()
    if wrong := wrong_passwords(account, form, names=("new", "again")):
        return _page(request, account, code, wrong=wrong)
    accepted = await to_thread.run_sync(
        registry.accounts.accept_invitation, code, form["new"], limiter=tries.at_once
    )
    if not accepted:
        return _used_up()
    answer = see_page("chosen")
    sessions = parts_of(request).sessions
    await to_thread.run_sync(sessions.start, request, answer, account)
    await note(request, "invitation_accepted", account)
    return answer


def _page(
    request: Request, account: str, code: str, *, wrong: dict[str, str] | None = None
) -> Response:
    forms = parts_of(request).invitation_forms
    return forms.page(
        request, lambda form: invitation_page(account=account, form=form, wrong=wrong or {}), code
    )


def _used_up() -> Response:
    return trouble_page(404, "This link cannot be used", _USED_UP)
