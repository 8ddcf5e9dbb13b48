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

A message that mentions an argument is written with `argument`, and one that mentions a function of
eyelog with `call`. So the error knows which arguments it mentions (`EyelogError.arguments`), and
each interface spells them: Python as ``tz='Asia/Tokyo'``, the command line as ``--tz Asia/Tokyo``.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

__all__ = [
    "AnswerError",
    "ArchiveError",
    "AuthorizationError",
    "ConfigurationError",
    "EyelogError",
    "EyelogWarning",
    "FieldError",
    "MixedLogsError",
    "NotCached",
    "RateLimited",
    "Refused",
    "RequestError",
    "ServerFault",
    "Unreachable",
    "argument",
    "call",
    "days_of_frame",
    "listed",
    "marked",
    "spelled",
]

# Around an argument or a call in a message. No name of a file and no option can contain it.
_MARK: Final = "\0"
_MARKED: Final = re.compile(f"{_MARK}([^{_MARK}]*){_MARK}")
_NAMED: Final = re.compile(f"{_MARK}([a-z_]+)=")


def listed(names: Iterable[object], most: int = 5, *, between: str = ", ") -> str:
    """Return the first few names, and how many more there are: ``a, b, c, d, e and 3 more``."""
    every = [str(name) for name in names]
    more = len(every) - most
    return between.join(every[:most]) + (f" and {more:,} more" if more > 0 else "")


def argument(name: str, *value: object) -> str:
    """Return an argument for the message of an error or warning, with the value to give if any."""
    return f"{_MARK}{name}={repr(value[0]) if value else ''}{_MARK}"


def call(function: str, *arguments: object) -> str:
    """Return the call of a public function of eyelog, for the message of an error or warning."""
    return f"{_MARK}eyelog.{function}({', '.join(map(repr, arguments))}){_MARK}"


def days_of_frame(first: str, last: str) -> str:
    """Return the slice of some days of a frame, for the message of an error or warning."""
    return f'{_MARK}frame["{first}":"{last}"]{_MARK}'


def marked(message: object) -> str:
    """Return the message of an error or warning, with marks around its arguments and calls.

    Use it instead of `str` for a message that becomes part of another one.
    """
    if isinstance(message, EyelogError | EyelogWarning):
        return str(message.args[0]) if message.args else ""
    return str(message)


def spelled(message: object, spell: Callable[[str], str] = str) -> str:
    """Return a message with its arguments and calls spelled by `spell`, by default as in Python."""
    return _MARKED.sub(lambda part: spell(part[1]), marked(message)).replace(_MARK, "")


class EyelogWarning(UserWarning):
    """Something was kept as it is, but deserves a look."""

    def __str__(self) -> str:
        return spelled(self)


class EyelogError(Exception):
    """Base of every error that eyelog raises on purpose.

    Attributes
    ----------
    arguments : tuple of str
        The arguments that the message mentions, such as ``("tz",)``.
    """

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that the message mentions."""
        return tuple(dict.fromkeys(_NAMED.findall(marked(self))))

    def __str__(self) -> str:
        return spelled(self)

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
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.url = url


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

    def __init__(
        self,
        message: str,
        *,
        limit: int | None = None,
        remaining: int | None = None,
        status: int | None = 429,
        retryable: bool = True,
        retry_after: float | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(
            message, status=status, retryable=retryable, retry_after=retry_after, url=url
        )
        self.limit = limit
        self.remaining = remaining


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

    def __init__(self, message: str, *, missing: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.missing = tuple(missing)


class ArchiveError(EyelogError):
    """The archive cannot be read or written."""
