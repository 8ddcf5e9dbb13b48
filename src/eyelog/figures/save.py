"""Figures as files: a journal's width, text as text, the recipe inside, reproducible bytes."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import eyelog
from eyelog.disk.files import cannot_write, path_of, whole_file
from eyelog.errors import ConfigurationError
from eyelog.figures.defaults import ENDINGS
from eyelog.figures.recipe import recipe_of
from eyelog.figures.style import WIDTHS_MM, StyledFigure, Width, inches, style

__all__ = ["save_figure"]


def save_figure(
    drawn: Axes | Figure | Iterable[Axes], path: str | os.PathLike[str], *, width: Width = "single"
) -> None:
    """Save a figure for a paper: a set width, text as text, and the recipe in the file.

    Parameters
    ----------
    drawn : Axes, array of Axes or Figure
        What a plot function returned (an Axes saves its whole figure), or any matplotlib figure.
    path : path
        Where to, ending with .pdf (fonts embedded as text), .svg (text as text) or .png (300 dpi).
        The folder must exist. Only the owner can read the file; it is put in place whole.
    width : {"single", "double", "page"}
        89 mm (one column), 183 mm (two columns) or 247 mm (a page turned on its side). A figure
        of eyelog keeps the height of its panels, and title, labels and legend are fitted to the
        width; any other figure keeps its shape. The figure itself is left as it was.

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
    try:
        with whole_file(target) as sink, style(), _sized(figure, inches(WIDTHS_MM[width])):
            figure.savefig(
                sink, format=target.suffix[1:], dpi=300, metadata=_metadata(figure, target)
            )
    except OSError as error:
        raise cannot_write(target, error, verb="save") from error


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
    figures = {part.get_figure(root=True) for part in parts}
    (figure, *others) = figures
    if others or figure is None:
        raise ConfigurationError(
            f"save_figure saves one figure, and these Axes are of {len(figures)}: save each"
        )
    return cast(Figure, figure)


@contextmanager
def _sized(figure: Figure, width_in: float) -> Iterator[None]:
    """Set a figure's width while it is saved."""
    before = figure.get_size_inches().copy()
    try:
        if isinstance(figure, StyledFigure):
            height = figure.height_at(width_in)
        else:
            height = before[1] * width_in / before[0]
        figure.set_size_inches(width_in, height, forward=False)
        yield
    finally:
        figure.set_size_inches(before[0], before[1], forward=False)


def _metadata(figure: Figure, target: Path) -> dict[str, Any]:
    text = json.dumps(recipe_of(figure), ensure_ascii=True, sort_keys=True)
    title = " ".join(figure.get_suptitle().split("\n"))
    made = f"eyelog {eyelog.__version__}"
    if target.suffix == ".pdf":
        return {"Title": title, "Subject": text, "Creator": made, "CreationDate": None}
    if target.suffix == ".svg":
        return {"Title": title, "Description": text, "Creator": [made], "Date": None}
    return {"Title": title, "Description": text, "Software": made}
