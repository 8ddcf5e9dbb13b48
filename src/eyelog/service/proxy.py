"""A proxy in front of the service: its headers about a request are trusted, but no others.

The proxy adds TLS, and states in ``X-Forwarded-For`` and ``X-Forwarded-Proto`` who sent the request
and how. Anyone can send these headers, so they are ignored unless they come from the proxy's
address, and only the last entry of ``X-Forwarded-For`` is used, which the proxy itself wrote.
"""

import ipaddress
import re

from starlette.types import ASGIApp, Receive, Scope, Send

from eyelog.errors import ConfigurationError

__all__ = ["LOOPBACK", "Proxied", "Proxy"]

LOOPBACK = "loopback"
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


class Proxy:
    """The address of the proxy, and the path under which it shows the service.

    Parameters
    ----------
    peer : str, optional
        The address or network of the proxy, or "loopback"; None without a proxy.
    root_path : str
        The prefix of every path, such as ``/eyelog``, whether or not the proxy removes it.

    Raises
    ------
    ConfigurationError
        If the address or the path cannot be used.
    """

    def __init__(self, peer: str | None, root_path: str = "") -> None:
        self.root_path = root_path.rstrip("/")
        if not _PREFIX.fullmatch(self.root_path) or "/." in self.root_path:
            raise ConfigurationError(
                f"{root_path!r} cannot stand before the service's paths: use a path such as /eyelog"
            )
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        if peer is not None:
            named = ("127.0.0.0/8", "::1/128") if peer == LOOPBACK else (peer,)
            try:
                self._networks = [ipaddress.ip_network(each) for each in named]
            except ValueError:
                raise ConfigurationError(
                    f"{peer!r} is not the address of a proxy: use one such as 10.0.0.5, or a"
                    " network such as 10.0.0.0/24"
                ) from None

    def trusts(self, host: str) -> bool:
        """Return whether a connection from this address is the proxy's."""
        if not self._networks:
            return False
        try:
            peer = _plain(host)
        except ValueError:
            return False
        return any(peer in network for network in self._networks)

    def seen(self, scope: Scope) -> Scope:
        """Return a request as the proxy's client sent it."""
        seen = dict(scope)
        if self.root_path:
            seen["root_path"] = self.root_path
            seen["path"] = self._whole(scope["path"])
        client = scope.get("client")
        if client and self.trusts(client[0]):
            headers = _last(scope)
            seen["scheme"] = "http" if headers.get("x-forwarded-proto") == "http" else "https"
            if (host := _host(headers.get("x-forwarded-for", ""))) is not None:
                seen["client"] = (host, 0)
        return seen

    def _whole(self, path: str) -> str:
        """Return the path with the prefix, which the proxy may have removed."""
        is_whole = path == self.root_path or path.startswith(self.root_path + "/")
        return path if is_whole else self.root_path + path


class Proxied:
    """Middleware that shows the application requests as the proxy's clients sent them."""

    def __init__(self, app: ASGIApp, proxy: Proxy) -> None:
        self._app = app
        self._proxy = proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] == "http":
            scope = self._proxy.seen(scope)
        await self._app(scope, receive, send)


def _last(scope: Scope) -> dict[str, str]:
    """Return the last entry of each header; others may have written the earlier ones."""
    return {
        name.decode("latin-1"): value.decode("latin-1").rpartition(",")[2].strip()
        for name, value in scope["headers"]
    }


def _host(entry: str) -> str | None:
    """Return the address in an entry of X-Forwarded-For; some proxies add a port."""
    for text in (entry, entry.rpartition(":")[0]):
        try:
            return str(_plain(text.strip("[]")))
        except ValueError:
            continue
    return None


def _plain(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)  # IPv4 that came to a socket of IPv6
    return address if mapped is None else mapped
