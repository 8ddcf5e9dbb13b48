"""The pages of a login: the request for consent, and the errors before it. No scripts."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from eyelog_service.auth.grants import WRITE
from eyelog_service.browser import html, page_headers, page_template, rendered

NO_PASSWORD = (
    "No password yet, or forgotten it? The person who runs this service can set a new one."  # noqa: S105 (a sentence)
)
_login = page_template(html("login.html"))
_error = page_template(html("login-error.html"))
_start = page_template(html("start.html"))


def login_page(
    *,
    status: int,
    form_target: str,
    application: str,
    wrong: Mapping[str, str],
    error: str,
    scope: str,
    **shown: Any,
) -> Response:
    """Return the page that asks for name, password and consent.

    `form_target` is where the application waits: browsers also apply the policy to the redirect
    that follows the form.
    """
    happened = error or " ".join(wrong.values())
    scopes = scope.split()
    writes, reads = WRITE in scopes, scopes != [WRITE]
    act = "read your data, and add to them" if writes and reads else (
        "add to your data" if writes else "read your data"
    )  # fmt: skip
    question = f"Allow {application} to {act}?"
    text = rendered(
        _login,
        title=happened.rstrip(".") or question,
        question=question,
        scope=scope,
        reads=reads,
        writes=writes,
        target="authorize",  # relative, as is the link: a proxy may serve under its own path
        no_password=NO_PASSWORD,
        application=application,
        wrong=wrong,
        error=error,
        **shown,
    )
    headers = page_headers(f"'self' {form_target}")
    return Response(text, status, headers=headers, media_type="text/html")


def form_page(text: str, status: int) -> Response:
    """Return a page whose forms are sent to this service alone."""
    return Response(text, status, headers=page_headers("'self'"), media_type="text/html")


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
