"""Figures into files, for `eyelog plot` and `eyelog demo`.

The parser reads the kinds of figures here, so pandas is loaded when one is drawn.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.catalogue import field
from eyelog.cli.output import write_private
from eyelog.errors import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ENDINGS",
    "FIGURES",
    "draw",
    "save",
]

FIGURES: Final = ("timeline", "quality", "heatmap", "daily")
ENDINGS: Final = (".png", ".svg", ".pdf")

CELL: Final = "10min"

DEFAULT_FIELDS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "computed_data": {
        "timeline": ("isl", "vld", "stp", "bk_n", "bki_av", "tl_yav", "hm_yo", "sc_fcs"),
        "heatmap": ("stp", "hm_yo"),
        "daily": ("worn_h", "steps", "blink_rate_per_min"),
    },
    "standard_mode_logs": {
        "timeline": ("wea_s", "stp_s", "nis_s", "lc_bk_n", "ems_rl", "tl_yav", "hm_yo", "bl"),
        # Durations are evidence and not masked: a map of them would show unworn time as rest.
        "heatmap": ("stp_slw", "hm_yo"),
        "daily": ("worn_h", "steps", "pace_spm"),
    },
}


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("Agg")  # files only: no screen is needed
    from matplotlib import pyplot as plt

    return plt


def draw(kind: str, frame: "pd.DataFrame", path: Path, *, fields: Sequence[str] | None) -> None:
    """Draw one kind of figure of a raw frame into `path`.

    Raises
    ------
    ConfigurationError
        If there are no records, or the file's ending is none of a figure.
    """
    from eyelog.frame import log_of

    if path.suffix not in ENDINGS:
        raise ConfigurationError(f"cannot draw {path.name}: end it with {', '.join(ENDINGS)}")
    if frame.empty:
        raise ConfigurationError("there are no records in this range: nothing to draw")
    log = log_of(frame)
    if fields:
        _check(kind, frame, log, fields)
    names = fields or list(DEFAULT_FIELDS[log].get(kind, ()))
    plt = _pyplot()
    figure = _panels(plt, kind, frame, names)
    days = dict.fromkeys(f"{edge:%d %b %Y}" for edge in (frame.index[0], frame.index[-1]))
    figure.suptitle(f"{log}, {' to '.join(days)}")
    write_private(path, lambda sink: figure.savefig(sink, format=path.suffix[1:], dpi=130))
    plt.close(figure)


def _check(kind: str, frame: "pd.DataFrame", log: str, fields: Sequence[str]) -> None:
    """Raise where what was named to be drawn is not there: nothing is left out silently."""
    from eyelog.frame import require

    if kind == "quality":
        raise ConfigurationError("quality is drawn of all fields at once: leave out --field")
    if kind in ("timeline", "heatmap"):
        for name in fields:
            if name not in frame.columns:
                field(log, name)
        require(frame, fields, purpose=f"the {kind}")


def _panels(plt: Any, kind: str, frame: "pd.DataFrame", names: Sequence[str]) -> Any:
    from eyelog.analysis.daily import daily
    from eyelog.analysis.quality.flags import flag, mask
    from eyelog.analysis.resample import resample
    from eyelog.figures.days import plot_daily, plot_heatmap
    from eyelog.figures.timeline import plot_quality, plot_timeline

    if kind in ("timeline", "quality"):
        figure, ax = plt.subplots(figsize=(12, 6), layout="constrained")
        if kind == "quality":
            plot_quality(flag(frame), ax=ax)
        else:
            shown = [n for n in names if n in frame.columns]
            plot_timeline(mask(frame, flag(frame)), fields=shown, ax=ax)
        return figure
    figure, grid = plt.subplots(
        len(names),
        1,
        figsize=(12, 3.2 * len(names) + 1),
        layout="constrained",
        squeeze=False,
        sharex=True,
    )
    table = daily(frame) if kind == "daily" else resample(frame, CELL)
    for ax, name in zip(grid[:, 0], names, strict=True):
        if kind == "daily":
            plot_daily(table, name, ax=ax)
        else:
            plot_heatmap(table, name, ax=ax)
        ax.label_outer()
    return figure


def save(frames: "Mapping[str, pd.DataFrame]", output: Path) -> list[str]:
    """Draw every kind of figure of both logs into a folder; return the files' names."""
    import pandas as pd

    from eyelog.clock import local_days

    made = []
    for log, frame in frames.items():
        for kind in FIGURES:
            # One day fills a timeline; the other figures show the whole range.
            first = local_days(frame.index)[0]  # type: ignore[arg-type]  # it holds stamps
            part = (
                frame[frame.index <= first + pd.Timedelta(days=1)] if kind == "timeline" else frame
            )
            name = f"{kind}-{log}.png"
            draw(kind, part, output / name, fields=None)
            made.append(name)
    return made
