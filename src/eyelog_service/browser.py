"""The look and the headers shared by the pages of the service and of live recording.

No page loads anything, and only the page of live recording runs a script, which is its own.
"""

import base64
import hashlib
from datetime import UTC, date, datetime
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template


def html(name: str) -> str:
    """Return a file of ``html/``, the templates of all pages."""
    return files("eyelog_service").joinpath("html", name).read_text("utf-8").removesuffix("\n")


_STYLE = files("eyelog_service").joinpath("browser.css").read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


_environment = Environment(
    loader=FunctionLoader(html),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.globals["style"] = _STYLE


def _moment(seconds: float | None, otherwise: str) -> str:
    """Return an instant in words; `otherwise` for none."""
    if seconds is None:
        return otherwise
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"


_environment.filters["moment"] = _moment
_environment.filters["month"] = lambda month: f"{date.fromisoformat(f'{month}-01'):%B %Y}"
_environment.globals["field"] = _environment.get_template("field.html").module.field  # type: ignore[attr-defined]  # a macro


def page_template(main: str) -> Template:
    """Return the template of a whole page, given the template of its ``<main>``.

    Templates can call ``field(...)`` for a labelled form field, and include files of ``html/``. A
    page takes its ``title`` (" - eyelog" follows), and may take ``who`` is logged in (such a page
    is wide), another ``layout``, and a ``footer``; all values are escaped.
    """
    return _environment.from_string(
        f'{{% extends "whole.html" %}}{{% block main %}}{main}{{% endblock %}}'
    )


def page_headers(form_targets: str = "'none'", *, script: str = "") -> dict[str, str]:
    """Return headers that keep a page out of caches and frames, and free of foreign scripts.

    `form_targets` are the sources of the policy to which the page's forms may lead; browsers also
    apply it to a redirect that follows a form. `script` is the text of the only script that may run
    and send requests to its own server; by default none may.
    """
    runs = f"script-src {_hash(script)}; connect-src 'self'; " if script else ""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            f"default-src 'none'; {runs}style-src {_hash(_STYLE)}; img-src data:;"
            f" form-action {form_targets}; frame-ancestors 'none'; base-uri 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        # With "no-referrer" a browser would send its form with the origin "null".
        "Referrer-Policy": "same-origin",
    }
