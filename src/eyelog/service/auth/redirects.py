"""Which redirect addresses an application may register, and which ones match them."""

from urllib.parse import SplitResult, urlsplit

from eyelog.errors import ConfigurationError

__all__ = ["check_redirect_uri", "form_target", "matches"]

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def _split(uri: str) -> SplitResult | None:
    """Return the parts of a usable redirect address, None where it is not one."""
    if not uri.isascii() or not uri.isprintable() or any(c in uri for c in " #\"'<>\\;,"):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 (reading it is what checks it)
    except ValueError:
        return None
    if parts.username is not None or parts.password is not None:
        return None
    if parts.scheme in ("http", "https"):
        return parts if parts.hostname else None
    # RFC 8252, section 7.1: a private-use scheme is a reversed domain name, so it has a dot.
    return parts if "." in parts.scheme and (parts.netloc or parts.path) else None


def check_redirect_uri(uri: str) -> str:
    """Return `uri` if it can be registered, else raise `ConfigurationError`."""
    if _split(uri) is None:
        raise ConfigurationError(
            f"{uri!r} cannot be a redirect URI: give an absolute address without fragment, such"
            " as http://127.0.0.1/callback (any port) or https://example.org/callback"
        )
    return uri


def matches(registered: str, asked: str) -> bool:
    """Whether `asked` is the registered address; a loopback address may name any port.

    RFC 8252, section 7.3: an application that listens on a loopback address gets its port from
    the system at the time of the request.
    """
    if registered == asked:
        return True
    ours, theirs = _split(registered), _split(asked)
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


def form_target(uri: str) -> str:
    """Return the source expression that lets a form's answer lead to `uri` (CSP form-action)."""
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"
