"""`eyelog plot`: a figure of a log, with a panel for each field where it draws one."""

import inspect
from pathlib import Path
from typing import Any, Final, Literal

import click

import eyelog as el
from eyelog.catalogue import near
from eyelog.cli.command import command
from eyelog.cli.output import check_ending, note
from eyelog.cli.source import Source
from eyelog.errors import ConfigurationError
from eyelog.figures.defaults import DEFAULT_FIELDS, ENDINGS, KINDS

PANEL_MM: Final = 56.0
BINS: Final = {"day": "10min", "heatmap": "10min", "profile": "10min", "rhythm": "1h"}
# How many fields a figure shows that does not have a panel for each.
MOST: Final = {"change": 1, "actogram": 1, "day": 2}


@command
def plot(
    figure: str,
    source: Source,
    *,
    output: Path,
    field: tuple[str, ...] = (),
    at: str | None = None,
    by: str | None = None,
    events: Path | None = None,
    width: Literal["single", "double", "page"] = "double",
) -> None:
    """Draw a figure into a file.

    FIGURE is overview, timeline, day, quality, attrition, heatmap, daily, profile, rhythm,
    distribution, bouts, week, change or actogram.

    Parameters
    ----------
    output : FILE
        The .png, .svg or .pdf file to write.
    field : F
        A field to draw, or a column of the daily summary (daily, change); repeat the option for
        more.  [default: a choice for the log]
    at : DATE
        change: compare the days before this day with those from it on.
    by : COLUMN
        change: compare days by a column of the daily summary with two values, by weekend, or by two
        labels of the diary (events).
    events : FILE
        A diary (CSV or Excel with start, end and label): marked in a timeline, day, week or
        actogram, compared by in a change.
    width
        89, 183 or 247 mm.
    """
    import matplotlib as mpl

    if figure not in KINDS:
        raise click.UsageError(
            f"there is no figure {figure!r}{near(figure, KINDS)}: choose from {', '.join(KINDS)}"
        )
    check_ending(output, ENDINGS)
    frame = source.read()
    given = {"events": source.events(events, frame), "at": at, "by": by}
    mpl.use("agg")
    made = _draw(frame, figure, field, {name: v for name, v in given.items() if v is not None})
    el.save_figure(made, output, width=width)
    note(f"Figure written to {output}")


def _draw(frame: Any, kind: str, fields: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Return the Axes of one kind of figure: for each field, or by default a choice for the log."""
    from eyelog.figures.axes import panels
    from eyelog.figures.maps import with_steps
    from eyelog.frame import clock_of, log_of, require
    from eyelog.series.events import labels_by_day

    if frame.empty:
        raise ConfigurationError("there are no records to draw")
    log, function = log_of(frame), getattr(el, f"plot_{kind}")
    takes_fields = kind in DEFAULT_FIELDS[log]
    if fields and not takes_fields:
        raise ConfigurationError(f"the figure {kind!r} takes no fields: leave out --field")
    # By what else than days values are compared is for those who have a table.
    taken = {*inspect.signature(function).parameters} - {"by"}
    taken |= {"by", "events"} if kind == "change" else set()
    for name in [name for name in options if name not in taken]:
        raise ConfigurationError(f"the figure {kind!r} takes no {name}: leave out --{name}")
    names = fields or DEFAULT_FIELDS[log].get(kind, ())
    if len(names) > (most := MOST.get(kind, len(names))):
        several = "one field" if most == 1 else "one or two fields"
        raise ConfigurationError(f"the figure {kind!r} takes {several}, not {len(names)}")
    if kind == "timeline":
        return function(frame, fields or None, **options)
    if not takes_fields or kind == "actogram":
        return function(frame, *names, **options)
    if kind == "change":
        if not options:
            raise ConfigurationError("the figure 'change' needs --at DATE or --by COLUMN: pass one")
        if ("events" in options) != (options.get("by") == "events"):
            raise ConfigurationError(
                "the figure 'change' compares the labels of a diary with --by events and --events"
                " FILE: pass both"
            )
        days = el.daily(frame)
        if "events" in options:
            labels = labels_by_day(days.index, options.pop("events"), clock_of(frame))
            days = days.assign(events=[label or float("nan") for label in labels])
        return function(days, names[0], **options)
    table = frame
    if kind in BINS:
        require(frame, [name for name in names if name != "steps"], purpose=f"eyelog plot {kind}")
        table = el.resample(frame, BINS[kind])
    if kind == "day":
        second = [*names, None][1]
        return function(table, names[0], second=second, states=el.states(frame), **options)
    if kind == "profile" and "steps" in names and "steps" not in table:
        table = with_steps(table, log)
    made = panels([PANEL_MM] * len(names), sharex=kind != "distribution")[:, 0]
    for ax, name in zip(made, names, strict=True):
        if kind == "distribution":
            options = {"typical": el.baseline.typical_value(table, name)}
        function(table, name, ax=ax, **options)
    for ax in made[:-1] if kind != "distribution" else ():
        ax.label_outer()
        for strip in ax.child_axes:
            strip.tick_params(axis="x", labelbottom=False)
            strip.set_xlabel("")
    return made
