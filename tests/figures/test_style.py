"""The look: colours and sizes, in force in eyelog's own figures alone."""

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb

from eyelog.figures.style import COLOURS
from support.plain_figure import STATES, TABLE, drawn, plot_line


def test_the_settings_of_the_user_are_back_after_a_figure_is_made_and_drawn() -> None:
    before = dict(mpl.rcParams)
    drawn(plot_line(TABLE).figure)
    assert dict(mpl.rcParams) == before


def lightness(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_the_states_are_distinct_in_grey() -> None:
    steps = sorted(lightness(COLOURS[name]) for name in STATES)
    assert min(np.diff(steps)) >= 9
