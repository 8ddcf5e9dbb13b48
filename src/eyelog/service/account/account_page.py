"""The wearer's own page. No scripts; every form is sent to the page itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from starlette.responses import Response

from eyelog.browser import WIDE, html, page_template, rendered
from eyelog.service.account.own_days import DAYS, OwnDays
from eyelog.service.account.wearer_session import MINUTES
from eyelog.service.auth.grants import Grant, Issued
from eyelog.service.auth.login_pages import form_page, name_and_password_page

__all__ = [
    "Shown",
    "UploadNotice",
    "account_page",
    "days_page",
    "deleted_page",
    "invitation_page",
    "login_page",
    "trouble_page",
]

_TARGET = "account"  # relative: a proxy may serve under its own path

_login = page_template(html("account-login.html"))
_account = page_template(html("account.html"))
_days = page_template(html("account-days.html"))
_deleted = page_template(html("account-deleted.html"))
_invitation = page_template(html("account-invitation.html"))
_trouble = page_template(html("account-trouble.html"))


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


login_page = partial(name_and_password_page, _login, "Log in to your account", target=_TARGET)


def account_page(
    shown: Shown, *, status: int = 200, wrong: Mapping[str, str] | None = None, note: str = ""
) -> Response:
    """Return the page of a wearer who is logged in; `wrong` are texts by field."""
    wrong = wrong or {}
    text = rendered(
        _account,
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
        _days, title=heading, heading=heading, layout=WIDE, who=account, target=_TARGET, logs=logs
    )
    return form_page(text, 200)


def deleted_page(files: int) -> Response:
    """Return the page after everything of a wearer was deleted."""
    heading = "Everything is deleted"
    counted = "1 file" if files == 1 else f"{files:,} files"
    return form_page(rendered(_deleted, title=heading, heading=heading, files=counted), 200)


def invitation_page(*, account: str, form: str, wrong: Mapping[str, str]) -> Response:
    """Return the page on which an invited wearer chooses a password."""
    heading = "Choose your password"
    text = rendered(
        _invitation,
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
        rendered(_trouble, title=title, heading=title, description=description), status
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
