"""The adapter below session and cache: bearer, timeouts, retries, and only whole answers.

The layers above (the cache is one) never see a token, a cookie, an incomplete body or a fault that
a second attempt can fix. They get the responses and exceptions of `requests`, which
`eyelog.access.http.faults` turns into eyelog's errors.
"""

import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.exceptions import ChunkedEncodingError, ContentDecodingError, ReadTimeout
from requests.structures import CaseInsensitiveDict
from urllib3.exceptions import (
    HTTPError,
    InvalidHeader,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ReadTimeoutError,
)
from urllib3.util import Retry

from eyelog.access.http.addresses import is_loopback
from eyelog.access.http.body import decoded, read_body
from eyelog.access.http.redact import log, redact_url

__all__ = ["PASSING", "TIMEOUT", "Adapter", "Bearers", "retry_after"]

TIMEOUT = (6.0, 18.0)
"""Seconds to connect, and seconds of silence: three tries of either fit into `PATIENCE`."""

PATIENCE = 60.0
"""Seconds after the first try within which the last one must begin."""

RETRIES = 3
BACKOFF = 0.5
"""Seconds before the second try; doubled for each later one."""

PASSING = frozenset({429, 500, 502, 503, 504})
"""The statuses after which the same request may succeed."""

# A POST may have used up a code or a refresh token, so it is repeated only if it was not processed.
_AGAIN: Mapping[str, frozenset[int]] = {"GET": PASSING, "POST": frozenset({429, 503})}

_Origin = tuple[str, str | None, int | None]
_NOWHERE: _Origin = ("", None, None)


class Bearers(Protocol):
    """Has the access token and can renew it."""

    def bearer(self, *, rejected: str | None = None) -> str:
        """Return the token to send; the service answered 401 to the `rejected` one."""
        ...


def retry_after(response: requests.Response) -> float | None:
    """Return how many seconds the service asks to wait; None if it does not say.

    ``Retry-After`` is in seconds or an HTTP date. Without it, a 429 may have ``X-RateLimit-Reset``
    in seconds or, if it is large, as a Unix time.
    """
    header = response.headers.get("Retry-After")
    if header is not None:
        try:
            # Without the cap of `Retry`: `PATIENCE` decides how long is too long.
            return float(Retry(retry_after_max=1 << 62).parse_retry_after(header))
        except (InvalidHeader, ValueError, OverflowError):
            return None
    reset = response.headers.get("X-RateLimit-Reset", "").strip()
    if response.status_code != 429 or not reset.isdecimal() or len(reset) > 11:
        return None
    return max(0.0, float(reset) - time.time()) if len(reset) >= 10 else float(reset)


class Adapter(HTTPAdapter):
    """Send each request with a bearer, and repeat it while a fault may be temporary, within bounds.

    Parameters
    ----------
    base_url : str, optional
        Only addresses under this one get the bearer.
    bearers : Bearers, optional
        None for requests without a bearer (the token endpoint).
    workers : int
        How many connections to keep.
    """

    def __init__(
        self, *, base_url: str | None = None, bearers: Bearers | None = None, workers: int = 1
    ) -> None:
        super().__init__(pool_connections=2, pool_maxsize=max(1, workers))
        self.origin, self.path = _parts(_prepared(base_url)) if base_url else (_NOWHERE, "")
        self.bearers = bearers
        # It never sends: it reads proxies and certificates from the environment, as requests does.
        self._environment = requests.Session()
        self._closed = threading.Event()

    def close(self) -> None:
        """Close the connections, and end the wait of every retry."""
        self._closed.set()
        super().close()

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: ARG002 - the body is always read whole
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        """Return the answer with its whole body; if all tries fail, the last faulty one."""
        options = self._environment.merge_environment_settings(
            request.url, proxies, True, verify, cert
        )
        if is_loopback(urlsplit(request.url or "").hostname):
            options["proxies"] = {}  # a proxy's loopback is another machine's
        again = _AGAIN.get(request.method or "", frozenset())
        begun = time.monotonic()
        rejected: str | None = None
        tries = 0
        while True:
            sent, bearer = self._with_bearer(request, rejected)
            tries += 1
            fault: requests.RequestException | None = None
            wait = BACKOFF * 2 ** (tries - 1)
            try:
                left = PATIENCE - (time.monotonic() - begun)
                response = self._whole(sent, timeout=_within(timeout or TIMEOUT, left), **options)
            except requests.RequestException as raised:
                raised.request = request
                if not _may_repeat(request.method, raised):
                    raise
                fault, what = raised, type(raised).__name__
            else:
                response.request = request  # without the bearer, because a cache may keep it
                if response.status_code == 401 and bearer is not None and rejected is None:
                    rejected = bearer
                    tries -= 1
                    continue
                if response.status_code not in again:
                    return response
                what = str(response.status_code)
                seconds = retry_after(response)
                wait = wait if seconds is None else seconds
            if tries > RETRIES or time.monotonic() - begun + wait > PATIENCE:
                if fault is not None:
                    raise fault
                return response
            log.info(
                "%s from %s %s: trying again in %.1f s",
                what,
                request.method,
                redact_url(request.url or ""),
                wait,
            )
            if self._closed.wait(wait):
                raise requests.ConnectionError("the session was closed", request=request)

    def _with_bearer(
        self, request: requests.PreparedRequest, rejected: str | None
    ) -> tuple[requests.PreparedRequest, str | None]:
        """Return a copy of the request with the bearer, or without any authorization."""
        sent = request.copy()
        if self.bearers is None:
            return sent, None
        sent.headers.pop("Authorization", None)
        if not self._is_ours(request.url or ""):
            return sent, None
        bearer = self.bearers.bearer(rejected=rejected)
        sent.headers["Authorization"] = f"Bearer {bearer}"
        return sent, bearer

    def _is_ours(self, url: str) -> bool:
        origin, path = _parts(url)
        return origin == self.origin and path.startswith(self.path.rstrip("/") + "/")

    def _whole(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send once and read the body to its end."""
        response = super().send(request, **options)
        try:
            body = read_body(response)
            # There is no public way to give a response its body.
            response._content = decoded(body, response.headers.get("Content-Encoding", ""))
        except ProtocolError as fault:
            raise ChunkedEncodingError(fault, request=request) from fault
        except ReadTimeoutError as fault:
            raise ReadTimeout(fault, request=request) from fault
        except (HTTPError, OSError) as fault:
            if isinstance(fault, requests.RequestException):
                raise
            raise requests.ConnectionError(fault, request=request) from fault
        finally:
            # A connection whose body was read to the end is back in the pool by now.
            response.raw.close()
        response.cookies.clear()
        response.headers = CaseInsensitiveDict(
            (name, value)
            for name, value in response.headers.items()
            if name.lower() not in ("set-cookie", "set-cookie2")
        )
        return response


def _within(timeout: float | tuple[float, float], left: float) -> tuple[float, float]:
    """Return the timeouts of a try, each at most the seconds left for all tries."""
    connect, read = timeout if isinstance(timeout, tuple) else (timeout, timeout)
    return min(connect, max(left, 1.0)), min(read, max(left, 1.0))


def _prepared(url: str) -> str:
    """Return `url` as `requests` spells it (host in IDNA, path quoted), for comparisons."""
    return requests.Request("GET", url).prepare().url or url


def _parts(url: str) -> tuple[_Origin, str]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return (parts.scheme, parts.hostname, port), parts.path


def _may_repeat(method: str | None, fault: requests.RequestException) -> bool:
    """Return whether another try may help and cannot harm."""
    if isinstance(fault, (requests.exceptions.SSLError, requests.exceptions.ProxyError)):
        return False
    if method == "GET":
        return isinstance(fault, _MENDABLE)
    cause = fault.args[0] if fault.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    return isinstance(fault, requests.ConnectTimeout) or isinstance(reason, NewConnectionError)


_MENDABLE = (
    requests.ConnectionError,
    requests.Timeout,
    ChunkedEncodingError,
    ContentDecodingError,
)
