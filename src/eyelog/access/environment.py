"""Every ``EYELOG_`` setting of a client, read from the environment.

EYELOG_HOME alone is read in `eyelog.disk.home`, because it is not only for the client.
"""

import os

from eyelog.access.auth.application import Application
from eyelog.access.auth.token_file import Token
from eyelog.access.http.addresses import check_base_url
from eyelog.errors import ConfigurationError

__all__ = [
    "application_from_environment",
    "base_url_from_environment",
    "login_page_from_environment",
    "token_from_environment",
    "upload_token_from_environment",
]


def _setting(name: str) -> str:
    return os.environ.get(name, "").strip()


def base_url_from_environment() -> str:
    """Return EYELOG_BASE_URL, checked.

    Raises
    ------
    ConfigurationError
        If it is not set, or is not an address.
    """
    text = _setting("EYELOG_BASE_URL")
    if not text:
        raise ConfigurationError("EYELOG_BASE_URL is not set: set it to the service's address")
    return check_base_url(text, name="EYELOG_BASE_URL")


def login_page_from_environment() -> str | None:
    """Return EYELOG_AUTHORIZE_URL, the address of a login page elsewhere; None if not set."""
    return _setting("EYELOG_AUTHORIZE_URL") or None


def application_from_environment() -> Application | None:
    """Return the application of the environment; None if none of its settings is set.

    EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and EYELOG_REDIRECT_URI.

    Raises
    ------
    ConfigurationError
        If some of the three are set and others are not.
    """
    names = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
    values = [_setting(name) for name in names]
    if not any(values):
        return None
    missing = [name for name, value in zip(names, values, strict=True) if not value]
    if missing:
        raise ConfigurationError(
            f"{' and '.join(missing)} not set: an application needs all of {', '.join(names)}"
        )
    return Application(*values)


def token_from_environment() -> Token | None:
    """Return the token of EYELOG_ACCESS_TOKEN and EYELOG_REFRESH_TOKEN; None if neither is set.

    It is used for every account. A refreshed token is kept in memory only.
    """
    access, refresh = _setting("EYELOG_ACCESS_TOKEN"), _setting("EYELOG_REFRESH_TOKEN")
    return Token(access, refresh or None) if access or refresh else None


def upload_token_from_environment() -> str:
    """Return EYELOG_UPLOAD_TOKEN; empty if it is not set."""
    return _setting("EYELOG_UPLOAD_TOKEN")
