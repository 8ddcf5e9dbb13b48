"""The one look of all figures: colours by meaning, sizes in millimetres, type, lines.

The look belongs to the figures that eyelog makes itself. It applies while such a figure is built
and each time it is drawn, never at import, and never to an Axes that a user passes in.
"""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, cast

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib import style as matplotlib_style
from matplotlib.colors import Colormap, LinearSegmentedColormap

Width = Literal["single", "double", "page"]

# One column and two columns of a journal, and a whole page turned on its side
WIDTHS_MM: Final[Mapping[str, float]] = MappingProxyType({"single": 89, "double": 183, "page": 247})

HIGHEST_MM: Final = 170  # a journal's page, with room for the caption


def _colours(kind: str) -> Mapping[str, list[str]]:
    text = files("eyelog").joinpath("figures", "colours.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row["meaning"]: row["colours"].split() for row in rows if row["kind"] == kind}


# The colour of each meaning; no figure names a colour of its own
COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {meaning: colour for meaning, (colour,) in _colours("colour").items()}
)
SEQUENTIAL: Final = MappingProxyType(_colours("scale"))
HATCH: Final = "////"

TEXT_PT: Final = 7.0
SMALL_PT: Final = 6.0
QUIET_PT: Final = 5.5
LINE_PT: Final = 0.6
PAD_MM: Final = 0.7


# What journals ask for, the free font of the same widths, and one for names in East Asian letters
FAMILIES: Final = (
    *("Helvetica", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"),
    *("Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", "IPAexGothic"),
)
# Settings that stay as a user has changed them, colours apart
TAKEN: Final = (
    *("figure.figsize", "font.", "axes.titlesize", "axes.labelsize", "axes.linewidth", "lines."),
    *("xtick.", "ytick.", "legend.fontsize", "savefig.dpi", "pdf.", "svg."),
)


def inches(mm: float) -> float:
    """Return millimetres in inches, the unit of matplotlib."""
    return mm / 25.4


@cache
def families() -> list[str]:
    """Return the installed families to draw in, best first; each letter is of the first with it."""
    installed = set(font_manager.get_font_names())
    return [name for name in FAMILIES if name in installed]


@cache
def _settings() -> Mapping[str, Any]:
    path = Path(__file__).with_name("look.mplstyle")
    given = mpl.rc_params_from_file(path, use_default_template=False)
    return cast(Mapping[str, Any], given)


@cache
def _load_backend() -> None:
    """Load pyplot's backend before the look applies for the first time.

    The backend of notebooks turns interactive mode on while it is loaded, and `style` would turn it
    off again: only the first cell would show its figure. Asking for the backend's name is not
    enough: a backend that is named in the environment is loaded only for the first figure.
    """
    plt.switch_backend(mpl.get_backend())


_in_force: Final[ContextVar[bool]] = ContextVar("style in force", default=False)


@contextmanager
def style() -> Iterator[None]:
    """Apply the look, but for sizes and fonts that the user has set; restore theirs afterwards."""
    if _in_force.get():  # applying it again takes as long as drawing a small figure
        yield
        return
    _load_backend()
    token = _in_force.set(True)
    try:
        usual = cast(Mapping[str, Any], mpl.rcParamsDefault)
        chosen = {
            name: value
            for name, value in cast(Mapping[str, Any], mpl.rcParams).items()
            if name.startswith(TAKEN) and "color" not in name and value != usual.get(name)
        }
        look = {**_settings(), "font.family": families()}
        with matplotlib_style.context(["default", look | chosen]):
            yield
    finally:
        _in_force.reset(token)


def sequential(meaning: str = "usable") -> Colormap:
    """Return a scale that begins light; what has no value is plain light grey (masked).

    A meaning without a scale of its own has that of usable values.
    """
    colours = SEQUENTIAL.get(meaning, SEQUENTIAL["usable"])
    scale = LinearSegmentedColormap.from_list(f"eyelog {meaning}", colours)
    return scale.with_extremes(bad=COLOURS["masked"])
