"""Figures obey matplotlib: what a user changes, removes, adds or sets stays so."""

import inspect
import pickle
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from support.examples import EXAMPLES
from support.plain_figure import STATES, TABLE, drawn, plot_line
from support.public import resolve

FIGURES = sorted(name for name in EXAMPLES if name.startswith("plot_"))
ON_AXES = [name for name in FIGURES if "ax" in inspect.signature(resolve(name)).parameters]
IN_FIGURES = [name for name in FIGURES if "fig" in inspect.signature(resolve(name)).parameters]


def draw(name: str, **where: Any) -> Any:
    return resolve(name)(**EXAMPLES[name].arguments(resolve(name)), **where)


def figure_of(made: Any) -> Any:
    return np.ravel(made)[0].figure.figure


def test_every_figure_takes_an_axes_or_a_figure() -> None:
    assert {*ON_AXES, *IN_FIGURES} == {*FIGURES}


@pytest.mark.filterwarnings("ignore:The figure layout has changed to tight")
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_laid_out_by_its_user_and_pickled_and_its_legend_stays_removed(
    name: str,
) -> None:
    figure = figure_of(draw(name))
    figure.tight_layout()
    figure.set_size_inches(6, 4)
    for legend in list(figure.legends):
        legend.remove()
    figure.suptitle("mine")
    again = drawn(pickle.loads(pickle.dumps(drawn(figure))))
    assert again.legends == []
    assert again.get_suptitle() == "mine"
    assert again.get_size_inches().tolist() == [6, 4]


@pytest.mark.parametrize("name", ON_AXES)
def test_an_axes_of_the_user_keeps_three_quarters_of_its_height(name: str) -> None:
    figure, axes = plt.subplot_mosaic("AAB;CDD", figsize=(7.2, 4.0), layout="constrained")
    draw(name, ax=axes["A"])
    legend = axes["A"].get_legend()
    drawn(figure)
    if legend is not None:
        assert legend.get_window_extent().height <= 0.5 * axes["A"].bbox.height
    assert figure.get_suptitle() == ""


@pytest.mark.parametrize("name", IN_FIGURES)
def test_several_panels_are_drawn_in_a_part_of_a_figure(name: str) -> None:
    figure = plt.figure(figsize=(8, 6), layout="constrained")
    left, right = figure.subfigures(1, 2)
    made = draw(name, fig=left)
    assert all(ax.figure is left for ax in np.ravel(made))
    assert right.axes == []
    drawn(figure)
    with pytest.raises(el.ConfigurationError, match="without Axes, not one that has some"):
        draw(name, fig=left)


def test_fonts_and_sizes_that_a_user_has_set_are_kept() -> None:
    with mpl.rc_context({"font.family": ["DejaVu Serif"], "figure.figsize": (3.0, 2.0)}):
        ax = plot_line(TABLE)
    assert ax.figure.get_figwidth() == 3.0
    assert ax.xaxis.label.get_fontfamily() == ["DejaVu Serif"]
    assert plot_line(TABLE).xaxis.label.get_fontfamily() != ["DejaVu Serif"]


@pytest.mark.parametrize("name", ON_AXES)
def test_on_a_dark_ground_what_is_drawn_is_on_white_and_its_words_are_dark(name: str) -> None:
    with plt.style.context("dark_background"):
        figure, ax = plt.subplots(layout="constrained")
        draw(name, ax=ax)
        drawn(figure)
    assert np.mean(mpl.colors.to_rgb(ax.get_facecolor())) > 0.9
    if (legend := ax.get_legend()) is not None:
        assert all(np.mean(mpl.colors.to_rgb(t.get_color())) < 0.5 for t in legend.get_texts())


def test_panels_share_one_legend_that_a_narrow_figure_breaks_into_lines() -> None:
    ax = plot_line(TABLE)
    (legend,) = ax.figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {*STATES}
    assert legend.get_window_extent().width <= ax.figure.bbox.width


def test_dates_are_places_on_an_axis_of_days_and_of_time() -> None:
    frame = el.simulate("2026-03-02", 10, log="standard_mode_logs", tz="Asia/Tokyo")
    noon = pd.Timestamp("2026-03-04 12:00", tz="Asia/Tokyo")
    days = el.plot_daily(frame, "steps")
    assert days.axvline(noon).get_xdata(orig=False)[0] == 2.0
    assert days.axvline(noon.date()).get_xdata(orig=False)[0] == 1.5
    for ax in el.plot_week(el.daily(frame)):
        assert ax.axvline(pd.Timestamp("2026-03-08 12:00")).get_xdata(orig=False)[0] == 3.0
    time = el.plot_timeline(frame, ["hm_yo"])[0]
    assert time.get_xlim()[0] < time.axvline(noon).get_xdata(orig=False)[0] < time.get_xlim()[1]


def test_a_frame_is_drawn_as_the_table_that_is_made_of_it() -> None:
    frame = el.simulate("2026-03-02", 14, log="standard_mode_logs")
    for draw_it, made in (
        (el.plot_daily, el.daily(frame)),
        (el.plot_month, el.daily(frame)),
        (el.plot_bouts, el.gait.bouts(frame)),
        (el.plot_attrition, el.attrition(frame)),
    ):
        one, other = (np.ravel(draw_it(table))[0] for table in (frame, made))
        assert [type(artist) for artist in one.get_children()] == [
            type(artist) for artist in other.get_children()
        ]
        assert (one.get_xlim(), one.get_ylim()) == (other.get_xlim(), other.get_ylim())
