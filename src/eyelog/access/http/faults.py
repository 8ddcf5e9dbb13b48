"""Turn a failed request into one of eyelog's errors with one sentence."""

import json
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import requests

from eyelog.access.http.adapter import PASSING, retry_after
from eyelog.access.http.body import MOST_BYTES, TooLarge
from eyelog.access.http.redact import redact, redact_url, short
from eyelog.errors import (
    AuthorizationError,
    RateLimited,
    Refused,
    RequestError,
    ServerFault,
    Unreachable,
)

__all__ = ["error_object", "refusal", "unreachable"]

_QUOTA = {"limit": "X-RateLimit-Limit", "remaining": "X-RateLimit-Remaining"}

_ADVICE = {
    400: "check the request",
    401: "run `eyelog login`",
    403: "the token does not permit this: log in with the account that owns the data",
    404: "check the service's address (EYELOG_BASE_URL)",
    409: "the request conflicts with the state of the service: try again later",
}


def error_object(response: requests.Response) -> dict[str, Any]:
    """Return the error object in the body; empty if the body is anything else."""
    try:
        body = json.loads((response.content or b"")[:100_000])
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) and isinstance(body.get("error"), str) else {}


def _detail(response: requests.Response) -> str:
    """Describe the body in words that fit into a sentence."""
    error = error_object(response)
    if error:
        texts = [error["error"], error.get("error_description")]
        return ": ".join(short(text, 200) for text in texts if isinstance(text, str) and text)
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not response.content:
        return "an empty body"
    if kind == "text/html" or response.content.lstrip()[:1] == b"<":
        return "an HTML page instead of an error object"
    return "no error object in the body"


def _number(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdecimal() and len(text) < 16 else None


def refusal(
    response: requests.Response,
    *,
    where: str,
    secrets: Iterable[str] = (),
    advice: str | None = None,
) -> RequestError:
    """Return the error for an answer other than 2xx.

    Parameters
    ----------
    response : requests.Response
        The answer, with its body.
    where : str
        The request, in the user's words.
    secrets : iterable of str
        Values that must not be shown, whatever their name.
    advice : str, optional
        What to do; by default the status decides.
    """
    status = response.status_code
    method, path = response.request.method, urlsplit(response.request.url or "").path
    name = next((s.phrase for s in HTTPStatus if s == status), "")
    wait = retry_after(response)
    quota = {key: _number(response.headers.get(header)) for key, header in _QUOTA.items()}
    kind: type[RequestError] = Refused
    if status == 401:
        kind = AuthorizationError
    elif status == 429 or status >= 500:
        kind = RateLimited if status == 429 else ServerFault
        advice = advice or ("try again later" if wait is None else f"try again in {wait:.0f} s")
    elif 300 <= status < 400:
        target = urlsplit(response.headers.get("Location", ""))
        advice = (
            f"the service points to {target.scheme}://{target.netloc.rpartition('@')[2]}: set the"
            " base URL to the address that answers directly"
            if target.netloc
            else "set the base URL to the address that answers directly"
        )
    advice = advice or _ADVICE.get(status, "check the request")
    limits = [f"{key} {value}" for key, value in quota.items() if value is not None]
    text = (
        f"{where}: {status} {name}".rstrip()
        + f" from {method} {path} ({_detail(response)}"
        + (f"; {', '.join(limits)}" if limits and kind is RateLimited else "")
        + f"): {advice}"
    )
    options: dict[str, Any] = {
        **(quota if kind is RateLimited else {}),
        "status": status,
        "retryable": status in PASSING,
        "retry_after": wait,
        "url": redact_url(response.request.url or ""),
    }
    return kind(redact(text, secrets), **options)


def unreachable(
    fault: requests.RequestException, *, method: str, url: str, where: str
) -> Unreachable:
    """Return the error for a request without a whole answer."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    # In our own words: the texts of the exceptions quote whole URLs.
    what = next(
        words
        for kind, pattern, words in _CAUSES
        if isinstance(fault, kind) and re.search(pattern, str(fault))
    )
    retryable = not isinstance(fault, (requests.exceptions.SSLError, TooLarge))
    return Unreachable(
        f"{where}: {method} {parts.path} at {host} got no whole answer ({what}): "
        + (
            "check the address and the network, or try again later"
            if retryable
            else "check the address (EYELOG_BASE_URL), and ask the operator of the service"
        ),
        retryable=retryable,
        url=redact_url(url),
    )


_CAUSES = (
    (
        TooLarge,
        "",
        f"it is larger than {MOST_BYTES >> 20} MB, and a full day of a log takes 7 MB",
    ),
    (requests.exceptions.SSLError, "", "the TLS certificate or connection was not accepted"),
    (requests.exceptions.ProxyError, "", "the proxy did not let it through"),
    (requests.ConnectTimeout, "", "connecting took too long"),
    (requests.Timeout, "", "the answer took too long"),
    (requests.RequestException, "timed out", "the answer took too long"),
    (requests.exceptions.ContentDecodingError, "", "the compressed body was cut short or damaged"),
    (requests.exceptions.ChunkedEncodingError, "(?i)reset", "the connection was reset"),
    (requests.exceptions.ChunkedEncodingError, "", "the body was cut short"),
    (requests.RequestException, "NameResolutionError|resolve", "the host name is not known"),
    (requests.RequestException, "refused", "the connection was refused"),
    (
        requests.RequestException,
        "(?i:reset)|RemoteDisconnected|aborted",
        "the connection was reset",
    ),
    (requests.RequestException, "", "the connection failed"),
)
"""Faults, in the order to check: the kind of exception, words in its text, our words."""
