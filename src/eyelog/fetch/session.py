"""A session for the service: bearer, bounds, retries, whole answers, errors without secrets.

::

    session = service_session(base_url, credentials, workers=4)
    response = fetch(session, url, params, where="computed_data of account 'me', 2026-10-24")

Everything happens in `Adapter`, below the session and below a cache above it: what lies above never
sees a token, a cookie, half a body, or an error that a retry resolved. To change a timeout or
a retry, change the constants; to send another header, add it in `service_session`.
"""

import http.client
import io
import ipaddress
import json
import logging
import math
import os
import re
import shlex
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

import pyarrow as pa
import requests
import urllib3
from requests import exceptions
from requests.adapters import HTTPAdapter

from eyelog import errors
from eyelog.errors import ConfigurationError, warn

if TYPE_CHECKING:
    from eyelog.fetch.oauth import Credentials

CONNECT_TIMEOUT_S = 6.0
"""Seconds to connect, TLS included."""

READ_TIMEOUT_S = 18.0
"""Read timeout: seconds without receiving a byte."""

RETRY_WINDOW_S = 60.0
"""No retry starts later than this, in seconds after the request began."""

TOTAL_TIMEOUT_S = 120.0
"""Total time limit of a request in seconds, retries and waits included."""

TRIES: Final = 4
BACKOFF_S = 0.5
"""Seconds before the second try; doubled for each later one. The service may ask for more."""

MOST_BYTES = 64 << 20
"""Bytes of a body, as received and as decompressed. A full day of a log takes 7 MB of JSON."""

TRANSIENT_STATUSES: Final = frozenset({429, 500, 502, 503, 504})
"""The statuses after which the same request may succeed."""

# A POST may have used up a code or a refresh token, so it is repeated only if it was not processed.
RETRY_STATUSES: Final = {"GET": TRANSIENT_STATUSES, "POST": frozenset({429, 503})}

log = logging.getLogger("eyelog.fetch")


class TooLarge(requests.RequestException):
    """The answer is larger than any answer of the service: it is not read to its end."""


# Faults that another try does not mend.
FINAL: Final = (exceptions.SSLError, exceptions.ProxyError, TooLarge)
# The marks of a request that did not reach the service, and so has used nothing up.
UNSENT: Final = "NewConnectionError|NameResolutionError|ConnectTimeout"


def service_session(
    base_url: str,
    credentials: "Credentials | None" = None,
    *,
    workers: int = 1,
    tries: int = TRIES,
) -> requests.Session:
    """Return a session; requests under `base_url`, and no others, carry the bearer.

    Parameters
    ----------
    base_url : str
        The service's address.
    credentials : Credentials, optional
        Source of the token; None for the OAuth endpoints, which are called without one.
    workers : int
        How many threads use the session at once.
    tries : int
        Maximum number of attempts.
    """
    session = requests.Session()
    adapter = Adapter(base_url, credentials, workers, tries)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    session.headers.update(
        {"Accept": "application/json", "Accept-Encoding": "gzip, zstd", "User-Agent": "eyelog"}
    )
    # The environment is read once, which takes a tenth of a page's time, and netrc never: its
    # passwords would replace the bearer. Through a proxy, loopback would mean the proxy's own
    # machine.
    session.trust_env = False
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    session.verify = bundle or True
    if not is_loopback(urlsplit(base_url).hostname):
        session.proxies = requests.utils.get_environ_proxies(base_url)
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return session


def fetch(
    session: requests.Session,
    url: str,
    params: Mapping[str, str] | None = None,
    *,
    where: str,
    **options: Any,
) -> requests.Response:
    """Return the 200 answer to a GET, its body read completely.

    Parameters
    ----------
    session : requests.Session
        As `service_session` returns it, or a cache over it.
    url : str
        The address.
    params : mapping, optional
        The query; values are URL-encoded here.
    where : str
        The request in words, for the beginning of an error message.
    **options
        Passed to ``session.request``: the options of a cache.

    Raises
    ------
    Unreachable
        If there was no whole answer: refused, unknown host, timeout, reset, body cut short, or
        more than 64 MB of it (never tried again).
    AuthorizationError, RateLimited, ServerFault, Refused
        If the answer is a 401, 429, 5xx, or another 3xx or 4xx, after the retries.
    AnswerError
        If it is another 2xx: only a 200 carries complete data.
    """
    response = ask(session, "GET", url, where=where, params=params, **options)
    status = response.status_code
    if status == 200:
        return response
    if 200 <= status < 300:
        raise errors.AnswerError(
            f"{where}: {status} from GET {urlsplit(url).path}: only a 200 is a whole answer;"
            " nothing of it was kept; report it to the operator of the service"
        )
    holder = getattr(session.get_adapter(url), "credentials", None)
    raise refusal(response, where=where, credentials=holder)


def ask(
    session: requests.Session, method: str, url: str, *, where: str, **options: Any
) -> requests.Response:
    """Return the answer to a request, whatever its status; redirects are not followed.

    Raises
    ------
    Unreachable
        If there was no whole answer within `TOTAL_TIMEOUT_S`.
    """
    begun = time.monotonic()
    _wire.received = 0
    try:
        return session.request(method, url, allow_redirects=False, **options)
    # requests follows no redirect, but reads where it leads, and an address can be unreadable.
    except (requests.RequestException, ValueError) as fault:
        # In our own words, and not chained: the texts of the exceptions quote whole URLs.
        what = next(
            words
            for kinds, pattern, words in _CAUSES
            if isinstance(fault, kinds) and re.search(pattern, str(fault))
        )
        retryable = not isinstance(fault, exceptions.SSLError | TooLarge | ValueError)
        advice = (
            "check the address and the network, or try again later"
            if retryable
            else "check the address (EYELOG_BASE_URL), and ask the operator of the service"
        )
        parts = urlsplit(url)
        raise errors.Unreachable(
            f"{where}: {method} {parts.path} at {parts.netloc.rpartition('@')[2]} got no whole"
            f" answer ({what}; after {time.monotonic() - begun:.1f} s, with {_wire.received:,}"
            f" bytes received): {advice}",
            retryable=retryable,
            url=redact_url(url),
        ) from None


_CAUSES: Final[tuple[tuple[Any, str, str], ...]] = (
    (TooLarge, "", "it is larger than 64 MB, and a full day of a log takes 7 MB"),
    (exceptions.SSLError, "", "the TLS certificate or connection was not accepted"),
    (exceptions.ProxyError, "", "the proxy did not let it through"),
    (requests.ConnectTimeout, "", "connecting took too long"),
    (requests.Timeout, "", "the answer took too long"),
    (requests.RequestException, "timed out", "the answer took too long"),
    (exceptions.ContentDecodingError, "", "the compressed body was cut short or damaged"),
    (exceptions.ChunkedEncodingError, "^(?!.*(?i:reset))", "the body was cut short"),
    (requests.RequestException, "NameResolutionError|resolve", "the host name is not known"),
    (requests.RequestException, "refused", "the connection was refused"),
    (requests.RequestException, "(?i:reset)|Disconnected|aborted", "the connection was reset"),
    (requests.RequestException, "", "the connection failed"),
    (ValueError, "", "it leads to an address that cannot be read"),
)
"""Faults, in the order to check: the kind of exception, words in its text, our words."""


# One request


class Adapter(HTTPAdapter):
    """Send each request with a bearer, and repeat it while a fault may pass, within bounds.

    A 401 leads to one refresh of the token and one replay.
    """

    def __init__(
        self, base_url: str, credentials: "Credentials | None", workers: int, tries: int
    ) -> None:
        super().__init__(pool_connections=2, pool_maxsize=workers)
        self.credentials = credentials
        # As requests spells it: host in IDNA, path quoted.
        self.base = f"{requests.Request('GET', base_url).prepare().url}".rstrip("/") + "/"
        self.tries = tries
        self._closed = threading.Event()

    def close(self) -> None:
        """Close the connections, and end the wait of every retry."""
        self._closed.set()
        super().close()

    def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
        """Return a pool whose connections read within the bounds of the request."""
        pool: Any = super().get_connection_with_tls_context(*args, **options)
        pool.ConnectionCls = _SecureConnection if pool.scheme == "https" else _Connection
        return pool

    def send(  # type: ignore[override] # a session gives all options by name
        self, request: requests.PreparedRequest, *, timeout: Any = None, **options: Any
    ) -> requests.Response:
        """Return the answer with its whole body; if all tries fail, the last faulty one.

        A `timeout` is for requests that take long by nature: seconds to connect, and of silence.
        """
        connect, silence = timeout or (CONNECT_TIMEOUT_S, READ_TIMEOUT_S)
        begun = time.monotonic()
        outer = _wire.ends  # of the request for which the token is renewed just now
        bound_s = max(TOTAL_TIMEOUT_S, silence) if timeout else TOTAL_TIMEOUT_S
        _wire.ends = min(outer, begun + bound_s)
        rejected: str | None = None
        tries = 0
        try:
            while True:
                sent, bearer = request.copy(), None
                if self.credentials is not None:
                    sent.headers.pop("Authorization", None)
                    if (request.url or "").startswith(self.base):  # no other address gets one
                        bearer = self.credentials.bearer(rejected=rejected)
                        sent.headers["Authorization"] = f"Bearer {bearer}"
                tries += 1
                left = _wire.ends - time.monotonic()
                # A POST may use up a refresh token: without time for its answer, it is not sent.
                if left <= (0.0 if request.method == "GET" else connect):
                    raise requests.Timeout("no time is left", request=request)
                options |= {"timeout": (min(connect, left), min(silence, left)), "stream": True}
                _wire.silence, _wire.received = silence, 0
                last: requests.Response | requests.RequestException
                try:
                    last = super().send(sent, **options)
                    _read_whole(last)
                except requests.RequestException as fault:
                    fault.request = request
                    may_repeat = request.method == "GET" or re.search(UNSENT, repr(fault))
                    if isinstance(fault, FINAL) or not may_repeat:
                        raise
                    last, told, what = fault, None, type(fault).__name__
                else:
                    last.request = request  # without the bearer, because a cache may keep it
                    if last.status_code == 401 and bearer is not None and rejected is None:
                        rejected, tries = bearer, tries - 1
                        continue
                    if last.status_code not in RETRY_STATUSES.get(request.method or "", ()):
                        return last
                    told, what = retry_after(last), str(last.status_code)
                # The longer of our backoff and the delay that the service asks for.
                wait = max(BACKOFF_S * 2 ** (tries - 1), told or 0.0)
                latest = min(begun + RETRY_WINDOW_S, _wire.ends)
                if tries >= self.tries or time.monotonic() + wait > latest:
                    if isinstance(last, requests.Response):
                        return last
                    raise last
                address = redact_url(request.url or "")
                log.info("%s from %s %s: again in %.1f s", what, request.method, address, wait)
                if self._closed.wait(wait):
                    raise requests.ConnectionError("the session was closed", request=request)
        finally:
            _wire.ends = outer


def retry_after(response: requests.Response) -> float | None:
    """Return how many seconds the service asks to wait; None if it does not say.

    ``Retry-After`` is in seconds or an HTTP date. Without it, a 429 may have ``X-RateLimit-Reset``
    in seconds or, if it is large, as a Unix time.
    """
    header = response.headers.get("Retry-After")
    if header is not None:
        try:
            # Without the cap of `Retry`: `RETRY_WINDOW_S` decides how long is too long.
            return float(urllib3.Retry(retry_after_max=1 << 62).parse_retry_after(header))
        except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
            return None
    reset = response.headers.get("X-RateLimit-Reset", "").strip()
    if response.status_code != 429 or not reset.isdecimal() or len(reset) > 11:
        return None
    return max(0.0, float(reset) - time.time()) if len(reset) >= 10 else float(reset)


# The bytes of an answer


class _Wire(threading.local):
    """When the request of this thread ends, how long it may be silent, and what has arrived."""

    ends = math.inf
    silence = READ_TIMEOUT_S
    received = 0


_wire = _Wire()


class _BoundedIO(socket.SocketIO):
    """The bytes of an answer, head and body, until the time of the request is over.

    The timeout of a socket begins anew with each byte, so one byte now and then would hold it for
    ever.
    """

    of: socket.socket

    def readinto(self, buffer: Any) -> int | None:
        left = _wire.ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.of.settimeout(min(_wire.silence, left))
        count = super().readinto(buffer)
        _wire.received += count or 0
        return count


class _BoundedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        # The same reader, because it is counted as a user of the socket.
        reader: Any = self.fp.detach()
        reader.__class__ = _BoundedIO
        reader.of = sock
        self.fp = io.BufferedReader(reader)


class _Connection(urllib3.connection.HTTPConnection):
    response_class = _BoundedResponse


class _SecureConnection(urllib3.connection.HTTPSConnection):
    response_class = _BoundedResponse


def _read_whole(response: requests.Response) -> None:
    """Read and decompress the body; one that is short, too large, too slow or damaged raises.

    urllib3 takes a compressed body that was cut short for a whole one, and lets a small one become
    any size.
    """
    codings = response.raw.headers.pop("Content-Encoding", "")
    body = bytearray()
    try:
        for piece in response.iter_content(1 << 18):
            body += piece
            if len(body) > MOST_BYTES:
                raise TooLarge
    finally:
        # A connection whose body was read to the end is back in the pool by now.
        response.close()
    # There is no public way to give a response its body.
    response._content = decompressed(bytes(body), codings)


def decompressed(body: bytes, codings: str) -> bytes:
    """Undo the content codings of a body, of all its parts."""
    for coding in reversed(codings.lower().replace(" ", "").replace("x-gzip", "gzip").split(",")):
        if coding in ("", "identity"):
            continue
        if coding not in ("gzip", "zstd"):
            raise exceptions.ContentDecodingError(f"the coding {coding!r} was not requested")
        try:
            with pa.CompressedInputStream(pa.BufferReader(body), coding) as plain:
                body = plain.read(MOST_BYTES + 1)
        except OSError:
            raise exceptions.ContentDecodingError(
                f"the {coding} body is cut short or damaged"
            ) from None
        if len(body) > MOST_BYTES:
            raise TooLarge
    return body


# Errors without secrets


def error_object(response: requests.Response) -> dict[str, Any]:
    """Return the error object in the body; empty if the body is anything else."""
    try:
        body = json.loads((response.content or b"")[:100_000])
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) and isinstance(body.get("error"), str) else {}


_ADVICE: Final[Mapping[str | int, str]] = {
    "invalid_grant": "run `{login}`",
    "invalid_client": "check EYELOG_CLIENT_ID and EYELOG_CLIENT_SECRET, then run `{login}`",
    401: "run `{login}`",
    403: "the token does not permit this: log in with the account that owns the data",
    404: "check the service's address (EYELOG_BASE_URL)",
    409: "the request conflicts with the state of the service: try again later",
}
"""What to do, by the word of the service or by its status."""


def refusal(
    response: requests.Response,
    *,
    where: str,
    credentials: "Credentials | None" = None,
    secrets: Iterable[str] = (),
    advice: str | None = None,
) -> errors.RequestError:
    """Return the error for an answer that is not a success.

    Parameters
    ----------
    response : requests.Response
        The answer, with its body.
    where : str
        The request, in the user's words.
    credentials : Credentials, optional
        Whose request it was: their secrets are not shown, and the advice names their account.
    secrets : iterable of str
        Other values that must not be shown, whatever their name.
    advice : str, optional
        What to do; by default the error or the status decides.
    """
    status, url = response.status_code, response.request.url or ""
    account = credentials.store.account if credentials else "me"
    secrets = credentials.secrets if credentials else secrets
    error, wait = error_object(response), retry_after(response)
    kind: Any = {401: errors.AuthorizationError, 429: errors.RateLimited}.get(
        status, errors.Refused
    )
    if status >= 500:
        kind = errors.ServerFault
    elif error.get("error") in _ADVICE:  # asking again cannot help
        kind = errors.AuthorizationError
    if advice is None:
        advice = _ADVICE.get(error.get("error", "")) or _ADVICE.get(status, "check the request")
        advice = advice.format(login=login_command(account))
        if kind in (errors.RateLimited, errors.ServerFault):
            advice = f"try again in {wait:.0f} s" if wait and wait >= 1 else "try again later"
        elif 300 <= status < 400:
            leads = re.match(
                r"(https?://)(?:[^/?#]*@)?([^/?#\s]+)", response.headers.get("Location", "")
            )
            advice = f"the service points to {leads[1]}{leads[2]}: " if leads else ""
            advice += "set the base URL to the address that answers directly"
    about = _detail(response, error, secrets)
    quota: dict[str, Any] = {}
    for limit in ("limit", "remaining") if kind is errors.RateLimited else ():
        text = response.headers.get(f"X-RateLimit-{limit}", "").strip()
        if text.isdecimal() and len(text) < 16:
            quota[limit] = int(text)
            about += f"{',' if len(quota) > 1 else ';'} {limit} {text}"
    phrase = f"{status} {http.client.responses.get(status, '')}".rstrip()
    text = f"{where}: {phrase} from {response.request.method} {urlsplit(url).path} ({about}): "
    fault: errors.RequestError = kind(
        redact(text + advice, secrets),
        status=status,
        retryable=status in TRANSIENT_STATUSES,
        retry_after=wait,
        url=redact_url(url),
        error=error.get("error"),
        **quota,
    )
    return fault


def login_command(account: str) -> str:
    """Return the command that logs an account in."""
    return "eyelog login" + (f" --account {shlex.quote(account)}" if account != "me" else "")


def _detail(response: requests.Response, error: Mapping[str, Any], secrets: Iterable[str]) -> str:
    """Describe the body in words that fit into a sentence."""
    if error:
        texts = [error["error"], error.get("error_description")]
        # Redacted before it is cut: the first half of a token is as secret.
        said = [redact(text, secrets) for text in texts if isinstance(text, str) and text]
        return ": ".join(short(text, 200) for text in said)
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not response.content:
        return "an empty body"
    if kind == "text/html" or response.content.lstrip()[:1] == b"<":
        return "an HTML page instead of an error object"
    return "no error object in the body"


SECRET_NAMES: Final = frozenset(
    {
        *("access_token", "authorization", "client_secret", "code", "code_verifier", "cookie"),
        *("id_token", "password", "refresh_token", "set-cookie", "token"),
    }
)
"""Names whose values are never shown: form fields, query parameters, headers, JSON keys."""

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
        text = text.replace(secret, "***")
    return _SCHEME.sub(r"\1\2***", _PAIR.sub(r"\g<name>\g<mark>***", text))


def redact_url(url: str) -> str:
    """Return `url` without user information and without the values of secret parameters."""
    parts = urlsplit(url)
    query = [
        (name, "***" if name.lower() in SECRET_NAMES else value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query, safe="*:,"), ""))


def short(text: str, longest: int = 300) -> str:
    """Return `text` on one line, without control characters, cut to `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


# Addresses


def is_loopback(host: str | None) -> bool:
    """Return whether a host name or address is this machine's loopback."""
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return (host or "").lower() == "localhost"


def split_address(text: str, name: str) -> SplitResult:
    """Split an absolute URL; an error shows neither its user information nor its query.

    Raises
    ------
    ConfigurationError
        If it cannot be one. `name` is what it is called.
    """
    plain = text.strip() if isinstance(text, str) else ""
    if not plain or any(c.isspace() or not c.isprintable() for c in plain):
        raise ConfigurationError(
            f"{name} is empty, or has blanks: give an address like https://host"
        )
    try:
        parts = urlsplit(plain)
        _ = parts.port, parts.hostname
    except ValueError:  # its text may quote a password
        raise ConfigurationError(f"{name} is not an address: check its host and port") from None
    if "@" in parts.netloc:
        raise ConfigurationError(
            f"{name} has a user name or password: leave them out, eyelog sends its own token"
        )
    return parts


def check_base_url(text: str, *, name: str = "base_url", query: bool = False) -> str:
    """Return the address in a canonical spelling: lower-case host, no default port, no last slash.

    Raises
    ------
    ConfigurationError
        If it is not an http or https address, or has credentials, a fragment or (unless `query`)
        a query.
    """
    parts = split_address(text, name)
    scheme, host = parts.scheme.lower(), parts.hostname
    if scheme not in ("http", "https") or not host:
        raise ConfigurationError(
            f"{name} must be an http or https address with a host, such as https://host"
        )
    if parts.fragment or (parts.query and not query):
        raise ConfigurationError(f"{name} must end with its path: leave out what follows ? or #")
    place = f"[{host}]" if ":" in host else host
    if parts.port is not None and parts.port != {"http": 80, "https": 443}[scheme]:
        place = f"{place}:{parts.port}"
    address = urlunsplit((scheme, place, parts.path.rstrip("/"), parts.query, ""))
    try:
        requests.Request("GET", address).prepare()
    except (requests.RequestException, UnicodeError):
        raise ConfigurationError(f"{name} is not an address: check its host name") from None
    return address


def base_url_from_environment() -> str:
    """Return EYELOG_BASE_URL, checked.

    Raises
    ------
    ConfigurationError
        If it is not set, or is not an address.
    """
    text = os.environ.get("EYELOG_BASE_URL", "").strip()
    if not text:
        raise ConfigurationError("EYELOG_BASE_URL is not set: set it to the service's address")
    return check_base_url(text, name="EYELOG_BASE_URL")


def warn_of_plain_http(url: str) -> None:
    """Warn if tokens would go over plain http to another machine.

    It is not an error: a lab may run the service on its own closed network, but should be aware of
    it.
    """
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        warn(
            f"{parts.hostname} is used over plain http: others can read tokens and data on the way,"
            " so use https"
        )
