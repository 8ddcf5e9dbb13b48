"""What a transaction on the service's state can do, in a file or in a database, and its errors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from eyelog.errors import ConfigurationError

__all__ = ["KeyTaken", "StateBusy", "StateFault", "StatementResult", "Transaction", "Values"]

Values = Sequence[Any] | Mapping[str, Any]
"""Of the marks ``?`` of a statement, in order, or of its marks ``:name``."""


class StatementResult(Protocol):
    """What a statement has found or changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row; None if there is no other."""

    def fetchall(self) -> list[Any]:
        """Return all rows."""


class Transaction(Protocol):
    """A transaction that is under way; its statements are what SQLite and Postgres both know."""

    def execute(self, sql: str, values: Values = (), /) -> StatementResult:
        """Run one statement."""

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> Any:
        """Run one statement for each row of values."""


class StateBusy(ConfigurationError):
    """Another process holds the lock on the state for longer than a request can wait."""


class StateFault(ConfigurationError):
    """The state cannot be used until the operator has fixed a fault, such as a full disk."""


class KeyTaken(Exception):
    """There is a row with this key already: another process was first."""
