"""Check the addresses that a user sets: the service, the login page, the redirect."""

import ipaddress
import warnings
from urllib.parse import SplitResult, urlsplit, urlunsplit

import requests

from eyelog.errors import ConfigurationError, EyelogWarning

__all__ = ["check_base_url", "check_redirect_uri", "is_loopback", "warn_of_plain_http"]

_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str | None) -> bool:
    """Return whether a host name or address is this machine's loopback."""
    if host is None:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _split(text: str, name: str) -> SplitResult:
    """Split an absolute URL; an error shows neither its user information nor its query."""
    if not isinstance(text, str) or not text.strip():
        raise ConfigurationError(f"{name} is empty: give an address such as https://host")
    if any(c.isspace() or not c.isprintable() for c in text.strip()):
        raise ConfigurationError(f"{name} has blanks or control characters: give a plain address")
    try:
        parts = urlsplit(text.strip())
        _ = parts.port, parts.hostname
    except ValueError as fault:
        raise ConfigurationError(f"{name} is not an address: {fault}") from None
    if "@" in parts.netloc:
        raise ConfigurationError(
            f"{name} has a user name or password: leave them out, eyelog sends its own token"
        )
    return parts


def check_base_url(text: str, *, name: str = "base_url", query: bool = False) -> str:
    """Return the address in a canonical spelling: lower-case host, no default port, no last slash.

    Raises
    ------
    ConfigurationError
        If it is not an http or https address, or has credentials, a fragment or (unless `query`)
        a query.
    """
    parts = _split(text, name)
    scheme, host = parts.scheme.lower(), parts.hostname
    if scheme not in _PORTS or not host:
        raise ConfigurationError(
            f"{name} must be an http or https address such as https://host"
            f" (it has {'no host' if scheme in _PORTS else 'another scheme'})"
        )
    if parts.fragment or (parts.query and not query):
        raise ConfigurationError(f"{name} must end with its path: leave out what follows ? or #")
    place = f"[{host}]" if ":" in host else host
    if parts.port is not None and parts.port != _PORTS[scheme]:
        place = f"{place}:{parts.port}"
    address = urlunsplit((scheme, place, parts.path.rstrip("/"), parts.query, ""))
    try:
        requests.Request("GET", address).prepare()
    except (requests.RequestException, UnicodeError):
        raise ConfigurationError(f"{name} is not an address: check its host name") from None
    return address


def warn_of_plain_http(url: str) -> None:
    """Warn if tokens would go over plain http to another machine.

    It is not an error: a lab may run the service on its own closed network, but should be aware of
    it.
    """
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        warnings.warn(
            f"{parts.hostname} is used over plain http: others can read tokens and data on the way,"
            " so use https",
            EyelogWarning,
            stacklevel=4,
        )


def check_redirect_uri(text: str) -> str:
    """Return the redirect URI as registered (services compare it letter by letter).

    Raises
    ------
    ConfigurationError
        If it is not absolute, or has a fragment or credentials.
    """
    parts = _split(text, "redirect_uri")
    if not parts.scheme or (parts.scheme.lower() in _PORTS and not parts.hostname):
        raise ConfigurationError(
            "redirect_uri must be the absolute address registered for the application,"
            " such as http://127.0.0.1:8000/callback"
        )
    if parts.fragment:
        raise ConfigurationError("redirect_uri must not have a part after #")
    return text.strip()
