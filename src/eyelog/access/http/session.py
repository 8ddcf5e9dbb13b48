"""One session for the service, set up once, and one way to fetch.

::

    session = requests.Session()            # or a CachedSession
    attach(session, base_url, credentials, workers=4)
    response = fetch(session, url, params, where="computed_data of account 'me', 2026-10-24")
"""

from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests

from eyelog.access.http.adapter import TIMEOUT, Adapter, Bearers
from eyelog.access.http.body import ACCEPT_ENCODING
from eyelog.access.http.faults import refusal, unreachable

__all__ = ["attach", "fetch", "plain_session"]


def attach(session: requests.Session, base_url: str, credentials: Bearers, *, workers: int) -> None:
    """Set `session` up for the service at `base_url`.

    Below the session (and below its cache, if it has one) each request under `base_url`, and no
    other, gets a bearer on its own copy; a 401 leads to one refresh and one replay; requests with
    temporary faults are repeated within a minute; a body is read completely or raises. Cookies and
    netrc are not used.

    Parameters
    ----------
    session : requests.Session
        It is changed in place.
    base_url : str
        The service's address.
    credentials : Credentials
        They hold the token.
    workers : int
        How many threads use the session at once.
    """
    _prepare(session, Adapter(base_url=base_url, bearers=credentials, workers=workers))


def plain_session() -> requests.Session:
    """Return a session for the OAuth endpoints: never cached, and without a bearer."""
    session = requests.Session()
    _prepare(session, Adapter())
    return session


def _prepare(session: requests.Session, adapter: Adapter) -> None:
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    session.headers["Accept"] = "application/json"
    session.headers["Accept-Encoding"] = ACCEPT_ENCODING
    session.headers["User-Agent"] = "eyelog"
    session.trust_env = False  # no netrc; the adapter handles proxies
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))


def fetch(
    session: requests.Session,
    url: str,
    params: Mapping[str, str] | None = None,
    *,
    where: str,
    **kw: Any,
) -> requests.Response:
    """Return the 2xx answer to a GET, its body read completely.

    Parameters
    ----------
    session : requests.Session
        One that `attach` has set up.
    url : str
        The address.
    params : mapping, optional
        The query; values are URL-encoded here.
    where : str
        The request in words, for the beginning of an error message.
    **kw
        Passed to ``session.get``: the options of a cache.

    Returns
    -------
    requests.Response
        Redirects are not followed.

    Raises
    ------
    Unreachable
        If there was no whole answer: refused, unknown host, timeout, reset, body cut short, or
        more than 64 MB of it (never tried again).
    AuthorizationError
        If there is no valid token (401).
    RateLimited
        If the answer is still 429 after the retries; at once if ``Retry-After`` is over a minute.
    ServerFault
        The same for 5xx.
    Refused
        If the answer is another 3xx or 4xx.
    """
    kw.setdefault("timeout", TIMEOUT)
    kw.setdefault("allow_redirects", False)
    try:
        response = session.get(url, params=params, **kw)
    except requests.RequestException as fault:
        # Not chained: the library's texts quote the whole URL.
        raise unreachable(fault, method="GET", url=url, where=where) from None
    if not 200 <= response.status_code < 300:
        raise refusal(response, where=where, secrets=_secrets(session, url))
    return response


def _secrets(session: requests.Session, url: str) -> frozenset[str]:
    adapter = session.get_adapter(url)
    bearers = adapter.bearers if isinstance(adapter, Adapter) else None
    return getattr(bearers, "secrets", frozenset())
