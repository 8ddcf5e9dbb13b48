"""The look: colours and sizes, in force in eyelog's own figures alone."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from eyelog.figures import style
from eyelog.figures.style import COLOURS
from eyelog.figures.styled_figure import StyledFigure
from support.plain_figure import STATES, TABLE, drawn, plot_line


def test_the_settings_of_the_user_are_back_after_a_figure_is_made_and_drawn() -> None:
    before = dict(mpl.rcParams)
    drawn(plot_line(TABLE).figure)
    assert dict(mpl.rcParams) == before


def test_a_figure_of_our_own_has_the_look_whatever_settings_the_user_has() -> None:
    with mpl.rc_context({"font.size": 20, "axes.spines.top": True, "axes.facecolor": "black"}):
        ax = plot_line(TABLE)
        drawn(ax.figure)
    assert isinstance(ax.figure, StyledFigure)
    assert not ax.spines["top"].get_visible()
    assert to_rgb(ax.get_facecolor()) == (1, 1, 1)
    assert ax.get_xticklabels()[0].get_fontsize() == 6


def test_no_missing_font_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_line(TABLE).figure.canvas.draw()
    assert "findfont" not in caplog.text


def lightness(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_the_states_are_distinct_in_grey() -> None:
    steps = sorted(lightness(COLOURS[name]) for name in STATES)
    assert min(np.diff(steps)) >= 9


@pytest.mark.parametrize("meaning", list(style.SEQUENTIAL))
def test_a_sequential_scale_runs_from_light_to_dark_and_keeps_zero_apart_from_no_record(
    meaning: str,
) -> None:
    scale = style.sequential(meaning)
    steps = [lightness(mpl.colors.to_hex(scale(x))) for x in np.linspace(0, 1, 20)]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] < 95
    assert mpl.colors.to_hex(scale(np.nan)) == COLOURS["masked"].lower()
