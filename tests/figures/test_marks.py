"""Marks that several figures share."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm, PowerNorm, to_rgb

from eyelog.figures.marks import (
    NumberFormatter,
    colour_bar,
    counted,
    days_wide,
    lone,
    number,
    pale,
    percent,
    strip,
    value_axis,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (12_000.0, "12,000"),
        (-3.5, "\N{MINUS SIGN}3.5"),
        (0.30000000000000004, "0.3"),
        (1000.5, "1,000.50"),
        (1_234_567.0, "1,234,567"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    assert number(value) == text


def test_things_are_counted_in_words() -> None:
    assert [counted(n, "bout") for n in (0, 1, 1200)] == ["0 bouts", "1 bout", "1,200 bouts"]


def test_a_lone_value_stands_between_two_missing_ones_or_at_an_end() -> None:
    values = np.array([1, np.nan, 2, 3, np.nan, 4, np.nan])
    assert np.flatnonzero(lone(values)).tolist() == [0, 5]
    assert lone(np.array([])).tolist() == []


def test_a_pale_colour_is_mixed_with_white() -> None:
    assert pale("#000000", 0.25) == (0.25, 0.25, 0.25)
    assert pale("#ffffff") == to_rgb("white")


def test_few_days_are_as_wide_as_in_a_week() -> None:
    ax = plt.subplots()[1]
    days_wide(ax, 1)
    assert ax.get_xlim() == (-3.5, 3.5)
    days_wide(ax, 10)
    assert ax.get_xlim() == (-0.5, 9.5)


def test_a_strip_lies_beneath_and_shares_the_x_axis() -> None:
    figure, ax = plt.subplots(layout="constrained")
    below = strip(ax)
    figure.canvas.draw()
    assert below.get_window_extent().y1 < ax.get_window_extent().y0
    ax.set_xlim(2, 5)
    assert below.get_xlim() == (2, 5)
    assert ax.child_axes == [below]


@pytest.mark.parametrize("norm", [PowerNorm(0.4, 0, 1720), PowerNorm(0.4, 0, 3), LogNorm(1, 480)])
def test_ticks_of_a_colour_bar_stand_at_round_values_with_room_between_them(norm) -> None:
    figure, ax = plt.subplots()
    image = ax.imshow(np.array([[norm.vmin, norm.vmax]]), norm=norm)
    colour_bar(ax, image, "Steps")
    ticks = image.colorbar.get_ticks()
    shown = ticks[(ticks >= norm.vmin) & (ticks <= norm.vmax)]
    assert len(shown) >= 4
    assert (np.diff(np.asarray(norm(shown))) > 0.05).all()
    assert {f"{tick:.0e}"[0] for tick in shown if tick} <= {"1", "2", "5"}
    figure.canvas.draw()


def test_the_labels_of_an_axis_have_equally_many_decimals() -> None:
    labels = NumberFormatter().format_ticks([-2.5, 1e-17, 2.5, 5.0])
    assert labels == ["\N{MINUS SIGN}2.5", "0.0", "2.5", "5.0"]
    assert NumberFormatter().format_ticks([0, 5000, 10000]) == ["0", "5,000", "10,000"]


def test_a_share_has_a_space_before_its_sign() -> None:
    assert percent(0.723, 1) == "72.3\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("width_in", "texts"),
    [
        (2.0, ["\N{MINUS SIGN}0.05", "0.00", "0.05"]),
        (0.5, ["\N{MINUS SIGN}0.05", "0.05"]),
        (0.2, ["0"]),
    ],
)
def test_a_very_short_axis_has_its_ends_or_0_alone(width_in: float, texts: list[str]) -> None:
    figure = plt.figure(figsize=(4, 3))
    ax = figure.add_axes((0.2, 0.2, width_in / 4, 0.6))
    ax.set_xlim(-0.06, 0.06)
    ax.tick_params(axis="x", labelsize=8)
    value_axis(ax.xaxis, most=2)
    figure.draw_without_rendering()
    low, high = ax.get_xlim()
    ticks = [label for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
    assert [tick.get_text() for tick in ticks] == texts


@pytest.mark.parametrize(("right", "smaller"), [(0.6, False), (0.9, True)])
def test_words_of_a_colour_bar_are_smaller_where_a_margin_is_narrow(right, smaller) -> None:
    figure, ax = plt.subplots()
    figure.subplots_adjust(right=right)
    colour_bar(ax, ax.imshow(np.arange(4.0).reshape(2, 2) * 10_000), "two\nlines")
    bar = figure.axes[1]
    assert (bar.yaxis.label.get_fontsize() < plt.rcParams["font.size"]) == smaller
