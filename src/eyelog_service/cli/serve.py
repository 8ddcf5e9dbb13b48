"""`eyelog serve`: an archive over HTTP."""

from eyelog.cli.command import command
from eyelog_service import require
from eyelog_service.cli.settings import SETTINGS, Serving, key_of


@command
def serve(serving: Serving) -> None:
    """Serve an archive over HTTP until Ctrl-C.

    A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and
    X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes before the
    environment (EYELOG_SERVICE_PORT and so on), the environment before the settings file.
    """
    require("service")
    from eyelog_service.server import serve

    settings = {key_of(name): serving[name] for name in SETTINGS if name != "archive"}
    settings |= {"state": serving.named_state(), "proxy": settings.pop("behind_proxy")}
    serve(serving.archive_path, **settings)
