"""The error tree: every error that eyelog raises on purpose.

::

    EyelogError
    ├── ConfigurationError (ValueError)   a setting, zone, log or range that cannot work
    ├── FieldError (KeyError)             a field that the log does not have
    ├── MixedLogsError (ValueError)       the two logs in one series
    ├── RequestError                      the request failed, or the service refused it
    │   ├── Unreachable                   no answer: refused, reset, timed out, cut short
    │   ├── Refused                       400, 403, 404, 409 and other 4xx
    │   ├── AuthorizationError            401, invalid grant, or no token at all
    │   ├── RateLimited                   429
    │   └── ServerFault                   5xx
    ├── AnswerError                       a 2xx without the documented shape
    ├── NotCached                         offline, and the days are not in the cache
    └── ArchiveError                      the archive cannot be read or written

    EyelogWarning (UserWarning)           something was kept that deserves a look

A message names arguments as Python writes them (``tz='Asia/Tokyo'``), on the command line too.
"""

import sys
import warnings
from collections.abc import Iterable
from typing import Any, get_type_hints


def counted(n: int, noun: str) -> str:
    """Return a number of things in words: "1 value", "1,200 values"."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def listed(names: Iterable[object], most: int = 5, *, between: str = ", ") -> str:
    """Return the first few names, and how many more there are: ``a, b, c, d, e and 3 more``."""
    every = [str(name) for name in names]
    more = len(every) - most
    return between.join(every[:most]) + (f" and {more:,} more" if more > 0 else "")


class EyelogWarning(UserWarning):
    """Something was kept as it is, but deserves a look."""


class EyelogError(Exception):
    """Base of every error that eyelog raises on purpose."""

    def __init__(self, *message: str, **about: Any) -> None:
        super().__init__(*message)
        # Most carry nothing, and a slow reading raises one for each cell.
        if about and (unknown := about.keys() - get_type_hints(type(self)).keys()):
            raise TypeError(f"{type(self).__name__} has no {listed(sorted(unknown))}")
        vars(self).update(about)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # a KeyError shows its message in quotes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class ConfigurationError(EyelogError, ValueError):
    """A setting, zone, log name or range that cannot work."""


class FieldError(EyelogError, KeyError):
    """A field that the log does not have."""


class MixedLogsError(EyelogError, ValueError):
    """Values of the two logs, which are computed differently, in one series."""


class RequestError(EyelogError):
    """The request failed, or the service refused it.

    Attributes
    ----------
    status : int or None
        HTTP status; None if there was no answer.
    retryable : bool
        Whether the same request may succeed later.
    retry_after : float or None
        Seconds that the service asks to wait.
    url : str or None
        The address, without query values that could be secret.
    error : str or None
        The service's word for it, such as ``"invalid_grant"``.
    """

    status: int | None = None
    retryable: bool = False
    retry_after: float | None = None
    url: str | None = None
    error: str | None = None


class Unreachable(RequestError):
    """There was no whole answer: refused, reset, timed out or cut short."""


class Refused(RequestError):
    """The service understood the request and declined it (4xx)."""


class AuthorizationError(RequestError):
    """The token is missing, expired, revoked or insufficient (401, invalid grant)."""


class RateLimited(RequestError):
    """Too many requests (429); see ``retry_after``.

    Attributes
    ----------
    limit, remaining : int or None
        The quota (``X-RateLimit-Limit``, ``X-RateLimit-Remaining``).
    """

    status = 429
    retryable = True
    limit: int | None = None
    remaining: int | None = None


class ServerFault(RequestError):
    """The service failed (5xx) and kept failing."""


class AnswerError(EyelogError):
    """A 2xx answer without the documented shape, or a cursor that is repeated."""


class NotCached(EyelogError):
    """Offline, and some days are not in the cache.

    Attributes
    ----------
    missing : tuple of str
        The missing local days, ``YYYY-MM-DD``.
    """

    missing: tuple[str, ...] = ()


class ArchiveError(EyelogError):
    """The archive cannot be read or written."""


def warn(text: str) -> None:
    """Warn the user with an `EyelogWarning` at their own line: the first one outside eyelog."""
    level, frame = 2, sys._getframe(1)
    within = ("eyelog", "contextlib")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(within):
        frame = frame.f_back
        level += 1
    warnings.warn(text, EyelogWarning, stacklevel=level)
