"""Rules for passwords: long enough, and not among those that attackers guess first.

As NIST SP 800-63B (section 5.1.1.2) requires: a minimum length, a list of common passwords and of
those that the service itself suggests, and no rule about kinds of letters. Passwords chosen before
stay valid.
"""

import unicodedata
from functools import cache
from pathlib import Path

from eyelog.errors import ConfigurationError

__all__ = ["check_password_rules"]

_SHORTEST = 8
_LONGEST = 1024  # the form of the login page takes no more than 64 KB
_OWN_NAME = "eyelog"


def check_password_rules(password: str, *, account: str = "") -> None:
    """Raise `ConfigurationError`, with one line, for a password that is too easy to guess.

    Parameters
    ----------
    password : str
        The password that somebody chose. The message does not contain it.
    account : str
        The account of the password; its own name is refused too.
    """
    what = f"the password of account {account!r}" if account else "the password"
    if not password:
        raise ConfigurationError(f"{what} is empty: choose one of at least {_SHORTEST} characters")
    if len(password) < _SHORTEST:
        raise ConfigurationError(
            f"{what} is too short: choose one of at least {_SHORTEST} characters"
        )
    if len(password) > _LONGEST:
        raise ConfigurationError(
            f"{what} is too long: choose one of at most {_LONGEST:,} characters"
        )
    folded = _folded(password)
    if folded in _common():
        raise ConfigurationError(
            f"{what} is among the most common ones, which are guessed first: choose another"
        )
    # Digits and signs around a name are guessed with the name.
    core = folded.strip("0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    if account and _folded(account) in (folded, core):
        raise ConfigurationError(f"{what} is the account's own name: choose another")
    if core == _OWN_NAME:
        raise ConfigurationError(f"{what} is {_OWN_NAME!r}, which is guessed first: choose another")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@cache
def _common() -> frozenset[str]:
    listed = Path(__file__).with_name("common_passwords.txt")
    return frozenset(listed.read_text("utf-8").split())
