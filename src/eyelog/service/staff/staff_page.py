"""The page of a study's staff. No scripts; every form is sent to the page itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from starlette.responses import Response

from eyelog.browser import BROAD, html, page_template, rendered
from eyelog.errors import listed
from eyelog.service.auth.login_pages import form_page, name_and_password_page
from eyelog.service.staff.study_wear import DAYS, STOPPED_DAYS, StudyWear
from eyelog.service.uploads.sent import Arrival

__all__ = ["StudyView", "login_page", "staff_page", "trouble_page"]

_TARGET = "staff"  # relative: a proxy may serve under its own path
_MOST_NAMED = 20

_login = page_template(html("staff-login.html"))
_staff = page_template(html("staff.html"))
_trouble = page_template(html("staff-trouble.html"))


@dataclass(frozen=True, slots=True)
class StudyView:
    """The content of the page."""

    who: str
    name: str
    form: str
    wearers: int
    wear: StudyWear
    arrivals: Sequence[Arrival]
    months: Sequence[str]
    page: int
    pages: int


login_page = partial(name_and_password_page, _login, "Log in as staff", target=_TARGET)


def staff_page(study: StudyView) -> Response:
    """Return the page of somebody who is logged in."""
    heading = f"Study {study.name}" if study.name else "All studies"
    wear = study.wear
    text = rendered(
        _staff,
        title=heading,
        heading=heading,
        layout=BROAD,
        who=study.who,
        target=_TARGET,
        form=study.form,
        wearers=study.wearers,
        days=DAYS,
        stopped_days=STOPPED_DAYS,
        stopped=listed(wear.stopped, _MOST_NAMED),
        nothing=listed(wear.nothing, _MOST_NAMED),
        n_stopped=len(wear.stopped),
        n_nothing=len(wear.nothing),
        picture=wear.picture,
        not_drawn=wear.not_drawn,
        rows=[
            {
                "account": one.account,
                "came_in": _minute(one.came_in),
                "last_record": _minute(one.last_record),
                "days_worn": "" if one.days_worn is None else f"{one.days_worn}",
                "worn": "" if not one.worn_h else f"{one.worn_h:.1f} h",
                "usable": "" if one.usable is None else f"{one.usable:.0%}",
                "state": _state(one.account, wear, fault=one.fault),
            }
            for one in wear.wearers
        ],
        arrivals=[
            (_minute(one.at), one.account, f"{one.files:,}", f"{one.bytes / 1e6:,.1f} MB",
             f"{one.new:,}")
            for one in study.arrivals
        ],
        months=study.months,
        page=study.page,
        pages=study.pages,
    )  # fmt: skip
    return form_page(text, 200)


def trouble_page(status: int, title: str, description: str) -> Response:
    """Return the page for a request that cannot be answered."""
    text = rendered(_trouble, title=title, heading=title, description=description)
    return form_page(text, status)


def _minute(seconds: float | None) -> str:
    return "" if not seconds else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _state(account: str, wear: StudyWear, *, fault: bool) -> str:
    if fault:
        return "cannot be read"
    if account in wear.nothing:
        return "nothing yet"
    return "stopped" if account in wear.stopped else "sends"
