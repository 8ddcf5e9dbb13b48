"""What wearers see of their own records: their last days, and a report; made in a process apart."""

import io
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
import pandas as pd

from eyelog.analysis.daily import daily
from eyelog.archive.months import months
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import INTERVAL_SECONDS, LOGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DAYS", "OwnDay", "OwnDays", "as_png", "last_days", "own_days", "own_report"]

DAYS: Final = 28
_DPI: Final = 160


class OwnDay(msgspec.Struct):
    """One day of one log: its date, how many records came in, and for how long it was worn."""

    date: str
    records: int
    worn_h: float | None


class OwnDays(msgspec.Struct):
    """The last days of a wearer: a picture (PNG in base64), and the days, the latest first."""

    interval_s: int
    picture: str
    days: list[OwnDay]


def own_days(archive: str, account: str) -> Iterator[bytes]:
    """Yield the last `DAYS` days of each log of an account, as JSON of a list of `OwnDays`."""
    shown = []
    for log, frame in last_days(archive, account).items():
        table = daily(frame)
        shown.append(
            OwnDays(
                interval_s=INTERVAL_SECONDS[log],
                picture=_picture(frame),
                days=[_day(date, row) for date, row in table.iloc[::-1].iterrows()],
            )
        )
    yield msgspec.json.encode(shown)


def _day(date: Any, row: "pd.Series[Any]") -> OwnDay:
    worn = row["worn_h"]
    return OwnDay(f"{date:%Y-%m-%d}", int(row["n"]), None if pd.isna(worn) else float(worn))


def _picture(frame: pd.DataFrame) -> str:
    from eyelog.figures.overview import plot_overview

    return as_png(plot_overview(frame))


def as_png(ax: "Axes") -> str:
    """Return the figure of some Axes as a picture for a page: PNG in base64."""
    sink = io.BytesIO()
    cast(Any, ax.figure).canvas.print_figure(sink, format="png", dpi=_DPI)
    return b64encode(sink.getvalue()).decode()


def own_report(archive: str, account: str) -> Iterator[bytes]:
    """Yield the report of the last `DAYS` days of an account, as HTML."""
    from eyelog.reports.report import report

    frames = last_days(archive, account)
    with TemporaryDirectory() as folder:
        yield report(frames, Path(folder) / "report.html").read_bytes()


def last_days(archive: str, account: str, days: int = DAYS) -> dict[str, pd.DataFrame]:
    """Return the last days of each log that have records, up to the latest day of both."""
    store = Archive(archive)
    place = place_of(store)
    by_log = {}
    for log in LOGS:
        present = months(place, log, account)
        if present:
            since = pd.Timestamp(present[-2:][0], tz="UTC")
            by_log[log] = store.read(log, since.to_pydatetime(), account=account)
    if not by_log:
        return {}
    # A record stamped at midnight belongs to the day that ended.
    latest = max(frame.index[-1] for frame in by_log.values()) - pd.Timedelta("1us")
    first = latest.normalize() - pd.Timedelta(days=days - 1)
    kept = {log: frame[frame.index > first] for log, frame in by_log.items()}
    return {log: frame for log, frame in kept.items() if len(frame)}
