"""The address that the app is told: where a server can be reached, and its QR code."""

import io
import ipaddress
import socket
import ssl
from pathlib import Path
from urllib.parse import quote

import segno

from eyelog.errors import ConfigurationError

__all__ = ["address_of", "is_this_machine", "qr_code", "tls_context"]


def is_this_machine(host: str) -> bool:
    """Return whether only programs of this machine reach a server at this host.

    Examples
    --------
    >>> is_this_machine("127.0.0.1"), is_this_machine("localhost"), is_this_machine("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address_of(host: str, port: int, path: str = "", *, tls: bool = False) -> str:
    """Return the address of a server as a phone calls it.

    A server at all addresses of this machine (``0.0.0.0``) is shown at its address in the network.

    Examples
    --------
    >>> address_of("192.168.0.1", 5000, tls=True)
    'wss://192.168.0.1:5000'
    >>> address_of("::1", 5000, "secret")
    'ws://[::1]:5000/secret'
    """
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  # it is compared, and not bound
        host = _own_address()
    shown = f"[{host}]" if ":" in host else host
    return f"{'wss' if tls else 'ws'}://{shown}:{port}{'/' if path else ''}{quote(path)}"


def _own_address() -> str:
    """Return the address of this machine in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documentation
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def qr_code(address: str, *, encoding: str | None = "utf-8") -> str:
    """Return the QR code of an address as text; nothing if the encoding has no blocks for it."""
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, compact=True)
    text = out.getvalue()
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ""
    return text


def tls_context(cert: Path, key: Path | None) -> ssl.SSLContext:
    """Return what a server needs for ``wss://``.

    Raises
    ------
    ConfigurationError
        If the certificate or its key cannot be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=lambda: "")
    except (OSError, ssl.SSLError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigurationError(
            f"cannot use the certificate {cert} ({reason}): give a PEM file with --tls-cert, and"
            " its key without a password with --tls-key"
        ) from error
    return context
