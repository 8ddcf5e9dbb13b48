"""A small, JSON-safe history of a table, kept in ``frame.attrs["eyelog"]``.

It records the log and the account of the values and the steps that were applied to them. It records
no clock time, so the same steps on the same data give the same history.
"""

from typing import Any, Protocol, TypeVar, cast

import pandas as pd

KEY = "eyelog"


class _Shared(dict[str, Any]):
    """The history that copies of a table share: it is replaced, never changed.

    pandas deep-copies ``attrs`` whenever a column is taken, which would take longer than most
    operations on the column.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Shared":
        return self


class Remembering(Protocol):
    """An object with a history: a pandas table, or its columns as arrays."""

    attrs: dict[Any, Any]


Table = TypeVar("Table", bound=Remembering)


def record(
    frame: Table, step: str, *, log: str | None = None, account: str | None = None, **details: Any
) -> Table:
    """Append one step to the history of `frame` and return the same object.

    `frame` must be a new object of the caller: its attrs are replaced, never shared.
    `details` must be JSON-safe.
    """
    old: dict[str, Any] = cast(Any, frame.attrs).get(KEY, {})
    entry = _Shared(old)
    if log is not None:
        entry["log"] = log
    if account is not None:
        entry["account"] = account
    entry["history"] = [*old.get("history", []), {"step": step, **details}]
    frame.attrs = {**frame.attrs, KEY: entry}
    return frame


def derived(
    table: Table,
    source: Remembering,
    step: str,
    /,
    *,
    log: str | None = None,
    account: str | None = None,
    **details: Any,
) -> Table:
    """Give a new table the attrs of its source, with one step added; return the table."""
    table.attrs = dict(source.attrs)
    return record(table, step, log=log, account=account, **details)


def history(frame: Remembering) -> list[dict[str, Any]]:
    """Return the steps recorded in `frame`, oldest first (empty if there are none)."""
    return list(cast(dict[str, Any], frame.attrs.get(KEY, {})).get("history", []))


def stated_log(frame: Remembering) -> str | None:
    """Return the log named in the provenance, or None."""
    return cast(dict[str, Any], frame.attrs.get(KEY, {})).get("log")


def stated_account(frame: pd.DataFrame | pd.Series) -> str | None:
    """Return the account named in the provenance, or None."""
    return cast(dict[str, Any], frame.attrs.get(KEY, {})).get("account")
