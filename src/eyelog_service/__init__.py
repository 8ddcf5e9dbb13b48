"""The vendor's contract over HTTP, on your own archive, and what the phone's app sends live.

The service needs the extra ``[service]``, live recording ``[live]``, which includes it; the
commands of both can be parsed without them.
"""

from importlib.util import find_spec
from typing import Final, Literal

from eyelog.errors import ConfigurationError

_WHAT: Final = {"service": "the service", "live": "listening"}
_PACKAGES: Final = {
    "service": ("anyio", "itsdangerous", "python_multipart", "sqlalchemy", "starlette", "uvicorn"),
    "live": ("segno", "websockets"),
}


def require(extra: Literal["service", "live"]) -> None:
    """Raise `ConfigurationError` with what to install if a package of the extra is missing.

    The only check of the extras: the modules of this package import the packages directly.
    """
    for package in dict.fromkeys(_PACKAGES["service"] + _PACKAGES[extra]):  # live has a page
        if find_spec(package) is None:
            raise ConfigurationError(
                f"{_WHAT[extra]} needs the package {package!r}: pip install 'eyelog[{extra}]'"
            )
