"""The pages that a wearer sees: the login, and what went wrong before it. No scripts."""

import base64
import hashlib
from typing import Any

from jinja2 import Environment
from starlette.responses import Response

__all__ = ["error_page", "login_page", "start_page"]

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 26rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
label { display: block; margin: 1rem 0 .25rem; }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
button { margin: 1.5rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; }
code { overflow-wrap: anywhere; }
[role=alert] { padding: .5rem .75rem; border-left: .25rem solid #b3261e; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_BASE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>{{ style|safe }}</style>
</head>
<body>
<main>
<h1>{{ title }}</h1>
%s
</main>
</body>
</html>
"""

_LOGIN = (
    _BASE
    % """<p>The application <code>{{ client_id }}</code> asks to <strong>read your 15-second and
60-second logs</strong> (scope <code>{{ scope }}</code>) until you revoke its access. Your answer
goes to <code>{{ redirect_uri }}</code>.</p>
{% if error %}<p role="alert" id="error">{{ error }}</p>{% endif %}
<form method="post" action="authorize" autocomplete="on">
<input type="hidden" name="form" value="{{ form }}">
<label for="name">Name</label>
<input id="name" name="name" value="{{ name }}" autocomplete="username" autocapitalize="none"
 maxlength="128"{% if error %} aria-describedby="error"{% endif %}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password">
<button name="decision" value="allow">Log in and allow</button>
<button name="decision" value="deny">Deny</button>
</form>"""
)

_ERROR = (
    _BASE
    % """<p role="alert">{{ description }}</p>
<p>Nothing was sent to any application. Return to the application and try again.</p>"""
)

_START = (
    _BASE
    % """<p>This is the service of eyelog {{ version }}: it gives applications the logs of smart
eyewear that their wearers allow them to read.</p>
<ul>
<li><a href="openapi.json">The API</a>, as an OpenAPI document</li>
<li><a href="health">Health</a> and <a href="version">versions</a></li>
</ul>
<p>For the Python package and the command line, the address of this service is</p>
<p><code>EYELOG_BASE_URL={{ base_url }}</code></p>"""
)

_environment = Environment(autoescape=True)
_login = _environment.from_string(_LOGIN)
_start = _environment.from_string(_START)
_error = _environment.from_string(_ERROR)


def page_headers(form_targets: str) -> dict[str, str]:
    """Return headers that keep a page out of caches and frames and free of scripts."""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {form_targets};"
            " frame-ancestors 'none'; base-uri 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        # With "no-referrer" a browser would send its form with the origin "null".
        "Referrer-Policy": "same-origin",
    }


def login_page(*, status: int, form_target: str, **shown: Any) -> Response:
    """Return the page that asks for name, password and consent.

    `form_target` is where the application waits: browsers also apply the policy to the redirect
    that follows the form.
    """
    text = _login.render(title="Log in", style=_STYLE, **shown)
    headers = page_headers(f"'self' {form_target}")
    return Response(text, status, headers=headers, media_type="text/html")


def error_page(status: int, description: str) -> Response:
    """Return the page for a login that cannot start or continue."""
    text = _error.render(title="This login cannot continue", style=_STYLE, description=description)
    return Response(text, status, headers=page_headers("'none'"), media_type="text/html")


def start_page(*, base_url: str, version: str) -> Response:
    """Return the page for people who open the address of the service."""
    text = _start.render(
        title="A service for logs of smart eyewear",
        style=_STYLE,
        base_url=base_url,
        version=version,
    )
    return Response(text, headers=page_headers("'none'"), media_type="text/html")
