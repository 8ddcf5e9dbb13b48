"""Redirect addresses: which an application may register, and which match a registered one."""

from urllib.parse import SplitResult, urlsplit

from eyelog.errors import ConfigurationError

__all__ = ["check_redirect_uri", "form_target", "is_readable_on_the_way", "matches"]

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def _split(uri: str) -> SplitResult | None:
    """Return the parts of a usable redirect address, or None."""
    if not uri.isascii() or not uri.isprintable() or any(c in uri for c in " #\"'<>\\;,"):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 (reading the port checks it)
    except ValueError:
        return None
    if parts.username is not None or parts.password is not None:
        return None
    if parts.scheme in ("http", "https"):
        return parts if parts.hostname else None
    # RFC 8252, section 7.1: a private-use scheme is a reversed domain name, so it has a dot.
    return parts if "." in parts.scheme and (parts.netloc or parts.path) else None


def check_redirect_uri(uri: str) -> str:
    """Return `uri` if an application may register it, otherwise raise `ConfigurationError`."""
    if _split(uri) is None:
        raise ConfigurationError(
            f"{uri!r} cannot be a redirect URI: use an absolute address without a fragment, such"
            " as http://127.0.0.1/callback (any port) or https://example.org/callback"
        )
    return uri


def matches(registered: str, requested: str) -> bool:
    """Return whether two addresses are the same; a loopback address may have any port.

    RFC 8252, section 7.3: an application that listens on a loopback address gets its port from
    the system when it asks for the login.
    """
    if registered == requested:
        return True
    ours, theirs = _split(registered), _split(requested)
    if ours is None or theirs is None or ours.scheme != "http":
        return False
    if ours.hostname not in _LOOPBACK:
        return False
    return (ours.scheme, ours.hostname, ours.path, ours.query) == (
        theirs.scheme,
        theirs.hostname,
        theirs.path,
        theirs.query,
    )


def is_readable_on_the_way(uri: str) -> bool:
    """Return whether codes reach this address over a network without TLS."""
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK


def form_target(uri: str) -> str:
    """Return the CSP form-action source that lets the form's response redirect to `uri`."""
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"
