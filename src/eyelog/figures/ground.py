"""The background of what is drawn on a user's Axes, which is dark in some styles.

The colours of figures have meanings, and are chosen to be distinguishable on white. So in a dark
style the plotting area and the legend become white; the words around them keep the user's colours.
"""

from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba

__all__ = ["LEAST_CONTRAST", "contrast", "keep_readable"]

LEAST_CONTRAST: Final = 4.5
"""Of a text with its background, by the guidelines for accessible pages (WCAG 2, level AA)."""


def contrast(first: Any, second: Any) -> float:
    """Return how many times one colour is as bright as another, from 1 to 21 (WCAG 2)."""
    bright, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Any) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def keep_readable(ax: Axes, *, white: str, text: str) -> None:
    """Make the background of a user's Axes white if it is dark, and words fit their background.

    Parameters
    ----------
    ax : Axes
        The Axes, after everything has been drawn on it.
    white, text : str
        The colours of the background and of the words on it.
    """
    around = _over(ax.get_figure(root=True).get_facecolor(), "white")  # type: ignore[union-attr]
    for each in (ax, *ax.child_axes):
        if contrast(_over(each.get_facecolor(), around), text) < LEAST_CONTRAST:
            each.set_facecolor(white)
        for words in each.texts:
            box = words.get_window_extent()
            inside = each.bbox.contains((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
            ground = _over(each.get_facecolor(), around) if inside else around
            if contrast(words.get_color(), ground) < LEAST_CONTRAST:
                words.set_color(text if inside else mpl.rcParams["text.color"])
        made = each.get_legend()
        if made is not None and contrast(around, text) < LEAST_CONTRAST:
            made.set_frame_on(True)
            made.get_frame().set(facecolor=white, edgecolor="none", alpha=1.0)
            for words in (*made.get_texts(), made.get_title()):
                words.set_color(text)


def _over(colour: Any, beneath: Any) -> tuple[float, float, float]:
    """Return a colour as it looks over another, which shows through where it is transparent."""
    red, green, blue, alpha = to_rgba(colour)
    red, green, blue = (
        alpha * part + (1.0 - alpha) * under
        for part, under in zip((red, green, blue), to_rgb(beneath), strict=True)
    )
    return red, green, blue
