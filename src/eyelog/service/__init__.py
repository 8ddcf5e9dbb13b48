"""The vendor's contract over HTTP, on your own archive; needs the extra ``[service]``."""

from importlib.util import find_spec

from eyelog.errors import ConfigurationError

# The only check of the extra: the modules below import the framework directly.
for _package in ("anyio", "h11", "itsdangerous", "python_multipart", "starlette", "uvicorn"):
    if find_spec(_package) is None:
        raise ConfigurationError(
            f"the service needs the package {_package!r}: pip install 'eyelog[service]'"
        )
