"""`eyelog demo`: the main job from end to end, on eyelog's own service."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.command import command
from eyelog.cli.output import show, write_table
from eyelog.errors import ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.embedded import Registered

# Long past: days that are in the future for a slow clock would never be requested.
START, DAYS, ZONE, SEED = "2025-10-20", 14, "Asia/Tokyo", 1
FIGURES = ("overview", "day", "heatmap", "daily")


def _print_step(step: int, text: str) -> None:
    print(f"\n[{step}] {text}")


@command
def demo(*, output: Path = Path("demo-output")) -> None:
    """Run the main job on a simulated wearer.

    Parameters
    ----------
    output : DIR
        Folder for the tables and figures.
    """
    from eyelog.embedded import register, serve

    if output.exists() and not output.is_dir():
        raise ConfigurationError(
            f"{output} is a file: give --output a folder for the tables and figures"
        )
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive, home = Path(folder) / "archive", Path(folder) / "home"
        registered = register(archive, "sample")
        _prepare(archive)
        with serve(archive) as base_url:
            _print_step(2, f"eyelog's own service, with the vendor's API, runs on {base_url}.")
            frames = _fetch(base_url, home, registered)
    _judge(frames)
    _summarise(frames, output)


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

    from eyelog.catalogue import LOGS
    from eyelog.fetch.client import Client

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


def _judge(frames: dict[str, "pd.DataFrame"]) -> None:
    from eyelog.judge.flag import explain, flag
    from eyelog.judge.recipes import attrition

    _print_step(4, "Flagged values of the 15-second log by reason (a value can have several):")
    counts = explain(flag(frames["computed_data"]))
    show(counts.loc[["stp", "bk_n", "bkw_av", "cad", "tl_yav", "sc_fcs", "hm_yo"]])
    _print_step(5, "Records of the 60-second log left by each condition of the recipe 'trend':")
    show(attrition(frames["standard_mode_logs"], recipe="trend"))


def _summarise(frames: dict[str, "pd.DataFrame"], output: Path) -> None:
    from eyelog.measure.daily import daily
    from eyelog.reports.report import report

    tables = {log: daily(frame) for log, frame in frames.items()}
    for log, table in tables.items():
        write_table(table, output / f"daily-{log}.csv")
    days = tables["computed_data"]
    _print_step(6, "Daily summary of the 15-second log (the first week):")
    show(days.head(7))
    _print_step(7, f"Write tables, figures and a report into {output}.")
    for log, frame in frames.items():
        _draw(log, frame, output)
    report(frames, output / "report.html")
    _print_end(days, output)


def _draw(log: str, frame: "pd.DataFrame", output: Path) -> None:
    import pandas as pd
    from matplotlib import pyplot as plt

    from eyelog.cli.plot import draw
    from eyelog.clock import local_days
    from eyelog.figures.save import save_figure

    index = pd.DatetimeIndex(frame.index)
    days = local_days(index)
    first_day = frame[days == days[0]]
    for kind in FIGURES:
        # One day is shown in full; the other figures show the whole range.
        drawn = draw(first_day if kind == "day" else frame, kind)
        save_figure(drawn, output / f"{kind}-{log}.png", width="double")
    plt.close("all")


def _print_end(days: "pd.DataFrame", output: Path) -> None:
    """Say what came out, what was made and where, and what to look at first."""
    blinks = days["blink_rate_per_min"].median()
    print(
        f"\nDone. In {len(days)} days the simulated wearer wore the eyewear for"
        f" {days['worn_h'].sum():.0f} h,\ntook {days['steps'].sum():,.0f} steps and blinked"
        f" {blinks:.0f} times a minute (median of the days).\n\n"
        f"Open this first, in a browser:\n    {output / 'report.html'}\n\n"
        f"Also in {output}, one of each for both logs (computed_data and standard_mode_logs):\n"
        "    overview-*.png   what the eyewear was doing, day by day\n"
        "    day-*.png        the first day in full\n"
        "    heatmap-*.png    steps and head turns by day and time of day\n"
        "    daily-*.png      wear, steps and more of each day\n"
        "    daily-*.csv      one row per day, all columns\n\n"
        "With your own files:\n"
        "    eyelog report FOLDER --tz Asia/Tokyo -o report.html"
    )
