"""Keep secrets out of messages, URLs and logs."""

import logging
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

__all__ = ["SECRET_NAMES", "log", "redact", "redact_url", "short"]

SECRET_NAMES = frozenset(
    {
        "access_token",
        "authorization",
        "client_secret",
        "code",
        "code_verifier",
        "cookie",
        "id_token",
        "password",
        "refresh_token",
        "set-cookie",
        "token",
    }
)
"""Names whose values are never shown: form fields, query parameters, headers, JSON keys."""

HIDDEN = "***"
LONGEST = 300

_names = "|".join(sorted(map(re.escape, SECRET_NAMES), key=len, reverse=True))
# name=value, name: value, "name": "value"; the end of a word like "error_code" does not match.
_PAIR = re.compile(
    rf"(?i)(?<![\w-])(?P<name>{_names})(?P<mark>[\"']?\s*[=:]\s*)"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|(?:Bearer|Basic)\s+[^\s,;&\"']+|[^\s,;&\"'})]+)"
)
_SCHEME = re.compile(r"(?i)\b(Bearer|Basic)(\s+)(?!error\b|realm\b)[A-Za-z0-9._~+/=-]{8,}")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without the values of secret names and without `secrets`."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _PAIR.sub(rf"\g<name>\g<mark>{HIDDEN}", text)
    return _SCHEME.sub(rf"\1\2{HIDDEN}", text)


def redact_url(url: str) -> str:
    """Return `url` without user information and without the values of secret parameters."""
    parts = urlsplit(url)
    query = [
        (name, HIDDEN if name.lower() in SECRET_NAMES else value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query, safe="*:,"), ""))


def short(text: str, longest: int = LONGEST) -> str:
    """Return `text` on one line, without control characters, cut to `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


class _Filter(logging.Filter):
    """Redact a record before any handler sees it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        return True


log = logging.getLogger("eyelog.access")
"""The logger of all requests to the service."""
log.addFilter(_Filter())
