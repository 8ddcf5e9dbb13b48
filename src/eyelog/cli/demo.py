"""`eyelog demo`: the main job from end to end, on the embedded service."""

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import emit, readable, write_table
from eyelog.errors import ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_commands"]

# Long past, so that no machine's clock takes these days for the future: those are never asked for.
START, DAYS, ZONE, SEED = "2025-10-20", 14, "Asia/Tokyo", 1


def add_commands(commands: Any) -> None:
    """Add this module's command."""
    demo = commands.add_parser("demo", help="run the main job on a simulated wearer")
    demo.add_argument(
        "--output",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="folder for tables and figures (default: demo-output)",
    )
    demo.set_defaults(run=_demo)


def _say(step: int, text: str) -> None:
    print(f"\n[{step}] {text}")


def _demo(args: argparse.Namespace) -> int:
    from eyelog.service.server import running

    if args.output.exists() and not args.output.is_dir():
        raise ConfigurationError(f"{args.output} is a file: name a folder for the figures")
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive, home = Path(folder) / "archive", Path(folder) / "home"
        application = _prepare(archive)
        with running(archive) as base_url:
            _say(
                2,
                f"eyelog's own service, which speaks the vendor's contract, answers on {base_url}.",
            )
            frames = _fetch(base_url, archive, home, application)
    _judge(frames["computed_data"])
    _summarise(frames, args.output)
    return 0


def _prepare(archive: Path) -> Any:
    from eyelog.access.auth.application import Application
    from eyelog.archive.store import Archive
    from eyelog.catalogue import LOGS
    from eyelog.service.auth.registry import Registry
    from eyelog.wearer.simulate import simulate

    _say(1, f"A simulated wearer lives {DAYS} days from {START} in {ZONE}.")
    store = Archive(archive)
    for log in LOGS:
        frame = simulate(START, DAYS, log=log, seed=SEED, tz=ZONE)
        store.write(log, frame, account="sample")
        print(f"    {log}: {len(frame):,} records archived")
    registry = Registry(archive)
    registry.add_account("sample")
    redirect_uri = "http://127.0.0.1/callback"
    client_id, client_secret = registry.add_application(redirect_uri)
    return Application(client_id, client_secret, redirect_uri)


def _fetch(base_url: str, archive: Path, home: Path, application: Any) -> dict[str, "pd.DataFrame"]:
    import pandas as pd

    from eyelog.access.client import Client
    from eyelog.catalogue import LOGS
    from eyelog.service.auth.registry import Registry

    settings: dict[str, Any] = {"application": application, "tz": ZONE, "home": home}
    client = Client(base_url, **settings)
    code = Registry(archive).issue_code("sample", application.client_id, application.redirect_uri)
    client.exchange(code)
    print("    Logged in through OAuth: one code exchanged for one token.")
    last = f"{pd.Timestamp(START) + pd.Timedelta(days=DAYS - 1):%Y-%m-%d}"
    frames: dict[str, pd.DataFrame] = {}
    again = Client(base_url, offline=True, **settings)
    _say(3, f"Both logs over HTTP, {START} to {last}, through the cache.")
    for log in LOGS:
        begun = time.perf_counter()
        frames[log] = getattr(client, log)(START, last)
        took = time.perf_counter() - begun
        begun = time.perf_counter()
        if not frames[log].equals(getattr(again, log)(START, last)):
            raise EyelogError(f"the cache gives another {log} than the service gave")
        cached = time.perf_counter() - begun
        print(
            f"    {log}: {len(frames[log]):,} records in {took:.1f} s;"
            f" the same from the cache alone in {cached:.1f} s"
        )
    print("    (A fetch selects by stamp: the record of the closing midnight is the next day's.)")
    return frames


def _judge(frame: "pd.DataFrame") -> None:
    from eyelog.analysis.quality.explain import explain
    from eyelog.analysis.quality.flags import flag
    from eyelog.analysis.quality.recipes import attrition

    _say(
        4,
        "Values of the 15-second log not to trust, and why (one can have several reasons):",
    )
    reasons = explain(flag(frame))
    part = reasons.loc[["stp", "bk_n", "bkw_av", "cad", "tl_yav", "sc_fcs", "hm_yo"]]
    emit(part.loc[:, (part != 0).any()], as_json=False)
    _say(5, "What is left for the recipe 'mind' (attrition):")
    emit(attrition(frame, recipe="mind"), as_json=False)


def _summarise(frames: dict[str, "pd.DataFrame"], output: Path) -> None:
    from eyelog.analysis.daily import daily
    from eyelog.analysis.quality.recipes import attrition
    from eyelog.cli.draw import save

    tables = {log: daily(frame) for log, frame in frames.items()}
    print("\n    And of the 60-second log for the recipe 'trend':")
    emit(attrition(frames["standard_mode_logs"], recipe="trend"), as_json=False)
    for step, (log, table) in enumerate(tables.items(), start=6):
        _say(step, f"Daily summary of {log} (first week; all days in {output}):")
        emit(readable(table.head(7)), as_json=False)
        write_table(table, output / f"daily-{log}.csv")
    _say(8, "Figures and tables:")
    for name in save(frames, output):
        print(f"    {output / name}")
