"""A figure of eyelog's own: how its title and legend fit it."""

import pickle

import pytest

import eyelog as el
from eyelog.figures import style
from eyelog.figures.drawing import axes, set_title
from support.plain_figure import STATES, TABLE, drawn, plot_line


@pytest.mark.parametrize("width_mm", [89, 183, 247])
def test_title_and_legend_fit_into_every_width(width_mm: float) -> None:
    figure = plot_line(TABLE).figure
    figure.set_size_inches(style.inches(width_mm), 3)
    drawn(figure)
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width
    assert figure._suptitle.get_window_extent().x1 <= figure.bbox.width
    text = figure.get_suptitle()
    assert text.replace("\n", " · ") == "anna · 15-second log · 20 to 26 Oct 2025 · Asia/Tokyo"


def test_a_wide_figure_has_its_legend_and_title_in_one_line() -> None:
    figure = drawn(plot_line(TABLE).figure)
    rows = {round(text.get_window_extent().y0) for text in figure.legends[0].get_texts()}
    assert len(rows) == 1
    assert "\n" not in figure.get_suptitle()


def test_a_legend_of_two_lines_is_read_line_by_line() -> None:
    figure = plot_line(TABLE).figure
    figure.set_size_inches(style.inches(89), 3)
    texts = drawn(figure).legends[0].get_texts()
    places = [(-round(t.get_window_extent().y0), t.get_window_extent().x0) for t in texts]
    ordered = sorted(zip(places, texts, strict=True), key=lambda placed: placed[0])
    assert [text.get_text() for _, text in ordered] == list(STATES)


def test_a_name_that_is_too_long_for_the_figure_loses_its_middle() -> None:
    ax = axes(None)
    set_title(ax, "wearer-" + 100 * "0" + "-end · 15-second log")
    ax.figure.set_size_inches(style.inches(89), 3)
    assert drawn(ax.figure)._suptitle.get_window_extent().x1 <= ax.figure.bbox.width
    first, second = ax.figure.get_suptitle().split("\n")
    assert first.startswith("wearer-0")
    assert first.endswith("-end")
    assert second == "15-second log"


def test_a_title_that_the_user_sets_afterwards_takes_the_place_of_ours() -> None:
    days = el.daily(el.sample())
    over = el.plot_daily(days, "steps").figure
    over.suptitle("mine")
    assert drawn(over).get_suptitle() == "mine"
    ax = el.plot_daily(days, "steps")
    ax.set_title("mine")
    assert drawn(ax.figure).get_suptitle() == ""
    panels_of_week = el.plot_timeline(el.sample("standard_mode_logs"), fields=["tl_yav"])
    assert drawn(panels_of_week[0].figure).get_suptitle() != ""


def test_a_figure_can_be_pickled_and_drawn_again() -> None:
    states = el.states(el.sample("standard_mode_logs"))
    figure = pickle.loads(pickle.dumps(el.plot_overview(states).figure))
    assert len(drawn(figure).legends) == 1
