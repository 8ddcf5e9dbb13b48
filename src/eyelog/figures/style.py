"""The one look of all figures: colours by meaning, sizes in millimetres, type, lines.

The look belongs to the figures that eyelog makes itself. It applies while such a figure is built
and each time it is drawn, never at import, and never to an Axes that a user passes in.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal, cast

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib import style as matplotlib_style
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.rcsetup import cycler

Width = Literal["single", "double", "page"]

# One column and two columns of a journal, and a whole page turned on its side
WIDTHS_MM: Final[Mapping[str, float]] = MappingProxyType({"single": 89, "double": 183, "page": 247})

HIGHEST_MM: Final = 170  # a journal's page, with room for the caption

# The colour of each meaning; no figure names a colour of its own
COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The state of the eyewear. Neighbouring steps of lightness are 9 or more apart, so grey
        # print keeps them apart; any two differ by more than 11 (CAM02-UCS) for every eye.
        "usable": "#17456B",
        "off pose": "#7A5195",
        "noisy": "#D1495B",
        "walking": "#EFA33A",
        "not worn": "#D8D8D8",
        "no record": "#FFFFFF",
        "not known": "#F3F3F3",
        # Values and the marks beside them.
        "worn": "#8FA9BD",  # worn, but not usable
        "masked": "#E4E4E4",
        "interval": "#8FA9BD",
        "reference": "#444444",  # medians, typical values, limits, models
        "trace": "#555555",
        "second": "#B0652A",
        "usual range": "#E6E6E6",
        "usual rim": "#B0B0B0",
        "before": "#77829A",  # or the first group; always a square
        "after": "#17602F",  # or the second group; always a circle
        "pair": "#9A9A9A",
        "difference": "#222222",
        # Hours worn on a day, from pale to dark; 12 h or more have the colour of usable.
        "worn 4 to 8 h": "#9DB8CC",
        "worn 8 to 12 h": "#4F7FA5",
        "head": "#7A4413",
        "head interval": "#BFA089",
        "score": "#8C82D9",
        "walking edge": "#A96A12",  # on white, the colour of walking alone is too light
        "event": "#2F8F7B",
        "before event": "#E0EDEA",
        "true": "#5F6B76",
        "false": "#E4E4E4",
        "weekday": "#17456B",
        "weekend": "#F4F1EA",
        "weekend strip": "#E0D8C3",  # where weekends show only as a narrow strip
        # The frame of a figure.
        "text": "#222222",
        "quiet": "#565656",
        "axis": "#555555",
        "grid": "#E6E6E6",
        "hatch": "#BBBBBB",
        "pale hatch": "#DCDCDC",  # behind values, where a ribbon's hatching would be too prominent
    }
)

HATCH: Final = "////"

SEQUENTIAL: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # From light to dark, and never white: zero has a colour of the scale, no record is white.
        "usable": ("#E3EDF4", "#A9C6DA", "#6A9BBE", "#37709B", "#17456B", "#0B2438"),
        "walking": ("#FBEBD3", "#F7CD8F", "#EFA33A", "#C9741A", "#8E4A10", "#4F2708"),
        "head": ("#F4EAE2", "#DFC4AE", "#BF8F68", "#9A6236", "#7A4413", "#38200A"),
        "score": ("#ECEAF9", "#C5C0EE", "#8C82D9", "#6358BC", "#413894", "#211B57"),
        # Shares of time with a reason, whichever it is: the colours of states would mean one.
        "share": ("#EFEFEF", "#C9C9C9", "#9A9A9A", "#6E6E6E", "#444444", "#222222"),
    }
)

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
    small = {
        f"{axis}tick.{key}": value
        for axis in "xy"
        for key, value in (
            ("labelsize", SMALL_PT),
            ("color", COLOURS["axis"]),
            ("labelcolor", COLOURS["text"]),
            ("major.width", LINE_PT),
            ("major.size", 2.5),
            ("major.pad", 2.0),
            ("minor.width", LINE_PT / 2),
            ("minor.size", 1.5),
        )
    }
    return small | {
        "text.parse_math": False,  # a dollar sign in a diary is one
        "font.size": TEXT_PT,
        "text.color": COLOURS["text"],
        "figure.dpi": 150,
        "figure.titlesize": TEXT_PT,
        "figure.titleweight": "bold",
        "figure.constrained_layout.h_pad": inches(1.5 * PAD_MM),
        "figure.constrained_layout.w_pad": inches(PAD_MM),
        "axes.titlesize": TEXT_PT,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 4.0,
        "axes.labelsize": TEXT_PT,
        "axes.labelpad": 2.5,
        "axes.labelcolor": COLOURS["text"],
        "axes.edgecolor": COLOURS["axis"],
        "axes.linewidth": LINE_PT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(
            color=[COLOURS[name] for name in ("usable", "noisy", "walking", "off pose", "trace")]
        ),
        "grid.color": COLOURS["grid"],
        "grid.linewidth": LINE_PT,
        "hatch.linewidth": 0.5,
        "hatch.color": COLOURS["hatch"],
        "image.cmap": "gray",
        "lines.linewidth": 1.0,
        "lines.markersize": 2.5,
        "lines.solid_capstyle": "round",
        "patch.linewidth": 0.0,
        "legend.fontsize": SMALL_PT,
        "legend.frameon": False,
        "legend.handlelength": 1.3,
        "legend.handleheight": 0.8,
        "legend.handletextpad": 0.5,
        "legend.columnspacing": 1.4,
        "legend.borderpad": 0.0,
        "legend.borderaxespad": 0.7,
        "legend.labelspacing": 0.35,
        "savefig.dpi": 300,
        "savefig.facecolor": "white",
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "eyelog",
    }


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
