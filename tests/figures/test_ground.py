"""The ground under figures: white where a style is dark, and words that can be read on it."""

import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from eyelog.figures.ground import LEAST_CONTRAST, contrast, keep_readable

WHITE, TEXT = "#FFFFFF", "#222222"


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("black", "white") == pytest.approx(21.0)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)
    assert contrast("white", "#777777") == contrast("#777777", "white")
    assert contrast("red", "red") == 1.0


def test_light_axes_stay_as_the_user_has_made_them() -> None:
    _, ax = plt.subplots()
    ax.set_facecolor("#EAEAF2")
    keep_readable(ax, white=WHITE, text=TEXT)
    assert to_hex(ax.get_facecolor()).upper() == "#EAEAF2"


def test_words_have_the_colour_that_is_read_where_they_stand() -> None:
    with plt.style.context("dark_background"):
        _, ax = plt.subplots()
        inside = ax.text(0.5, 0.5, "within", transform=ax.transAxes, ha="center")
        beside = ax.text(1.02, 0.5, "beside", transform=ax.transAxes, color="#333333")
        ax.plot([0, 1], [0, 1], label="line")
        ax.legend(frameon=False)
        keep_readable(ax, white=WHITE, text=TEXT)
    assert contrast(inside.get_color(), ax.get_facecolor()[:3]) >= LEAST_CONTRAST
    assert contrast(beside.get_color(), "black") >= LEAST_CONTRAST
    legend = ax.get_legend()
    assert legend is not None
    assert contrast(legend.get_texts()[0].get_color(), WHITE) >= LEAST_CONTRAST
    assert to_hex(legend.get_frame().get_facecolor()) == WHITE.lower()


def test_clear_axes_have_the_ground_of_their_figure() -> None:
    figure, ax = plt.subplots(facecolor="black")
    ax.set_facecolor("none")
    keep_readable(ax, white=WHITE, text=TEXT)
    assert to_hex(ax.get_facecolor()) == WHITE.lower()
    assert to_hex(figure.get_facecolor()) == "#000000"
