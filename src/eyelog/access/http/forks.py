"""Locks and sessions, which a forked child must not share with its parent, are renewed in it.

A lock that another thread has at the fork stays locked for ever in the child, and two processes
that read from one connection get each other's answers.
"""

import os
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet

__all__ = ["PerProcess", "renew_in_child"]

T = TypeVar("T")


class _Renewed(Protocol):
    def _after_fork(self) -> None: ...


# Of the process, as the hook below is, which cannot be taken back: `logging` keeps its handlers so.
_objects: WeakSet[_Renewed] = WeakSet()


def renew_in_child(owner: _Renewed) -> None:
    """Call ``owner._after_fork()`` in every child that is forked while `owner` lives."""
    _objects.add(owner)


def _renew() -> None:
    for owner in list(_objects):
        owner._after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_renew)


class PerProcess(Generic[T]):
    """A value that is made when it is first needed, and again in a forked child.

    ``session = PerProcess(make_session)``; then ``session.get()`` wherever it is needed. The
    child forgets its parent's value without closing it: the connections are the parent's.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._after_fork()
        renew_in_child(self)

    def _after_fork(self) -> None:
        # The old value stays alive, so that no finaliser closes what the parent still uses.
        self._parents = getattr(self, "_value", None)
        self._value: T | None = None
        self._lock = threading.Lock()

    def get(self) -> T:
        """Return this process's value."""
        with self._lock:
            if self._value is None:
                self._value = self._make()
            return self._value

    def drop(self) -> T | None:
        """Forget this process's value and return it (None if there is none)."""
        with self._lock:
            value, self._value = self._value, None
            return value
