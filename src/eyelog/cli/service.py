"""Commands that run the service, and the simulated wearer: serve, simulate."""

import argparse
import os
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import note
from eyelog.cli.settings import add_settings, with_settings
from eyelog.cli.source import add_archive, add_zone, open_archive, service_places
from eyelog.errors import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.archive.store import Archive

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    _add_serve(commands)
    _add_simulate(commands)


def _add_serve(commands: Any) -> None:
    serve = commands.add_parser(
        "serve",
        help="serve an archive over HTTP until Ctrl-C",
        epilog="A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and"
        " X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes"
        " before the environment (EYELOG_SERVICE_PORT and so on), the environment before the"
        " settings file.",
    )
    add_settings(serve)
    serve.set_defaults(run=with_settings(_serve))


def _add_simulate(commands: Any) -> None:
    simulate = commands.add_parser("simulate", help="write a simulated wearer into an archive")
    add_archive(simulate)
    simulate.add_argument(
        "--account", default="me", metavar="A", help="name of the wearer (default: me)"
    )
    simulate.add_argument(
        "--start", required=True, metavar="DAY", help="first local day, such as 2026-10-24"
    )
    simulate.add_argument("--days", type=int, required=True, metavar="N", help="how many days")
    simulate.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="which wearer; the same seed is always the same person (default: 0)",
    )
    add_zone(simulate)
    simulate.set_defaults(run=_simulate)


def _serve(args: argparse.Namespace) -> int:
    from eyelog.service.server import serve

    archive, state, local = service_places(args)
    serve(
        archive,
        host=args.host,
        port=args.port,
        page_size=args.page_size,
        state=state,
        local=local,
        workers=args.workers,
        requests_per_hour=args.requests_per_hour,
        uploads_per_hour=args.uploads_per_hour,
        quota=args.quota,
        access_log=args.access_log,
        proxy=args.behind_proxy,
        root_path=args.root_path,
        metrics_port=args.metrics_port,
    )
    return 0


def _simulate(args: argparse.Namespace) -> int:
    from eyelog.catalogue import LOGS
    from eyelog.clock import as_zones
    from eyelog.wearer.simulate import simulate

    archive = open_archive(args)
    stored = archive.zones(args.account)
    setting = os.environ.get("EYELOG_TZ", "").strip()
    zones = as_zones(args.tz or stored or setting or "UTC", what="a simulated wearer")
    if stored not in (None, zones):
        raise ConfigurationError(
            f"account {args.account!r} lives in {stored} in the archive {archive.path}: give the"
            " simulated wearer an --account of its own"
        )
    frames = {
        log: simulate(args.start, args.days, log=log, seed=args.seed, tz=zones) for log in LOGS
    }
    for log, frame in frames.items():
        _refuse_others(archive, log, frame, args.account)
    for log, frame in frames.items():
        archive.write(log, frame, account=args.account)
        note(f"{log}: {len(frame)} records of {args.account!r} in {archive.path}")
    archive.set_zones(zones, account=args.account)
    return 0


def _refuse_others(archive: "Archive", log: str, frame: "pd.DataFrame", account: str) -> None:
    """Raise if the account has records of these days that are not of this simulated wearer."""
    if account not in archive.accounts(log):
        return
    from eyelog.frame import OFFSET

    simulated = frame.tz_convert("UTC").drop(columns=OFFSET, errors="ignore")
    first, last = (simulated.index[at].to_pydatetime() for at in (0, -1))
    stored = archive.read(log, first, last, account=account, tz="UTC")[list(simulated.columns)]
    if not stored.equals(simulated[simulated.index.isin(stored.index)]):
        raise ConfigurationError(
            f"account {account!r} has other records of {log!r} on these days in the archive"
            f" {archive.path}: give the simulated wearer an --account of its own"
        )
