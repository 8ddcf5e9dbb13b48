"""A password that somebody typed, checked at the pace that wrong ones allow.

Wrong passwords are counted for a name and the address they come from, so that a stranger who
guesses Ada's password keeps nobody out elsewhere; and for an address and all names together, so
that one password cannot be tried on every account. The counts are in the service's state, which all
its processes share.
"""

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.auth.registry import Registry
from eyelog_service.auth.secrets import digest
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import run
from eyelog_service.parts import parts_of

_FREE = 5
"""Tries without a delay. Then it is 2 s, and doubles up to `_LONGEST_S`."""
_FREE_OF_ADDRESS = 20
"""The same for an address, with whatever names: a lab's wearers may share one."""
_LONGEST_S = 300
_FORGET_S = 3600
"""Seconds without a try after which the count starts again."""
_MOST_WAITING = 8
"""Passwords from one address that are being checked or waiting, in one process."""
_BUSY_S = 5
_AT_ONCE = 2
"""Passwords that are checked at the same time, by all processes: each takes much of a core."""


@dataclass(frozen=True, slots=True)
class WrongPassword:
    """Why a password was not accepted: it is wrong, or it is not checked for `wait_s` seconds.

    `is_busy` if that is because others at the same address try to log in at the same time.
    """

    wait_s: int = 0
    is_busy: bool = False

    @property
    def status(self) -> int:
        """The status of the answer."""
        return 429 if self.wait_s else 400

    def text(self, otherwise: str) -> str:
        """Return the message for the wearer; `otherwise` if the password is wrong."""
        if not self.wait_s:
            return otherwise
        if self.is_busy:
            return f"Too many logins from your network at once. Try again in {self.wait_s} s."
        wait = f"{self.wait_s} s" if self.wait_s < 100 else f"{-(-self.wait_s // 60)} min"
        return f"Too many wrong passwords. Try again in {wait}."

    def delay(self, answer: Response) -> Response:
        """State in the headers of the answer how long to wait."""
        if self.wait_s:
            answer.headers["Retry-After"] = str(self.wait_s)
        return answer


def client_address(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""


class PasswordTries:
    """Checks passwords.

    Parameters
    ----------
    registry : Registry
        The accounts, and the state with the counts.
    workers : int
        How many processes check passwords on this machine.
    """

    def __init__(self, registry: Registry, workers: int = 1) -> None:
        self._registry = registry
        self.at_once = CapacityLimiter(max(1, _AT_ONCE // workers))
        self._counting = CapacityLimiter(4)  # a flood leaves threads for others
        self._waiting: Counter[str] = Counter()

    async def check(
        self, request: Request, name: str, password: str, *, application: str | None = None
    ) -> WrongPassword | None:
        """Return None for the right password; any other is counted and goes to the audit log."""
        address = client_address(request)
        if self._waiting[address] >= _MOST_WAITING:
            return WrongPassword(_BUSY_S, is_busy=True)
        self._waiting[address] += 1
        try:
            counted = _keys(name, address)
            wait_s = await to_thread.run_sync(
                take_try, self._registry.state, counted, limiter=self._counting
            )
            check_login = self._registry.accounts.check_login
            if not wait_s and await to_thread.run_sync(
                check_login, name, password, limiter=self.at_once
            ):
                await to_thread.run_sync(_forget, self._registry.state, counted)
                return None
            await to_thread.run_sync(self._note, request, name, application, wait_s)
            return WrongPassword(wait_s)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    async def refusal(
        self,
        request: Request,
        name: str,
        form: dict[str, str],
        page: Callable[..., Response],
        *,
        application: str | None = None,
    ) -> Response | None:
        """Return the page of a login again, saying what is wrong, unless the form is right.

        Parameters
        ----------
        request : Request
            The filled form.
        name : str
            The name in it.
        form : dict of str to str
            What it says. An empty field is not counted as a guess.
        page : callable
            The page of the login: takes ``status``, ``name``, and ``wrong`` or ``error``.
        application : str, optional
            The application that asked for the login.
        """
        empty = {} if name else {"name": "Enter your name."}
        empty |= {} if form.get("password") else {"password": "Enter your password."}
        if empty:
            return page(status=400, name=name, wrong=empty)
        if wrong := await self.check(request, name, form["password"], application=application):
            error = wrong.text("Wrong name or password.")
            return wrong.delay(page(status=wrong.status, name=name, error=error))
        return None

    def _note(self, request: Request, name: str, application: str | None, wait_s: int) -> None:
        # A name without an account may be a password typed into the wrong field.
        parts_of(request).audit.write(
            "login_failed",
            account=name if self._registry.accounts.has(name) else None,
            application=application,
            address=client_address(request),
            wait_s=wait_s or None,
        )


def _keys(name: str, address: str) -> dict[bytes, int]:
    """Return the keys under which a try is counted, each with the tries that are free.

    Of an address of IPv6 only the first 64 bits are used: one household has all of the others.
    """
    try:
        host = ipaddress.ip_address(address)
    except ValueError:
        household = address
    else:
        if isinstance(host, ipaddress.IPv6Address) and host.ipv4_mapped is None:
            household = str(ipaddress.ip_network((int(host), 64), strict=False))
        else:
            household = str(getattr(host, "ipv4_mapped", None) or host)
    return {
        digest(f"address\n{household}\n{name}"): _FREE,
        digest(f"network\n{household}"): _FREE_OF_ADDRESS,
    }


def take_try(state: State, counted: dict[bytes, int]) -> int:
    """Count one try and return 0, or the seconds until another try is allowed.

    A try is counted before the password is checked, so that guesses made at the same time count
    too. A refused one is not counted, so that waiting always ends.

    Parameters
    ----------
    state : State
        With the counts.
    counted : dict
        The keys of the try, each with the number of tries that are free.
    """
    now = time.time()
    sql = "SELECT n, last FROM login_try WHERE who = :who"

    def wait_s(of_key: Callable[[bytes], Any]) -> int:
        waits = [0.0]
        for key, free in counted.items():
            row = of_key(key)
            if row is not None and row[0] >= free:
                waits.append(row[1] + min(2.0 ** min(row[0] - free + 1, 30), _LONGEST_S) - now)
        return math.ceil(max(waits))

    # In a flood most are refused: they must not wait for the lock, nor keep others from it.
    known = wait_s(lambda key: next(iter(state.rows(sql, who=key)), None))
    if 0 < known <= _LONGEST_S:
        return known
    with state.write() as db:
        # A time that is to come is from a clock that was set back since, or damaged.
        run(db, "DELETE FROM login_try WHERE last < :old", old=now - _FORGET_S)
        run(db, "UPDATE login_try SET last = :now WHERE last > :now", now=now)
        if known := wait_s(lambda key: run(db, sql, who=key).first()):
            return known
        count = (
            "INSERT INTO login_try VALUES (:who, 1, :now)"
            " ON CONFLICT (who) DO UPDATE SET n = login_try.n + 1, last = excluded.last"
        )
        for key in counted:
            run(db, count, who=key, now=now)
    return 0


def _forget(state: State, counted: dict[bytes, int]) -> None:
    """Forget the tries after the right password; of the address and all names, only this one."""
    of_name, of_address = counted
    with state.write() as db:
        run(db, "DELETE FROM login_try WHERE who = :who", who=of_name)
        # Somebody who has one password must not be free to guess the others.
        run(db, "UPDATE login_try SET n = n - 1 WHERE who = :who AND n > 0", who=of_address)
