"""How often a password may be guessed: growing delays that affect only the guesser.

Wrong passwords are counted for a name and the address they come from, or for a name and the
browser, if that browser has logged in to this name before (OWASP's device cookies). So a stranger
who guesses Ada's password locks out neither Ada in her own browser nor Bea in hers.

A second count is for an address and all names together, so that one password cannot be tried on
every account. A browser that has logged in before is exempt.

The counts are in the service's state, so that all its processes share them. Their times are those
of the machine's monotonic clock, which is never set back, or of the database that several hosts
share; one that is later than now is from before a restart of the machine, or damaged, and counts as
now.
"""

import ipaddress
import math

from eyelog.service.auth.secrets import digest
from eyelog.service.auth.state import State
from eyelog.service.auth.transaction import Transaction

__all__ = ["Throttle", "guesser", "network"]

_FREE = 5
"""Wrong passwords without a delay. Then it is 2 s, and doubles up to `_LONGEST_S`."""
_FREE_OF_ADDRESS = 20
"""The same for an address, with whatever names: a lab's wearers may share one."""
_LONGEST_S = 300.0
_FORGET_S = 3600.0
"""Seconds without a try after which the count starts again."""


def guesser(name: str, *, address: str, device: str | None) -> bytes:
    """Return the key under which the tries for a name are counted.

    Parameters
    ----------
    name : str
        The name in the form.
    address : str
        The client's address. For IPv6 only the first 64 bits are used, because one household has
        all of the remaining ones.
    device : str, optional
        The mark of a browser that has logged in to this name before.
    """
    if device is not None:
        return digest(f"device\n{device}\n{name}")
    return digest(f"address\n{_household(address)}\n{name}")


def network(address: str) -> bytes:
    """Return the key under which the tries of an address for any name are counted."""
    return digest(f"network\n{_household(address)}")


def _household(address: str) -> str:
    try:
        host = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(host, ipaddress.IPv6Address):
        if host.ipv4_mapped is not None:
            return str(host.ipv4_mapped)
        return str(ipaddress.ip_network((int(host), 64), strict=False))
    return address


class Throttle:
    """Counts tries in the service's state, and returns how long to wait before the next."""

    def __init__(self, state: State) -> None:
        self._state = state

    def take_try(self, who: bytes, everyone: bytes | None = None) -> int:
        """Count one try and return 0, or the seconds until another try is allowed.

        A try is counted before the password is checked, so that guesses made at the same time
        count too. A refused one is not counted, so that waiting always ends.

        Parameters
        ----------
        who : bytes
            The key of `guesser`.
        everyone : bytes, optional
            The key of `network`, unless the browser is known.
        """
        counted = [(who, _FREE)] + ([] if everyone is None else [(everyone, _FREE_OF_ADDRESS)])
        now = self._state.now()
        # In a flood most are refused: they must not wait for the lock, nor keep others from it.
        keys = [key for key, _ in counted]
        sql = f"SELECT who, n, last FROM login_try WHERE who IN ({', '.join('?' * len(keys))})"  # noqa: S608 (marks)
        tries_of = {who: _sound(n, last) for who, n, last in self._state.rows(sql, *keys)}
        wait_s = _wait_s(counted, [tries_of.get(key, _NO_TRY) for key in keys], now)
        if wait_s and all(last <= now for _, last in tries_of.values()):
            return wait_s
        with self._state.write() as db:
            db.execute("DELETE FROM login_try WHERE last < ?", (now - _FORGET_S,))
            # Without this, a wrong time would keep its owner out until the clock has reached it.
            # For SQLite a text is later than any time.
            db.execute(
                "UPDATE login_try SET last = :now WHERE last > :now OR last IS NULL", {"now": now}
            )
            tries = [_tries(db, key) for key in keys]
            if wait_s := _wait_s(counted, tries, now):
                return wait_s
            for (key, _), (n, _) in zip(counted, tries, strict=True):
                db.execute(
                    "INSERT INTO login_try VALUES (?, ?, ?)"
                    " ON CONFLICT (who) DO UPDATE SET n = excluded.n, last = excluded.last",
                    (key, n + 1, now),
                )
        return 0

    def wait_s(self, everyone: bytes) -> int:
        """Return the seconds until an address may try again, whatever the name; count nothing."""
        rows = self._state.rows("SELECT n, last FROM login_try WHERE who = ?", everyone)
        tries = [_sound(*row) for row in rows]
        return _wait_s([(everyone, _FREE_OF_ADDRESS)] * len(tries), tries, self._state.now())

    def forget(self, who: bytes, everyone: bytes | None = None) -> None:
        """Forget the tries, after the right password; of an address, only this one."""
        with self._state.write() as db:
            db.execute("DELETE FROM login_try WHERE who = ?", (who,))
            if everyone is not None:
                # Somebody who has one password must not be free to guess the others.
                db.execute("UPDATE login_try SET n = n - 1 WHERE who = ? AND n > 0", (everyone,))


_Tries = tuple[int, float]
_NO_TRY: _Tries = (0, -math.inf)


def _tries(db: Transaction, who: bytes) -> _Tries:
    row = db.execute("SELECT n, last FROM login_try WHERE who = ?", (who,)).fetchone()
    return _NO_TRY if row is None else _sound(*row)


def _sound(n: object, last: object) -> _Tries:
    """Return a count and a time, whatever a damaged file has instead."""
    return (
        n if isinstance(n, int) and n >= 0 else _FREE,
        float(last) if isinstance(last, int | float) else math.inf,
    )


def _wait_s(counted: list[tuple[bytes, int]], tries: list[_Tries], now: float) -> int:
    waits = (
        min(last, now) + _delay(n, free) - now
        for (n, last), (_, free) in zip(tries, counted, strict=True)
    )
    wait_s = max(waits, default=0.0)
    return min(math.ceil(wait_s), int(_LONGEST_S)) if wait_s > 0 else 0


def _delay(n: int, free: int) -> float:
    """Return the seconds to wait after `n` tries of which some are free."""
    return 0.0 if n < free else min(2.0 ** min(n - free + 1, 30), _LONGEST_S)
