"""`eyelog serve`: an archive over HTTP."""

from eyelog.cli.command import command
from eyelog_service.cli.settings import Serving


@command
def serve(serving: Serving) -> None:
    """Serve an archive over HTTP until Ctrl-C.

    A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and
    X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes before the
    environment (EYELOG_SERVICE_PORT and so on), the environment before the settings file.
    """
    settings = serving.settings()
    from eyelog_service.server import serve

    serve(
        settings.archive,
        host=settings["host"],
        port=settings["port"],
        page_size=settings["page-size"],
        state=settings.state,
        local=settings["local"],
        workers=settings["workers"],
        requests_per_hour=settings["requests-per-hour"],
        uploads_per_hour=settings["uploads-per-hour"],
        quota=settings["quota"],
        unpacked=settings["unpacked"],
        proxy=settings["behind-proxy"],
        root_path=settings["root-path"],
    )
