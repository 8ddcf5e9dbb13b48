"""`eyelog demo`: the main job from end to end, on eyelog's own service."""

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import show, write_table
from eyelog.errors import ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.embedded import Registered

__all__ = ["add_commands"]

# Long past: days that are in the future for a slow clock would never be requested.
START, DAYS, ZONE, SEED = "2025-10-20", 14, "Asia/Tokyo", 1
FIGURES = ("overview", "day", "heatmap", "daily")


def add_commands(commands: Any) -> None:
    """Add the command of this module."""
    demo = commands.add_parser("demo", help="run the main job on a simulated wearer")
    demo.add_argument(
        "--output",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="folder for the tables and figures (default: demo-output)",
    )
    demo.set_defaults(run=_demo)


def _print_step(step: int, text: str) -> None:
    print(f"\n[{step}] {text}")


def _demo(args: argparse.Namespace) -> int:
    from eyelog.embedded import register, serve

    if args.output.exists() and not args.output.is_dir():
        raise ConfigurationError(
            f"{args.output} is a file: give --output a folder for the tables and figures"
        )
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive, home = Path(folder) / "archive", Path(folder) / "home"
        registered = register(archive, "sample")
        _prepare(archive)
        with serve(archive) as base_url:
            _print_step(2, f"eyelog's own service, with the vendor's API, runs on {base_url}.")
            frames = _fetch(base_url, home, registered)
    _judge(frames["computed_data"])
    _summarise(frames, args.output)
    return 0


def _prepare(archive: Path) -> None:
    from eyelog.archive.store import Archive
    from eyelog.catalogue import LOGS
    from eyelog.wearer.simulate import simulate

    _print_step(1, f"Simulate {DAYS} days of a wearer in {ZONE}, from {START}.")
    store = Archive(archive)
    for log in LOGS:
        frame = simulate(START, DAYS, log=log, seed=SEED, tz=ZONE)
        store.write(log, frame, account="sample")
        print(f"    {log}: {len(frame):,} records archived")
    store.set_zones(ZONE, account="sample")


def _fetch(base_url: str, home: Path, registered: "Registered") -> dict[str, "pd.DataFrame"]:
    import pandas as pd

    from eyelog.access.client import Client
    from eyelog.catalogue import LOGS

    settings: dict[str, Any] = {"application": registered.application, "tz": ZONE, "home": home}
    client = Client(base_url, **settings)
    client.exchange(registered.code)
    print("    Logged in through OAuth: a grant code was exchanged for a token.")
    last = f"{pd.Timestamp(START) + pd.Timedelta(days=DAYS - 1):%Y-%m-%d}"
    frames: dict[str, pd.DataFrame] = {}
    offline = Client(base_url, offline=True, **settings)
    _print_step(3, f"Fetch both logs over HTTP, {START} to {last}, through the cache.")
    for log in LOGS:
        started = time.perf_counter()
        frames[log] = getattr(client, log)(START, last)
        fetch_s = time.perf_counter() - started
        started = time.perf_counter()
        if not frames[log].equals(getattr(offline, log)(START, last)):
            raise EyelogError(f"{log} from the cache differs from what the service returned")
        cache_s = time.perf_counter() - started
        print(
            f"    {log}: {len(frames[log]):,} records in {fetch_s:.1f} s;"
            f" the same from the cache alone in {cache_s:.1f} s"
        )
    print("    (A fetch selects by stamp, so a record stamped midnight comes with the new day.)")
    return frames


def _judge(frame: "pd.DataFrame") -> None:
    from eyelog.analysis.quality.explain import explain
    from eyelog.analysis.quality.flags import flag
    from eyelog.analysis.quality.recipes import attrition

    _print_step(4, "Flagged values of the 15-second log by reason (a value can have several):")
    counts = explain(flag(frame)).loc[["stp", "bk_n", "bkw_av", "cad", "tl_yav", "sc_fcs", "hm_yo"]]
    show(counts)
    _print_step(5, "Records left after each condition of the recipe 'mind' (attrition):")
    show(attrition(frame, recipe="mind"))


def _summarise(frames: dict[str, "pd.DataFrame"], output: Path) -> None:
    from eyelog.analysis.daily import daily
    from eyelog.analysis.quality.recipes import attrition

    tables = {log: daily(frame) for log, frame in frames.items()}
    print("\n    The same for the 60-second log and the recipe 'trend':")
    show(attrition(frames["standard_mode_logs"], recipe="trend"))
    for step, (log, table) in enumerate(tables.items(), start=6):
        _print_step(step, f"Daily summary of {log} (first week; all days are in {output}):")
        show(table.head(7))
        write_table(table, output / f"daily-{log}.csv")
    _print_step(8, "Figures:")
    for log, frame in frames.items():
        _draw(log, frame, output)


def _draw(log: str, frame: "pd.DataFrame", output: Path) -> None:
    import pandas as pd

    from eyelog.clock import local_days
    from eyelog.figures.compose import compose_figure
    from eyelog.figures.save import save_figure

    index = pd.DatetimeIndex(frame.index)
    days = local_days(index)
    first_day = frame[days == days[0]]
    for kind in FIGURES:
        # One day is shown in full; the other figures show the whole range.
        figure = compose_figure(first_day if kind == "day" else frame, kind)
        path = output / f"{kind}-{log}.png"
        save_figure(figure, path, width="double")
        print(f"    {path}")
