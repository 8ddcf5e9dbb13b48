"""The number of requests for data, and of uploads, that an account may make per hour.

They are counted over all processes.

The count is in the service's state, but a write for each request would cost more than
the request. So a process takes a share of the remaining requests and counts it down in memory:
together, the processes never allow more than the limit. Shares get smaller towards the end, down to
single requests; the unused part of a share lapses when the hour ends or the process stops.
"""

import math
import time
from dataclasses import dataclass
from threading import Lock

from eyelog.errors import ConfigurationError
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import run
from eyelog_service.responses import Problem

PER_HOUR = 10_000
"""As the public service documented."""
UPLOADS_PER_HOUR = 60
_HOUR_S = 3600
_SHARES = 200  # a share is at most this part of the limit,
_LEFT = 8  # and at most this part of the remainder


@dataclass(frozen=True, slots=True)
class Quota:
    """The state of the hour after a request.

    Attributes
    ----------
    limit : int
        Requests per hour.
    remaining : int
        How many more are allowed; -1 for a request that is refused.
    reset : int
        When the next hour begins, in seconds since 1970.
    """

    limit: int
    remaining: int
    reset: int

    @property
    def wait_s(self) -> int:
        """The seconds until the next hour begins, at least 1."""
        return max(1, math.ceil(self.reset - time.time()))

    def refusal(self, what: str) -> Problem:
        """Return the refusal of one more; `what` are requests or uploads."""
        return Problem(
            429,
            "rate_limit_exceeded",
            f"more than {self.limit} {what} in this hour: try again in {self.wait_s} s",
            headers={"Retry-After": str(self.wait_s), **self.headers},
        )

    @property
    def headers(self) -> dict[str, str]:
        """The headers of an answer."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, self.remaining)),
            "X-RateLimit-Reset": str(self.reset),
        }


@dataclass(slots=True)
class _Share:
    left: int  # of the share of this process
    in_file: int  # not taken by any process then


class HourlyLimits:
    """Counts the requests of accounts.

    Parameters
    ----------
    state : State
        The service's state.
    per_hour : int
        How many requests an account may make from one full hour to the next.
    what : {"request", "upload"}
        Which requests.

    Raises
    ------
    ConfigurationError
        If `per_hour` is not a whole number from 1.
    """

    def __init__(self, state: State, per_hour: int = PER_HOUR, *, what: str = "request") -> None:
        if isinstance(per_hour, bool) or not isinstance(per_hour, int) or per_hour < 1:
            raise ConfigurationError(
                f"{what}s_per_hour must be a whole number from 0 (no limit), not {per_hour!r}"
            )
        self._table = f"{what}_count"
        self._state = state
        self._per_hour = per_hour
        self._hour = -1
        self._shares: dict[str, _Share] = {}
        self._lock = Lock()

    def take(self, account: str) -> Quota:
        """Count one request of an account, unless none is left.

        Raises
        ------
        StateBusy
            If another process locks the state file for long.
        """
        hour = int(time.time() // _HOUR_S)
        reset = (hour + 1) * _HOUR_S
        with self._lock:
            if hour != self._hour:
                self._hour = hour
                self._shares.clear()
            share = self._shares.get(account)
            if share is not None and (share.left or not share.in_file):
                return self._count(share, reset)
        more = self._take_share(account, hour)  # may have to wait for the file: without the lock
        with self._lock:
            if hour == self._hour:
                share = self._shares.setdefault(account, _Share(0, 0))
                share.left += more.left
                share.in_file = more.in_file
            else:
                share = more
            return self._count(share, reset)

    def _count(self, share: _Share, reset: int) -> Quota:
        if not share.left:
            return Quota(self._per_hour, -1, reset)
        share.left -= 1
        return Quota(self._per_hour, share.left + share.in_file, reset)

    def _take_share(self, account: str, hour: int) -> _Share:
        with self._state.write() as db:
            # The hour before stays: the clock of another host may be a little behind.
            run(db, f"DELETE FROM {self._table} WHERE hour < :before", before=hour - 1)  # noqa: S608 (a name from here)
            sql = f"SELECT n FROM {self._table} WHERE account = :account AND hour = :hour"  # noqa: S608 (as above)
            taken = run(db, sql, account=account, hour=hour).scalar() or 0
            free = max(0, self._per_hour - taken)
            size = min(free, max(1, min(self._per_hour // _SHARES, free // _LEFT)))
            count = (
                f"INSERT INTO {self._table} VALUES (:account, :hour, :size)"  # noqa: S608 (as above)
                f" ON CONFLICT (account, hour) DO UPDATE SET n = {self._table}.n + excluded.n"
            )
            run(db, count, account=account, hour=hour, size=size)
        return _Share(size, free - size)
