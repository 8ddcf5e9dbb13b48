"""`eyelog serve`: an archive over HTTP."""

from eyelog.cli.command import command
from eyelog_service import require
from eyelog_service.cli.settings import Serving


@command
def serve(serving: Serving) -> None:
    """Serve an archive over HTTP until Ctrl-C.

    A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and
    X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes before the
    environment (EYELOG_SERVICE_PORT and so on), the environment before the settings file.
    """
    require("service")
    from eyelog_service.server import serve

    serve(
        serving.archive_path,
        host=serving["host"],
        port=serving["port"],
        page_size=serving["page-size"],
        state=serving.named_state(),
        local=serving["local"],
        workers=serving["workers"],
        requests_per_hour=serving["requests-per-hour"],
        uploads_per_hour=serving["uploads-per-hour"],
        quota=serving["quota"],
        unpacked=serving["unpacked"],
        proxy=serving["behind-proxy"],
        root_path=serving["root-path"],
    )
