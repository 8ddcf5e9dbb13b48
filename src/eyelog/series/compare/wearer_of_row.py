"""The wearer of each row of a table of several wearers, and the group of each wearer."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import ACCOUNT
from eyelog.judge.arrays import numbers
from eyelog.series.observed import check_frame


def with_account(table: pd.DataFrame, *, what: str) -> pd.DataFrame:
    """Return the rows of a table with ``account`` as a column, whether it was that or in the index.

    Raises
    ------
    ConfigurationError
        If index and columns name the wearers differently.
    """
    if ACCOUNT not in table.index.names:
        return table
    accounts = table.index.get_level_values(ACCOUNT).astype("str")
    if ACCOUNT in table.columns and list(table[ACCOUNT].astype("str")) != list(accounts):
        raise ConfigurationError(
            f"{what}: {ACCOUNT!r} is in the index and in the columns, and they differ: drop one"
        )
    rows = table.assign(**{ACCOUNT: accounts.to_numpy()}).reset_index(drop=True)
    rows.attrs = dict(table.attrs)
    return rows


def days_of_wearers(table: pd.DataFrame, column: str, *, what: str) -> pd.DataFrame:
    """Return the days with a value: ``account`` (empty for one wearer), int64 ``day``, the value.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If the rows do not say their day, or a day occurs twice for a wearer.
    """
    check_frame(table, what=what)
    if column not in table.columns:
        raise FieldError(
            f"{what}: the table has no column {column!r}{near(column, map(str, table.columns))}"
        )
    rows = table.reset_index(allow_duplicates=True)
    rows = rows.loc[:, ~rows.columns.duplicated()]
    if "day" not in rows.columns:
        raise ConfigurationError(
            f"{what} takes one row per day, named 'day' in the index or a column, as eyelog.daily"
            " gives it"
        )
    days = pd.to_datetime(rows["day"]).dt.tz_localize(None)
    accounts = rows[ACCOUNT].astype(str) if ACCOUNT in rows.columns else pd.Series("", rows.index)
    found = pd.DataFrame(
        {
            ACCOUNT: accounts,
            "day": days.to_numpy().astype("M8[D]").astype(np.int64),
            column: numbers(rows[column]),
        }
    )
    found = cast(pd.DataFrame, found[np.isfinite(found[column])])
    if found.duplicated([ACCOUNT, "day"]).any():
        raise ConfigurationError(
            f"{what}: a day occurs twice for a wearer: give one row per wearer and day"
        )
    return found.sort_values([ACCOUNT, "day"], ignore_index=True)


def dealt_groups(groups: Any) -> dict[str, str]:
    """Return the group of each wearer as text.

    Raises
    ------
    ConfigurationError
        If `groups` is not a mapping.
    """
    if not isinstance(groups, Mapping):
        raise ConfigurationError(
            "groups must map wearers to groups: {'ann': 'desk', 'bob': 'field'}"
        )
    return {str(wearer): str(label) for wearer, label in groups.items()}
