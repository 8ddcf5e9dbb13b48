"""The wearer's own page: log in, send and see records, withdraw access, delete, get one's data.

All forms are sent to the page itself, each with its action in `do`. They are bound to this browser
and to the wearer who is logged in. No page has a script. Behind an invitation, a wearer chooses a
password, once.

All records come as a zip file, which is made while it is sent, so that memory does not grow with
the range: it holds a few days of records and their packed bytes. The last days and the report are
made in a process apart.
"""

import io
import logging
import os
import zipfile
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import msgspec
import pandas as pd
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from eyelog.archive.export import csv_pieces
from eyelog.archive.lists import months
from eyelog.archive.months import opened
from eyelog.archive.place import archive_errors
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import month_edges
from eyelog.catalogue import INTERVAL_SECONDS, LOGS
from eyelog.clock import Zones, known_zones
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, counted
from eyelog.measure.daily import daily
from eyelog_service import apart, oauth, web
from eyelog_service.accounts import password_fault
from eyelog_service.browser import html, page_headers, page_template
from eyelog_service.erase import erase_account
from eyelog_service.grants import Bearer
from eyelog_service.uploads import arriving, note_upload
from eyelog_service.web import note

_MOST = 8
"""Downloads under way at the same time, for all wearers: each takes up to 100 MB."""


def stored_months(folder: Path | str, account: str) -> dict[str, list[str]]:
    """Return the months (``2026-10``) of which an account has records, by log."""
    place = place_of(Archive(folder))
    with archive_errors("list the months of an account"):
        by_log = {log: months(place, log, account) for log in LOGS}
    return {log: present for log, present in by_log.items() if present}


class Downloads:
    """The downloads under way: one per wearer, and few at the same time.

    Parameters
    ----------
    folder : Path or str
        The archive's folder, or its URL in an object store.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = folder
        self._under_way: set[str] = set()
        self._at_once = CapacityLimiter(1)  # packing takes a whole core

    async def begin(self, request: Request, account: str) -> Response:
        """Return the zip file of all records of an account, as a response.

        Raises
        ------
        Problem
            503, if a download of the account, or too many of others, are under way.
            500, if the first records cannot be read. A later fault aborts the response, so that a
            browser does not mistake a part of the file for the whole.
        """
        busy = ""
        if account in self._under_way:
            busy = "A download of your data is under way already."
        elif len(self._under_way) >= _MOST:
            busy = "Many others are downloading: try again in a few minutes."
        if busy:
            title = "The download cannot begin now"
            raise web.Problem(503, "temporarily_unavailable", busy, title=title)
        parts = _zipped(self._folder, account)

        def ended() -> None:
            parts.close()  # left to itself, it would keep its files open until it is collected
            self._under_way.discard(account)

        self._under_way.add(account)
        try:
            first = await to_thread.run_sync(next, parts, b"", limiter=self._at_once)
            await note(request, "download", account)
        except BaseException as fault:  # or the request has timed out: no answer will be sent
            ended()
            if isinstance(fault, ArchiveError):
                title = "Your data cannot be downloaded"
                raise _not_made(account, "download", fault, title) from None
            raise
        headers = _attached(f"eyelog-{datetime.now(UTC):%Y-%m-%d}.zip")
        answer = _Download(self._rest(first, parts), headers=headers, media_type="application/zip")
        answer.ended = ended
        return answer

    async def _rest(self, part: bytes, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of a zip file as they are made."""
        while part:
            yield part
            part = await to_thread.run_sync(next, parts, b"", limiter=self._at_once)


class _Download(StreamingResponse):
    """A response that tells when it has ended, even if the browser has gone."""

    ended: Callable[[], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.ended()


def _attached(name: str) -> dict[str, str]:
    return page_headers() | {"Content-Disposition": f'attachment; filename="{name}"'}


class _Packed(list[bytes]):
    """The sink of a zip file: it holds the bytes written since the last read."""

    def write(self, data: bytes, /) -> int:
        self.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is written is read from here."""

    def take(self) -> bytes:
        """Return the bytes written, and forget them."""
        whole = b"".join(self)
        self.clear()
        return whole


def _known_zones(folder: Path | str, account: str) -> Zones | None:
    """Return the zones of an account, or of the setting EYELOG_TZ, or None."""
    stored = Archive(folder).zones(account)
    if stored is None and not os.environ.get("EYELOG_TZ", "").strip():
        return None
    return known_zones(None, whose=f"account {account!r}", stored=stored)


def _zipped(folder: Path | str, account: str) -> Generator[bytes, None, None]:
    """Yield a zip file in parts, none of them empty."""
    place = place_of(Archive(folder))
    stored = stored_months(folder, account)
    for log, present in stored.items():  # refuse unreadable files before sending
        span = month_edges(present[0])[0], month_edges(present[-1])[1]
        with opened(place, log, account, span) as files:
            list(files.schemas())
    zones = _known_zones(folder, account) or Zones("UTC")  # the page says so
    packed = _Packed()
    # For a year, level 6 would give 91 MB instead of 117, in 32 s of CPU instead of 14.
    with zipfile.ZipFile(cast(Any, packed), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as box:
        for log, present in stored.items():
            for month in present:
                with (
                    box.open(f"{log}-{month}.csv", "w") as file,
                    closing(csv_pieces(place, log, account, month, zones)) as pieces,
                ):
                    for piece in pieces:
                        file.write(piece)
                        if part := packed.take():
                            yield part
    yield packed.take()


DAYS: Final = 28
_DPI: Final = 160


def own_days(archive: str, account: str) -> bytes:
    """Return the last `DAYS` days of each log of an account, the latest first, as JSON."""
    shown = []
    for log, frame in last_days(archive, account).items():
        days = [
            {"date": f"{day:%Y-%m-%d}", "records": int(n), "worn_h": None if pd.isna(h) else h}
            for day, n, h in daily(frame).iloc[::-1][["n", "worn_h"]].itertuples()
        ]
        interval_s, picture = INTERVAL_SECONDS[log], _picture(frame)
        shown.append({"interval_s": interval_s, "picture": picture, "days": days})
    return msgspec.json.encode(shown)


def _picture(frame: pd.DataFrame) -> str:
    """Return the overview of a frame as a picture for a page: PNG in base64."""
    from eyelog.figures.maps import plot_overview

    sink = io.BytesIO()
    cast(Any, plot_overview(frame).figure).canvas.print_figure(sink, format="png", dpi=_DPI)
    return b64encode(sink.getvalue()).decode()


def own_report(archive: str, account: str) -> bytes:
    """Return the report of the last `DAYS` days of an account, as HTML."""
    from eyelog.reports.report import report

    frames = last_days(archive, account)
    with TemporaryDirectory() as folder:
        return report(frames, Path(folder) / "report.html").read_bytes()


def last_days(archive: str, account: str, days: int = DAYS) -> dict[str, pd.DataFrame]:
    """Return the last days of each log that have records, up to the latest day of both."""
    store = Archive(archive)
    place = place_of(store)
    by_log = {}
    for log in LOGS:
        present = months(place, log, account)
        if present:
            since = pd.Timestamp(present[-2:][0], tz="UTC")
            by_log[log] = store.read(log, since.to_pydatetime(), account=account)
    if not by_log:
        return {}
    # A record stamped at midnight belongs to the day that ended.
    latest = max(frame.index[-1] for frame in by_log.values()) - pd.Timedelta("1us")
    first = latest.normalize() - pd.Timedelta(days=days - 1)
    kept = {log: frame[frame.index > first] for log, frame in by_log.items()}
    return {log: frame for log, frame in kept.items() if len(frame)}


_LOGIN = page_template(html("account-login.html"))
_ACCOUNT = page_template(html("account.html"))
_DAYS = page_template(html("account-days.html"))
_DELETED = page_template(html("account-deleted.html"))
_INVITATION = page_template(html("account-invitation.html"))

# The action just done, in the address that the browser is sent to: ?done=...
_DONE = {
    "withdrawn": "Access is withdrawn. The application can read nothing more.",
    "changed": "Your password is changed, and other browsers are logged out.",
    "chosen": "Your password is set. You are logged in.",
    "ended": "Your upload tokens have ended.",
    "logged-out": "You have logged out.",
}
_FOOTER = (
    f"You are logged out automatically {oauth.MINUTES} minutes after you log in. Logging out ends"
    " your sessions in every browser."
)

_log = logging.getLogger("eyelog.service")


_FORMS = oauth.SignedForms("account", oauth.PATH)
_FOREIGN = "The form belongs to another login. Open your account page again."


async def show_account(request: Request) -> Response:
    """Answer GET /account: the wearer's page, or the login to it."""
    done = _DONE.get(request.query_params.get("done", ""), "")
    account = await to_thread.run_sync(oauth.session_of, request)
    if account is None:
        if not done and oauth.SESSION in request.cookies:
            return _ended(request)
        return _login(request, note=done)
    if request.query_params.get("show") == "days":
        return await _show_days(request, account)
    return await _account(request, account, note=done)


async def take_account(request: Request) -> Response:
    """Answer POST /account: a form of the page."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await _take_files(request)
    form, (signed_for,) = await _FORMS.read(request)
    do = form.get("do")
    if signed_for == "" and do == "log-in":
        tries, page = web.parts_of(request).tries, partial(_login, request)
        if refusal := await tries.refusal(request, form, page):
            return refusal
        name = form["name"].strip()
        answer = await _logged_in(request, name)
        await note(request, "login", name, page="account")
        return answer
    account = await to_thread.run_sync(oauth.session_of, request)
    if account is None:
        return _ended(request, status=403)
    if signed_for != account:
        raise web.bad_request(_FOREIGN)
    shared = web.parts_of(request)
    grants = shared.registry.grants
    match do:
        case "withdraw":
            for grant in await to_thread.run_sync(grants.of_account, account):
                if (client_id := grant["client_id"]) == form.get("grant"):
                    ended = await to_thread.run_sync(grants.withdraw, account, client_id)
                    await note(request, "withdraw", account, application=client_id, tokens=ended)
            return see_page("withdrawn")
        case "make-upload-token":
            try:
                token = await to_thread.run_sync(grants.issue_upload_token, account)
            except ConfigurationError:
                wrong = {"token": "You have many upload tokens already: end them first."}
                return await _account(request, account, status=400, wrong=wrong)
            await note(request, "upload_token", account)
            return await _account(request, account, token=token)
        case "end-upload-tokens":
            ended = await to_thread.run_sync(grants.withdraw, account, "")
            await note(request, "upload_tokens_ended", account, tokens=ended)
            return see_page("ended")
        case "change-password":
            return await _change_password(request, account, form)
        case "report":
            return await _report(request, account)
        case "download":
            return await shared.downloads.begin(request, account)
        case "delete":
            return await _delete(request, account, form)
        case "log-out":
            answer = see_page("logged-out")
            # All sessions, so that every copy of the cookie is void.
            await to_thread.run_sync(shared.registry.accounts.end_sessions, account)
            oauth.forget_session(request, answer)
            return answer
    raise web.bad_request(_FOREIGN)


async def _logged_in(request: Request, account: str, done: str = "") -> Response:
    """Begin a session, and send the browser to the page."""
    answer = see_page(done)
    await to_thread.run_sync(oauth.start_session, request, answer, account)
    return answer


async def _take_files(request: Request) -> Response:
    """Import the files of the page's form, and show what happened to them."""
    shared = web.parts_of(request)
    account = await to_thread.run_sync(oauth.session_of, request)
    if account is None:  # before anything is kept
        return _closing(_ended(request, status=403))
    fields: dict[str, str] = {}
    try:
        oauth.check_origin(request)
        async with arriving(request, account, fields=fields) as arrived:
            if _FORMS.values(request, fields.get("form", "")) != [account]:
                raise web.bad_request(_FOREIGN)
            answer = await shared.uploads.take(account, arrived)
    except web.Problem as problem:
        if await to_thread.run_sync(oauth.session_of, request) is None:  # deleted meanwhile
            return _closing(_ended(request, status=problem.status))
        text = problem.description
        wrong = {"files": f"{text[:1].upper()}{text[1:].rstrip('.')}."}
        return _closing(await _account(request, account, problem=problem, wrong=wrong))
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
    logs = msgspec.json.decode(await _made(request, account, "days", own_days))
    return web.form_page(_DAYS, title="What arrived per day", who=account, logs=logs)


async def _report(request: Request, account: str) -> Response:
    archive = web.parts_of(request).registry.archive
    if not await to_thread.run_sync(stored_months, archive, account):
        text = "There are no records of yours here yet."
        raise web.Problem(404, "not_found", text, title="There is no report")
    made = await _made(request, account, "report", own_report)
    await note(request, "report", account)
    headers = _attached(f"eyelog-report-{datetime.now(UTC):%Y-%m-%d}.html")
    return Response(made, headers=headers, media_type="text/html")


async def _made(request: Request, account: str, what: str, task: apart.Task) -> bytes:
    shared = web.parts_of(request)
    arguments = {"archive": str(shared.registry.archive), "account": account}
    try:  # few wait, and one runs at a time
        make = partial(apart.run, task, arguments)
        return await to_thread.run_sync(make, limiter=shared.apart, abandon_on_cancel=True)
    except apart.Failed as failed:
        raise _not_made(account, what, failed) from None


def _not_made(
    account: str, what: str, fault: Exception, title: str = "This cannot be shown"
) -> web.Problem:
    _log.error("the %s of %r could not be made: %s", what, account, fault)
    text = "Part of your records cannot be read. Please tell the person who runs this service."
    return web.Problem(500, "server_error", text, title=title)


async def _delete(request: Request, account: str, form: dict[str, str]) -> Response:
    if not form.get("password"):
        wrong = {"password": "Enter your password."}
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "password", "The password is wrong."):
        return refusal
    shared = web.parts_of(request)

    def erase() -> int:
        removed = erase_account(shared.registry, account, dry_run=False)  # the login first
        records = Archive(shared.registry.archive).erase(account)
        return len({one.path for one in removed}) + len(records)

    files = await to_thread.run_sync(erase)
    await to_thread.run_sync(partial(shared.audit.write, "erase", places=files))
    answer = web.form_page(_DELETED, title="Everything is deleted", files=files)
    oauth.forget_session(request, answer)
    return answer


async def _refusal(
    request: Request, account: str, form: dict[str, str], field: str, text: str
) -> Response | None:
    """Return the page that says that the password in a field is wrong; None if it is right."""
    tries = web.parts_of(request).tries
    refused = await tries.check(request, account, form[field], wrong=text)
    if refused is None:
        return None
    wrong = {field: refused.description}
    return await _account(request, account, problem=refused, wrong=wrong)


async def _change_password(request: Request, account: str, form: dict[str, str]) -> Response:
    if wrong := wrong_passwords(account, form):
        return await _account(request, account, status=400, wrong=wrong)
    if refusal := await _refusal(request, account, form, "old", "The old password is wrong."):
        return refusal
    accounts = web.parts_of(request).registry.accounts
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
        if fault := password_fault(form["new"], account=account):
            wrong["new"] = f"The new password {fault}."
        elif form.get("again") not in ("", None, form["new"]):
            wrong["again"] = "The two new passwords differ."
    return {name: wrong[name] for name in empty if name in wrong}


def see_page(done: str = "") -> Response:
    """Send the browser to the page, so that a reload repeats nothing."""
    target = f"account?done={done}" if done else "account"
    return Response(status_code=303, headers=page_headers() | {"Location": target})


def _login(request: Request, **shown: Any) -> Response:
    """Return the page that asks for name and password."""
    return _FORMS.page(request, _LOGIN, "", title="Log in to your account", **shown)


def _ended(request: Request, *, status: int = 200) -> Response:
    page = _login(request, status=status, note=oauth.ENDED)
    oauth.forget_session(request, page)
    return page


async def _account(
    request: Request, account: str, *, title: str = "Your account", **shown: Any
) -> Response:
    """Return the page of a wearer who is logged in.

    Besides what any page may show, `token` is a new one to be shown once, and `files` are those
    that were just sent, as `uploads.import_upload` answers.
    """
    registry = web.parts_of(request).registry

    def content() -> dict[str, Any]:
        stored = stored_months(registry.archive, account)
        clock: Zones | str | None = ""
        with suppress(EyelogError):  # the download says what is wrong; the page is useful without
            clock = _known_zones(registry.archive, account)
        return {
            "grants": registry.grants.of_account(account),
            "records": [(INTERVAL_SECONDS[log], at[0], at[-1]) for log, at in stored.items()],
            "clock": clock,
            "kept_days": next(iter(registry.accounts.retention(account).values()), None),
            "tokens": registry.grants.upload_tokens(account),
        }

    shown = {"files": None, "token": "", "days": DAYS, "footer": _FOOTER, **shown}
    shown |= await to_thread.run_sync(content)
    return _FORMS.page(request, _ACCOUNT, account, title=title, who=account, **shown)


INVITATION = "/invitation"
_USED_UP = (
    "This link has been used, has expired, or is not complete. Please ask the person who runs this"
    " service for a password."
)


# People arrive there from their mail.
_INVITATION_FORMS = oauth.SignedForms("invitation", INVITATION, "lax")


async def show_invitation(request: Request) -> Response:
    """Answer GET /invitation: the form. Only sending it uses the link: mail programs look at it."""
    code = request.query_params.get("code", "")
    account = await to_thread.run_sync(web.parts_of(request).registry.accounts.invited, code)
    if account is None:
        raise _used_up()
    return _invitation(request, account, code)


async def take_invitation(request: Request) -> Response:
    """Answer POST /invitation: the password that the wearer has chosen."""
    shared = web.parts_of(request)
    form, (code,) = await _INVITATION_FORMS.read(request)
    account = await to_thread.run_sync(shared.registry.accounts.invited, code)
    if account is None:
        raise _used_up()
    if wrong := wrong_passwords(account, form, names=("new", "again")):
        return _invitation(request, account, code, status=400, wrong=wrong)
    accept, at_once = shared.registry.accounts.accept_invitation, shared.tries.at_once
    if not await to_thread.run_sync(accept, code, form["new"], limiter=at_once):
        raise _used_up()
    answer = await _logged_in(request, account, "chosen")
    await note(request, "invitation_accepted", account)
    return answer


def _invitation(request: Request, account: str, code: str, **shown: Any) -> Response:
    """Return the page on which an invited wearer chooses a password."""
    shown |= {"title": "Choose your password", "account": account}
    return _INVITATION_FORMS.page(request, _INVITATION, code, **shown)


def _used_up() -> web.Problem:
    return web.Problem(404, "not_found", _USED_UP, title="This link cannot be used")
