"""The wearer of each row of a table of several wearers, and the group of each wearer."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from eyelog.errors import ConfigurationError
from eyelog.frame import ACCOUNT

__all__ = ["dealt_groups", "with_account"]


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
