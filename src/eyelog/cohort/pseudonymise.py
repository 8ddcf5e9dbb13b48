"""Accounts replaced by pseudonyms that only the holder of a key can make again."""

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pandas as pd

from eyelog.archive.place import check_account
from eyelog.errors import ConfigurationError
from eyelog.frame import ACCOUNT, KEY, takes_tables
from eyelog.home import make_folders, new_file, path_of

KEY_TEXT: Final = re.compile(rb"[0-9a-fA-F]{32,}\s*")  # 16 bytes or more; a new key has 32
EXAMPLE: Final = "such as 'study.key'"
DIGITS: Final = 16  # 64 bits: two of a million wearers meet with a chance of 1 in 37 million


@takes_tables
def pseudonymise(table: pd.DataFrame, *, key_file: str | os.PathLike[str]) -> pd.DataFrame:
    """Replace the accounts of a table by pseudonyms.

    Parameters
    ----------
    table : DataFrame
        A table with ``account`` in its index or columns, such as those of `eyelog.cohort.daily` and
        its ``wearers=``.
    key_file : str or path
        The file of the key, such as ``"study.key"``. If it does not exist, a random key is made
        there, readable by its owner only. Keep it apart from the tables: with it, and the accounts,
        anyone can match the two; without it, nobody can.

    Returns
    -------
    DataFrame
        The same rows, sorted by pseudonym where accounts are in the index (so that their order
        gives no information either), without the provenance that names wearers. In the texts of
        ``reason``, accounts are replaced too.

    Raises
    ------
    ConfigurationError
        If the table has no accounts; or `key_file` does not name a file, or names one that holds
        something other than a key.

    Notes
    -----
    A pseudonym is the start of an HMAC-SHA256 (RFC 2104) of the account: the same account and key
    give the same one in every table, so tables can still be joined. What is left may still identify
    a wearer: dates, zones, rare covariates, and the pattern of the days themselves.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import pandas as pd, eyelog as el
    >>> key = mkdtemp() + "/study.key"
    >>> wearers = pd.DataFrame({"account": ["ann", "bob"], "group": ["a", "b"]})
    >>> once = el.cohort.pseudonymise(wearers, key_file=key)
    >>> again = el.cohort.pseudonymise(wearers, key_file=key)
    >>> once.equals(again), once["account"].isin(wearers["account"]).any()
    (True, np.False_)
    """
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"pseudonymise takes a table, not a {type(table).__name__}")
    if ACCOUNT not in {*table.index.names, *table.columns}:
        raise ConfigurationError("pseudonymise: the table has no 'account' in index or columns")
    secret = _secret(key_file, table)
    out = table.copy()
    out.attrs = {name: value for name, value in table.attrs.items() if name != KEY}
    pseudonyms: dict[str, str] = {}
    if ACCOUNT in table.columns:
        out[ACCOUNT] = _hidden(pd.Index(out[ACCOUNT]), secret, pseudonyms)
    if ACCOUNT in table.index.names:
        values = _hidden(out.index.get_level_values(ACCOUNT), secret, pseudonyms)
        levels = out.index.to_frame(index=False).assign(**{ACCOUNT: values})
        several = out.index.nlevels > 1
        out.index = pd.MultiIndex.from_frame(levels) if several else pd.Index(values, name=ACCOUNT)
    if "reason" in out.columns:
        out["reason"] = [_without(text, pseudonyms) for text in out["reason"]]
    return out.sort_index() if ACCOUNT in table.index.names else out


def _hidden(accounts: pd.Index, secret: bytes, pseudonyms: dict[str, str]) -> pd.Index:
    """Return the pseudonyms of accounts; a missing one stays missing."""
    for account in accounts.dropna().unique():
        code = hmac.new(secret, str(account).encode(), hashlib.sha256).hexdigest()
        pseudonyms[str(account)] = code[:DIGITS]
    named = [None if pd.isna(account) else pseudonyms[str(account)] for account in accounts]
    return pd.Index(named)


def _without(text: Any, pseudonyms: dict[str, str]) -> Any:
    """Return a text without accounts, longest first, including how they are written in paths."""
    if not isinstance(text, str):
        return text
    for account in sorted(pseudonyms, key=len, reverse=True):
        for form in (account, check_account(account)):
            text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", pseudonyms[account], text)
    return text


def _secret(key_file: Any, table: pd.DataFrame) -> bytes:
    """Return the key in a file, which is made if there is none."""
    path = path_of(key_file, what="key_file")
    text = str(key_file)
    if path == Path():  # an empty text
        raise ConfigurationError(f"key_file names the file of the key, {EXAMPLE}, not {text!r}")
    if path.is_dir() or text.endswith(("/", os.sep)):
        raise ConfigurationError(f"key_file is a folder ({path}): name a file in it, {EXAMPLE}")
    names = {*table.columns, *table.index.names}
    if "\n" in text or (text in names and not path.exists()):
        raise ConfigurationError(f"key_file names the file of the key, {EXAMPLE}, not {text!r}")
    if not path.exists() and not path.suffix and not path.parent.name:
        # A bare word is more often the key itself, which would then be the name of a public file.
        raise ConfigurationError(
            f"key_file names the file of the key, {EXAMPLE}: {text!r} looks like a key or a label"
        )
    try:
        if not path.exists():
            make_folders(path.parent)
            with suppress(FileExistsError), new_file(path) as sink:
                sink.write(secrets.token_hex(32).encode())
        secret = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot use the key {path}: {error.strerror}") from None
    if not KEY_TEXT.fullmatch(secret):
        raise ConfigurationError(
            f"{path} does not hold a key (32 hexadecimal digits or more): name a file that does not"
            " exist, and a new key is made there"
        )
    return secret
