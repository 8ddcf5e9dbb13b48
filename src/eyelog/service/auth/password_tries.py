"""A password that a wearer typed, checked at the pace that the throttle allows."""

import asyncio
import math
import os
import secrets
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from anyio import CapacityLimiter, to_thread
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.auth.forms import empty_fields
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.signed_forms import serializer, set_cookie
from eyelog.service.auth.throttle import Throttle, guesser, network
from eyelog.service.parts import parts_of

__all__ = ["PasswordTries", "WrongPassword", "client_address"]

_COOKIE = "eyelog_device"
_DEVICE_SECONDS = 365 * 24 * 3600
_MOST_WAITING = 8
"""Passwords from one address that are being checked or waiting, in one process."""
_BUSY_S = 5
_AT_ONCE = 2
"""Passwords from strangers that are checked at the same time, by all processes."""
_NICENESS = 5
"""Of the threads that check strangers: on a busy core they still get a quarter of it."""
_MOST_REFUSED = 10_000
"""Guessers that a process knows to be refused, without asking the state file."""


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


def _give_way() -> None:
    """Let other threads of the machine run before this one.

    Guesses from many networks are all checked, and a known browser would wait for a core.
    """
    if sys.platform == "linux":  # elsewhere it would slow down the whole process
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class PasswordTries:
    """Checks passwords, and recognises browsers in which a wearer has logged in before.

    Parameters
    ----------
    registry : Registry
        The accounts, and the key that signs cookies.
    throttle : Throttle
        Decides how long to wait after wrong passwords.
    workers : int
        How many processes check passwords on this machine.
    """

    def __init__(self, registry: Registry, throttle: Throttle, workers: int = 1) -> None:
        self._registry = registry
        self.throttle = throttle
        at_once = max(1, _AT_ONCE // workers)
        self.at_once = CapacityLimiter(at_once)  # each check costs 16 MB and much of a core
        # A flood of guesses must not make a wearer wait, neither in a known browser nor, while the
        # guesses come from a few addresses, in another one.
        self._known = CapacityLimiter(2)
        self._of_strangers = CapacityLimiter(4)
        self._yielding = ThreadPoolExecutor(at_once, "stranger", initializer=_give_way)
        self._waiting: Counter[str] = Counter()
        self._refused: dict[bytes, float] = {}

    async def check(
        self, request: Request, name: str, password: str, *, application: str | None = None
    ) -> WrongPassword | None:
        """Return None for the right password; any other is counted and goes to the audit log."""
        wrong = await self._pace(request, name, password, application)
        parts_of(request).metrics.count("logins" if wrong is None else "logins_refused")
        return wrong

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
        if empty := empty_fields(name, form):
            return page(status=400, name=name, wrong=empty)
        if wrong := await self.check(request, name, form["password"], application=application):
            error = wrong.text("Wrong name or password.")
            return wrong.delay(page(status=wrong.status, name=name, error=error))
        return None

    async def _pace(
        self, request: Request, name: str, password: str, application: str | None
    ) -> WrongPassword | None:
        device = self._mark(request.cookies.get(_COOKIE, ""), name)
        address = client_address(request)
        if device is not None:
            return await self._check(request, name, password, application, device)
        if self._waiting[address] >= _MOST_WAITING:
            return WrongPassword(_BUSY_S, is_busy=True)
        self._waiting[address] += 1
        try:
            return await self._check(request, name, password, application, None)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    async def _check(
        self,
        request: Request,
        name: str,
        password: str,
        application: str | None,
        device: str | None,
    ) -> WrongPassword | None:
        address = client_address(request)
        who = guesser(name, address=address, device=device)
        everyone = network(address) if device is None else None
        # In a flood almost all are refused immediately, so that known browsers get their turn.
        keys = [who] if everyone is None else [who, everyone]
        if wait_s := self._refused_for(keys):
            return WrongPassword(wait_s)
        # A known browser waits for no thread that a flood uses.
        of_try = self._known if device is not None else self._of_strangers
        wait_s = await to_thread.run_sync(self.throttle.take_try, who, everyone, limiter=of_try)
        if wait_s:
            self._refuse(who, wait_s)
            if everyone is not None:  # the next name of a flood needs no look at the state
                self._refuse(everyone, await to_thread.run_sync(self.throttle.wait_s, everyone))
            await to_thread.run_sync(self._note, request, name, application, wait_s)
            return WrongPassword(wait_s)
        check_login = self._registry.accounts.check_login
        if device is not None:
            correct = await to_thread.run_sync(check_login, name, password, limiter=self._known)
        else:
            async with self.at_once:
                loop = asyncio.get_running_loop()
                correct = await loop.run_in_executor(self._yielding, check_login, name, password)
        if not correct:
            await to_thread.run_sync(self._note, request, name, application, 0)
            return WrongPassword()
        await to_thread.run_sync(self.throttle.forget, who, everyone)
        return None

    def _refused_for(self, keys: list[bytes]) -> int:
        """Return for how many seconds a try with one of these keys is known to be refused."""
        now = time.monotonic()
        return max(0, *(math.ceil(self._refused.get(key, now) - now) for key in keys))

    def _refuse(self, who: bytes, wait_s: int) -> None:
        if not wait_s:
            return
        now = time.monotonic()
        if len(self._refused) >= _MOST_REFUSED:
            self._refused = {key: until for key, until in self._refused.items() if until > now}
        if len(self._refused) < _MOST_REFUSED:
            self._refused[who] = now + wait_s

    def _note(self, request: Request, name: str, application: str | None, wait_s: int) -> None:
        # A name without an account may be a password typed into the wrong field.
        parts_of(request).audit.write(
            "login_failed",
            account=name if self._registry.accounts.has(name) else None,
            application=application,
            address=client_address(request),
            wait_s=wait_s or None,
        )

    def remember(self, request: Request, answer: Response, name: str, path: str) -> None:
        """Mark a browser in which `name` has just logged in on the page at `path`."""
        mark = self._signer().dumps([secrets.token_urlsafe(16), name])
        set_cookie(request, answer, _COOKIE, mark, _DEVICE_SECONDS, path, samesite="lax")

    def _signer(self) -> URLSafeTimedSerializer:
        return serializer(self._registry.signing_key(), "device")

    def _mark(self, cookie: str, name: str) -> str | None:
        with suppress(BadSignature, ValueError, TypeError):
            mark, known_name = self._signer().loads(cookie, max_age=_DEVICE_SECONDS)
            return str(mark) if known_name == name else None
        return None
