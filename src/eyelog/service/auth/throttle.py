"""How often a password may be guessed: growing delays that affect only the guesser.

Wrong passwords are counted for a name and the address they come from, or for a name and the
browser, if that browser has logged in to this name before (OWASP's device cookies). So a stranger
who guesses Ada's password keeps neither Ada out of her own browser nor Bea out of hers. The counts
are in the file of the service's state, so that all its processes share them.
"""

import ipaddress
import math
import time

from eyelog.service.auth.secrets import digest
from eyelog.service.auth.state import State

__all__ = ["Throttle", "guesser"]

_FREE = 5
"""Wrong passwords without a delay. Then it is 2 s, and doubles up to `_LONGEST_S`."""
_LONGEST_S = 300.0
_FORGET_S = 3600.0
"""Seconds without a try after which the count begins again."""


def guesser(name: str, *, address: str, device: str | None) -> bytes:
    """Return the key under which the tries for a name are counted.

    Parameters
    ----------
    name : str
        The name in the form.
    address : str
        The client's address. For IPv6 only the first 64 bits are used, because a household has all
        of the rest.
    device : str, optional
        The mark of a browser that has logged in to this name before.
    """
    if device is not None:
        return digest(f"device\n{device}\n{name}")
    try:
        host = ipaddress.ip_address(address)
    except ValueError:
        pass
    else:
        if isinstance(host, ipaddress.IPv6Address):
            address = str(ipaddress.ip_network((host, 64), strict=False))
    return digest(f"address\n{address}\n{name}")


class Throttle:
    """Counts tries, and returns how long to wait before the next.

    Parameters
    ----------
    state : State
        The file of the service's state.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def take_try(self, who: bytes) -> int:
        """Count one try and return 0, or the seconds until another try is allowed.

        A try is counted before the password is checked, so that guesses made at the same time
        count too. A refused one is not counted, so that waiting always ends.
        """
        now = time.time()
        with self._state.write() as db:
            db.execute("DELETE FROM login_try WHERE last < ?", (now - _FORGET_S,))
            row = db.execute("SELECT n, last FROM login_try WHERE who = ?", (who,)).fetchone()
            n, last = row or (0, 0.0)
            wait_s = last + _delay(n) - now
            if wait_s > 0:
                return min(math.ceil(wait_s), int(_LONGEST_S))
            db.execute("INSERT OR REPLACE INTO login_try VALUES (?, ?, ?)", (who, n + 1, now))
        return 0

    def forget(self, who: bytes) -> None:
        """Forget the tries, after the right password."""
        with self._state.write() as db:
            db.execute("DELETE FROM login_try WHERE who = ?", (who,))


def _delay(n: int) -> float:
    """Return the seconds to wait after `n` tries."""
    return 0.0 if n < _FREE else min(2.0 ** min(n - _FREE + 1, 30), _LONGEST_S)
