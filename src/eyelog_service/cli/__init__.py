"""The commands of the service, of live recording and of `push`, for the program `eyelog`."""

from typing import Final

from eyelog_service.cli.listen import listen
from eyelog_service.cli.operate import service
from eyelog_service.cli.push import push
from eyelog_service.cli.replay import replay
from eyelog_service.cli.serve import serve

COMMANDS: Final = {each.name: each for each in (serve, service, push, listen, replay)}
