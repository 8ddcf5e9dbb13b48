"""Names of rows have the room that a figure leaves beside its axis."""

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from eyelog.figures.drawing import axes
from eyelog.figures.row_names import name_rows
from eyelog.figures.style import SMALL_PT

LONG = ["the afternoon in the office", "the evening at home with guests", "home"]


def named(ax: Axes, *, most: int = 24) -> list[str]:
    ax.set_ylim(-0.5, 2.5)
    name_rows(ax, range(3), LONG, ["  n = 1"] * 3, most=most)
    return [label.get_text() for label in ax.get_yticklabels()]


def left_of(ax: Axes) -> float:
    return min(label.get_window_extent().x0 for label in ax.get_yticklabels())


def test_long_names_lose_their_middle_and_keep_what_follows_them() -> None:
    names = named(axes(None))
    assert names[0].startswith("the afterno")
    assert "…" in names[0]
    assert names[2] == "home  n = 1"
    assert all(name.endswith("  n = 1") for name in names)


def test_names_end_at_the_edge_of_a_figure_without_a_layout() -> None:
    figure, ax = plt.subplots()
    figure.subplots_adjust(left=0.2)
    assert max(map(len, named(ax))) < len(LONG[0])
    assert left_of(ax) >= 0


def test_names_end_at_the_neighbour_on_their_left() -> None:
    figure, (first, second) = plt.subplots(1, 2)
    figure.subplots_adjust(wspace=0.8)
    named(second)
    assert left_of(second) >= first.bbox.x1


def test_what_follows_a_name_stands_beneath_it_where_both_have_no_room_beside_each_other() -> None:
    figure, ax = plt.subplots()
    figure.subplots_adjust(left=0.2)
    names = named(ax)
    assert all(name.endswith("\nn = 1") for name in names)
    assert left_of(ax) >= 0


def test_a_layout_makes_room_for_names_of_a_third_of_the_width() -> None:
    figure, ax = plt.subplots(layout="constrained")
    names = named(ax)
    figure.draw_without_rendering()
    assert len(names[0]) > 20
    assert left_of(ax) >= 0


@pytest.mark.parametrize(("height_in", "smaller"), [(4.0, False), (0.5, True)])
def test_names_are_smaller_where_rows_are_close(height_in, smaller) -> None:
    _, ax = plt.subplots(figsize=(8, height_in))
    named(ax)
    size = ax.get_yticklabels()[0].get_fontsize()
    assert (size < plt.rcParams["font.size"]) == smaller
    assert size >= SMALL_PT
