"""The look and the headers shared by all pages that eyelog sends to a browser.

The service and the end of a login both show pages, and neither imports the other. No page runs a
script or loads anything.
"""

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

__all__ = ["NARROW", "WIDE", "page_headers", "page_template", "rendered"]

NARROW, WIDE = "page", "page wide"
"""One card in the middle, or a column of several."""

_STYLE = files("eyelog").joinpath("browser.css").read_text("utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_SPECTACLES = (
    '<svg viewBox="0 0 64 24" aria-hidden="true" fill="none" stroke="currentColor"'
    ' stroke-width="4" stroke-linecap="round"><rect x="6" y="5" width="21" height="15" rx="7"/>'
    '<rect x="37" y="5" width="21" height="15" rx="7"/>'
    '<path d="M27 11q5-4 10 0M6 10 2 8M58 10l4-2"/></svg>'
)
_WHOLE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{ title }} - eyelog</title>
<link rel="icon" href="data:,">
<style>%s</style>
</head>
<body>
<div class="{{ layout }}">
<header class="brand">%s<span>eyelog</span>
{%% if who %%}<span class="who">{{ who }}</span>
{%% endif %%}</header>
<main>
%s
</main>
{%% if footer %%}<footer>{{ footer }}</footer>
{%% endif %%}</div>
</body>
</html>
"""

# A form field, with its label above and its error below; `focus` puts the cursor in it. `error` is
# the id of an error text elsewhere on the page that also concerns this field.
_FIELD = """{% macro field(name, label, kind, complete, value="", wrong="", error="", hint="",
 focus=false) %}
<div class="field">
<label for="{{ name }}">{{ label }}</label>
{% set described = [hint and name ~ "-hint", wrong and name ~ "-wrong", error] | select | join(" ") %}
{% if hint %}<p class="hint quiet" id="{{ name }}-hint">{{ hint }}</p>
{% endif %}
<input id="{{ name }}" name="{{ name }}" type="{{ kind }}" value="{{ value }}" maxlength="1024"
 autocomplete="{{ complete }}"
{%- if kind == "text" %} autocapitalize="none" spellcheck="false"{% endif %}
{%- if wrong or error %} aria-invalid="true"{% endif %}
{%- if described %} aria-describedby="{{ described }}"{% endif %}
{%- if focus %} autofocus{% endif %}>
{% if wrong %}<p class="wrong" id="{{ name }}-wrong">{{ wrong }}</p>
{% endif %}
</div>
{% endmacro %}"""  # noqa: E501 (a line of Jinja)

_environment = Environment(
    autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_environment.globals["field"] = _environment.from_string(_FIELD).module.field  # type: ignore[attr-defined]  # a macro


def page_template(main: str) -> Template:
    """Return the template of a whole page, given the template of its ``<main>``.

    Templates can call ``field(...)`` for a labelled form field.
    """
    return _environment.from_string(_WHOLE % (_STYLE, _SPECTACLES, main))


def rendered(
    template: Template,
    *,
    title: str,
    layout: str = NARROW,
    who: str = "",
    footer: str = "",
    **shown: Any,
) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    template : Template
        From `page_template`.
    title : str
        What the page is about, or what has happened; " - eyelog" follows.
    layout : str
        `NARROW` or `WIDE`.
    who : str
        Who is logged in, shown at the top.
    footer : str
        A line below the page.
    **shown
        Values for the template; they are escaped.
    """
    return template.render(title=title, layout=layout, who=who, footer=footer, **shown)


def page_headers(form_targets: str = "'none'") -> dict[str, str]:
    """Return headers that keep a page out of caches and frames, and free of scripts.

    `form_targets` are the sources of the policy to which the page's forms may lead; browsers also
    apply it to a redirect that follows a form.
    """
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:;"
            f" form-action {form_targets}; frame-ancestors 'none'; base-uri 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        # With "no-referrer" a browser would send its form with the origin "null".
        "Referrer-Policy": "same-origin",
    }
