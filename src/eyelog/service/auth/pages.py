"""The pages of a login: the request for consent, and the errors before it. No scripts."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from eyelog.browser import page_headers, page_template, rendered

__all__ = ["LOGIN_FORM", "NO_PASSWORD", "error_page", "login_page", "start_page"]

NO_PASSWORD = (
    "No password yet, or forgotten it? The person who runs this service can set a new one."  # noqa: S105 (a sentence)
)
# It takes `target`, `form`, the `name` filled in, `wrong` (texts by field) and `error` (a text
# about both). Browsers do not check the form themselves, or it could not be denied while empty.
LOGIN_FORM = """<form method="post" action="{{ target }}" novalidate>
<input type="hidden" name="form" value="{{ form }}">
{{ field("name", "Name", "text", "username", value=name, wrong=wrong.get("name", ""),
 error="error" if error else "", focus=wrong.get("name") or not name) }}
{{ field("password", "Password", "password", "current-password", wrong=wrong.get("password", ""),
 error="error" if error else "", focus=name and not wrong.get("name")) }}
<div class="actions">
%s
</div>
</form>
"""

_login = page_template(
    """<h1>Allow {{ application }} to read your data?</h1>
{% if error %}<p class="note bad" role="alert" id="error">{{ error }}</p>
{% endif %}
<p>It asks to read:</p>
<ul>
<li>your <strong>15-second log</strong>: eyes, head, steps, and where you were if the phone
recorded it</li>
<li>your <strong>60-second log</strong>: eyes, head and steps</li>
</ul>
<p>This covers all your records, past and future, until you withdraw access on
<a href="../../account">your account page</a>. The application cannot change or delete anything.</p>
"""
    + LOGIN_FORM
    % """<button class="main" name="decision" value="allow">Log in and allow</button>
<button name="decision" value="deny">Deny</button>"""
    + """<p class="quiet">{{ no_password }}</p>
<p class="quiet">Application <code>{{ client_id }}</code>, permission <code>{{ scope }}</code>.
Your answer goes to <code>{{ redirect_uri }}</code>.</p>"""
)

_error = page_template(
    """<h1>{{ title }}</h1>
<p class="note bad" role="alert">{{ description }}</p>
<p>Nothing was sent to any application. Go back to the application and start again.</p>"""
)

_start = page_template(
    """<h1>{{ title }}</h1>
<p>This is the service of eyelog {{ version }}. It gives applications the logs of smart eyewear that
their wearers allow them to read.</p>
<ul>
<li><a href="account">Your account</a>, if you wear the eyewear: who can read your data, your
password, your data</li>
<li><a href="openapi.json">The API</a>, as an OpenAPI document</li>
<li><a href="health">Health</a> and <a href="version">versions</a></li>
</ul>
<p>For the Python package and the command line, the address of this service is</p>
<p><code>EYELOG_BASE_URL={{ base_url }}</code></p>"""
)


def login_page(
    *,
    status: int,
    form_target: str,
    application: str,
    wrong: Mapping[str, str],
    error: str,
    **shown: Any,
) -> Response:
    """Return the page that asks for name, password and consent.

    `form_target` is where the application waits: browsers also apply the policy to the redirect
    that follows the form.
    """
    happened = error or " ".join(wrong.values())
    text = rendered(
        _login,
        title=happened.rstrip(".") or f"Allow {application} to read your data?",
        target="authorize",  # relative, as is the link: a proxy may serve under its own path
        no_password=NO_PASSWORD,
        application=application,
        wrong=wrong,
        error=error,
        **shown,
    )
    headers = page_headers(f"'self' {form_target}")
    return Response(text, status, headers=headers, media_type="text/html")


def error_page(
    status: int, description: str, *, title: str = "This login cannot continue"
) -> Response:
    """Return the page for a login that cannot start or continue."""
    text = rendered(_error, title=title, description=description)
    return Response(text, status, headers=page_headers(), media_type="text/html")


def start_page(*, base_url: str, version: str) -> Response:
    """Return the page for people who open the address of the service."""
    text = rendered(
        _start, title="A service for logs of smart eyewear", base_url=base_url, version=version
    )
    return Response(text, headers=page_headers(), media_type="text/html")
