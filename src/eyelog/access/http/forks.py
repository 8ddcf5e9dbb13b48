"""What must not be shared with a forked child is made anew in it: locks and sessions.

A lock that another thread held at the fork stays locked for ever in the child, and two processes
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


_objects: WeakSet[_Renewed] = WeakSet()


def renew_in_child(each: _Renewed) -> None:
    """Call ``each._after_fork()`` in every child forked while `each` lives."""
    _objects.add(each)


def _renew() -> None:
    for each in list(_objects):
        each._after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_renew)


class PerProcess(Generic[T]):
    """A value that is made when it is first asked for, and again in a forked child.

    ``session = PerProcess(make_session)``; then ``session.get()`` wherever it is used. The
    parent's value is dropped in the child, not closed: its connections are the parent's.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._after_fork()
        renew_in_child(self)

    def _after_fork(self) -> None:
        # The old value is kept alive, so that no finaliser closes what the parent still uses.
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
        """Forget this process's value and return it (None if there was none)."""
        with self._lock:
            value, self._value = self._value, None
            return value
