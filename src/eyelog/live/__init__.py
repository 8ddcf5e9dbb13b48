"""What the app sends by its WebSocket, written when it arrives; needs the extra ``[live]``."""

from importlib.util import find_spec

from eyelog.errors import ConfigurationError

# The only check of the extra: the modules below import the packages directly.
for _package in ("segno", "websockets"):
    if find_spec(_package) is None:
        raise ConfigurationError(
            f"listening needs the package {_package!r}: pip install 'eyelog[live]'"
        )
