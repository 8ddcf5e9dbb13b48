"""How long a stored day counts as fresh: by its age, and by whether it has any record."""

from datetime import date, datetime, timedelta
from hashlib import sha256
from json import dumps
from typing import Final

from eyelog.access.cache.day_file import owner_digest
from eyelog.clock import DAY, Window, day_start, zone

__all__ = ["day_key", "lifetime"]

TODAY: Final = timedelta(minutes=5)
RECENT: Final = timedelta(hours=6)
EMPTY: Final = timedelta(hours=1)
SETTLED_AFTER: Final = timedelta(days=7)


def day_key(
    account: str,
    base_url: str,
    log: str,
    windows: tuple[Window, ...],
    fields: tuple[str, ...] | None,
) -> str:
    """Return the key of one day: of its account, service, log, windows and fields."""
    parts = [
        owner_digest(account, base_url),
        log,
        None if fields is None else list(fields),
        [[window.date_from, window.date_to] for window in windows],
    ]
    return sha256(dumps(parts).encode()).hexdigest()[:32]


def lifetime(day: date, tz: str, *, begun: datetime, empty: bool) -> timedelta | None:
    """Return how long the answers of a local day stay fresh; None means for ever.

    The 60-second log is written without the phone and arrives when the phone syncs, so a past day
    may still grow. It counts as settled a week after its end; a day without records never does.

    Parameters
    ----------
    day : date
        Local day of `tz`.
    tz : str
        The zone of the request.
    begun : aware datetime
        When the walk of the day began.
    empty : bool
        Whether the day has no record.
    """
    end = day_start(day + DAY, zone(tz))
    if begun < end:
        return TODAY
    if empty:
        return EMPTY
    return RECENT if begun < end + SETTLED_AFTER else None
