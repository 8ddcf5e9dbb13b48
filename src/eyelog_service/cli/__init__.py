"""The commands of the service, of live recording and of `push`, for the program `eyelog`."""

from typing import Final

from eyelog_service.cli import accounts, operate  # noqa: F401 (the actions of `service`)
from eyelog_service.cli.serve import listen, push, replay, serve, service

COMMANDS: Final = {each.name: each for each in (serve, service, push, listen, replay)}
