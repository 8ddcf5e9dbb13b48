"""The figure of a log that `eyelog plot` draws: the fields of each kind, and a panel for each."""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from eyelog.errors import ConfigurationError
from eyelog.figures.defaults import DEFAULT_FIELDS

if TYPE_CHECKING:
    import pandas as pd

PANEL_MM: Final = 56.0
BINS: Final = {"day": "10min", "heatmap": "10min", "profile": "10min", "rhythm": "1h"}
# How many fields a figure shows that does not have a panel for each.
MOST: Final = {"change": 1, "actogram": 1, "day": 2}


def draw(
    frame: "pd.DataFrame", kind: str, fields: Sequence[str] | None = None, **options: Any
) -> Any:
    """Draw one kind of figure of a log, with a panel for each field where it draws one.

    Parameters
    ----------
    frame : DataFrame
        The records.
    kind : str
        What to draw, as in ``eyelog.plot_KIND``.
    fields : sequence of str, optional
        Fields, or columns of the daily summary (daily, change); by default a choice for the log.
    **options
        ``events``, ``at`` and ``by``, of the kinds that take them.

    Returns
    -------
    Axes or array of Axes
        In a figure that no window shows.
    """
    import matplotlib as mpl
    import numpy as np

    mpl.use("agg")
    import eyelog as el
    from eyelog.figures.axes import panels
    from eyelog.figures.heatmap import with_steps
    from eyelog.frame import clock_of, log_of, require
    from eyelog.series.events import labels_by_day

    if frame.empty:
        raise ConfigurationError("there are no records to draw")
    log = log_of(frame)
    plot = getattr(el, f"plot_{kind}")
    takes_fields = kind in DEFAULT_FIELDS[log]
    if fields and not takes_fields:
        raise ConfigurationError(f"the figure {kind!r} takes no fields: leave out --field")
    taken = {*inspect.signature(plot).parameters} - {"by"}  # elsewhere it is not of days
    if kind == "change":
        taken |= {"by", "events"}
    for name in options:
        if name not in taken:
            raise ConfigurationError(f"the figure {kind!r} takes no {name}: leave out --{name}")
    names = list(fields or DEFAULT_FIELDS[log].get(kind, ()))
    most = MOST.get(kind, len(names))
    if len(names) > most:
        raise ConfigurationError(
            f"the figure {kind!r} takes {'one field' if most == 1 else 'one or two fields'}, not"
            f" {len(names)}"
        )
    if kind == "timeline":
        return plot(frame, fields, **options)
    if not takes_fields or kind == "actogram":
        return plot(frame, *names, **options)
    if kind == "change":
        days = el.daily(frame)
        if "events" in options and options.get("by") != "events":
            raise ConfigurationError(
                "the figure 'change' compares labels of a diary with --by events: pass it, or leave"
                " out --events"
            )
        if options.get("by") == "events" and "events" not in options:
            raise ConfigurationError(
                "--by events compares the labels of a diary: pass --events FILE too"
            )
        if not options:
            raise ConfigurationError("the figure 'change' needs --at DATE or --by COLUMN: pass one")
        if "events" in options:
            labels = labels_by_day(days.index, options.pop("events"), clock_of(frame))
            days = days.assign(events=[label or np.nan for label in labels])
        return plot(days, names[0], **options)
    table = frame
    if kind in BINS:
        require(frame, [name for name in names if name != "steps"], purpose=f"eyelog plot {kind}")
        table = el.resample(frame, BINS[kind])
    if kind == "day":
        return plot(table, names[0], second=[*names, None][1], states=el.states(frame), **options)
    if kind == "profile" and "steps" in names and "steps" not in table:
        table = with_steps(table, log)
    made = panels([PANEL_MM] * len(names), sharex=kind != "distribution")
    for ax, name in zip(made, names, strict=True):
        if kind == "distribution":
            options = {"typical": el.baseline.typical_value(table, name)}
        plot(table, name, ax=ax, **options)
    for ax in made[:-1] if kind != "distribution" else ():
        ax.label_outer()
        for strip in ax.child_axes:
            strip.tick_params(axis="x", labelbottom=False)
            strip.set_xlabel("")
    return made
