"""Every ``EYELOG_`` setting of a client, read from the environment."""

import os

from eyelog.access.auth.application import Application
from eyelog.access.auth.tokens import Token
from eyelog.access.http.addresses import check_base_url
from eyelog.errors import ConfigurationError

__all__ = [
    "application_from_environment",
    "base_url_from_environment",
    "token_from_environment",
]


def base_url_from_environment() -> str:
    """Return EYELOG_BASE_URL, checked.

    Raises
    ------
    ConfigurationError
        If it is not set, or is no address.
    """
    text = os.environ.get("EYELOG_BASE_URL", "").strip()
    if not text:
        raise ConfigurationError("EYELOG_BASE_URL is not set: set it to the service's address")
    return check_base_url(text, name="EYELOG_BASE_URL")


def application_from_environment() -> Application | None:
    """Return the application of the environment, None if nothing of it is set.

    EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and EYELOG_REDIRECT_URI.

    Raises
    ------
    ConfigurationError
        If only a part of the three is set.
    """
    names = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
    values = {name: os.environ.get(name, "").strip() for name in names}
    missing = [name for name, value in values.items() if not value]
    if len(missing) == len(names):
        return None
    if missing:
        raise ConfigurationError(
            f"{' and '.join(missing)} not set: an application needs all of {', '.join(names)}"
        )
    return Application(*values.values())


def token_from_environment() -> Token | None:
    """Return the token of EYELOG_ACCESS_TOKEN and EYELOG_REFRESH_TOKEN, None if neither is set.

    It stands for whichever account is asked for. A refresh of it is kept in memory only.
    """
    access = os.environ.get("EYELOG_ACCESS_TOKEN", "").strip()
    refresh = os.environ.get("EYELOG_REFRESH_TOKEN", "").strip()
    if not access and not refresh:
        return None
    return Token(access, refresh or None)
