"""Figures as files: a journal's width, text as text, the recipe inside, reproducible bytes."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import eyelog
from eyelog.errors import ConfigurationError
from eyelog.figures.axes import Sheet, fit_width, recipe_of, sheet_of
from eyelog.figures.defaults import ENDINGS
from eyelog.figures.labels import range_words
from eyelog.figures.style import COLOURS, QUIET_PT, WIDTHS_MM, Width, inches, style
from eyelog.home import output_file, path_of

LINE_MM: Final = 4.0  # the line that names the subject


def save_figure(
    drawn: Axes | Figure | Iterable[Axes],
    path: str | os.PathLike[str],
    *,
    width: Width = "single",
    subject: str | None = None,
) -> None:
    """Save a figure for a paper: a set width, text as text, and the recipe in the file.

    Parameters
    ----------
    drawn : Axes, array of Axes or Figure
        What a plot function returned (an Axes saves its whole figure), or any matplotlib figure.
    path : path
        Where to, ending with .pdf (fonts embedded as text), .svg (text as text) or .png (300 dpi).
        The folder must exist. Only the owner can read the file; it is put in place as a whole.
    width : {"single", "double", "page"}
        89 mm (one column), 183 mm (two columns) or 247 mm (a page turned on its side). A figure
        of eyelog keeps the height of its panels, and title, labels and legend are fitted to the
        width; a title of your own that has the usual size of matplotlib is 8 pt in the file. Any
        other figure keeps its shape. The figure itself is left as it was.
    subject : str, optional
        Whom the figure is about, for a report: written in a small line beneath the figure, with the
        days of the tables that it was drawn from. A figure for a paper needs no such line.

    Raises
    ------
    ConfigurationError
        If `drawn` is not of one figure, the ending or width is not listed here, or the folder
        does not exist.
    EyelogError
        If the file cannot be written.

    Notes
    -----
    The recipe is JSON: versions, and for each plot function that drew into the figure its
    arguments, with the rows, range and provenance of each table. It is in ``Description`` of a PNG
    or SVG file and in ``Subject`` of a PDF file. The file contains no clock time: the same figure
    on the same machine gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import eyelog as el
    >>> ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     el.save_figure(ax, Path(folder) / "quality.svg", width="double")
    ...     "not worn</text>" in (Path(folder) / "quality.svg").read_text()
    True
    """
    figure = _figure(drawn)
    target = path_of(path, what="save_figure")
    if target.suffix not in ENDINGS:
        raise ConfigurationError(f"cannot save {target.name}: end its name with .pdf, .svg or .png")
    if width not in WIDTHS_MM:
        raise ConfigurationError(f"width must be one of {', '.join(WIDTHS_MM)}, not {width!r}")
    if not target.parent.is_dir():
        raise ConfigurationError(f"no folder {target.parent} to save {target.name} in: make it")
    words = "" if subject is None else " · ".join([str(subject), *_days(figure)])
    made = f"eyelog {eyelog.__version__}"
    of_kind: dict[str, dict[str, Any]] = {
        ".pdf": {"Creator": made, "CreationDate": None},
        ".svg": {"Creator": [made], "Date": None},
        ".png": {"Software": made},
    }
    metadata = of_kind[target.suffix]
    metadata["Title"] = " ".join(figure.get_suptitle().split("\n"))
    recipe = json.dumps(recipe_of(figure), ensure_ascii=True, sort_keys=True)
    metadata["Subject" if target.suffix == ".pdf" else "Description"] = recipe
    with (
        output_file(target, verb="save") as sink,
        style(),
        _noted(figure, words),
        _sized(figure, inches(WIDTHS_MM[width])),
        _underlined(figure, words) as area,
    ):
        figure.savefig(sink, format=target.suffix[1:], dpi=300, bbox_inches=area, metadata=metadata)


def _figure(drawn: Any) -> Figure:
    """Return the one figure of what a plot function returned."""
    if isinstance(drawn, Figure):
        return drawn
    parts = [drawn]
    if isinstance(drawn, np.ndarray | list | tuple):
        parts = list(np.asarray(drawn, dtype=object).ravel())
    if not parts or not all(isinstance(part, Axes) for part in parts):
        raise ConfigurationError(
            "save_figure takes what a plot function returned: Axes or a Figure of matplotlib, not"
            f" {type(drawn).__name__}"
        )
    figures = {part.figure.figure for part in parts}
    (figure, *others) = figures
    if others or figure is None:
        raise ConfigurationError(
            f"save_figure saves one figure, and these Axes are of {len(figures)}: save each"
        )
    return cast(Figure, figure)


@contextmanager
def _sized(figure: Figure, width_in: float) -> Iterator[None]:
    """Set a figure's width while it is saved; the panels of eyelog's own keep their height."""
    width, height = (float(side) for side in figure.get_size_inches())
    try:
        if sheet_of(figure) is not None:
            fit_width(figure, width_in)
        else:
            figure.set_size_inches(width_in, height * width_in / width, forward=False)
        yield
    finally:
        if sheet_of(figure) is not None:
            fit_width(figure, width)
        figure.set_size_inches(width, height, forward=False)


@contextmanager
def _noted(figure: Figure, words: str) -> Iterator[None]:
    """Write words above the legend of eyelog's own figure for as long as it is saved."""
    sheet = (sheet_of(figure) if words else None) or Sheet()
    note = sheet.note
    sheet.note = f"{note}\n{words}".lstrip()
    try:
        yield
    finally:
        sheet.note = note


@contextmanager
def _underlined(figure: Figure, words: str) -> Iterator[Bbox | None]:
    """Write words beneath a user's figure while it is saved; return the area with the line."""
    if not words or sheet_of(figure) is not None:
        yield None
        return
    width, height = (float(side) for side in figure.get_size_inches())
    look: dict[str, Any] = {"fontsize": QUIET_PT, "color": COLOURS["quiet"], "va": "center"}
    line = figure.text(inches(1.0) / width, -inches(LINE_MM / 2) / height, words, **look)
    line.set_in_layout(False)
    try:
        yield Bbox([[0.0, -inches(LINE_MM)], [width, height]])
    finally:
        line.remove()


def _days(figure: Figure) -> list[str]:
    """Return the days of all tables that a figure was drawn from, in words, if it has any."""
    dates: list[pd.Timestamp] = []
    for call in recipe_of(figure)["figures"]:
        for table in call["arguments"].values():
            if not isinstance(table, dict):
                continue
            # A table that has lost its stamps has its days in its history.
            steps = reversed(table.get("provenance", {}).get("history", []))
            spans = [step["days"] for step in steps if isinstance(step.get("days"), list)]
            given = [[table["first"], table["last"]]] if "first" in table else spans
            dates += map(pd.Timestamp, next((span for span in given if len(span) == 2), []))
    # A stamp closes its interval: midnight belongs to the day that ended. Days have no zone.
    days = [(one - pd.Timedelta("1us") if one.tzinfo else one).tz_localize(None) for one in dates]
    return [range_words(min(days), max(days))] if days else []
