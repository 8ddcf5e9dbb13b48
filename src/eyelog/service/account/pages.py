"""The wearer's own page. No scripts; every form is sent to the page itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.responses import Response

from eyelog.browser import WIDE, page_headers, page_template, rendered
from eyelog.service.account.session import MINUTES
from eyelog.service.auth.grants import Grant
from eyelog.service.auth.pages import LOGIN_FORM, NO_PASSWORD

__all__ = ["Shown", "account_page", "invitation_page", "login_page", "trouble_page"]

_TARGET = "account"  # relative: a proxy may serve under its own path

_login = page_template(
    """<h1>{{ heading }}</h1>
{% if error %}<p class="note bad" role="alert" id="error">{{ error }}</p>
{% elif note %}<p class="note" role="status">{{ note }}</p>
{% endif %}
<p>On your account page you can see which applications read your data and withdraw their access,
change your password, and download your data.</p>
"""
    + LOGIN_FORM % """<button class="main" name="do" value="log-in">Log in</button>"""
    + """<p class="quiet">{{ no_password }}</p>"""
)

_account = page_template(
    """<div class="top">
<h1>{{ heading }}</h1>
<form method="post" action="{{ target }}">
<input type="hidden" name="form" value="{{ form }}">
<button name="do" value="log-out">Log out</button>
</form>
</div>
{% if note %}<p class="note done" role="status">{{ note }}</p>
{% endif %}
<section class="card" aria-labelledby="access">
<h2 id="access">Applications that can read your data</h2>
{% if grants %}
<p>An application can read your records, including new ones, until you withdraw its access. It keeps
what it has already read.</p>
<ul class="grants">
{% for grant in grants %}
<li>
<div class="what">
<h3>{{ grant.name }}</h3>
<dl>
<dt>Access since</dt><dd>{{ grant.since }}</dd>
<dt>Last used</dt><dd>{{ grant.last_used }}</dd>
</dl>
</div>
<form method="post" action="{{ target }}">
<input type="hidden" name="form" value="{{ form }}">
<input type="hidden" name="grant" value="{{ grant.grant_id }}">
<button name="do" value="withdraw" aria-label="Withdraw access of {{ grant.name }}">Withdraw access
</button>
</form>
</li>
{% endfor %}
</ul>
{% else %}
<p>No application can read your data.</p>
{% endif %}
</section>
<section class="card" aria-labelledby="data">
<h2 id="data">Your data</h2>
{% if records %}
<ul>
{% for log, months in records %}
<li><strong>{{ log }}</strong>: {{ months }}</li>
{% endfor %}
</ul>
<p>The download is a zip file with one CSV file for each log and month. {{ times }} It also
says <strong>where you were</strong> (latitude and longitude), if the phone recorded it: keep it
private.</p>
<form method="post" action="{{ target }}">
<input type="hidden" name="form" value="{{ form }}">
<button name="do" value="download">Download my data</button>
</form>
<p class="quiet">The command <code>eyelog import</code> and <code>eyelog.read</code> in Python read
the zip file as it is.</p>
{% else %}
<p>There are no records of yours here yet.</p>
{% endif %}
</section>
<section class="card" aria-labelledby="change">
<h2 id="change">Change your password</h2>
<form method="post" action="{{ target }}" novalidate>
<input type="hidden" name="form" value="{{ form }}">
<input name="username" type="text" value="{{ account }}" autocomplete="username" hidden>
{{ field("old", "Old password", "password", "current-password", wrong=wrong.get("old", ""),
 focus=first_wrong == "old") }}
{{ field("new", "New password", "password", "new-password", wrong=wrong.get("new", ""),
 hint="At least 8 characters, and not a common password.", focus=first_wrong == "new") }}
{{ field("again", "New password, once more", "password", "new-password",
 wrong=wrong.get("again", ""), focus=first_wrong == "again") }}
<div class="actions">
<button class="main" name="do" value="change-password">Change password</button>
</div>
</form>
<p class="quiet">Other browsers are then logged out. Applications keep their access.</p>
</section>"""
)

_invitation = page_template(
    """<h1>{{ heading }}</h1>
<p>Your name here is <strong>{{ account }}</strong>. With it and your password you can see which
applications read your data, withdraw their access, and download your data.</p>
<form method="post" action="{{ target }}" novalidate>
<input type="hidden" name="form" value="{{ form }}">
<input name="username" type="text" value="{{ account }}" autocomplete="username" hidden>
{{ field("new", "Password", "password", "new-password", wrong=wrong.get("new", ""),
 hint="At least 8 characters, and not a common password.", focus=first_wrong in ("", "new")) }}
{{ field("again", "Password, once more", "password", "new-password",
 wrong=wrong.get("again", ""), focus=first_wrong == "again") }}
<div class="actions">
<button class="main">Set the password</button>
</div>
</form>"""
)

_trouble = page_template(
    """<h1>{{ heading }}</h1>
<p class="note bad" role="alert">{{ description }}</p>
<p><a href="account">Go to your account page</a></p>"""
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a wearer's account page."""

    account: str
    form: str
    grants: Sequence[Grant]
    records: Sequence[tuple[str, str, str]]  # log, first month, last month
    times: str  # which clock the times of a download follow


def login_page(
    *,
    form: str,
    status: int = 200,
    name: str = "",
    wrong: Mapping[str, str] | None = None,
    error: str = "",
    note: str = "",
) -> Response:
    """Return the page that asks for name and password."""
    wrong = wrong or {}
    happened = error or " ".join(wrong.values()) or note
    text = rendered(
        _login,
        title=_as_title(happened) or "Log in to your account",
        heading="Log in to your account",
        target=_TARGET,
        form=form,
        name=name,
        wrong=wrong,
        error=error,
        note=note,
        no_password=NO_PASSWORD,
    )
    return _page(text, status)


def account_page(
    shown: Shown, *, status: int = 200, wrong: Mapping[str, str] | None = None, note: str = ""
) -> Response:
    """Return the page of a wearer who is logged in; `wrong` are texts by field."""
    wrong = wrong or {}
    text = rendered(
        _account,
        title=_as_title(" ".join(wrong.values()) or note) or "Your account",
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
                "since": _moment(grant.since, "before this was noted"),
                "last_used": _moment(grant.last_used, "not yet"),
            }
            for grant in shown.grants
        ],
        records=[(log, _months(first, last)) for log, first, last in shown.records],
        times=shown.times,
        wrong=wrong,
        first_wrong=next(iter(wrong), ""),
        note=note,
        footer=(
            f"You are logged out automatically {MINUTES} minutes after you log in. Logging out ends"
            " your sessions in every browser."
        ),
    )
    return _page(text, status)


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
    return _page(text, 400 if wrong else 200)


def trouble_page(status: int, title: str, description: str) -> Response:
    """Return the page for a request that cannot be answered."""
    return _page(rendered(_trouble, title=title, heading=title, description=description), status)


def _page(text: str, status: int) -> Response:
    return Response(text, status, headers=page_headers("'self'"), media_type="text/html")


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
