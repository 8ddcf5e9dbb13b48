"""The wearer of each row of a table of several wearers, wherever the table has it."""

import pandas as pd

from eyelog.errors import ConfigurationError
from eyelog.frame import ACCOUNT

__all__ = ["with_account"]


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
    found = table.assign(**{ACCOUNT: accounts.to_numpy()}).reset_index(drop=True)
    found.attrs = dict(table.attrs)
    return found
